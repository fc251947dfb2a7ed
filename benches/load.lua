-- wrk script: POST the body of $BODY (or GET without one) and print one line of JSON at the end.
local body = os.getenv("BODY")
if body and body ~= "" then
  wrk.method = "POST"
  wrk.headers["content-type"] = "application/json"
  wrk.headers["accept"] = "application/json, text/event-stream"
  wrk.headers["mcp-protocol-version"] = "2025-11-25"
  wrk.body = body
end

function done(summary, latency, requests)
  local failed = summary.errors.connect + summary.errors.read + summary.errors.write
    + summary.errors.status + summary.errors.timeout
  io.write(string.format(
    '\nRESULT {"requests": %d, "microseconds": %d, "failed": %d, "p50": %d, "p99": %d}\n',
    summary.requests, summary.duration, failed, latency:percentile(50), latency:percentile(99)))
end
