#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

mod docs;
mod problems;

use std::time::Duration;

use expect_test::expect_file;
use proptest::prelude::*;

use super::*;

const MINIMAL: &str = "
upstreams: [{ cluster: api, document: { path: /openapi.json } }]
routes: [{ path: /mcp }]
";

#[track_caller]
fn parse(text: &str) -> Config {
    Config::parse(text.as_bytes()).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"))
}

/// Problems as they are logged, each on its line.
fn lines(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n") + "\n"
}

/// A configuration with these routes, each a line, over upstreams `a` and `b`.
fn with_routes(routes: &str) -> Config {
    let upstreams = "
upstreams:
- { name: a, cluster: a, document: { path: / } }
- { name: b, cluster: b, document: { path: / } }
routes:
";
    parse(&format!("{upstreams}{routes}"))
}

#[test]
fn defaults_are_as_documented() {
    let config = parse(MINIMAL);
    assert_eq!((config.role, config.store.zone.as_str()), (Role::Auto, ""));
    assert_eq!(config.limits, Limits::default());
    let [upstream] = config.upstreams.as_slice() else { panic!() };
    assert_eq!((upstream.name.as_str(), upstream.authority()), ("default", "api"));
    assert_eq!(upstream.timeout, Duration::from_secs(30));
    assert_eq!(
        upstream.document,
        DocumentSource {
            origin: DocumentOrigin::Fetched {
                path: "/openapi.json".to_owned(),
                cluster: "api".to_owned(),
                authority: "api".to_owned(),
                headers: Vec::new(),
            },
            refresh: Duration::from_mins(1),
            timeout: Duration::from_secs(10),
            max_size: 16 << 20,
        }
    );
    let [route] = config.routes.as_slice() else { panic!() };
    assert_eq!(route.upstreams, [0]);
    let view = ViewOptions { upstreams: vec!["default".to_owned()], ..ViewOptions::default() };
    assert_eq!((&route.view, &route.identity), (&view, &None));
}

#[test]
fn every_key_is_read() {
    let mut config = parse(include_str!("tests/full.yaml"));
    let base_url = config.upstreams[0].base_url.take().map(String::from);
    assert_eq!(base_url.as_deref(), Some("https://api.example.com:8443/v1"));
    expect_file!["tests/full.txt"].assert_eq(&format!("{config:#?}\n"));
}

#[test]
fn json_is_accepted_as_the_yaml_that_it_is() {
    let json = r#"{"upstreams":[{"cluster":"api","document":{"path":"/openapi.json"}}],"routes":[{"path":"/mcp"}]}"#;
    assert_eq!(parse(json), parse(MINIMAL));
    assert_eq!(parse(&format!("\u{feff}{json}")), parse(MINIMAL));
}

#[test]
fn the_authority_defaults_to_the_base_urls_host_then_to_the_cluster() {
    let authority = |fields: &str| {
        let text = format!(
            "{{upstreams: [{{cluster: 'c:1', document: {{path: /}}, {fields}}}], routes: [{{}}]}}"
        );
        let config = parse(&text);
        let DocumentOrigin::Fetched { authority, .. } = &config.upstreams[0].document.origin else {
            panic!()
        };
        assert_eq!(authority, config.upstreams[0].authority());
        authority.clone()
    };
    assert_eq!(authority("timeout: 1s"), "c:1");
    assert_eq!(authority("baseUrl: 'https://API.example.com/v1'"), "api.example.com");
    assert_eq!(authority("baseUrl: 'http://[::1]:8080'"), "[::1]:8080");
    assert_eq!(authority("baseUrl: 'http://b', authority: 'a:2'"), "a:2");
}

#[test]
fn a_document_cluster_of_its_own_is_its_own_authority() {
    let config = parse(
        "{upstreams: [{cluster: c, authority: a, document: {path: /, cluster: docs}}], routes: [{}]}",
    );
    let DocumentOrigin::Fetched { cluster, authority, .. } = &config.upstreams[0].document.origin
    else {
        panic!()
    };
    assert_eq!((cluster.as_str(), authority.as_str()), ("docs", "docs"));
}

#[track_caller]
fn check_route(config: &Config, path: &str, host: Option<&str>, expected: Option<usize>) {
    assert_eq!(config.route_for(path, host).map(|(index, _)| index), expected, "{path} {host:?}");
}

#[test]
fn the_first_route_that_fits_path_and_host_is_taken() {
    let config = with_routes(
        "
- { path: /mcp, host: Tools.example.com }
- { path: /mcp, host: '*.example.com' }
- { path: /mcp }
- { path: /other, upstream: b }
",
    );
    let tools = Some("tools.EXAMPLE.com:8443");
    check_route(&config, "/mcp", tools, Some(0));
    check_route(&config, "/mcp?x=1", tools, Some(0));
    check_route(&config, "/mcp", Some("a.b.example.com"), Some(1));
    check_route(&config, "/mcp", Some("example.com"), Some(2));
    check_route(&config, "/mcp", Some(".example.com"), Some(2));
    check_route(&config, "/mcp", Some("[::1]:80"), Some(2));
    check_route(&config, "/mcp", Some(""), Some(2));
    check_route(&config, "/mcp", None, Some(2));
    check_route(&config, "/other", None, Some(3));
    for path in ["/mcp/", "/mcpx", "/MCP", "/", "", "?/mcp", "/mc", "/m%63p"] {
        check_route(&config, path, tools, None);
    }
}

#[test]
fn a_route_without_a_path_takes_every_request() {
    let config = with_routes("- { host: '[::1]' }\n- {}\n");
    check_route(&config, "/anything?x", None, Some(1));
    check_route(&config, "", Some("[::1]:80"), Some(0));
    check_route(&config, "", Some("[::1]"), Some(0));
}

#[test]
fn a_route_serves_the_first_upstream_or_those_that_it_names() {
    let config = with_routes(
        "- { path: /1 }\n- { path: /2, upstream: b }\n- { path: /3, upstreams: [b, a] }\n",
    );
    let served: Vec<_> = config.routes.iter().map(|route| route.upstreams.clone()).collect();
    assert_eq!(served, [vec![0], vec![1], vec![1, 0]]);
    assert_eq!(config.routes[2].view.upstreams, ["b", "a"]);
}

#[test]
fn the_scope_depends_on_the_meaning_alone_and_not_on_the_role() {
    let scope = |text: &str| parse(text).scope().to_owned();
    let minimal = scope(MINIMAL);
    assert_eq!(minimal, "ef15c503d02eacca");
    assert_eq!(scope(&format!("role: leader\n{MINIMAL}")), minimal);
    assert_eq!(scope(&MINIMAL.replace("/mcp }", "/mcp, pageSize: 100 }")), minimal);
    assert_eq!(scope(&format!("limits: {{ requestBody: 1024KiB }}\n{MINIMAL}")), minimal);
    assert_ne!(scope(&MINIMAL.replace("/mcp }", "/mcp, pageSize: 101 }")), minimal);
    assert_ne!(scope(&format!("store: {{ zone: z }}\n{MINIMAL}")), minimal);
}

#[test]
fn keys_of_shared_data_start_with_the_zone() {
    assert_eq!(Store::default().key("k"), "k");
    assert_eq!(Store { zone: "mcp".to_owned() }.key("k"), "mcp/k");
}

proptest! {
    #[test]
    fn any_bytes_give_a_configuration_or_problems(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let problems = Config::parse(&bytes).unwrap_err();
        prop_assert!(!problems.is_empty());
    }

    #[test]
    fn any_values_in_place_of_known_ones_give_a_configuration_or_problems(
        position in 0usize..4000, length in 0usize..30, replacement in "\\PC{0,10}",
    ) {
        let mut text: Vec<char> = include_str!("tests/full.yaml").chars().collect();
        let start = position.min(text.len());
        let end = (start + length).min(text.len());
        text.splice(start..end, replacement.chars());
        let _ = Config::parse(text.into_iter().collect::<String>().as_bytes());
    }
}
