// HTTP/2 over plain TCP for the tests, with trailers.
//
//   http2.mjs client PORT   sends the requests of standard input (a JSON list) one after the other over one connection
//   http2.mjs server FILE   prints its port, serves FILE at /openapi.json and echoes everything else

import { readFileSync } from "node:fs";
import { connect, createServer } from "node:http2";

const HOST = "127.0.0.1";
const [mode, argument] = process.argv.slice(2);

function send(session, { headers, pieces, trailers }) {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers, { endStream: false, waitForTrailers: trailers !== null });
    const answer = { status: 0, headers: {}, body: "", trailers: {} };
    stream.setEncoding("utf8");
    stream.on("response", (found) => Object.assign(answer, { status: found[":status"], headers: { ...found } }));
    stream.on("data", (text) => { answer.body += text; });
    stream.on("trailers", (found) => { answer.trailers = { ...found }; });
    stream.on("end", () => resolve(answer));
    stream.on("error", reject);
    stream.setTimeout(10_000, () => reject(new Error("no complete answer within 10 s")));
    stream.on("wantTrailers", () => stream.sendTrailers(trailers));
    for (const piece of pieces) stream.write(piece);
    stream.end();
  });
}

async function client(port) {
  const session = connect(`http://${HOST}:${port}`);
  const answers = [];
  for (const request of JSON.parse(readFileSync(0, "utf8"))) answers.push(await send(session, request));
  session.close();
  console.log(JSON.stringify(answers));
}

function answer(stream, headers, document) {
  let received = "";
  stream.setEncoding("utf8");
  stream.on("data", (text) => { received += text; });
  stream.on("end", () => {
    const path = headers[":path"];
    const echo = JSON.stringify({ method: headers[":method"], path, body: received });
    const status = path.includes("missing") ? 404 : 200;
    stream.respond({ ":status": status, "content-type": "application/json" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "x-checksum": "abc", "server-timing": "db;dur=1" }));
    stream.end(path === "/openapi.json" ? document : echo);
  });
}

function server(file) {
  const document = readFileSync(file);
  const listening = createServer();
  listening.on("stream", (stream, headers) => answer(stream, headers, document));
  listening.listen(0, HOST, () => console.log(listening.address().port));
}

if (mode === "client") await client(argument);
else server(argument);
