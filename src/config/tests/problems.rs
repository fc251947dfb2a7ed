//! Bad configurations with all that is said about them.

use expect_test::{Expect, expect};

use super::*;

#[track_caller]
fn check(text: &str, expected: Expect) {
    let problems = Config::parse(text.as_bytes()).unwrap_err();
    expected.assert_eq(&lines(&problems));
}

/// Problems of one upstream (the fields between braces).
#[track_caller]
fn check_upstream(fields: &str, expected: Expect) {
    check(&format!("{{upstreams: [{{{fields}}}], routes: [{{}}]}}"), expected);
}

/// Problems of one route (the fields between braces) over upstreams `a` and `b`.
#[track_caller]
fn check_route(fields: &str, expected: Expect) {
    let upstreams =
        "[{name: a, cluster: a, document: {path: /}}, {name: b, cluster: b, document: {path: /}}]";
    check(&format!("{{upstreams: {upstreams}, routes: [{{{fields}}}]}}"), expected);
}

#[test]
fn text_that_is_no_object() {
    check(
        "",
        expect![[r#"
        the configuration is empty; expected YAML or JSON text
    "#]],
    );
    check(
        " \n",
        expect![[r#"
        the configuration is empty; expected YAML or JSON text
    "#]],
    );
    check(
        "just text",
        expect![[r#"
        expected an object, found `just text`
    "#]],
    );
    check(
        "[]",
        expect![[r#"
        expected an object, found a list
    "#]],
    );
    check(
        "a: [1",
        expect![[r#"
        while parsing a flow sequence, expected ',' or ']' at line 2 column 1
    "#]],
    );
    check(
        "{\"a\": 1,,}",
        expect![[r#"
            key must be a string at line 1 column 9
        "#]],
    );
    check(
        "a: 1\na: 2",
        expect![[r#"
        duplicate key `a` at line 2 column 1
    "#]],
    );
}

#[test]
fn what_is_missing() {
    check(
        "{}",
        expect![[r#"
        upstreams: missing; expected a list of at least one upstream
        routes: missing; expected a list of at least one route
    "#]],
    );
    check(
        "{upstreams: [], routes: []}",
        expect![[r#"
        upstreams: expected at least one upstream, found an empty list
        routes: expected at least one route, found an empty list
    "#]],
    );
    check(
        "{upstreams: [{}], routes: [{}]}",
        expect![[r#"
        upstreams[0].cluster: missing; expected a cluster name, or `host:port` on nginx and Kong
        upstreams[0].document: missing; expected an object with `path` or `inline`
    "#]],
    );
    check(
        "{upstreams: [{cluster: c, document: {}}], routes: [{}]}",
        expect![[r#"
        upstreams[0].document.path: missing; expected either `path` or `inline`
    "#]],
    );
}

#[test]
fn wrong_types_say_what_was_found() {
    check(
        "{upstreams: {}, routes: [1], limits: [], role: 5, store: x}",
        expect![[r#"
        upstreams: expected a list, found an object
        routes[0]: expected an object, found the number `1`
        limits: expected an object, found a list
        role: expected one of `auto`, `leader`, `worker`, found the number `5`
        store: expected an object, found `x`
    "#]],
    );
    check_upstream(
        "name: 5, cluster: [], authority: {}, document: x, baseUrl: true, forwardHeaders: x, headers: [], timeout: 30",
        expect![[r#"
            upstreams[0].name: expected a name of letters, digits, `_`, `.` and `-`, at most 64, found the number `5`; put it in quotes
            upstreams[0].cluster: expected a cluster name, or `host:port` on nginx and Kong, found a list
            upstreams[0].authority: expected `host` or `host:port`, found an object
            upstreams[0].baseUrl: expected an absolute `http` or `https` URL, found `true`; put it in quotes
            upstreams[0].forwardHeaders: expected a list, found `x`
            upstreams[0].headers: expected an object, found a list
            upstreams[0].timeout: expected a duration such as `30s`, `500ms`, `5m` or `1h`, found the number `30`
            upstreams[0].document: expected an object, found `x`
        "#]],
    );
    check_route(
        "path: 1, host: 2, upstream: [a], profiles: explore, locale: ~, namePrefix: 5, structuredContent: 'yes', \
         maxStringLength: '5', maxErrorLength: 1.5, lint: true, strict: 1, schemaProfile: [], pageSize: ~, \
         allowedOrigins: x, identity: 5",
        expect![[r#"
            routes[0].path: expected a path that starts with `/`, found the number `1`; put it in quotes
            routes[0].host: expected a host name without a port, or `*.` and a host name, found the number `2`; put it in quotes
            routes[0].upstream: expected the name of an upstream, found a list
            routes[0].profiles: expected a list, found `explore`
            routes[0].locale: expected a language tag such as `en` or `fr-CA`, found nothing
            routes[0].namePrefix: expected letters, digits, `_`, `.` and `-`, at most 48, found the number `5`
            routes[0].structuredContent: expected `true` or `false`, found `yes`
            routes[0].maxStringLength: expected a whole number from 1 to 1000000, found `5`
            routes[0].maxErrorLength: expected a whole number from 1 to 1000000, found the number `1.5`
            routes[0].lint: expected one of `error`, `warn`, `off`, found `true`
            routes[0].strict: expected `true` or `false`, found the number `1`
            routes[0].schemaProfile: expected one of `portable`, `full`, `minimal`, found a list
            routes[0].pageSize: expected a whole number from 1 to 10000, found nothing
            routes[0].allowedOrigins: expected a list, found `x`
            routes[0].identity: expected an object with `header` or `property`, or `anonymous`, found the number `5`
        "#]],
    );
}

#[test]
fn unknown_keys_name_the_nearest_known_one() {
    check(
        "{upstream: [], routes: [{pathh: /x, schemaprofile: full, zzz: 1}], Role: auto, limit: {}}",
        expect![[r#"
            upstream: unknown key; did you mean `upstreams`?
            Role: unknown key; did you mean `role`?
            limit: unknown key; did you mean `limits`?
            upstreams: missing; expected a list of at least one upstream
            routes[0].pathh: unknown key; did you mean `path`?
            routes[0].schemaprofile: unknown key; did you mean `schemaProfile`?
            routes[0].zzz: unknown key; known here: `path`, `host`, `upstream`, `upstreams`, `allowedOrigins`, `identity`, `profiles`, `locale`, `namePrefix`, `structuredContent`, `maxStringLength`, `maxErrorLength`, `lint`, `strict`, `schemaProfile`, `pageSize`, `exposure`
        "#]],
    );
    check_upstream(
        "cluster: c, document: {path: /, refesh: 1s, max_size: 1}, base_url: x, forward-headers: []",
        expect![[r#"
            upstreams[0].base_url: unknown key; did you mean `baseUrl`?
            upstreams[0].forward-headers: unknown key; did you mean `forwardHeaders`?
            upstreams[0].document.refesh: unknown key; did you mean `refresh`?
            upstreams[0].document.max_size: unknown key; did you mean `maxSize`?
        "#]],
    );
    check(
        "{upstreams: [{cluster: c, document: {path: /}}], routes: [{identity: {headers: x}}], \
         limits: {session: {}, sessions: {max: 1}, editor: {depth: 1}}, store: {zones: x}}",
        expect![[r#"
            routes[0].identity.headers: unknown key; did you mean `header`?
            routes[0].identity.header: missing; expected either `header` or `property`
            limits.session: unknown key; did you mean `sessions`?
            limits.sessions.max: unknown key; known here: `ttl`, `maxCount`, `maxSize`
            limits.editor.depth: unknown key; known here: `maxDocument`, `maxSchema`, `maxDepth`, `maxItems`, `maxText`
            store.zones: unknown key; did you mean `zone`?
        "#]],
    );
    check(
        "{\"a\\nb\": 1, upstreams: [{cluster: c, document: {path: /}}], routes: [{}]}",
        expect![[r#"
            a\nb: unknown key; known here: `upstreams`, `routes`, `limits`, `role`, `store`
        "#]],
    );
}

#[test]
fn clusters_authorities_and_base_urls() {
    check_upstream(
        "cluster: 'http://api', document: {path: /}",
        expect![[r#"
            upstreams[0].cluster: expected a cluster without a scheme, found `http://api`
        "#]],
    );
    check_upstream(
        "cluster: '', document: {path: /}",
        expect![[r#"
        upstreams[0].cluster: expected a cluster name, or `host:port` on nginx and Kong, found an empty string
    "#]],
    );
    check_upstream(
        "cluster: 'a b', document: {path: /}",
        expect![[r#"
            upstreams[0].cluster: expected a cluster without white space, found `a b`
        "#]],
    );
    check_upstream(
        "cluster: outbound|80||api, document: {path: /}",
        expect![[r#"
        upstreams[0].authority: missing; the cluster `outbound|80||api` cannot serve as host name
    "#]],
    );
    check_upstream(
        "cluster: c, document: {path: /, cluster: outbound|80||docs}",
        expect![[r#"
        upstreams[0].document.authority: missing; the cluster `outbound|80||docs` cannot serve as host name
    "#]],
    );
    for authority in
        ["http://a", "a/b", "a:", "a:0", "a:65536", "a b", "u@a", "[::1", "[x]:1", "-a:x"]
    {
        let text = format!(
            "{{upstreams: [{{cluster: c, authority: '{authority}', document: {{path: /}}}}], routes: [{{}}]}}"
        );
        let problems = Config::parse(text.as_bytes()).unwrap_err();
        assert_eq!(problems[0].at, "upstreams[0].authority", "{authority}");
    }
    for base in [
        "ftp://a",
        "/v1",
        "api.example.com",
        "http://",
        "https://a?x",
        "https://a#x",
        "https://u:p@a/",
    ] {
        check_upstream_base(base);
    }
    check_upstream(
        "cluster: c, document: {path: /}, baseUrl: 'https://a/?q=1'",
        expect![[r#"
        upstreams[0].baseUrl: expected a URL without a query or fragment, found `https://a/?q=1`
    "#]],
    );
    check_upstream(
        "cluster: c, document: {path: /}, baseUrl: 'https://me:secret@a/'",
        expect![[r#"
            upstreams[0].baseUrl: expected a URL without user name and password
        "#]],
    );
}

#[track_caller]
fn check_upstream_base(base: &str) {
    let text = format!(
        "{{upstreams: [{{cluster: c, document: {{path: /}}, baseUrl: '{base}'}}], routes: [{{}}]}}"
    );
    let problems = Config::parse(text.as_bytes()).unwrap_err();
    let places: Vec<_> = problems.iter().map(|problem| problem.at.as_str()).collect();
    assert_eq!(places, ["upstreams[0].baseUrl"], "{base}");
}

#[test]
fn credentials_and_servers_that_cannot_work() {
    check_upstream(
        "cluster: c, document: {path: /}, credentials: {a: {}, b: {value: x, forward: true}, c: {username: 'u:v'},
            d: {forward: false}, e: {value: ''}, f: {value: 's\n'}, g: {forward: host}, h: {vlaue: s3cret}, i: x,
            j: {forward: x, password: p}}",
        expect![[r#"
            upstreams[0].credentials.a.value: missing; expected `value`, `username` or `forward`
            upstreams[0].credentials.b.forward: expected only one of `value`, `username` and `forward`
            upstreams[0].credentials.c.username: expected a user name without `:`
            upstreams[0].credentials.c.password: missing; expected a string
            upstreams[0].credentials.d.forward: expected `true` or the name of a header of the MCP request, found `false`
            upstreams[0].credentials.e.value: expected a value, found an empty string
            upstreams[0].credentials.f.value: expected a value without white space around it
            upstreams[0].credentials.g.forward: `host` is set by the gateway itself and cannot be chosen
            upstreams[0].credentials.h.vlaue: unknown key; did you mean `value`?
            upstreams[0].credentials.h.value: missing; expected `value`, `username` or `forward`
            upstreams[0].credentials.i: expected an object with `value`, `username` or `forward`
            upstreams[0].credentials.j.password: has no effect without `username`
        "#]],
    );
    check_upstream(
        "cluster: c, document: {path: /}, servers: [{url: 'http://a/v1', cluster: a}, {url: 'http://b'},
            {url: 'http://c', cluster: c}, {url: 'http://C:80/', cluster: d}, {url: x, cluster: 'http://y', authority: ''}]",
        expect![[r#"
            upstreams[0].servers[0].url: expected a URL without a path, found `http://a/v1`
            upstreams[0].servers[1].cluster: missing; expected a cluster name, or `host:port` on nginx and Kong
            upstreams[0].servers[3].url: `http://c` is repeated
            upstreams[0].servers[4].url: expected an absolute `http` or `https` URL, found `x`
            upstreams[0].servers[4].cluster: expected a cluster without a scheme, found `http://y`
            upstreams[0].servers[4].authority: expected `host` or `host:port`, found an empty string
        "#]],
    );
}

#[test]
fn headers_that_cannot_be_sent() {
    check_upstream(
        r#"cluster: c, document: {path: /, headers: {"content-length": "1"}}, headers: {":path": /x, "a b": x, Host: x,
         Transfer-Encoding: x, connection: x, x-a: "a\r\nb: c", X-A: y, x-b: 5, x-c: " x", x-d: ~, x-e: ok, X-E: ok}"#,
        expect![[r#"
            upstreams[0].headers.:path: `:path` is not a header name
            upstreams[0].headers.a b: `a b` is not a header name
            upstreams[0].headers.Host: `host` is set by the gateway itself and cannot be chosen
            upstreams[0].headers.Transfer-Encoding: `transfer-encoding` is set by the gateway itself and cannot be chosen
            upstreams[0].headers.connection: `connection` is set by the gateway itself and cannot be chosen
            upstreams[0].headers.x-a: expected a value without line breaks and control characters
            upstreams[0].headers.x-b: expected a string; put the value in quotes
            upstreams[0].headers.x-c: expected a value without white space around it
            upstreams[0].headers.x-d: expected a string; put the value in quotes
            upstreams[0].headers.X-E: `x-e` is repeated
            upstreams[0].document.headers.content-length: `content-length` is set by the gateway itself and cannot be chosen
        "#]],
    );
    check_upstream(
        "cluster: c, document: {path: /}, forwardHeaders: ['*', accept, '', 'x y', ':authority', cookie, Cookie, x-key], headers: {x-key: v}",
        expect![[r#"
            upstreams[0].forwardHeaders[0]: name the headers one by one; `*` is not supported
            upstreams[0].forwardHeaders[1]: `accept` of an MCP request does not describe the API's answer
            upstreams[0].forwardHeaders[2]: expected a header name, found an empty string
            upstreams[0].forwardHeaders[3]: `x y` is not a header name
            upstreams[0].forwardHeaders[4]: `:authority` is not a header name
            upstreams[0].forwardHeaders[6]: `cookie` is repeated
            upstreams[0].headers.x-key: also in `forwardHeaders`; a header is either forwarded or constant
        "#]],
    );
}

#[test]
fn documents_have_one_place() {
    check_upstream(
        "cluster: c, document: {path: /, inline: x}",
        expect![[r#"
        upstreams[0].document.inline: expected either `path` or `inline`, found both
    "#]],
    );
    check_upstream(
        "cluster: c, document: {inline: {openapi: 3.1.0}}",
        expect![[r#"
        upstreams[0].document.inline: expected its text, found an object; write `inline: |` and indent it
    "#]],
    );
    check_upstream(
        "cluster: c, document: {inline: x, refresh: 1s, cluster: d, headers: {}, maxSize: 1}",
        expect![[r#"
            upstreams[0].document.cluster: has no effect on what is `inline`
            upstreams[0].document.headers: has no effect on what is `inline`
            upstreams[0].document.refresh: has no effect on what is `inline`
            upstreams[0].document.maxSize: has no effect on what is `inline`
        "#]],
    );
    check_upstream(
        "cluster: c, document: {path: openapi.json}",
        expect![[r#"
        upstreams[0].document.path: expected a path that starts with `/`, found `openapi.json`
    "#]],
    );
    check_upstream(
        "cluster: c, document: {path: '/a b'}",
        expect![[r#"
        upstreams[0].document.path: expected a percent-encoded path without a fragment, found `/a b`
    "#]],
    );
    check_upstream(
        "cluster: c, document: {path: '/a#b'}",
        expect![[r#"
        upstreams[0].document.path: expected a percent-encoded path without a fragment, found `/a#b`
    "#]],
    );
}

#[test]
fn limits_that_make_no_sense() {
    check_upstream(
        "cluster: c, timeout: 0, document: {path: /, refresh: 10ms, timeout: 2h, maxSize: 0}",
        expect![[r#"
            upstreams[0].timeout: expected a duration from `10ms` to `1h`, found the number `0`
            upstreams[0].document.refresh: expected `0` (never) or at least `1s`, found `10ms`
            upstreams[0].document.timeout: expected a duration from `10ms` to `1h`, found `2h`
            upstreams[0].document.maxSize: expected a size from `1KiB` to `256MiB`, found the number `0`
        "#]],
    );
    check(
        "{upstreams: [{cluster: c, document: {path: /}}], routes: [{pageSize: 0, maxStringLength: -1, maxErrorLength: 0}], \
         limits: {requestBody: 0, upstreamBody: 2GiB, views: 0, sessions: {ttl: 0s, maxCount: 1e3, maxSize: 1}, \
         editor: {maxDocument: 0, maxSchema: 1TiB, maxDepth: 1000, maxItems: 0, maxText: -1}}}",
        expect![[r#"
            routes[0].maxStringLength: expected a whole number from 1 to 1000000, found the number `-1`
            routes[0].maxErrorLength: expected a whole number from 1 to 1000000, found the number `0`
            routes[0].pageSize: expected a whole number from 1 to 10000, found the number `0`
            limits.requestBody: expected a size from `1KiB` to `256MiB`, found the number `0`
            limits.upstreamBody: expected a size from `1KiB` to `256MiB`, found `2GiB`
            limits.views: expected a whole number from 1 to 10000, found the number `0`
            limits.sessions.ttl: expected a duration from `1s` to `168h`, found `0s`
            limits.sessions.maxCount: expected a whole number from 1 to 1000000, found the number `1e+3`
            limits.sessions.maxSize: expected a size from `1KiB` to `256MiB`, found the number `1`
            limits.editor.maxDocument: expected a size from `1KiB` to `256MiB`, found the number `0`
            limits.editor.maxSchema: expected a size such as `4MiB`, `64KiB` or a number of bytes, found `1TiB`
            limits.editor.maxDepth: expected a whole number from 1 to 128, found the number `1000`
            limits.editor.maxItems: expected a whole number from 1 to 100000, found the number `0`
            limits.editor.maxText: expected a size such as `4MiB`, `64KiB` or a number of bytes, found the number `-1`
        "#]],
    );
}

#[test]
fn upstream_names() {
    check(
        "{upstreams: [{cluster: a, document: {path: /}}, {cluster: b, document: {path: /}}, \
         {name: 'x/y', cluster: c, document: {path: /}}], routes: [{}]}",
        expect![[r#"
            upstreams[1].name: `default` is the name of an earlier upstream already
            upstreams[2].name: expected a name of letters, digits, `_`, `.` and `-`, at most 64, found `x/y`
        "#]],
    );
    check_route(
        "upstream: c",
        expect![[r#"
        routes[0].upstream: no upstream is named `c`; known: `a`, `b`
    "#]],
    );
    check_route(
        "upstreams: [a, c, b, a]",
        expect![[r#"
        routes[0].upstreams[1]: no upstream is named `c`; known: `a`, `b`
        routes[0].upstreams[3]: is repeated
    "#]],
    );
    check_route(
        "upstreams: []",
        expect![[r#"
        routes[0].upstreams: expected at least one upstream, found an empty list
    "#]],
    );
    check_route(
        "upstream: a, upstreams: [b]",
        expect![[r#"
        routes[0].upstreams: expected either `upstream` or `upstreams`, found both
    "#]],
    );
}

#[test]
fn routes_that_never_match() {
    let upstreams = "upstreams: [{cluster: c, document: {path: /}}]\nroutes:\n";
    check(
        &format!(
            "{upstreams}- {{path: /a, host: '*.example.com'}}\n- {{path: /a, host: x.example.com}}\n\
             - {{path: /a, host: '*.b.example.com'}}\n- {{path: /a}}\n- {{path: /a, host: other}}\n- {{path: /a}}\n"
        ),
        expect![[r#"
            routes[1].path: never matches: `routes[0]` takes its requests
            routes[2].path: never matches: `routes[0]` takes its requests
            routes[4].path: never matches: `routes[3]` takes its requests
            routes[5].path: never matches: `routes[3]` takes its requests
        "#]],
    );
    check(
        &format!("{upstreams}- {{}}\n- {{path: /a}}\n"),
        expect![[r#"
        routes[1].path: never matches: `routes[0]` takes its requests
    "#]],
    );
    check(
        &format!(
            "{upstreams}- {{path: mcp}}\n- {{host: 5}}\n- 6\n- {{path: /a}}\n- {{path: /a}}\n"
        ),
        expect![[r#"
            routes[0].path: expected a path that starts with `/`, found `mcp`
            routes[1].host: expected a host name without a port, or `*.` and a host name, found the number `5`; put it in quotes
            routes[2]: expected an object, found the number `6`
            routes[4].path: never matches: `routes[3]` takes its requests
        "#]],
    );
    assert!(
        Config::parse(
            format!("{upstreams}- {{path: /a, host: x.example.com}}\n- {{path: /a, host: '*.example.com'}}\n- {{path: /b, host: x.example.com}}\n- {{}}\n")
                .as_bytes()
        )
        .is_ok()
    );
}

#[test]
fn values_of_routes() {
    check_route(
        "path: mcp",
        expect![[r#"
        routes[0].path: expected a path that starts with `/`, found `mcp`
    "#]],
    );
    check_route(
        "path: '/mcp?x'",
        expect![[r#"
        routes[0].path: expected a path without a query, found `/mcp?x`
    "#]],
    );
    for host in ["a:80", "*", "*.", "a.*", "http://a", "a/b", "**.a"] {
        let text = format!(
            "{{upstreams: [{{cluster: c, document: {{path: /}}}}], routes: [{{host: '{host}'}}]}}"
        );
        assert_eq!(Config::parse(text.as_bytes()).unwrap_err()[0].at, "routes[0].host", "{host}");
    }
    for locale in
        ["", "e", "en_US", "english language", "en-", "-en", "12", "en-abcdefghi", "fr-CA-"]
    {
        let text = format!(
            "{{upstreams: [{{cluster: c, document: {{path: /}}}}], routes: [{{locale: '{locale}'}}]}}"
        );
        assert_eq!(
            Config::parse(text.as_bytes()).unwrap_err()[0].at,
            "routes[0].locale",
            "{locale}"
        );
    }
    check_route(
        "lint: errors, schemaProfile: portabel",
        expect![[r#"
        routes[0].lint: expected one of `error`, `warn`, `off`, found `errors`; did you mean `error`?
        routes[0].schemaProfile: expected one of `portable`, `full`, `minimal`, found `portabel`; did you mean `portable`?
    "#]],
    );
    check_route(
        "profiles: ['', 'a,b', a, a], namePrefix: 'a b'",
        expect![[r#"
            routes[0].profiles[0]: expected a profile name, found an empty string
            routes[0].profiles[1]: expected a profile name of at most 64 characters without `,`, found `a,b`
            routes[0].profiles[3]: `a` is repeated
            routes[0].namePrefix: expected letters, digits, `_`, `.` and `-`, at most 48, found `a b`
        "#]],
    );
    check_route(
        "allowedOrigins: ['*', 'null', app.example.com, 'https://a/', 'https://a/x', 'https://', 'https://a:x', 'https://a', 'https://A:443']",
        expect![[r#"
            routes[0].allowedOrigins[0]: expected an origin such as `https://app.example.com`, found `*`
            routes[0].allowedOrigins[1]: expected an origin such as `https://app.example.com`, found `null`
            routes[0].allowedOrigins[2]: expected an origin such as `https://app.example.com`, found `app.example.com`
            routes[0].allowedOrigins[3]: expected an origin without a path; write `https://a`
            routes[0].allowedOrigins[4]: expected an origin without a path; write `https://a`
            routes[0].allowedOrigins[5]: expected an origin such as `https://app.example.com`, found `https://`
            routes[0].allowedOrigins[6]: expected an origin such as `https://app.example.com`, found `https://a:x`
            routes[0].allowedOrigins[8]: `https://a` is repeated
        "#]],
    );
    check_route(
        "identity: user",
        expect![[r#"
        routes[0].identity: expected an object with `header` or `property`, or `anonymous`, found `user`
    "#]],
    );
    check_route(
        "identity: {}",
        expect![[r#"
        routes[0].identity.header: missing; expected either `header` or `property`
    "#]],
    );
    check_route(
        "identity: {header: x, property: y}",
        expect![[r#"
        routes[0].identity.property: expected either `header` or `property`, found both
    "#]],
    );
    check_route(
        "identity: {header: host}",
        expect![[r#"
        routes[0].identity.header: `host` is set by the gateway itself and cannot be chosen
    "#]],
    );
    check_route(
        "identity: {property: 'a..b'}",
        expect![[r#"
        routes[0].identity.property: expected a property path: a list of its segments, or a string with dots, found `a..b`
    "#]],
    );
}

#[test]
fn all_problems_are_reported_at_once_in_order() {
    check(
        "{upstreams: [{cluster: ''}, 5], routes: [{upstream: x, lint: y}, {limts: 1}], limits: {views: x}, role: boss}",
        expect![[r#"
            upstreams[0].cluster: expected a cluster name, or `host:port` on nginx and Kong, found an empty string
            upstreams[0].document: missing; expected an object with `path` or `inline`
            upstreams[1]: expected an object, found the number `5`
            routes[0].upstream: no upstream is named `x`; known: `default`
            routes[0].lint: expected one of `error`, `warn`, `off`, found `y`
            routes[1].limts: unknown key; did you mean `lint`?
            routes[1].path: never matches: `routes[0]` takes its requests
            limits.views: expected a whole number from 1 to 10000, found `x`
            role: expected one of `auto`, `leader`, `worker`, found `boss`
        "#]],
    );
}
