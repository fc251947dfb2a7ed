//! Security schemes, credentials, and servers of single operations.

use openapi_mcp_filter::catalog::{Compiler, Input};
use openapi_mcp_filter::config::{Config, ViewOptions};
use openapi_mcp_filter::openapi::Document;
use serde_json::{Value, json};

use crate::harness::{self, Compiled};

/// A document with one scheme of each kind; `operation` is the method `get` of `/p`.
fn document(operation: &Value) -> Value {
    let mut operation = operation.clone();
    operation["operationId"] = json!("op");
    operation["x-agent"] = json!({});
    json!({
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "servers": [{"url": "https://api.test/v1"}],
        "security": [{"bearer": []}],
        "paths": {"/p": {"get": operation}},
        "components": {"securitySchemes": {
            "query": {"type": "apiKey", "in": "query", "name": "api_key"},
            "header": {"type": "apiKey", "in": "header", "name": "X-Key"},
            "cookie": {"type": "apiKey", "in": "cookie", "name": "sid"},
            "basic": {"type": "http", "scheme": "basic"},
            "bearer": {"type": "http", "scheme": "BEARER"},
            "digest": {"type": "http", "scheme": "Digest"},
            "oauth": {"type": "oauth2", "flows": {}},
            "oidc": {"$ref": "#/components/x-oidc"},
            "tls": {"type": "mutualTLS"},
            "odd": {"type": "http"}
        }, "x-oidc": {"type": "openIdConnect", "openIdConnectUrl": "https://id.test"}}
    })
}

fn compile(operation: &Value, upstream: &Value) -> Compiled {
    let mut upstream = upstream.clone();
    upstream["cluster"] = json!("api");
    upstream["document"] = json!({"path": "/"});
    let config = json!({"upstreams": [upstream], "routes": [{}]}).to_string();
    let config = Config::parse(config.as_bytes()).unwrap();
    let document = Document::from_value(document(operation)).unwrap();
    let input = Input {
        upstream: "default",
        document: Some(&document),
        document_url: None,
        base_url: None,
        servers: &config.upstreams[0].servers,
        credentials: &config.upstreams[0].credentials,
        linked: &[],
    };
    Compiled::from(Compiler::new(vec![input], &ViewOptions::default()).finish())
}

/// The alternatives of the plan, each as `place name prefix` of its credentials.
#[track_caller]
fn check(security: &Value, configured: &[&str], expected: &[&[&str]]) {
    let credentials = configured.iter().map(|&name| (name.to_owned(), json!({"forward": true})));
    let credentials: serde_json::Map<_, _> = credentials.collect();
    let compiled = compile(&json!({"security": security}), &json!({"credentials": credentials}));
    let [tool] = compiled.tools() else { panic!("{:?}", compiled.problems) };
    let plan = harness::plan(tool);
    let ours: Vec<Vec<String>> = plan
        .credentials
        .iter()
        .map(|it| it.iter().map(|c| format!("{:?} {} {}", c.place, c.name, c.prefix)).collect())
        .collect();
    assert_eq!(ours, expected, "{security} {configured:?}");
}

#[test]
fn each_scheme_says_where_its_credential_goes() {
    check(&json!([{"query": []}]), &["query"], &[&["Query api_key "]]);
    check(&json!([{"header": []}]), &["header"], &[&["Header x-key "]]);
    check(&json!([{"cookie": []}]), &["cookie"], &[&["Cookie sid "]]);
    check(&json!([{"basic": []}]), &["basic"], &[&["Header authorization Basic"]]);
    check(&json!([{"bearer": []}]), &["bearer"], &[&["Header authorization Bearer"]]);
    check(&json!([{"digest": []}]), &["digest"], &[&["Header authorization Digest"]]);
    check(&json!([{"oauth": ["a:b"]}]), &["oauth"], &[&["Header authorization Bearer"]]);
    check(&json!([{"oidc": []}]), &["oidc"], &[&["Header authorization Bearer"]]);
    check(&json!([{"tls": [], "header": []}]), &["header"], &[&["Header x-key "]]);
    check(&json!([{"tls": []}]), &["header"], &[]);
    check(&json!([{"odd": []}]), &["odd"], &[]);
}

#[test]
fn alternatives_that_are_configured_stay_in_order_and_nothing_comes_last() {
    let security = json!([{}, {"query": [], "header": []}, {"bearer": []}]);
    let both: &[&str] = &["Query api_key ", "Header x-key "];
    let bearer: &[&str] = &["Header authorization Bearer"];
    check(&security, &["query", "header", "bearer"], &[both, bearer]);
    check(&security, &["header", "bearer"], &[bearer]);
    check(&security, &["header"], &[]);
    check(&json!(null), &["bearer"], &[]);
    check(&json!([]), &["bearer"], &[]);
}

#[test]
fn the_security_of_the_document_is_for_operations_without_their_own() {
    let configured = json!({"credentials": {"bearer": {"value": "t"}}});
    let compiled = compile(&json!({}), &configured);
    assert_eq!(harness::plan(&compiled.tools()[0]).credentials.len(), 1);
    assert!(!serde_json::to_string(compiled.tools()).unwrap().contains("\"t\""));
}

#[test]
fn parameters_that_hold_a_key_are_not_offered() {
    let operation = json!({
        "security": [{"basic": []}],
        "parameters": [
            {"in": "header", "name": "x-KEY", "required": true, "schema": {"type": "string"}},
            {"in": "query", "name": "api_key", "schema": {"type": "string"}},
            {"in": "cookie", "name": "sid", "schema": {"type": "string"}},
            {"in": "query", "name": "sid", "schema": {"type": "string"}}
        ]
    });
    let compiled = compile(&operation, &json!({}));
    let [tool] = compiled.tools() else { panic!("{:?}", compiled.problems) };
    assert_eq!(tool.input_schema["properties"], json!({"sid": {"type": "string"}}));
    assert_eq!(tool.input_schema.get("required"), None);
    assert!(compiled.problems.is_empty(), "{:?}", compiled.problems);

    let configured = json!({"credentials": {
        "basic": {"username": "u", "password": "p"}, "header": {"value": "k"}
    }});
    let compiled = compile(&operation, &configured);
    let plan = harness::plan(&compiled.tools()[0]);
    let schemes: Vec<_> = plan.credentials[0].iter().map(|it| it.scheme.as_str()).collect();
    assert_eq!((plan.credentials.len(), schemes), (1, vec!["basic", "header"]));
}

#[test]
fn credentials_that_do_not_fit_are_reported() {
    let configured = json!({"credentials": {
        "basic": {"value": "s3cret"},
        "header": {"username": "u", "password": "s3cret"},
        "odd": {"value": "s3cret"},
        "heder": {"value": "s3cret"}
    }});
    let compiled = compile(&json!({"security": [{"basic": []}]}), &configured);
    let problems: Vec<_> = compiled.problems.iter().map(|it| it.problem.to_string()).collect();
    assert_eq!(
        problems,
        [
            "/components/securitySchemes: a credential is configured for `heder`, which is no \
             security scheme of this document",
            "/components/securitySchemes/header: `header` wants a key or a token: configure its \
             credential with `value`",
            "/components/securitySchemes/basic: `basic` wants a user: configure its credential \
             with `username` and `password`",
            "/components/securitySchemes/odd: `odd` is no scheme that a credential can be sent for",
            "/paths/~1p/get: the operation needs credentials, and for none of its alternatives \
             all are configured: it is called without",
        ]
    );
    assert_eq!(compiled.refusals(), Vec::<String>::new());
}

#[test]
fn an_operation_on_a_configured_server_is_called_there() {
    let servers = json!({"servers": [{"url": "https://up.test", "cluster": "up"}]});
    let of = |url: &str| json!({"servers": [{"url": url}]});
    for (url, expected) in [
        ("https://up.test/files/", Some(("/files", Some("https://up.test")))),
        ("https://UP.test:443", Some(("", Some("https://up.test")))),
        ("https://api.test/v2", Some(("/v2", None))),
        ("/v3", Some(("/v3", None))),
        ("http://up.test/files", None),
        ("https://else.test", None),
    ] {
        let compiled = compile(&of(url), &servers);
        let found = compiled.tools().first().map(|tool| {
            let plan = harness::plan(tool);
            (plan.base_path.as_str(), plan.server.as_deref())
        });
        assert_eq!(found, expected, "{url} {:?}", compiled.problems);
    }
}
