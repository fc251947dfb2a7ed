//! What the leader tells the other VMs: which compiled views there are, and why some are not.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::config;
use crate::store::{self, Store};

/// Says that the manifest does not belong to the revision.
pub(super) const LOST_MANIFEST: &str = "manifest";

/// Keys of one filter configuration in shared data.
#[derive(Debug, Clone)]
pub(super) struct Keys {
    prefix: String,
}

impl Keys {
    /// Keys of one configuration.
    pub(super) fn new(place: &config::Store, scope: &str) -> Self {
        Self { prefix: place.key(&format!("openapi-mcp/{scope}/")) }
    }

    /// Which VM leads.
    pub(super) fn lease(&self) -> String {
        self.key("lease")
    }

    /// A short value that changes with the manifest.
    pub(super) fn revision(&self) -> String {
        self.key("revision")
    }

    /// The [`Manifest`].
    pub(super) fn manifest(&self) -> String {
        self.key("manifest")
    }

    /// Views that workers asked for besides the configured ones.
    pub(super) fn wants(&self) -> String {
        self.key("wants")
    }

    /// What a worker could not find: the digest of a tool set, or [`LOST_MANIFEST`].
    pub(super) fn lost(&self) -> String {
        self.key("lost")
    }

    /// When a request came last, in milliseconds.
    pub(super) fn activity(&self) -> String {
        self.key("activity")
    }

    /// The compiled tool set of one view.
    pub(super) fn view(&self, view: &str) -> String {
        self.key(&format!("view/{view}"))
    }

    fn key(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }
}

/// State of everything that was fetched and compiled for one filter configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Manifest {
    /// Grows with each write.
    pub(super) revision: u64,
    /// By view key.
    pub(super) views: BTreeMap<String, ViewState>,
    /// By upstream name: why its document is not there.
    pub(super) failures: BTreeMap<String, String>,
}

/// State of one view.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ViewState {
    /// Digest of the stored tool set; absent while there is none.
    pub(super) digest: Option<String>,
    /// Why the newest document was refused.
    pub(super) refused: Option<String>,
}

impl Manifest {
    /// Reads the manifest; an absent or foreign value is an empty manifest.
    pub(super) fn read(keys: &Keys, store: &dyn Store) -> Self {
        store::read(store, &keys.manifest()).unwrap_or_default()
    }

    /// Writes the manifest, then the revision that makes others look at it.
    pub(super) fn write(&mut self, keys: &Keys, store: &dyn Store) {
        let before = self.revision;
        self.revision = before.wrapping_add(1);
        let is_written = serde_json::to_vec(self)
            .is_ok_and(|bytes| store::put(store, &keys.manifest(), &bytes))
            && store::put(store, &keys.revision(), self.revision.to_string().as_bytes());
        if !is_written {
            self.revision = before;
        }
    }

    /// Whether a stored revision is the one of this manifest.
    pub(super) fn has_revision(&self, stored: Option<&[u8]>) -> bool {
        stored.map_or(self.revision == 0, |stored| stored == self.revision.to_string().as_bytes())
    }

    /// Whether no document of these upstreams is there, nor comes before another attempt.
    pub(super) fn have_failed(&self, upstreams: &[String]) -> bool {
        upstreams.iter().all(|name| self.failures.contains_key(name))
    }

    /// Why a view has no tool set, in words for an operator.
    pub(super) fn reason(&self, view: &str, upstreams: &[String]) -> String {
        if let Some(refused) = self.views.get(view).and_then(|state| state.refused.as_ref()) {
            return format!("the OpenAPI document was refused: {refused}");
        }
        let failed = upstreams
            .iter()
            .filter_map(|name| {
                self.failures.get(name).map(|why| format!("upstream `{name}`: {why}"))
            })
            .collect::<Vec<_>>();
        if failed.is_empty() {
            "the OpenAPI document is being loaded".to_owned()
        } else {
            format!("the OpenAPI document could not be loaded: {}", failed.join("; "))
        }
    }
}

/// The directory of filter configurations, so that the data of one that is gone can be dropped.
///
/// Keys cannot be removed on Envoy, but values can be emptied.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Directory(BTreeMap<String, u64>);

/// How often a live configuration says so, in milliseconds.
const HEARTBEAT: u64 = 60_000;
/// After how long without a sign of life a configuration's data is dropped, in milliseconds.
const GONE: u64 = 5 * HEARTBEAT;

impl Directory {
    fn key(place: &config::Store) -> String {
        place.key("openapi-mcp/scopes")
    }

    /// Says that a configuration lives, and drops the data of those that do not.
    pub(super) fn beat(place: &config::Store, scope: &str, now: u64, store: &dyn Store) {
        let mut gone = Vec::new();
        store::update::<Self>(store, &Self::key(place), |current| {
            let mut directory = current.unwrap_or_default();
            let fresh = |&seen: &u64| (seen..seen.saturating_add(HEARTBEAT)).contains(&now);
            if directory.0.get(scope).is_some_and(fresh) {
                gone.clear();
                return None;
            }
            directory.0.insert(scope.to_owned(), now);
            gone = directory.expired(now);
            directory.0.retain(|scope, _| !gone.contains(scope));
            Some(directory)
        });
        for scope in gone {
            drop_data(&Keys::new(place, &scope), store);
        }
    }

    fn expired(&self, now: u64) -> Vec<String> {
        let dead = |seen: &u64| now >= seen.saturating_add(GONE);
        self.0.iter().filter(|(_, seen)| dead(seen)).map(|(scope, _)| scope.clone()).collect()
    }
}

fn drop_data(keys: &Keys, store: &dyn Store) {
    for view in Manifest::read(keys, store).views.keys() {
        store::put(store, &keys.view(view), b"");
    }
    let others = [keys.manifest(), keys.revision(), keys.wants(), keys.lost(), keys.activity()];
    for key in others.iter().chain([&keys.lease()]) {
        store::put(store, key, b"");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lifecycle::views::{View, Views};
    use crate::store::memory::MemoryStore;

    #[test]
    fn the_data_of_a_configuration_that_is_gone_is_dropped() {
        let store = MemoryStore::default();
        let place = config::Store::default();
        let old = Keys::new(&place, "old");
        let mut manifest = Manifest::default();
        manifest.views.insert("v".to_owned(), ViewState::default());
        manifest.write(&old, &store);
        store::put(&store, &old.view("v"), b"big");
        Directory::beat(&place, "old", 0, &store);
        for now in (0..GONE).step_by(1_000) {
            Directory::beat(&place, "new", now, &store);
        }
        assert!(store.get(&old.view("v")).0.is_some());
        Directory::beat(&place, "new", GONE, &store);
        assert_eq!(store.get(&old.view("v")).0, None);
        assert_eq!(Manifest::read(&old, &store), Manifest::default());
    }

    #[test]
    fn reasons_name_the_upstream_and_the_refusal() {
        let mut manifest = Manifest::default();
        let upstreams = ["api".to_owned()];
        assert!(manifest.reason("v", &upstreams).contains("being loaded"));
        manifest.failures.insert("api".to_owned(), "HTTP status 500".to_owned());
        assert!(manifest.reason("v", &upstreams).contains("upstream `api`: HTTP status 500"));
        let refused = ViewState { digest: None, refused: Some("/x-agent: no".to_owned()) };
        manifest.views.insert("v".to_owned(), refused);
        assert!(manifest.reason("v", &upstreams).contains("refused: /x-agent: no"));
    }

    #[test]
    fn what_cannot_be_compiled_is_not_waited_for() {
        let store = MemoryStore::default();
        let place = config::Store::default();
        let mut manifest = Manifest::default();
        manifest.views.insert("of another upstream".to_owned(), ViewState::default());
        manifest.failures.insert("api".to_owned(), "HTTP status 404".to_owned());
        manifest.write(&Keys::new(&place, "s"), &store);
        let mut views = Views::new(&place, "s", 1);
        let mut get = |upstreams: &[&str]| {
            let upstreams: Vec<_> = upstreams.iter().map(|name| (*name).to_owned()).collect();
            views.get("v", &upstreams, &store)
        };
        let found = get(&["api"]);
        assert!(matches!(&found, View::Unavailable(why) if why.contains("404")), "{found:?}");
        assert!(matches!(get(&["api", "other"]), View::Wanted));
        assert!(matches!(get(&["other"]), View::Wanted));
    }
}
