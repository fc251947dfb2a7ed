//! The reference and Kong's schema say what the code does.

use serde_json::json;

use super::*;

const REFERENCE: &str = include_str!("../../../docs/configuration.md");
const KONG: &str = include_str!("../../../envoy/kong/openapi-mcp-filter.meta.json");

/// Every object of the configuration: its heading in the reference, its place in [`base`], its keys.
fn objects() -> Vec<(&'static str, &'static str, Vec<&'static str>)> {
    vec![
        ("Top level", "", keys::ROOT.to_vec()),
        ("`upstreams[]`", "/upstreams/0", keys::UPSTREAM.to_vec()),
        ("`upstreams[].servers[]`", "/upstreams/1/servers/0", keys::SERVER.to_vec()),
        ("`upstreams[].credentials`", "/upstreams/1/credentials/aKey", keys::CREDENTIAL.to_vec()),
        ("`upstreams[].document`", "/upstreams/0/document", keys::DOCUMENT.to_vec()),
        (
            "`upstreams[].document.references[]`",
            "/upstreams/0/document/references/0",
            keys::REFERENCE.to_vec(),
        ),
        ("`upstreams[].overlays[]`", "/upstreams/0/overlays/0", keys::SOURCE.to_vec()),
        ("`routes[]`", "/routes/0", [keys::ROUTE, keys::VIEW].concat()),
        ("`routes[].exposure`", "/routes/0/exposure", keys::EXPOSURE.to_vec()),
        ("`routes[].exposure.include[]`", "/routes/0/exposure/include/0", keys::SELECTOR.to_vec()),
        ("`routes[].exposure.search`", "/routes/0/exposure/search", keys::SEARCH.to_vec()),
        ("`routes[].identity`", "/routes/0/identity", keys::IDENTITY.to_vec()),
        ("`limits`", "/limits", keys::LIMITS.to_vec()),
        ("`limits.sessions`", "/limits/sessions", keys::SESSIONS.to_vec()),
        ("`limits.editor`", "/limits/editor", keys::EDITOR.to_vec()),
        ("`store`", "/store", keys::STORE.to_vec()),
    ]
}

/// A configuration in which every example and default of the reference makes sense at a place.
fn base(place: &str) -> Value {
    let mut base = plain_base();
    if place.starts_with("/upstreams/0/overlays") {
        base["upstreams"][0]["overlays"] = json!([{ "path": "/base.yaml" }]);
    }
    if place.starts_with("/upstreams/0/document/references") {
        base["upstreams"][0]["document"]["references"] =
            json!([{ "location": "https://base.test/", "cluster": "base" }]);
    }
    match place.strip_prefix("/routes/0/exposure") {
        Some("") => base["routes"][0]["exposure"] = json!({}),
        Some("/search") => base["routes"][0]["exposure"] = json!({ "search": {} }),
        Some(_) => {
            base["routes"][0]["exposure"] = json!({ "include": [{ "methods": ["trace"] }] });
        }
        None => {}
    }
    base
}

fn plain_base() -> Value {
    json!({
        "upstreams": [
            {
                "cluster": "base",
                "document": { "path": "/base.json" },
            },
            {
                "name": "billing",
                "cluster": "billing",
                "document": { "path": "/" },
                "servers": [{ "url": "http://base", "cluster": "base" }],
                "credentials": { "aKey": { "value": "base" } },
            },
        ],
        "routes": [{ "path": "/base" }],
        "limits": { "sessions": {}, "editor": {} },
        "store": {},
    })
}

/// One row of a table of the reference.
struct Row<'t> {
    key: &'t str,
    default: Option<&'t str>,
    example: &'t str,
}

/// The rows of the tables below a heading.
fn rows<'t>(heading: &str) -> Vec<Row<'t>> {
    let (_, section) = REFERENCE.split_once(&format!("\n## {heading}\n")).expect(heading);
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.map(|line| {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        let [_, key, _, default, _, example, _] = cells.as_slice() else { panic!("{line}") };
        Row {
            key: key.trim_matches('`'),
            default: code(default),
            example: code(example).unwrap_or_else(|| panic!("{line}")),
        }
    })
    .collect()
}

/// The text of a cell that is code and nothing else.
fn code(cell: &str) -> Option<&str> {
    cell.strip_prefix('`')?.strip_suffix('`').filter(|code| !code.contains('`'))
}

/// [`base`] of the place with one key set.
fn with(place: &str, key: &str, value: Value) -> Value {
    let mut config = base(place);
    match key {
        "inline" => *config.pointer_mut(place).unwrap() = json!({}),
        "username" => config["upstreams"][1]["credentials"]["aKey"] = json!({ "password": "" }),
        "password" => config["upstreams"][1]["credentials"]["aKey"] = json!({ "username": "u" }),
        "forward" => config["upstreams"][1]["credentials"]["aKey"] = json!({}),
        "header" | "property" => config["routes"][0]["identity"] = json!({}),
        "upstreams" if place.is_empty() => config["routes"] = json!([{}]),
        // the examples of both name the upstreams of the reference
        "upstream" | "upstreams" => config["upstreams"][0]["name"] = json!("api"),
        _ => {}
    }
    config.pointer_mut(place).unwrap()[key] = value;
    config
}

fn yaml(text: &str) -> Value {
    crate::json::parse_text(text.as_bytes()).unwrap()
}

fn parse_value(config: &Value) -> Config {
    parse(&config.to_string())
}

#[test]
fn the_reference_has_every_key_and_no_other() {
    for (heading, _, keys) in objects() {
        let documented: Vec<_> = rows(heading).iter().map(|row| row.key).collect();
        assert_eq!(documented, keys, "{heading}");
    }
}

#[test]
fn every_example_of_a_key_is_accepted_and_sets_that_key() {
    for (heading, place, _) in objects() {
        for row in rows(heading) {
            let example = yaml(row.example);
            let (key, value) = example.as_object().unwrap().iter().next().unwrap();
            assert_eq!(key, row.key, "{heading}");
            assert_ne!(
                parse_value(&with(place, key, value.clone())),
                parse_value(&base(place)),
                "{key}"
            );
        }
    }
}

#[test]
fn every_default_that_is_a_value_is_the_default() {
    let mut checked = 0;
    for (heading, place, _) in objects() {
        let base = parse_value(&base(place));
        for row in rows(heading) {
            let Some(default) = row.default.filter(|default| *default != "cluster") else {
                continue;
            };
            let value = yaml(default);
            let config = with(place, row.key, value);
            assert_eq!(parse_value(&config), base, "{heading} {}", row.key);
            checked += 1;
        }
    }
    assert_eq!(checked, 55);
}

/// The fenced blocks of the reference: language and text.
fn blocks() -> Vec<(&'static str, &'static str)> {
    REFERENCE.split("```").skip(1).step_by(2).filter_map(|block| block.split_once('\n')).collect()
}

#[test]
fn every_block_is_a_configuration_or_is_refused_as_shown() {
    let blocks = blocks();
    assert_eq!(blocks.len(), 10);
    for (index, (language, text)) in blocks.iter().enumerate().filter(|(_, b)| b.0 == "yaml") {
        let value = yaml(text);
        if let Some(expected) = blocks.get(index + 1).filter(|next| next.0 == "text") {
            let problems = Config::parse(text.as_bytes()).unwrap_err();
            assert_eq!(lines(&problems), expected.1);
        } else if let Some(configuration) = value.pointer("/configuration/value") {
            let text = configuration.as_str().map_or(configuration.to_string(), str::to_owned);
            parse(&text);
        } else if let Some(overrides) = value.pointer("/metadata/filter_metadata/openapi_mcp") {
            let pairs = overrides.as_object().unwrap().iter().map(|(k, v)| (k.clone(), text_of(v)));
            ViewOptions::default().with_overrides(&pairs.collect::<Vec<_>>()).unwrap();
        } else {
            assert_eq!(*language, "yaml");
            parse(text);
        }
    }
}

/// A metadata value in its text form.
fn text_of(value: &Value) -> Vec<u8> {
    match value {
        Value::String(text) => text.clone().into_bytes(),
        Value::Array(items) => {
            items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(",").into_bytes()
        }
        other => other.to_string().into_bytes(),
    }
}

fn kong_schema() -> Value {
    serde_json::from_str::<Value>(KONG).unwrap()["config_schema"].clone()
}

#[test]
fn kongs_schema_has_every_key_and_no_other() {
    let schema = kong_schema();
    for (heading, place, keys) in objects() {
        let mut at = &schema;
        for step in place.split('/').skip(1) {
            at = match step {
                "0" | "1" => &at["items"],
                "identity" => &at["properties"]["identity"]["anyOf"][1],
                "aKey" => &at["additionalProperties"],
                "exposure" => &at["properties"]["exposure"]["anyOf"][1],
                "include" => &at["properties"]["include"]["anyOf"][1],
                "search" => &at["properties"]["search"]["anyOf"][1],
                name => &at["properties"][name],
            };
        }
        let properties: Vec<_> = at["properties"].as_object().unwrap().keys().collect();
        assert_eq!(properties, keys, "{heading}");
        assert_eq!(at["additionalProperties"], json!(false), "{heading}");
    }
}

#[test]
fn kongs_schema_takes_what_the_filter_takes_and_refuses_most_of_the_rest() {
    let validator = jsonschema::draft4::new(&kong_schema()).unwrap();
    let full = yaml(include_str!("full.yaml"));
    let accepted = (objects().into_iter())
        .flat_map(|(heading, place, _)| rows(heading).into_iter().map(move |row| (place, row)))
        .map(|(place, row)| {
            let example = yaml(row.example);
            with(place, row.key, example[row.key].clone())
        });
    for config in accepted.chain([full, base("")]) {
        let errors: Vec<_> = validator.iter_errors(&config).map(|e| e.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new(), "{config}");
    }
    for (place, key, value) in [
        ("", "limit", json!({})),
        ("", "role", json!("boss")),
        ("", "upstreams", json!([])),
        ("/upstreams/0", "cluster", json!("http://api")),
        ("/upstreams/0", "timeout", json!(30)),
        ("/upstreams/0", "headers", json!({ "x": "a\r\nb" })),
        ("/upstreams/0/document", "inline", json!("x")),
        ("/upstreams/0/document", "maxFiles", json!(-1)),
        ("/upstreams/0/document/references/0", "location", json!("file:///etc/")),
        ("/upstreams/0/document/references/0", "location", json!("https://a.test/b")),
        ("/routes/0", "path", json!("mcp")),
        ("/routes/0", "host", json!("a:80")),
        ("/routes/0", "lint", json!("none")),
        ("/routes/0", "locale", json!("en_US")),
        ("/routes/0", "pageSize", json!(0)),
        ("/routes/0", "identity", json!({})),
        ("/routes/0", "allowedOrigins", json!(["https://a/"])),
        ("/limits", "requestBody", json!("1Mb")),
        ("/store", "zone", json!("a/b")),
    ] {
        let mut config = base(place);
        config.pointer_mut(place).unwrap()[key] = value;
        assert!(!validator.is_valid(&config), "{key}");
        assert!(Config::parse(config.to_string().as_bytes()).is_err(), "{key}");
    }
}
