use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;

use super::*;
use crate::editor::{expression::Expression, prepare::prepare};

mod hostile;

#[track_caller]
pub(super) fn layout(schema: &Value) -> Layout {
    compile(schema, &CompileOptions::default()).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// The nodes as lines: path, component, and what else there is to say.
fn outline(layout: &Layout) -> String {
    let mut out = String::new();
    node(layout, layout.root().root, "", 0, &mut out);
    out
}

fn node(layout: &Layout, id: NodeId, path: &str, depth: usize, out: &mut String) {
    let node_ = layout.node(id);
    let path = if depth == 0 { String::new() } else { format!("{path}/{}", node_.key) };
    for case in &node_.cases {
        let component = &case.component;
        write!(out, "{path}: {}", component.kind.name()).unwrap();
        for (flag, is_set) in [
            (" required", node_.required),
            (" nullable", node_.nullable),
            (" recursive", node_.recursive),
            (" multiple", component.multiple),
            (" readOnly", component.options.read_only == Some(true)),
        ] {
            out.push_str(if is_set { flag } else { "" });
        }
        for (name, value) in component.attributes.iter().chain(&node_.constraints) {
            write!(out, " {name}={value}").unwrap();
        }
        for (name, text) in
            [("label", &component.label), ("title", &component.title), ("help", &component.help)]
        {
            if let Some(text) = text {
                write!(out, " {name}={text:?}").unwrap();
            }
        }
        component.default.iter().for_each(|value| write!(out, " default={value}").unwrap());
        case.condition.iter().for_each(|e| write!(out, " if={:?}", e.source()).unwrap());
        component.items.iter().for_each(|items| out.push_str(&shown(&items.source)));
        node_.condition.iter().for_each(|condition| write!(out, " {condition:?}").unwrap());
        out.push('\n');
    }
    if node_.cases.is_empty() {
        writeln!(out, "{path}: hidden").unwrap();
    }
    if depth > 8 {
        return;
    }
    let mut children: Vec<NodeId> = node_
        .cases
        .iter()
        .flat_map(|case| case.component.children.iter().map(|child| child.node))
        .collect();
    children.dedup();
    for child in children {
        node(layout, child, &path, depth + 1, out);
    }
    for tree in node_.trees.iter().map(|id| layout.tree(*id)) {
        let tag = tree.tag.as_ref().map(|tag| format!(" {tag}")).unwrap_or_default();
        writeln!(out, "{path} → {}{tag}", tree.pointer).unwrap();
        node(layout, tree.root, &path, depth + 1, out);
    }
}

fn shown(source: &Source) -> String {
    match source {
        Source::Fixed(items) => {
            let titles: Vec<_> = items.iter().map(|item| item.title.as_str()).collect();
            format!(" [{}]", titles.join(", "))
        }
        Source::Expression(expression) => format!(" from `{}`", expression.source()),
        Source::Url { url, .. } => format!(" at `{}`", url.source()),
    }
}

#[test]
fn every_recorded_schema_compiles() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden-editor");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let vector = crate::json::parse(&std::fs::read(&path).unwrap()).unwrap();
        let Some(schema) = vector.get("schema") else { continue };
        let is_prepared = vector["prepareSchema"] == true;
        let schema = if is_prepared { prepare(schema) } else { schema.clone() };
        let layout = layout(&schema);
        assert!(!layout.node(layout.root().root).children.is_empty(), "{}", path.display());
        for finding in layout.findings() {
            assert!(finding.message.contains("`markdown` is not a component"), "{finding}");
        }
        count += 1;
    }
    assert_eq!(count, 22);
}

/// Checks the outline of a schema's form.
#[track_caller]
fn check(schema: Value, expected: &str) {
    let lines: Vec<&str> =
        expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(outline(&layout(&schema)).trim_end(), lines.join("\n"));
}

/// Checks the form of one property `f`.
#[track_caller]
fn check_field(schema: Value, expected: &str) {
    let layout = layout(&json!({ "properties": { "f": schema } }));
    let outline = outline(&layout);
    let field: Vec<&str> = outline.lines().skip(1).filter(|line| !line.contains("f/")).collect();
    let arrow = field.iter().position(|line| line.contains('→')).unwrap_or(field.len());
    assert_eq!(field[..arrow].join("\n"), expected, "{schema}");
}

#[test]
fn the_component_follows_from_the_schema() {
    let many: Vec<_> = (0..21).collect();
    for (schema, expected) in [
        (json!({ "type": "string" }), "/f: text-field label=\"f\""),
        (json!({ "type": ["string", "null"] }), "/f: text-field nullable label=\"f\""),
        (json!({ "type": "string", "nullable": true }), "/f: text-field nullable label=\"f\""),
        (json!({ "type": ["string"] }), "/f: text-field label=\"f\""),
        (json!({ "type": ["string", "number"] }), "/f: hidden"),
        (json!({ "title": "No type" }), "/f: hidden"),
        (json!(true), "/f: hidden"),
        (json!({ "const": 1 }), "/f: hidden"),
        (json!({ "type": "string", "const": "x" }), "/f: hidden"),
        (json!({ "type": "boolean" }), "/f: checkbox label=\"f\""),
        (
            json!({ "type": "integer", "minimum": 1, "maximum": 9 }),
            "/f: number-field min=1 max=9 step=1 precision=0 label=\"f\"",
        ),
        (json!({ "type": "number", "title": "N" }), "/f: number-field label=\"N\""),
        (json!({ "enum": ["a", "b"] }), "/f: select label=\"f\" [a, b]"),
        (json!({ "enum": ["a", 1] }), "/f: hidden"),
        (
            json!({ "type": "integer", "enum": many }),
            "/f: autocomplete label=\"f\" [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, \
             16, 17, 18, 19, 20]",
        ),
        (
            json!({ "type": "string", "oneOf": [{ "const": "a", "title": "A" }, { "const": "b" }] }),
            "/f: select label=\"f\" [A, b]",
        ),
        (
            json!({ "type": "string", "oneOf": [{ "pattern": "a" }, { "format": "email" }] }),
            "/f: text-field label=\"f\"",
        ),
        (
            json!({ "type": "number", "anyOf": [{ "const": 1 }, {}] }),
            "/f: number-combobox label=\"f\" [1]",
        ),
        (json!({ "type": "string", "examples": ["x"] }), "/f: combobox label=\"f\" [x]"),
        (
            json!({ "type": "string", "format": "date", "examples": ["2020-01-01"] }),
            "/f: date-picker format=\"date\" format=\"date\" label=\"f\"",
        ),
        (
            json!({ "type": "string", "layout": { "separator": ";" } }),
            "/f: combobox multiple separator=\";\" label=\"f\"",
        ),
        (json!({ "type": "string", "layout": { "items": ["a"] } }), "/f: select label=\"f\" [a]"),
        (
            json!({ "type": "string", "layout": { "getItems": { "url": "u", "qSearchParam": "q" } } }),
            "/f: autocomplete label=\"f\" at `u`",
        ),
        (
            json!({ "type": "object", "layout": { "getItems": "context.x" } }),
            "/f: select label=\"f\" from `context.x`",
        ),
        (json!({ "type": "array" }), "/f: none"),
        (
            json!({ "type": "array", "items": { "type": "string" } }),
            "/f: combobox multiple label=\"f\"",
        ),
        (
            json!({ "type": "array", "items": { "type": "boolean" } }),
            "/f: list multiple title=\"f\"",
        ),
        (
            json!({ "type": "array", "items": { "type": "string", "layout": "textarea" } }),
            "/f: list multiple title=\"f\"",
        ),
        (
            json!({ "type": "array", "items": { "type": "string", "format": "time" } }),
            "/f: list multiple title=\"f\"",
        ),
        (json!({ "type": "array", "items": {} }), "/f: list multiple title=\"f\""),
        (json!({ "type": "string", "layout": "textarea" }), "/f: textarea label=\"f\""),
        (json!({ "type": "string", "layout": "none" }), "/f: none"),
        (json!({ "type": "string", "layout": "vjsf-thing" }), "/f: text-field label=\"f\""),
        (json!({ "type": "string", "layout": 3 }), "/f: text-field label=\"f\""),
        (json!({ "type": "string", "layout": { "slots": { "component": "x" } } }), "/f: slot"),
        (
            json!({ "type": "string", "readOnly": true, "description": "Some *help*" }),
            "/f: text-field readOnly label=\"f\" help=\"Some help\"",
        ),
        (
            json!({ "type": "string", "layout": { "label": "L", "help": "H", "readOnly": true } }),
            "/f: text-field readOnly label=\"L\" help=\"H\"",
        ),
        (
            json!({ "anyOf": [{ "type": "null" }, { "type": "string", "title": "T" }] }),
            "/f: text-field nullable label=\"T\"",
        ),
        (
            json!({ "oneOf": [{ "type": "integer" }, { "type": "integer" }] }),
            "/f: number-field step=1 precision=0 label=\"f\"",
        ),
    ] {
        check_field(schema, expected);
    }
}

#[test]
fn the_texts_of_a_reference_win() {
    check(
        json!({
            "type": "object",
            "properties": { "a": { "$ref": "#/$defs/d", "title": "Here" }, "b": { "$ref": "#/$defs/d" } },
            "$defs": { "d": { "$ref": "#/$defs/e", "title": "There" }, "e": { "type": "integer" } },
        }),
        r#": section required default={}
           /a: number-field step=1 precision=0 label="Here"
           /b: number-field step=1 precision=0 label="There""#,
    );
}

#[test]
fn tuples_of_every_dialect_have_an_entry_for_each_item() {
    let expected = r#": section required default={}
        /t: section minItems=1
        /t/0: text-field required label="0"
        /t/1: checkbox label="B""#;
    let (a, b) = (json!({ "type": "string" }), json!({ "type": "boolean", "title": "B" }));
    for keyword in ["items", "prefixItems"] {
        let tuple = json!({ "type": "array", "minItems": 1, keyword: [a, b] });
        check(json!({ "type": "object", "properties": { "t": tuple } }), expected);
    }
}

#[test]
fn children_are_arranged_by_the_layout() {
    check(
        json!({
            "type": "object",
            "required": ["a"],
            "layout": [
                { "title": "G", "comp": "card", "children": ["a", ["b"]] },
                { "text": "Read *this*" },
                { "key": "c", "if": "data.a" },
                "nothing",
                7,
            ],
            "properties": {
                "a": { "type": "string" }, "b": { "type": "string" },
                "c": { "type": "string" }, "d": { "type": "string" },
            },
        }),
        r#": section required default={}
           /$comp-1: card required title="G"
           /$comp-1/a: text-field required label="a"
           /$comp-1/$comp-2: section required
           /$comp-1/$comp-2/b: text-field label="b"
           /$slot-1: slot required help="Read this"
           /c: text-field label="c""#,
    );
}

#[test]
fn what_is_left_out_is_found_with_its_place() {
    let layout = layout(&json!({
        "type": "object",
        "layout": ["a", "nothing", 7],
        "required": true,
        "properties": {
            "a": { "type": "string", "layout": { "comp": "what", "if": "a b" } },
            "b": { "type": ["string", "number"] },
            "c": { "type": "string", "layout": 5 },
            "d": {
                "type": "object", "discriminator": { "propertyName": "x" },
                "oneOf": [{ "properties": { "x": { "const": 1 } } }, { "title": "No" }],
            },
        },
    }));
    let found: Vec<String> = layout.findings().iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "`required` is ignored, because it is not a list of property names",
            "/properties/a/layout: `what` is not a component, so the usual one is used",
            "/properties/a/layout/if: the expression `a b` cannot be used: something after the end of \
             the expression at character 3",
            "/properties/b: the field is left out of the form: it has several types",
            "/properties/c/layout: the layout is ignored: expected a component's name or an object",
            "/properties/d/oneOf/1: the discriminator has no constant value in this variant",
            "/layout/children/1: the child `nothing` is ignored: the schema has none of this name",
            "/layout/children/2: the child is ignored: expected a key, or children",
        ]
    );
}

#[test]
fn every_dialect_becomes_2020_12() {
    for (old, new) in [
        (
            json!({ "$schema": "http://json-schema.org/draft-07/schema#", "$id": "x", "type": "object" }),
            json!({ "type": "object" }),
        ),
        (
            json!({ "$ref": "http://a/b#/definitions/d", "$id": "http://a/b", "definitions": { "d": {} } }),
            json!({ "$ref": "#/definitions/d", "definitions": { "d": {} } }),
        ),
        (
            json!({ "items": [{}, { "$ref": "#/items/0" }], "additionalItems": false }),
            json!({ "prefixItems": [{}, { "$ref": "#/prefixItems/0" }], "items": false }),
        ),
        (
            json!({ "dependencies": { "a": ["b"], "c": { "title": "T" } } }),
            json!({ "dependentRequired": { "a": ["b"] }, "dependentSchemas": { "c": { "title": "T" } } }),
        ),
        (
            json!({ "minimum": 1, "exclusiveMinimum": true, "maximum": 3, "exclusiveMaximum": false }),
            json!({ "exclusiveMinimum": 1, "maximum": 3 }),
        ),
        (
            json!({ "properties": { "a": { "$ref": "#t" }, "b": { "$anchor": "t" }, "c": { "$recursiveRef": "#" } } }),
            json!({ "properties": { "a": { "$ref": "#/properties/b" }, "b": {}, "c": { "$ref": "#" } } }),
        ),
        (
            json!({ "title": { "$ref": "#/i18n/~$locale~/t" }, "i18n": { "en": { "t": "Title" } } }),
            json!({ "title": "Title", "i18n": { "en": { "t": "Title" } } }),
        ),
        (
            json!({ "const": { "$ref": "nowhere" }, "properties": { "$ref": {}, "$id": {}, "const": { "$id": "x" } } }),
            json!({ "const": { "$ref": "nowhere" }, "properties": { "$ref": {}, "$id": {}, "const": {} } }),
        ),
        (
            json!({ "properties": { "a b": { "$ref": "#/properties/c%20d%25" }, "c d%": {} } }),
            json!({ "properties": { "a b": { "$ref": "#/properties/c d%" }, "c d%": {} } }),
        ),
    ] {
        let compiled = compile(&old, &CompileOptions::default()).unwrap();
        assert_eq!(compiled.schema(), &new);
    }
}

#[test]
fn texts_are_in_the_language_asked_for() {
    let schema = json!({
        "type": "object",
        "properties": {
            "a": { "type": "string", "title": "A", "x-i18n-title": { "fr": "AF", "en": "AE" } },
            "b": { "type": "string", "title": "B", "x-i18n-title": { "it": "BI" } },
        },
    });
    for (locale, x_i18n, expected) in [
        ("fr", true, ["AF", "B"]),
        ("fr-CA", true, ["AF", "B"]),
        ("de", true, ["AE", "B"]),
        ("fr", false, ["A", "B"]),
    ] {
        let options = CompileOptions { locale, x_i18n, ..CompileOptions::default() };
        let layout = compile(&schema, &options).unwrap();
        let titles: Vec<_> =
            layout.nodes().iter().filter_map(|node| node.title.as_deref()).collect();
        assert_eq!(titles, expected, "{locale}");
    }
}

#[test]
fn item_lists_keep_keys_titles_and_how_to_find_them() {
    let layout =
        layout(&json!({ "properties": { "f": { "type": "string", "layout": { "getItems": {
        "url": { "expr": "u?q={q}" }, "itemKey": "item.k", "itemsResults": "body.rows",
        "searchParams": { "s": "${context.s}" }, "headers": { "h": "v" }, "qSearchParam": "search",
    } } } } }));
    let field = layout.nodes().iter().find(|node| node.key == "f").unwrap();
    let items = field.cases[0].component.items.as_ref().unwrap();
    let Source::Url { url, search_params, headers, search_param } = &items.source else { panic!() };
    assert_eq!((url.source(), search_param.as_deref()), ("u?q={q}", Some("search")));
    assert_eq!((search_params[0].0.as_str(), headers[0].1.source()), ("s", "v"));
    assert_eq!(items.results.as_ref().map(Expression::source), Some("body.rows"));
    assert_eq!(items.key.as_ref().map(Expression::source), Some("item.k"));
}

#[test]
fn a_choice_of_many_alternatives_is_a_field() {
    let one = |n: usize| json!({ "type": "object", "properties": { "t": { "const": n } } });
    let alternatives: Vec<Value> = (0..200).map(one).collect();
    let schema = json!({ "type": "object", "properties": { "a": { "oneOf": alternatives } } });
    assert!(!outline(&layout(&schema)).contains("/a: hidden"));
}
