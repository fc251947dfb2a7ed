// Serves requests of the usual kinds with a marked module and prints the numbers of the marks that each of them set.
//
//   node requests.mjs MODULE.wasm FIRST COUNT
//
// FIRST is the address of the first mark, COUNT the number of marks: see profile_requests.py.

import { readFileSync } from "node:fs";

const [path, first, count] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const encoder = new TextEncoder();
const decoder = new TextDecoder();

const OK = 0;
const NOT_FOUND = 1;
const CAS_MISMATCH = 8;
const ROOT = 1;

const shared = new Map();
const host = { now: 1_700_000_000_000n, versions: 0, metrics: 0, calls: 0, logs: [], reply: undefined };
let filter;

const memory = () => new Uint8Array(filter.memory.buffer);
const view = () => new DataView(filter.memory.buffer);
const text = (at, size) => decoder.decode(memory().slice(at, at + size));
const put = (at, value) => view().setUint32(at, value, true);

function give(bytes, data, size) {
  const at = filter.proxy_on_memory_allocate(bytes.length);
  memory().set(bytes, at);
  put(data, at);
  put(size, bytes.length);
  return OK;
}

function serialize(fields) {
  const pairs = fields.map((pair) => pair.map((part) => encoder.encode(part)));
  const parts = pairs.flat();
  const numbers = [pairs.length, ...parts.map((part) => part.length)];
  const out = new Uint8Array(numbers.length * 4 + parts.reduce((size, part) => size + part.length + 1, 0));
  numbers.forEach((number, index) => new DataView(out.buffer).setUint32(index * 4, number, true));
  let at = numbers.length * 4;
  for (const part of parts) {
    out.set(part, at);
    at += part.length + 1;
  }
  return out;
}

const BUFFERS = { 0: () => host.request.body, 4: () => host.answer.body, 7: () => host.configuration };

const environment = {
  proxy_log: (_level, at, size) => (host.logs.push(text(at, size)), OK),
  proxy_get_log_level: (out) => (put(out, 2), OK),
  proxy_get_current_time_nanoseconds: (out) => (view().setBigUint64(out, host.now * 1_000_000n, true), OK),
  proxy_set_tick_period_milliseconds: () => OK,
  proxy_get_property: () => NOT_FOUND,
  proxy_set_effective_context: () => OK,
  proxy_define_metric: (_kind, _at, _size, out) => (put(out, ++host.metrics), OK),
  proxy_increment_metric: () => OK,
  proxy_record_metric: () => OK,
  proxy_get_shared_data(at, size, data, length, cas) {
    const found = shared.get(text(at, size));
    if (!found) return NOT_FOUND;
    put(cas, found.version);
    return give(found.value, data, length);
  },
  proxy_set_shared_data(at, size, value, length, cas) {
    const key = text(at, size);
    const known = shared.get(key);
    if (cas > 0 && known && known.version !== cas) return CAS_MISMATCH;
    shared.set(key, { value: memory().slice(value, value + length), version: ++host.versions });
    return OK;
  },
  proxy_get_header_map_pairs: (kind, data, size) =>
    give(serialize(kind === 0 ? host.request.headers : host.answer.headers), data, size),
  proxy_get_header_map_value(_kind, at, length, data, size) {
    const field = host.request.headers.find(([name]) => name === text(at, length));
    return field ? give(encoder.encode(field[1]), data, size) : NOT_FOUND;
  },
  proxy_get_buffer_bytes: (kind, _start, _most, data, size) => give(encoder.encode(BUFFERS[kind]()), data, size),
  proxy_http_call(...parameters) {
    put(parameters.at(-1), ++host.calls);
    return OK;
  },
  proxy_send_local_response(status, _details, _size, at, size) {
    host.reply = { status, body: text(at, size) };
    return OK;
  },
};

const wasi = {
  random_get: (at, size) => (memory().fill(7, at, at + size), OK),
  environ_get: () => OK,
  environ_sizes_get: (entries, bytes) => (put(entries, 0), put(bytes, 0), OK),
  clock_time_get: (_clock, _precision, out) => (view().setBigUint64(out, host.now * 1_000_000n, true), OK),
  sched_yield: () => OK,
};

/** The imports of the module; one that no request needs fails when it is called. */
function imports(module) {
  const found = { env: {}, wasi_snapshot_preview1: {} };
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    const known = (from === "env" ? environment : wasi)[name];
    found[from][name] = known ?? (() => { throw new Error(`the module called ${name}`); });
  }
  return found;
}

function start() {
  const module = new WebAssembly.Module(readFileSync(path));
  filter = new WebAssembly.Instance(module, imports(module)).exports;
  filter._initialize();
  filter.proxy_on_context_create(ROOT, 0);
  filter.proxy_on_vm_start(ROOT, 0);
  host.configuration = JSON.stringify({
    upstreams: [{ name: "api", cluster: "api", document: { inline: JSON.stringify(DOCUMENT) } }],
    routes: [{ path: "/mcp" }],
  });
  if (!filter.proxy_on_configure(ROOT, encoder.encode(host.configuration).length)) {
    throw new Error(`refused: ${host.logs.join("\n")}`);
  }
  for (let ticks = 0; ticks < 100; ticks++) {
    host.now += 50n;
    filter.proxy_on_tick(ROOT);
  }
}

const json = (schema) => ({ "application/json": { schema } });
const param = (name, place, schema) => ({ name, in: place, required: place === "path", schema });
const BOOK = {
  type: "object",
  required: ["title"],
  properties: { title: { type: "string" }, copies: { type: "integer" }, lent: { type: "boolean" } },
};
const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Books", version: "1" },
  paths: {
    "/books/{id}": {
      get: {
        operationId: "getBook",
        parameters: [param("id", "path", { type: "string" }), param("fields", "query", { type: "array", items: { type: "string" } })],
        responses: { 200: { description: "a book", content: json({ type: "object" }) } },
        "x-agent": {},
      },
    },
    "/books": {
      get: {
        operationId: "listBooks",
        parameters: [param("q", "query", { type: "string" }), param("size", "query", { type: "integer" })],
        responses: { 200: { description: "books", content: json({ type: "array", items: BOOK }) } },
        "x-agent": {},
      },
      post: {
        operationId: "addBook",
        requestBody: { required: true, content: json(BOOK) },
        responses: { 201: { description: "added", content: json(BOOK) } },
        "x-agent": {},
      },
    },
  },
};
const FOUND = '{"id":42,"title":"Dune","copies":3,"lent":false,"next":null,"tags":["a","b"]}';
const ROW = '{"title":"L\u2019\u00c9tranger \\"poche\\"","copies":1,"price":7.50,"shelf":{"room":"B","row":4},"note":"a|b\\nc"}';
const MISSING = '{"type":"about:blank","title":"Not Found","status":404,"detail":"no such book"}';

let contexts = ROOT;

function open(headers, body) {
  host.request = { headers, body };
  filter.proxy_on_context_create(++contexts, ROOT);
  filter.proxy_on_request_headers(contexts, headers.length, body === "" ? 1 : 0);
}

let runs = [];

function close() {
  filter.proxy_on_response_headers(contexts, 3, 0);
  filter.proxy_on_delete(contexts);
  const marks = memory().subarray(first, first + count);
  runs.push([...marks.entries()].filter(([, mark]) => mark).map(([number]) => number));
  marks.fill(0);
}

const COMMON = [
  [":authority", "gateway:8080"],
  [":path", "/mcp"],
  [":method", "POST"],
  [":scheme", "http"],
  ["user-agent", "client"],
  ["content-type", "application/json"],
  ["accept", "application/json, text/event-stream"],
  ["x-forwarded-proto", "http"],
  ["x-request-id", "b7b3cbe3-5d6a-4ab5-8c57-6e4c4c5f1d7d"],
];

const OK_JSON = [[":status", "200"], ["content-type", "application/json"], ["server", "api"]];
const OK_UTF8 = [[":status", "200"], ["content-type", "application/json; charset=utf-8"], ["etag", '"7"']];
const PROBLEM = [[":status", "404"], ["content-type", "application/problem+json"]];
const TRACED = [["traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"]];

/** A request for MCP with additional headers; `body` and `fields` are what the API answers to the call of it. */
function exchange(method, params, { body, fields = OK_JSON, isError = false, additional = [] } = {}) {
  const modern = "_meta" in params;
  const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const size = encoder.encode(message).length;
  const headers = [
    ...COMMON,
    ...(method === "initialize" ? [] : [["mcp-protocol-version", modern ? "2026-07-28" : "2025-11-25"]]),
    ...(modern ? [["mcp-method", method]] : []),
    ...(modern && params.name ? [["mcp-name", params.name]] : []),
    ...additional,
    ["content-length", String(size)],
  ];
  host.reply = undefined;
  open(headers, message);
  filter.proxy_on_request_body(contexts, size, 0);
  const calls = host.calls;
  filter.proxy_on_request_body(contexts, size, 1);
  if (host.calls > calls) {
    host.answer = { body, headers: fields };
    filter.proxy_on_http_call_response(ROOT, host.calls, fields.length, encoder.encode(body).length, 0);
  }
  close();
  const result = host.reply && JSON.parse(host.reply.body).result;
  if (!result || (result.isError ?? false) !== isError) throw new Error(`${method}: ${JSON.stringify(host.reply)}`);
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

function call(era, name, parameters, answer) {
  exchange("tools/call", { name, arguments: parameters, ...era }, answer);
}

function serve() {
  open([[":authority", "gateway"], [":path", "/books/1"], [":method", "GET"]], "");
  close();
  exchange("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "client", version: "1" } });
  for (const era of [{}, { _meta: META }]) {
    exchange("tools/list", era);
    call(era, "get_book", { id: "42" }, { body: FOUND });
    call(era, "get_book", { id: "a/b" }, { body: FOUND, fields: OK_UTF8, additional: TRACED });
    call(era, "get_book", { id: "43" }, { body: MISSING, fields: PROBLEM, isError: true });
    call(era, "list_books", { q: "a b", size: 2 }, { body: `[${FOUND},${FOUND}]` });
    call(era, "list_books", {}, { body: `[${Array(20).fill(ROW)}]` });
    call(era, "list_books", { size: "two" }, { isError: true });
    call(era, "add_book", { title: "Dune", copies: 3 }, { body: FOUND });
  }
}

start();
// What only the first request of a kind does is not what counts.
serve();
runs = [];
serve();
console.log(JSON.stringify(runs));
