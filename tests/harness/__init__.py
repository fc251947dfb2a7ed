"""What the tests, the demo and the benchmarks share: processes, configurations, a mock upstream, an MCP client."""
