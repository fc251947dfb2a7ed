//! A worker's side: opens the compiled tool sets that the leader stored.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::manifest::{Keys, LOST_MANIFEST, Manifest};
use crate::config;
use crate::store::{self, Store};
use crate::toolset::{OpenError, ToolSet};

/// A view that a request needs.
#[derive(Debug, Clone)]
pub enum View {
    /// The tool set to answer from.
    Ready(Rc<ToolSet>),
    /// Nobody has compiled it yet; it was asked for.
    Wanted,
    /// There is none, and why.
    Unavailable(String),
}

/// A view besides the configured ones: a route with what its route metadata overrides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Want {
    /// Index of the route in the configuration.
    pub route: usize,
    /// Overriding keys and values as the host gave them.
    pub overrides: Vec<(String, Vec<u8>)>,
}

/// Tool sets opened in this VM.
#[derive(Debug)]
pub struct Views {
    keys: Keys,
    limit: usize,
    revision: Option<Vec<u8>>,
    manifest: Manifest,
    opened: BTreeMap<String, Opened>,
}

#[derive(Debug)]
struct Opened {
    digest: String,
    set: Rc<ToolSet>,
}

impl Views {
    /// No tool set opened yet. At most `limit` views are asked for.
    pub fn new(place: &config::Store, scope: &str, limit: usize) -> Self {
        Self {
            keys: Keys::new(place, scope),
            limit,
            revision: None,
            manifest: Manifest::default(),
            opened: BTreeMap::new(),
        }
    }

    /// Looks for news from the leader. Opened tool sets are replaced; one that cannot be opened is
    /// reported and the old one stays.
    pub fn refresh(&mut self, store: &dyn Store) {
        let revision = store.get(&self.keys.revision()).0;
        if revision == self.revision {
            return;
        }
        self.revision = revision;
        self.manifest = Manifest::read(&self.keys, store);
        if !self.manifest.has_revision(self.revision.as_deref()) {
            self.revision = None;
            self.report_lost(LOST_MANIFEST, store);
        }
        let opened = self.opened.keys().cloned().collect::<Vec<_>>();
        for view in opened {
            self.open(&view, store);
        }
    }

    /// The tool set of a view. `upstreams` are the names of the upstreams it is made of.
    pub fn get(&mut self, view: &str, upstreams: &[String], store: &dyn Store) -> View {
        if let Some(opened) = self.opened.get(view) {
            return View::Ready(Rc::clone(&opened.set));
        }
        self.refresh(store);
        if self.open(view, store)
            && let Some(opened) = self.opened.get(view)
        {
            return View::Ready(Rc::clone(&opened.set));
        }
        let is_settled = self.manifest.views.contains_key(view) || self.manifest.views.is_empty();
        if is_settled || self.manifest.have_failed(upstreams) {
            View::Unavailable(self.manifest.reason(view, upstreams))
        } else {
            View::Wanted
        }
    }

    /// Asks the leader for a view that is not among the configured ones.
    ///
    /// # Errors
    /// When as many views as the configuration allows were asked for already.
    pub fn want(&self, want: &Want, store: &dyn Store) -> Result<(), String> {
        let mut full = false;
        store::update::<Vec<Want>>(store, &self.keys.wants(), |current| {
            let mut wants = current.unwrap_or_default();
            full = !wants.contains(want) && wants.len() >= self.limit;
            if full || wants.contains(want) {
                return None;
            }
            wants.push(want.clone());
            Some(wants)
        });
        if full {
            return Err(format!(
                "route metadata asks for more than {} different views (`limits.views`)",
                self.limit
            ));
        }
        Ok(())
    }

    /// Notes that a request came, so that a configuration that is in use stays fresh.
    pub fn note_activity(&self, now: u64, store: &dyn Store) {
        store::put(store, &self.keys.activity(), now.to_string().as_bytes());
    }

    /// Tells the leader that something it stored is not there; what it is about to replace does not
    /// matter to it.
    fn report_lost(&self, what: &str, store: &dyn Store) {
        let key = self.keys.lost();
        if store.get(&key).0.as_deref() != Some(what.as_bytes()) {
            store::put(store, &key, what.as_bytes());
        }
    }

    /// Opens what is stored for a view unless it is open already. Returns whether the view is open.
    fn open(&mut self, view: &str, store: &dyn Store) -> bool {
        let Some(digest) = self.manifest.views.get(view).and_then(|state| state.digest.clone())
        else {
            return false;
        };
        if self.opened.get(view).is_some_and(|opened| opened.digest == digest) {
            return true;
        }
        let stored = store.get(&self.keys.view(view)).0;
        let Some(bytes) = stored.filter(|bytes| super::stamp(bytes) == digest) else {
            // The leader is between two writes, or what it wrote is gone.
            self.revision = None;
            self.report_lost(&digest, store);
            return false;
        };
        match ToolSet::open(bytes) {
            Ok(set) => {
                self.opened.insert(view.to_owned(), Opened { digest, set: Rc::new(set) });
                true
            }
            Err(error) => {
                log::error!("event=view_unreadable view={view} error=\"{error}\"");
                if error == OpenError::Damaged {
                    self.revision = None;
                    self.report_lost(&digest, store);
                }
                false
            }
        }
    }
}
