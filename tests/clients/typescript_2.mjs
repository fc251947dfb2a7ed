// TypeScript client 2.x: `node typescript_2.mjs URL MODE REQUEST`, MODE is default, auto or pin.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const [url, mode, request] = process.argv.slice(2);
const modes = { default: undefined, auto: { mode: "auto" }, pin: { mode: { pin: "2026-07-28" } } };
const client = new Client({ name: "tests", version: "1" }, { versionNegotiation: modes[mode] });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const { tools } = await client.listTools();
const result = await client.callTool(JSON.parse(request));
const server = client.getServerVersion();
const version = client.getNegotiatedProtocolVersion();
await client.close();
console.log(JSON.stringify({ version, server: server?.name, tools: tools.map((tool) => tool.name), result }));
