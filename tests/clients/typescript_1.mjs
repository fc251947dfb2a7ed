// TypeScript SDK 1.x: `node typescript_1.mjs URL MODE REQUEST`; it has one mode.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url, , request] = process.argv.slice(2);
const client = new Client({ name: "tests", version: "1" });
const transport = new StreamableHTTPClientTransport(new URL(url));
await client.connect(transport);
const { tools } = await client.listTools();
const result = await client.callTool(JSON.parse(request));
const server = client.getServerVersion();
const version = transport.protocolVersion;
await client.close();
console.log(JSON.stringify({ version, server: server?.name, tools: tools.map((tool) => tool.name), result }));
