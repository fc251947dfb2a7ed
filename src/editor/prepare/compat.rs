//! Keywords of the second generation of forms (`x-fromUrl`, `x-display`, `x-if` …) as `layout`.

use serde_json::{Map, Value, json};

/// Deepest nesting that is translated.
const MAX_DEPTH: usize = 128;

type Fragment = Map<String, Value>;

/// Translates a schema and the schemas inside it. One that already has a `layout` keeps it.
pub(super) fn translate(schema: &mut Value, depth: usize) {
    let Value::Object(fragment) = schema else { return };
    if depth > MAX_DEPTH {
        return;
    }
    if !fragment.contains_key("layout") {
        translate_fragment(fragment);
    }
    mark_variants(fragment);
    for (keyword, value) in fragment.iter_mut() {
        match keyword.as_str() {
            "properties" | "patternProperties" | "definitions" | "$defs" | "dependencies"
            | "dependentSchemas" => {
                let members = value.as_object_mut();
                members.into_iter().flat_map(Map::values_mut).for_each(|s| translate(s, depth + 1));
            }
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => translate_list(value, depth),
            "items" if value.is_array() => translate_list(value, depth),
            "items" | "then" | "else" => translate(value, depth + 1),
            _ => {}
        }
    }
}

fn translate_list(schemas: &mut Value, depth: usize) {
    schemas.as_array_mut().into_iter().flatten().for_each(|schema| translate(schema, depth + 1));
}

fn translate_fragment(fragment: &mut Fragment) {
    let mut layout = Fragment::new();
    for keyword in ["separator", "x-separator"] {
        if let Some(separator) = fragment.shift_remove(keyword) {
            layout.insert("separator".to_owned(), separator);
        }
    }
    display(fragment, &mut layout);
    if fragment.get("format").and_then(Value::as_str) == Some("hexcolor") {
        fragment.shift_remove("format");
        layout.insert("comp".to_owned(), "color-picker".into());
    }
    if let Some(props) = fragment.shift_remove("x-props") {
        layout.insert("props".to_owned(), props);
    }
    if let Some(condition) = take_text(fragment, "x-if") {
        layout.insert("if".to_owned(), evaluated(&condition));
    }
    items(fragment, &mut layout);
    if let Some(columns) = fragment.get("x-cols") {
        layout.insert("cols".to_owned(), columns.clone());
    }
    let hidden = fragment.get("x-options").and_then(|options| options.get("hideInArrayItem"));
    if hidden == Some(&Value::Bool(true)) {
        layout.insert("if".to_owned(), "!summary".into());
    }
    item_title(fragment, &mut layout);
    store(fragment, layout);
}

/// `x-display`
fn display(fragment: &mut Fragment, layout: &mut Fragment) {
    let Some(display) = take_text(fragment, "x-display") else { return };
    let is_boolean = fragment.get("type").and_then(Value::as_str) == Some("boolean");
    let component = match display.as_str() {
        "icon" => {
            if fragment.contains_key("enum") {
                layout.insert("getItems".to_owned(), json!({ "itemIcon": "data.value" }));
            }
            return;
        }
        "radio" => "radio-group",
        "checkbox" if !is_boolean => "checkbox-group",
        "switch" if !is_boolean => "switch-group",
        "hidden" => "none",
        component => component,
    };
    let sections = fragment.get("allOf").and_then(Value::as_array);
    match (sections, fragment.get("properties").and_then(Value::as_object)) {
        (Some(sections), Some(properties)) => {
            let mut children: Vec<Value> = properties.keys().map(|key| json!(key)).collect();
            let sections: Vec<_> =
                (0..sections.len()).map(|index| format!("$allOf-{index}")).collect();
            children.push(json!({ "comp": component, "children": sections }));
            layout.insert("children".to_owned(), Value::Array(children));
        }
        _ => {
            layout.insert("comp".to_owned(), component.into());
        }
    }
}

/// Item lists: `x-fromData`, `x-fromUrl`, and what finds their parts.
fn items(fragment: &mut Fragment, layout: &mut Fragment) {
    if let Some(source) = take_text(fragment, "x-fromData") {
        layout.insert("getItems".to_owned(), evaluated(&source));
    }
    if let Some(url) = take_text(fragment, "x-fromUrl") {
        layout.insert("getItems".to_owned(), json!({ "url": template(&url) }));
    }
    let Some(Value::Object(items)) = layout.get_mut("getItems") else { return };
    for (keyword, name) in [
        ("x-itemKey", "itemKey"),
        ("x-itemTitle", "itemTitle"),
        ("x-itemValue", "itemValue"),
        ("x-itemIcon", "itemIcon"),
        ("x-itemsProp", "itemsResults"),
    ] {
        if let Some(member) = take_text(fragment, keyword) {
            items.insert(name.to_owned(), member_of_data(&member).into());
        }
    }
}

/// What the items of a list are called.
fn item_title(fragment: &Fragment, layout: &mut Fragment) {
    let Some(items) = fragment.get("items").filter(|items| items["type"] == "object") else {
        return;
    };
    if layout.contains_key("getItems") {
        return;
    }
    let own = fragment.get("x-itemTitle").or_else(|| items.get("x-itemTitle"));
    if let Some(member) = own.and_then(Value::as_str) {
        layout.insert("itemTitle".to_owned(), member_of_data(member).into());
    } else if items.get("properties").is_some_and(|properties| properties.get("title").is_some()) {
        layout.insert("itemTitle".to_owned(), "data.title".into());
    }
}

/// The property that tells variants apart is set by choosing one: nobody has to fill it in, and its
/// title is the label of the choice.
fn mark_variants(fragment: &mut Fragment) {
    let first = fragment.get("oneOf").and_then(|variants| variants.get(0));
    let properties = first.and_then(|variant| variant.get("properties")?.as_object());
    let has_const = |schema: &Value| schema.get("const").is_some_and(is_truthy);
    let tag = properties.and_then(|p| p.iter().find(|(_, schema)| has_const(schema)));
    let Some((name, schema)) = tag.map(|(name, schema)| (name.clone(), schema)) else { return };
    let title = schema.get("title").cloned();
    if let Some(Value::Array(required)) = fragment.get_mut("required") {
        required.retain(|key| key.as_str() != Some(&name));
    }
    if let Some(title) = title
        && !fragment.contains_key("oneOfLayout")
    {
        fragment.insert("oneOfLayout".to_owned(), json!({ "label": title }));
    }
}

fn is_truthy(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false))
        && value.as_str() != Some("")
        && value.as_f64() != Some(0.0)
}

/// Stores a layout, one that only names a component as its name.
fn store(fragment: &mut Fragment, mut layout: Fragment) {
    if layout.is_empty() {
        return;
    }
    let layout = match layout.shift_remove("comp") {
        Some(component) if layout.is_empty() => component,
        Some(component) => {
            layout.insert("comp".to_owned(), component);
            Value::Object(layout)
        }
        None => Value::Object(layout),
    };
    fragment.insert("layout".to_owned(), layout);
}

fn take_text(fragment: &mut Fragment, keyword: &str) -> Option<String> {
    let text = fragment.get(keyword)?.as_str()?.to_owned();
    fragment.shift_remove(keyword);
    Some(text)
}

fn member_of_data(name: &str) -> String {
    format!("data[{}]", Value::from(name))
}

fn evaluated(source: &str) -> Value {
    let expr = modern(source);
    json!({ "type": "js-eval", "expr": expr, "pure": is_pure(&expr) })
}

/// `{hole}` becomes `${hole}`, except for `{q}`.
fn template(source: &str) -> Value {
    let mut expr = String::new();
    let mut rest = source;
    while let Some((before, after)) = rest.split_once('{') {
        expr.push_str(before);
        match after.split_once('}') {
            Some(("q", after)) => {
                expr.push_str("{q}");
                rest = after;
            }
            Some((hole, after)) => {
                expr.extend(["${", &modern(hole), "}"]);
                rest = after;
            }
            None => {
                expr.push('{');
                rest = after;
            }
        }
    }
    expr.push_str(rest);
    json!({ "type": "js-tpl", "expr": expr, "pure": is_pure(&expr) })
}

fn is_pure(expr: &str) -> bool {
    !["rootData", "parent.data", "parent.parent"].iter().any(|name| expr.contains(name))
}

/// An expression with today's names of its variables.
fn modern(source: &str) -> String {
    let mut expr = source.trim().replace("parent.value", "parent.data");
    for (old, new) in [
        ("modelRoot.", "rootData."),
        ("root.", "rootData."),
        ("model.", "data."),
        ("value.", "data."),
    ] {
        expr = replace_names(&expr, old, new);
    }
    let is_simple = expr.chars().all(|c| c.is_ascii_alphanumeric() || c == '.');
    if !is_simple {
        return expr;
    }
    if !["data.", "context.", "rootData.", "parent."].iter().any(|start| expr.starts_with(start)) {
        expr.insert_str(0, "rootData.");
    }
    with_index(&expr)
}

/// Replaces a name that is not the end of a longer one.
fn replace_names(text: &str, old: &str, new: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(old) {
        out.push_str(before);
        let continues = out.chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_');
        out.push_str(if continues { old } else { new });
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The last `.0` of a path as `[0]`.
fn with_index(path: &str) -> String {
    let segments: Vec<&str> = path.split('.').collect();
    let is_number = |s: &&str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let index = segments.iter().rposition(is_number).filter(|&at| at > 0);
    let mut out = String::with_capacity(path.len() + 1);
    for (at, segment) in segments.iter().enumerate() {
        if Some(at) == index {
            out.extend(["[", segment, "]"]);
        } else {
            out.extend([if at > 0 { "." } else { "" }, segment]);
        }
    }
    out
}
