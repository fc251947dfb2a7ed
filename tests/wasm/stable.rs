//! Equal documents give equal bytes in every VM, and after a restart.

use std::rc::Rc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::configuration;
use super::documents::annotated;
use super::gateway::{Gateway, Request};
use super::host::{Personality, Process};

/// What each of two VMs of a new process lists.
fn listed(document: &Value, now: u64) -> [Vec<u8>; 2] {
    let process = Rc::new(Process::default());
    process.now.set(now);
    let inline = json!([{ "name": "api", "cluster": "api", "document": { "inline": document.to_string() } }]);
    let routes = json!([{ "path": "/mcp", "lint": "warn", "structuredContent": true }]);
    let config = configuration(&json!({ "upstreams": inline, "routes": routes }));
    let mut gateways = [0; 2].map(|_| Gateway::new(Personality::Envoy, &process, &config));
    for _ in 0..40 {
        process.now.set(process.now.get() + 50);
        for gateway in &mut gateways {
            gateway.vm.tick().unwrap();
        }
    }
    gateways.map(|mut gateway| {
        gateway.exchange(Request::list(), |_| panic!("nothing may be sent")).reply().body
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn two_vms_and_a_restarted_process_list_the_same_bytes(document in annotated()) {
        let [first, second] = listed(&document, 1_700_000_000_000);
        prop_assert_eq!(&first, &second);
        prop_assert_eq!(&first, &listed(&document, 1_800_000_000_123)[1]);
        let is_list = first.starts_with(br#"{"jsonrpc""#);
        prop_assert!(is_list, "{}", String::from_utf8_lossy(&first));
    }
}
