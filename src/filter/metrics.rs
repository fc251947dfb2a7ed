//! Metrics through the host: defined on first use, then recorded by number.

use hashbrown::HashMap;
use proxy_wasm::hostcalls;
use proxy_wasm::types::MetricType;

use crate::exchange::Outcome;

/// Number of [`Outcome`] variants.
const OUTCOMES: usize = 5;

/// Metric numbers known to this VM.
#[derive(Debug, Default)]
pub(super) struct Metrics {
    named: HashMap<String, Option<u32>>,
    tools: HashMap<String, [Option<u32>; OUTCOMES]>,
    latency: Option<u32>,
}

impl Metrics {
    /// Counts one finished tool call.
    pub(super) fn count_call(&mut self, tool: &str, outcome: Outcome) {
        let known = self.tools.get(tool).and_then(|numbers| *numbers.get(outcome as usize)?);
        let number = known.or_else(|| self.define_calls(tool, outcome));
        add(number, 1);
    }

    #[cold]
    fn define_calls(&mut self, tool: &str, outcome: Outcome) -> Option<u32> {
        let name = format!("openapi_mcp.tool_calls.{tool}.{}", outcome.name());
        let numbers = self.tools.entry(tool.to_owned()).or_default();
        let slot = numbers.get_mut(outcome as usize)?;
        *slot = define(MetricType::Counter, &name);
        *slot
    }

    /// Records how long an upstream took, in milliseconds.
    pub(super) fn record_latency(&mut self, millis: u64) {
        if self.latency.is_none() {
            self.latency = define(MetricType::Histogram, "openapi_mcp.upstream_latency_ms");
        }
        record(self.latency, millis);
    }

    /// Counts one event of a name.
    pub(super) fn count(&mut self, name: &str) {
        add(self.number(MetricType::Counter, name), 1);
    }

    /// Sets a gauge.
    pub(super) fn set(&mut self, name: &str, value: u64) {
        record(self.number(MetricType::Gauge, name), value);
    }

    fn number(&mut self, kind: MetricType, name: &str) -> Option<u32> {
        if let Some(number) = self.named.get(name) {
            return *number;
        }
        let number = define(kind, name);
        self.named.insert(name.to_owned(), number);
        number
    }
}

fn define(kind: MetricType, name: &str) -> Option<u32> {
    hostcalls::define_metric(kind, name).ok()
}

fn add(metric: Option<u32>, by: i64) {
    if let Some(metric) = metric {
        let _ = hostcalls::increment_metric(metric, by);
    }
}

fn record(metric: Option<u32>, value: u64) {
    if let Some(metric) = metric {
        let _ = hostcalls::record_metric(metric, value);
    }
}
