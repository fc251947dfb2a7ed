//! The filter's configuration: what the operator wrote, checked as a whole.
//!
//! [`Config::parse`] either gives a configuration in which every name resolves and every value is
//! within its limits, or all problems at once. `docs/configuration.md` is the reference of the keys.

mod access;
mod check;
mod exposure;
mod fields;
mod keys;
mod limits;
pub mod metadata;
mod route;
mod source;
mod stable;
mod structpb;
mod units;
mod upstream;
mod view;
mod words;

pub use access::{Credential, CredentialSource, Secret, Server};
pub use exposure::{Exposure, Include, Search, Selector, Subject};
pub use limits::{EditorLimits, Limits, SessionLimits};
pub use route::{HostPattern, Identity, Route};
pub use upstream::{DocumentOrigin, DocumentSource, FileRules, ReferenceLocation, Upstream};
pub use view::{Lint, SchemaProfile, ViewOptions};

use serde_json::Value;

use crate::json::Problem;
use fields::Fields;

/// A checked configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The APIs, at least one, with distinct names.
    pub upstreams: Vec<Upstream>,
    /// The MCP endpoints, at least one, in the order in which they are tried.
    pub routes: Vec<Route>,
    /// Upper bounds on what one message, session or document may cost.
    pub limits: Limits,
    /// Which VM fetches documents and compiles them.
    pub role: Role,
    /// Where state shared between VMs is kept.
    pub store: Store,
    scope: String,
}

/// Which part this configuration's VMs take in fetching and compiling documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    /// Any VM may lead; one at a time does.
    #[default]
    Auto,
    /// These VMs lead (an Envoy bootstrap `WasmService` singleton).
    Leader,
    /// These VMs lead only while no leader is alive.
    Worker,
}

/// Where state shared between VMs is kept.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Store {
    /// Name of the shared-memory zone on `ngx_wasm_module`; empty on Envoy.
    pub zone: String,
}

impl Store {
    /// The shared-data key of `name`: with the zone in front where there is one.
    pub fn key(&self, name: &str) -> String {
        if self.zone.is_empty() { name.to_owned() } else { [&self.zone, "/", name].concat() }
    }
}

impl Config {
    /// The upstream of this name.
    pub fn upstream(&self, name: &str) -> Option<&Upstream> {
        self.upstreams.iter().find(|upstream| upstream.name == name)
    }

    /// Reads a configuration: YAML or JSON text, or a serialized `google.protobuf.Struct`.
    ///
    /// # Errors
    /// Everything that is wrong, in the order of the keys; places are key paths such as
    /// `routes[0].lint`.
    pub fn parse(bytes: &[u8]) -> Result<Self, Vec<Problem>> {
        let value = source::read(bytes).map_err(|problem| vec![problem])?;
        let mut problems = Vec::new();
        let config = Self::read(&value, &mut problems);
        config.filter(|_| problems.is_empty()).ok_or(problems)
    }

    /// Whether some route may take a request with this `:path`, whatever its host. Asked for every
    /// request of the listener before anything else is read.
    pub fn may_serve(&self, path: &str) -> bool {
        self.routes.iter().any(|route| route.takes_path(path))
    }

    /// The first route that takes a request with this `:path` (with or without a query) and host,
    /// and its index. Header `host` and `:authority` are equally good for `host`.
    pub fn route_for(&self, path: &str, host: Option<&str>) -> Option<(usize, &Route)> {
        self.routes.iter().enumerate().find(|(_, route)| route.takes(path, host))
    }

    /// Identifies everything that this configuration makes VMs share: 16 hexadecimal digits, equal
    /// for equal configurations whatever their spelling and their `role`.
    pub fn scope(&self) -> &str {
        &self.scope
    }

    fn read(value: &Value, problems: &mut Vec<Problem>) -> Option<Self> {
        let mut fields = Fields::open(value, String::new(), keys::ROOT, problems)?;
        let upstreams = upstream::read_all(&mut fields);
        let routes = route::read_all(&mut fields, &upstreams);
        let limits = limits::read(&mut fields);
        let role = fields.read("role", role).unwrap_or_default();
        let store = read_store(&mut fields);
        let scope = stable::id(&(&upstreams, &routes, &limits, &store));
        Some(Self { upstreams, routes, limits, role, store, scope })
    }
}

fn role(value: &Value) -> Result<Role, String> {
    check::one_of(
        value,
        &[("auto", Role::Auto), ("leader", Role::Leader), ("worker", Role::Worker)],
    )
}

fn read_store(fields: &mut Fields<'_, '_>) -> Store {
    let Some(mut store) = fields.child("store", keys::STORE) else { return Store::default() };
    Store { zone: store.read("zone", check::zone).unwrap_or_default() }
}

#[cfg(test)]
mod tests;
