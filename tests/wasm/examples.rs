//! The published examples for Kong and nginx, on the imitation of their host.

use std::rc::Rc;

use serde_json::{Value, json};

use super::gateway::{Gateway, Request, ok_json};
use super::host::{Personality, Process};

const KONG: &str = include_str!("../../envoy/kong/kong.yaml");
const NGINX: &str = include_str!("../../envoy/kong/nginx.conf");
const LIBRARY: &str = include_str!("../../envoy/upstream/openapi.json");

/// What Kong hands to the filter: the `config` of the only chain, which ends the file.
fn of_kong() -> String {
    let (_, config) = KONG.split_once("        config:\n").unwrap();
    config
        .lines()
        .map(|line| line.strip_prefix("          ").unwrap_or(line).to_owned() + "\n")
        .collect()
}

/// The second argument of the only `proxy_wasm`.
fn of_nginx() -> String {
    NGINX.split("proxy_wasm openapi_mcp '").nth(1).unwrap().split('\'').next().unwrap().to_owned()
}

#[test]
fn the_examples_of_kong_and_nginx_serve_the_library() {
    for (configuration, cluster) in [(of_kong(), "10.0.0.5:8080"), (of_nginx(), "127.0.0.1:8080")] {
        let process = Rc::new(Process::default());
        process.now.set(1_700_000_000_000);
        let mut gateway = Gateway::new(Personality::Nginx, &process, &configuration);
        let document: Value = serde_json::from_str(LIBRARY).unwrap();
        assert!(gateway.serve(&document) > 0);
        let call = Request::call("library_search_books", &json!({ "query": "harbour" }));
        let reply = gateway.exchange(call, |sent| {
            assert_eq!(sent.cluster, cluster);
            let path = sent.headers.iter().find(|(name, _)| name == ":path").unwrap();
            assert!(path.1.starts_with("/api/books?q=harbour"), "{path:?}");
            ok_json(&json!({ "count": 0, "results": [] }))
        });
        let result = reply.reply().json()["result"].clone();
        assert!(result["isError"].as_bool() != Some(true), "{result}");
    }
}
