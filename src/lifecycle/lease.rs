//! The lease: which VM fetches and compiles for one filter configuration.
//!
//! Held in shared data, renewed while its holder lives, free for another VM when it has run out.

use serde::{Deserialize, Serialize};

use crate::config::Role;
use crate::store::{self, Store};

/// How long a lease lasts without renewal, in milliseconds.
pub(super) const DURATION: u64 = 5_000;
/// How often a holder renews it, in milliseconds.
const RENEWAL: u64 = 1_000;
/// How long a free lease is left to a named leader that starts at the same time, in milliseconds.
const IDLE_DELAY: u64 = 100;
/// How long a VM that serves requests leaves a free lease to one that does not, in milliseconds.
const SERVING_DELAY: u64 = 1_000;
/// How long `role: worker` leaves a free lease to the named leader, in milliseconds.
const WORKER_DELAY: u64 = 10_000;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    owner: u64,
    until: u64,
    /// The holder was named leader by its configuration.
    named: bool,
}

impl Record {
    /// Whether the lease has a holder. Nobody takes it for longer than [`DURATION`]: a value that says
    /// so is foreign, or from before the clock was set back.
    fn is_held(&self, now: u64) -> bool {
        now < self.until && self.until <= now.saturating_add(DURATION)
    }
}

/// One VM's view of the lease.
#[derive(Debug)]
pub(super) struct Lease {
    key: String,
    owner: u64,
    role: Role,
    /// Time of the last renewal while held.
    renewed: Option<u64>,
    /// Since when the lease has been seen free.
    free_since: Option<u64>,
}

impl Lease {
    /// A lease not held yet. `owner` is unique in the store.
    pub(super) fn new(key: String, owner: u64, role: Role) -> Self {
        Self { key, owner, role, renewed: None, free_since: None }
    }

    /// Whether the lease was held after the last [`Lease::tick`].
    pub(super) fn held(&self) -> bool {
        self.renewed.is_some()
    }

    /// Claims, renews or gives way. `serving`: this VM answers requests, so it leaves the work to
    /// one that does not if it can. Returns whether the lease is held now.
    pub(super) fn tick(&mut self, now: u64, serving: bool, store: &dyn Store) -> bool {
        if self.renewed.is_some_and(|at| (at..at.saturating_add(RENEWAL)).contains(&now)) {
            return true;
        }
        let record = store::read::<Record>(store, &self.key);
        let wanted = match &record {
            Some(record) if record.owner == self.owner => true,
            Some(record) if record.is_held(now) && (record.named || self.role != Role::Leader) => {
                self.free_since = None;
                false
            }
            _ => self.waited(now, serving),
        };
        self.renewed = (wanted && self.write(now, store)).then_some(now);
        self.held()
    }

    /// Gives the lease up so that another VM can take it at once.
    pub(super) fn release(&mut self, store: &dyn Store) {
        if self.renewed.take().is_some() {
            store::update::<Record>(store, &self.key, |current| {
                current.filter(|record| record.owner == self.owner).map(|record| Record {
                    until: 0,
                    owner: 0,
                    ..record
                })
            });
        }
        self.free_since = None;
    }

    fn waited(&mut self, now: u64, serving: bool) -> bool {
        let since = self.free_since.map_or(now, |since| since.min(now));
        self.free_since = Some(since);
        let delay = match (self.role, serving) {
            (Role::Leader, _) => 0,
            (Role::Auto, false) => IDLE_DELAY,
            (Role::Auto, true) => SERVING_DELAY,
            (Role::Worker, _) => WORKER_DELAY,
        };
        now.saturating_sub(since) >= delay
    }

    fn write(&mut self, now: u64, store: &dyn Store) -> bool {
        let named = self.role == Role::Leader;
        let (owner, until) = (self.owner, now.saturating_add(DURATION));
        store::update::<Record>(store, &self.key, |current| match current {
            Some(other)
                if other.owner != owner && other.is_held(now) && (other.named || !named) =>
            {
                None
            }
            _ => Some(Record { owner, until, named }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::memory::MemoryStore;

    fn lease(owner: u64, role: Role) -> Lease {
        Lease::new("lease".to_owned(), owner, role)
    }

    /// A lease held by its first contender since `IDLE_DELAY`.
    fn held(role: Role) -> (MemoryStore, Lease) {
        let store = MemoryStore::default();
        let mut first = lease(1, role);
        first.tick(0, false, &store);
        assert!(first.tick(IDLE_DELAY, false, &store));
        (store, first)
    }

    #[test]
    fn the_first_to_claim_holds_it_and_others_wait() {
        let (store, mut a) = held(Role::Auto);
        let mut b = lease(2, Role::Auto);
        for now in (IDLE_DELAY..60_000).step_by(50) {
            assert!(a.tick(now, false, &store));
            assert!(!b.tick(now, false, &store));
        }
    }

    #[test]
    fn another_takes_over_when_the_holder_is_gone() {
        let (store, mut a) = held(Role::Auto);
        let mut b = lease(2, Role::Auto);
        let end = IDLE_DELAY + DURATION;
        assert!(!b.tick(end - 1, false, &store));
        assert!(!b.tick(end, false, &store));
        assert!(b.tick(end + IDLE_DELAY, false, &store));
        assert!(!a.tick(end + IDLE_DELAY + 1, false, &store), "the old holder notices");
    }

    #[test]
    fn a_clock_that_jumps_leaves_one_holder() {
        for jump in [-86_400_000, -3_000, 3_000, 86_400_000_i64] {
            let (store, mut clock) = (MemoryStore::default(), 1_700_000_000_000_u64);
            let (mut a, mut b) = (lease(1, Role::Auto), lease(2, Role::Auto));
            for round in 0..400 {
                clock = clock.saturating_add_signed(if round == 200 { jump } else { 50 });
                let held = [a.tick(clock, false, &store), b.tick(clock, false, &store)];
                assert!(held != [true, true] || round == 200, "{jump}: {round}");
                assert!(
                    held != [false, false] || round < 5 || (200..320).contains(&round),
                    "{jump}"
                );
            }
        }
    }

    #[test]
    fn a_lease_beyond_any_that_is_given_counts_as_free() {
        let store = MemoryStore::default();
        store::put(&store, "lease", br#"{"owner":9,"until":18446744073709551615,"named":true}"#);
        let mut lease = lease(1, Role::Auto);
        lease.tick(0, false, &store);
        assert!(lease.tick(IDLE_DELAY, false, &store));
    }

    #[test]
    fn a_released_lease_is_free_for_another() {
        let (store, mut a) = held(Role::Auto);
        let mut b = lease(2, Role::Auto);
        a.release(&store);
        assert!(!a.held());
        assert!(!b.tick(200, false, &store));
        assert!(b.tick(200 + IDLE_DELAY, false, &store));
    }

    #[test]
    fn a_serving_vm_leaves_the_work_to_one_that_does_not_serve() {
        let store = MemoryStore::default();
        let (mut serving, mut idle) = (lease(1, Role::Auto), lease(2, Role::Auto));
        assert!(!serving.tick(0, true, &store));
        assert!(!idle.tick(500, false, &store));
        assert!(idle.tick(500 + IDLE_DELAY, false, &store));
        assert!(!serving.tick(SERVING_DELAY, true, &store));
        let store = MemoryStore::default();
        let mut alone = lease(3, Role::Auto);
        assert!(!alone.tick(0, true, &store));
        assert!(!alone.tick(SERVING_DELAY - 1, true, &store));
        assert!(alone.tick(SERVING_DELAY, true, &store));
    }

    #[test]
    fn a_named_leader_takes_the_lease_from_an_unnamed_one() {
        let (store, mut auto) = held(Role::Auto);
        let mut named = lease(2, Role::Leader);
        assert!(named.tick(150, false, &store));
        assert!(!auto.tick(IDLE_DELAY + RENEWAL, false, &store));
        assert!(!lease(3, Role::Leader).tick(160, false, &store), "two named leaders do not fight");
    }

    #[test]
    fn a_named_leader_that_starts_at_the_same_time_is_first() {
        let store = MemoryStore::default();
        let (mut auto, mut named) = (lease(1, Role::Auto), lease(2, Role::Leader));
        assert!(!auto.tick(0, false, &store));
        assert!(named.tick(50, false, &store));
        assert!(!auto.tick(IDLE_DELAY, false, &store));
    }

    #[test]
    fn a_worker_leads_only_when_the_named_leader_stays_away() {
        let store = MemoryStore::default();
        let mut worker = lease(1, Role::Worker);
        assert!(!worker.tick(0, false, &store));
        assert!(!worker.tick(WORKER_DELAY - 1, false, &store));
        assert!(worker.tick(WORKER_DELAY, false, &store));
        assert!(lease(2, Role::Leader).tick(WORKER_DELAY + 1, false, &store));
        assert!(!worker.tick(WORKER_DELAY + RENEWAL, false, &store));
    }
}
