//! A schema of any dialect as self-contained JSON Schema 2020-12 in one language.

use hashbrown::HashMap;
use serde_json::{Map, Value};

use super::CompileOptions;
use crate::json::{Pointer, Problem};
use crate::openapi::decode;

/// Most schemas within a schema.
const MAX_SCHEMAS: usize = 30_000;
/// Deepest nesting of a schema's text.
const MAX_DEPTH: usize = 128;

/// What the values of an object's keys are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// Keywords of a schema.
    Keywords,
    /// Schemas by name.
    Schemas,
    /// A list of schemas.
    List,
    /// Something else: settings of the layout, unknown keywords.
    Other,
}

impl Holds {
    /// What the value of a keyword is; `None` for values that only look like schemas.
    fn of(keyword: &str, value: &Value) -> Option<Self> {
        Some(match keyword {
            "properties" | "patternProperties" | "definitions" | "$defs" | "dependencies"
            | "dependentSchemas" => Self::Schemas,
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => Self::List,
            "items" if value.is_array() => Self::List,
            "items"
            | "additionalItems"
            | "additionalProperties"
            | "unevaluatedItems"
            | "unevaluatedProperties"
            | "contains"
            | "propertyNames"
            | "contentSchema"
            | "not"
            | "if"
            | "then"
            | "else" => Self::Keywords,
            "const" | "enum" | "default" | "examples" | "example" => return None,
            _ => Self::Other,
        })
    }
}

/// The schema as [`super::Layout::schema`] describes it.
pub(super) fn translate(
    schema: &Value,
    options: &CompileOptions<'_>,
    findings: &mut Vec<Problem>,
) -> Result<Value, Vec<Problem>> {
    let mut schema = schema.clone();
    if options.x_i18n {
        localize(&mut schema, options, false, 0);
    }
    let base = identifier(&schema).map(str::to_owned);
    let names = Names { base, places: HashMap::new() };
    let mut walk = Walk { findings, names, schemas: 0, problems: Vec::new() };
    walk.older(&mut schema, Holds::Keywords, &Pointer::root(), 0);
    if walk.problems.is_empty() {
        let targets = Targets::collect(&schema, options, &mut walk);
        walk.references(&mut schema, Holds::Keywords, &Pointer::root(), &targets);
    }
    if walk.problems.is_empty() { Ok(schema) } else { Err(walk.problems) }
}

fn identifier(schema: &Value) -> Option<&str> {
    schema.get("$id").or_else(|| schema.get("id"))?.as_str()
}

/// Replaces texts that have translations beside them, `x-i18n-title` for `title`.
fn localize(value: &mut Value, options: &CompileOptions<'_>, by_name: bool, depth: usize) {
    match value {
        Value::Object(members) if depth <= MAX_DEPTH => {
            if !by_name {
                localize_members(members, options);
            }
            for (key, member) in members.iter_mut() {
                let holds = if by_name { None } else { Holds::of(key, member) };
                localize(member, options, holds == Some(Holds::Schemas), depth + 1);
            }
        }
        Value::Array(items) if depth <= MAX_DEPTH => {
            for item in items {
                localize(item, options, false, depth + 1);
            }
        }
        _ => {}
    }
}

fn localize_members(members: &mut Map<String, Value>, options: &CompileOptions<'_>) {
    const PREFIX: &str = "x-i18n-";
    if !members.keys().any(|key| key.starts_with(PREFIX)) {
        return;
    }
    let mut translations = Vec::new();
    let entries = std::mem::take(members).into_iter();
    for (key, value) in entries {
        match key.strip_prefix(PREFIX) {
            Some(name) => translations.push((name.to_owned(), value)),
            None => {
                members.insert(key, value);
            }
        }
    }
    let locales = [options.locale, base_language(options.locale), options.default_locale];
    for (name, texts) in translations {
        if let Some(text) = locales.into_iter().find_map(|locale| texts.get(locale)) {
            members.insert(name, text.clone());
        }
    }
}

fn base_language(locale: &str) -> &str {
    locale.split_once('-').map_or(locale, |(base, _)| base)
}

/// Identifiers of schemas and where they are.
#[derive(Debug)]
struct Names {
    /// Identifier of the whole schema.
    base: Option<String>,
    places: HashMap<String, Pointer>,
}

struct Walk<'f> {
    findings: &'f mut Vec<Problem>,
    names: Names,
    schemas: usize,
    problems: Vec<Problem>,
}

impl Walk<'_> {
    /// Replaces keywords of older drafts and takes identifiers away.
    fn older(&mut self, value: &mut Value, holds: Holds, at: &Pointer, depth: usize) {
        if depth > MAX_DEPTH || self.schemas > MAX_SCHEMAS {
            if self.problems.is_empty() {
                let message = format!(
                    "the schema is too large: more than {MAX_SCHEMAS} schemas or {MAX_DEPTH} levels"
                );
                self.problems.push(Problem::new(at.clone(), message));
            }
            return;
        }
        match value {
            Value::Object(members) => {
                if holds == Holds::Keywords {
                    self.schemas += 1;
                    self.older_keywords(members, at);
                }
                for (key, member) in members.iter_mut() {
                    let inner = match holds {
                        Holds::Keywords => Holds::of(key, member),
                        Holds::Schemas => Some(Holds::Keywords),
                        Holds::List | Holds::Other => None,
                    };
                    if let Some(inner) = inner.filter(|inner| *inner != Holds::Other) {
                        self.older(member, inner, &at.join(key), depth + 1);
                    }
                }
            }
            Value::Array(items) if holds == Holds::List => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.older(item, Holds::Keywords, &at.join(index), depth + 1);
                }
            }
            _ => {}
        }
    }

    fn older_keywords(&mut self, schema: &mut Map<String, Value>, at: &Pointer) {
        self.take_names(schema, at);
        for (old, new) in [("$recursiveRef", "$ref"), ("$dynamicRef", "$ref")] {
            if !schema.contains_key(new) {
                rename(schema, old, new);
            }
        }
        if schema.get("items").is_some_and(Value::is_array) {
            if schema.contains_key("prefixItems") {
                schema.shift_remove("items");
            } else {
                rename(schema, "items", "prefixItems");
            }
            rename(schema, "additionalItems", "items");
        }
        split_dependencies(schema);
        for (flag, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
            exclusive_flag(schema, flag, bound);
        }
        if schema.get("required").is_some_and(|required| !required.is_array()) {
            schema.shift_remove("required");
            let message = "`required` is ignored, because it is not a list of property names";
            self.findings.push(Problem::new(at.clone(), message));
        }
        nullable(schema);
    }

    /// Takes identifiers away and remembers them.
    fn take_names(&mut self, schema: &mut Map<String, Value>, at: &Pointer) {
        for keyword in ["$id", "$anchor", "$dynamicAnchor"] {
            let Some(Value::String(name)) = schema.get(keyword) else { continue };
            let name = if keyword == "$id" { name.clone() } else { format!("#{name}") };
            self.names.places.entry(name).or_insert_with(|| at.clone());
        }
        for keyword in
            ["$schema", "$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary"]
        {
            schema.shift_remove(keyword);
        }
    }

    /// Makes all references pointers; those to texts become the texts.
    fn references(&mut self, value: &mut Value, holds: Holds, at: &Pointer, targets: &Targets) {
        match value {
            Value::Object(members) => {
                if let Some(reference) = reference(holds, members) {
                    match targets.known.get(reference) {
                        Some(Target::Text(text)) if holds != Holds::Keywords => {
                            *value = Value::String(text.clone());
                            return;
                        }
                        Some(Target::Schema(pointer)) if holds == Holds::Keywords => {
                            members.insert("$ref".to_owned(), format!("#{pointer}").into());
                        }
                        _ if holds == Holds::Keywords => self.unknown_target(reference, at),
                        _ => {}
                    }
                }
                for (key, member) in members.iter_mut() {
                    let inner = match holds {
                        Holds::Keywords => Holds::of(key, member),
                        Holds::Schemas => Some(Holds::Keywords),
                        Holds::List | Holds::Other => Some(Holds::Other),
                    };
                    if let Some(inner) = inner {
                        self.references(member, inner, &at.join(key), targets);
                    }
                }
            }
            Value::Array(items) => {
                let inner = if holds == Holds::List { Holds::Keywords } else { Holds::Other };
                for (index, item) in items.iter_mut().enumerate() {
                    self.references(item, inner, &at.join(index), targets);
                }
            }
            _ => {}
        }
    }

    fn unknown_target(&mut self, reference: &str, at: &Pointer) {
        let reference: String = reference.chars().take(200).filter(|c| !c.is_control()).collect();
        let message = format!(
            "the reference `{reference}` leads nowhere, expected a place within this schema"
        );
        self.problems.push(Problem::new(at.join("$ref"), message));
    }
}

/// Gives a keyword another name, in its place.
fn rename(schema: &mut Map<String, Value>, old: &str, new: &str) {
    if !schema.contains_key(old) {
        return;
    }
    let entries = std::mem::take(schema).into_iter();
    *schema = entries
        .map(|(key, value)| (if key == old { new.to_owned() } else { key }, value))
        .collect();
}

/// `dependencies` of draft 7 as `dependentRequired` and `dependentSchemas`.
fn split_dependencies(schema: &mut Map<String, Value>) {
    let Some(Value::Object(dependencies)) = schema.shift_remove("dependencies") else { return };
    for (name, dependency) in dependencies {
        let keyword = if dependency.is_array() { "dependentRequired" } else { "dependentSchemas" };
        let known = schema.entry(keyword).or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(known) = known {
            known.entry(name).or_insert(dependency);
        }
    }
}

/// `exclusiveMinimum: true` beside `minimum`, of draft 4.
fn exclusive_flag(schema: &mut Map<String, Value>, flag: &str, bound: &str) {
    let Some(Value::Bool(exclusive)) = schema.get(flag) else { return };
    let exclusive = *exclusive;
    schema.shift_remove(flag);
    if exclusive {
        rename(schema, bound, flag);
    }
}

/// `nullable: true` of OpenAPI.
fn nullable(schema: &mut Map<String, Value>) {
    if schema.get("nullable") != Some(&Value::Bool(true)) {
        return;
    }
    if let Some(name @ Value::String(_)) = schema.get_mut("type") {
        *name = Value::Array(vec![name.take(), "null".into()]);
    }
}

/// What references lead to.
#[derive(Debug, Default)]
struct Targets {
    known: HashMap<String, Target>,
}

#[derive(Debug)]
enum Target {
    Schema(Pointer),
    Text(String),
}

impl Targets {
    /// Follows every reference once.
    fn collect(schema: &Value, options: &CompileOptions<'_>, walk: &mut Walk<'_>) -> Self {
        let mut references = Vec::new();
        collect_references(schema, &mut references);
        let locale = base_language(options.locale);
        let mut targets = Self::default();
        for reference in references {
            if targets.known.contains_key(reference) {
                continue;
            }
            let places = [options.locale, locale, options.default_locale];
            let found = places.into_iter().find_map(|locale| {
                find(schema, &walk.names, &reference.replace("~$locale~", locale))
            });
            if let Some(target) = found {
                targets.known.insert(reference.to_owned(), target);
            }
        }
        targets
    }
}

/// The reference of an object that can have one.
fn reference(holds: Holds, members: &Map<String, Value>) -> Option<&str> {
    if holds == Holds::Schemas { None } else { members.get("$ref")?.as_str() }
}

fn collect_references<'v>(value: &'v Value, references: &mut Vec<&'v str>) {
    match value {
        Value::Object(members) => {
            references.extend(members.get("$ref").and_then(Value::as_str));
            members.values().for_each(|member| collect_references(member, references));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_references(item, references)),
        _ => {}
    }
}

fn find(schema: &Value, names: &Names, reference: &str) -> Option<Target> {
    let local = match names.base.as_deref().and_then(|base| reference.strip_prefix(base)) {
        Some(rest) if rest.is_empty() || rest.starts_with('#') => rest,
        _ => reference,
    };
    let (document, fragment) = local.split_once('#').unwrap_or((local, ""));
    let start = match document {
        "" => Pointer::root(),
        document => names.places.get(document)?.clone(),
    };
    let fragment = decode(fragment)?;
    if !fragment.is_empty() && !fragment.starts_with('/') {
        let anchor = names.places.get(&format!("#{fragment}"))?;
        return Some(Target::Schema(anchor.clone()));
    }
    let path = format!("{start}{fragment}");
    let candidates = [path.clone(), today(&path)];
    candidates.into_iter().find_map(|path| target(schema, &path))
}

/// A path with the names that keywords of older drafts have now.
fn today(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let is_index = segments.peek().is_some_and(|next| next.parse::<usize>().is_ok());
        out.push('/');
        out.push_str(match segment {
            "items" if is_index => "prefixItems",
            "additionalItems" => "items",
            "dependencies" => "dependentSchemas",
            segment => segment,
        });
    }
    out
}

fn target(schema: &Value, path: &str) -> Option<Target> {
    match schema.pointer(path)? {
        Value::String(text) => Some(Target::Text(text.clone())),
        Value::Object(_) | Value::Bool(_) => {
            let segments = path.split('/').skip(1);
            let unescaped = segments.map(|segment| segment.replace("~1", "/").replace("~0", "~"));
            Some(Target::Schema(unescaped.fold(Pointer::root(), |at, segment| at.join(segment))))
        }
        _ => None,
    }
}
