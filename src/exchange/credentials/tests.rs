use serde_json::json;

use super::*;
use crate::config::Config;
use crate::tool::OperationPlan;

fn upstream(credentials: &Value) -> Upstream {
    let config = json!({
        "upstreams": [{"cluster": "api", "document": {"path": "/"}, "credentials": credentials}],
        "routes": [{}],
    });
    Config::parse(config.to_string().as_bytes()).unwrap().upstreams.remove(0)
}

fn plan(credentials: &Value) -> OperationPlan {
    serde_json::from_value(json!({
        "upstream": "default", "pointer": "", "method": "GET", "basePath": "", "path": "/",
        "parameters": [], "credentials": credentials, "response": {},
    }))
    .unwrap()
}

fn request(path: &str, headers: &[(&'static str, &'static str)]) -> UpstreamRequest {
    UpstreamRequest {
        upstream: "default".into(),
        server: None,
        method: "GET".into(),
        path: path.into(),
        headers: headers.iter().map(|&(name, value)| (name.into(), value.into())).collect(),
        body: None,
        timeout: None,
    }
}

fn one(place: &str, name: &str, prefix: &str) -> Value {
    json!({"scheme": "s", "place": place, "name": name, "prefix": prefix})
}

/// Path and headers of a request to `/p` with a session cookie and an `authorization` of its own.
#[track_caller]
fn check(configured: &Value, plans: &Value, caller: &[(&str, &str)], expected: &str) {
    let caller = caller.iter().copied().collect();
    let mut request = request("/p", &[("cookie", "a=1; k=old"), ("authorization", "own")]);
    add(&mut request, &plan(plans).credentials, &caller, &upstream(configured));
    let mut text = request.path;
    for (name, value) in request.headers {
        text.extend(["\n", &name, ": ", &value]);
    }
    assert_eq!(text, expected);
}

#[test]
fn a_configured_value_goes_where_the_scheme_says() {
    let value = json!({"s": {"value": "a/b +c"}});
    let own = "cookie: a=1; k=old\nauthorization: own";
    check(
        &value,
        &json!([[one("header", "x-key", "")]]),
        &[],
        &format!("/p\n{own}\nx-key: a/b +c"),
    );
    check(
        &value,
        &json!([[one("query", "api key", "")]]),
        &[],
        &format!("/p?api+key=a%2Fb+%2Bc\n{own}"),
    );
    check(
        &json!({"s": {"value": "new"}}),
        &json!([[one("cookie", "k", "")]]),
        &[],
        "/p\ncookie: a=1; k=new\nauthorization: own",
    );
    check(
        &json!({"s": {"value": "t"}}),
        &json!([[one("header", "authorization", "Bearer")]]),
        &[],
        "/p\ncookie: a=1; k=old\nauthorization: Bearer t",
    );
    check(
        &json!({"s": {"username": "Aladdin", "password": "open sesame"}}),
        &json!([[one("header", "authorization", "Basic")]]),
        &[],
        "/p\ncookie: a=1; k=old\nauthorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
    );
}

#[test]
fn a_forwarded_one_is_taken_from_the_same_place_or_the_named_header() {
    let caller = [
        (":path", "/mcp?x=1&key=a%20b"),
        ("authorization", "bearer t0k"),
        ("cookie", "other=1; k=v"),
        ("x-user-key", "u"),
    ];
    let forward = json!({"s": {"forward": true}});
    let own = "cookie: a=1; k=old\nauthorization: own";
    check(&forward, &json!([[one("query", "key", "")]]), &caller, &format!("/p?key=a+b\n{own}"));
    check(
        &forward,
        &json!([[one("header", "x-user-key", "")]]),
        &caller,
        &format!("/p\n{own}\nx-user-key: u"),
    );
    check(
        &forward,
        &json!([[one("cookie", "k", "")]]),
        &caller,
        "/p\ncookie: a=1; k=v\nauthorization: own",
    );
    let bearer = json!([[one("header", "authorization", "Bearer")]]);
    let replaced = "/p\ncookie: a=1; k=old\nauthorization: Bearer ";
    check(&forward, &bearer, &caller, &format!("{replaced}t0k"));
    check(&json!({"s": {"forward": "Authorization"}}), &bearer, &caller, &format!("{replaced}t0k"));
    check(&json!({"s": {"forward": "X-User-Key"}}), &bearer, &caller, &format!("{replaced}u"));
    check(
        &forward,
        &json!([[one("header", "authorization", "Basic")]]),
        &caller,
        &format!("/p\n{own}"),
    );
}

#[test]
fn the_first_alternative_that_is_complete_is_sent() {
    let configured = json!({"user": {"forward": "x-user"}, "service": {"value": "svc0"}, "team": {"value": "team"}});
    let credential =
        |scheme: &str| json!({"scheme": scheme, "place": "header", "name": scheme, "prefix": ""});
    let plans = json!([[credential("user"), credential("team")], [credential("service")]]);
    let own = "/p\ncookie: a=1; k=old\nauthorization: own";
    check(&configured, &plans, &[("x-user", "u")], &format!("{own}\nuser: u\nteam: team"));
    check(&configured, &plans, &[], &format!("{own}\nservice: svc0"));
    check(&configured, &json!([[credential("user")]]), &[("x-user", "")], own);
    check(&configured, &json!([[credential("gone")]]), &[], own);
}

#[test]
fn values_that_could_say_more_are_not_sent() {
    let cookie = json!([[one("cookie", "c", "")]]);
    let own = "/p\ncookie: a=1; k=old\nauthorization: own";
    check(&json!({"s": {"forward": "x-c"}}), &cookie, &[("x-c", "v; admin=1")], own);
    let header = json!([[one("header", "h", "")]]);
    check(&json!({"s": {"forward": "x-c"}}), &header, &[("x-c", "v\nx: 1")], own);
}

#[test]
fn what_the_api_says_of_a_value_is_blanked_out() {
    let mut request = request("/p?a=1", &[]);
    let plan = plan(&json!([[one("query", "key", "")]]));
    let upstream = upstream(&json!({"s": {"value": "s3cr t"}}));
    let secrets = add(&mut request, &plan.credentials, &Headers::default(), &upstream);
    let mut result = ToolResult::text("no key `s3cr t`; next: /p?key=s3cr+t&page=2");
    result.structured = Some(json!({"next": ["/p?key=s3cr+t", 1]}));
    secrets.blank(&mut result);
    let text = "no key `[credential]`; next: /p?key=[credential]&page=2";
    assert_eq!(result.content, ToolResult::text(text).content);
    assert_eq!(result.structured, Some(json!({"next": ["/p?key=[credential]", 1]})));
    assert!(!format!("{secrets:?}{upstream:?}").contains("s3cr"));
}
