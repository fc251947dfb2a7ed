mod concealed;
mod loaded;
mod locked;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::editor::{layout::CompileOptions, state::Status};

const NO_CONTEXT: &Value = &Value::Null;

/// A form with one session.
pub(super) struct Desk {
    pub(super) form: Form,
    pub(super) session: Session,
    limits: Limits,
    pub(super) locale: Locale,
    pub(super) now: u64,
}

impl Desk {
    #[track_caller]
    pub(super) fn new(schema: Value, document: Value) -> Self {
        Self::within(schema, document, Limits::default())
    }

    #[track_caller]
    pub(super) fn within(schema: Value, document: Value, limits: Limits) -> Self {
        let form = Form::compile(&schema, &CompileOptions::default()).unwrap();
        Self::of(form, document, limits)
    }

    #[track_caller]
    fn of(form: Form, document: Value, limits: Limits) -> Self {
        let session = Session::default();
        let mut desk = Self { form, session, limits, locale: Locale::En, now: 0 };
        let loaded = Loaded { data: Some(document), validator: Some("etag:1".into()) };
        desk.session = open(&desk.form, loaded, &desk.env()).unwrap();
        desk
    }

    fn env(&self) -> Env<'_> {
        Env { now: self.now, ..env(&self.limits, self.locale) }
    }

    pub(super) fn step(&mut self, tool: &str, arguments: Value) -> Step {
        let verb = Verb::of(tool).unwrap();
        match Command::parse(verb, arguments.as_object().unwrap(), self.locale) {
            Ok(command) => {
                let env = Env { now: self.now, ..env(&self.limits, self.locale) };
                apply(&self.form, &mut self.session, &command, &env)
            }
            Err(text) => Step::Answer(Answer::failed(text)),
        }
    }

    #[track_caller]
    pub(super) fn call(&mut self, tool: &str, arguments: Value) -> Answer {
        match self.step(tool, arguments) {
            Step::Answer(answer) => answer,
            other => panic!("{other:?}"),
        }
    }

    #[track_caller]
    pub(super) fn text(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.call(tool, arguments);
        assert!(!answer.is_error, "{}", answer.text);
        answer.text
    }

    /// The call fails, says this, and leaves the session as it was.
    #[track_caller]
    pub(super) fn refuses(&mut self, tool: &str, arguments: Value, says: &str) {
        let before = self.session.clone();
        let answer = self.call(tool, arguments);
        assert!(answer.is_error, "{}", answer.text);
        assert!(answer.text.contains(says), "{}", answer.text);
        assert_eq!(self.session, before);
    }

    /// The list that getFieldSuggestions asks for is answered with this body.
    #[track_caller]
    pub(super) fn fetch(&mut self, path: &str, query: Option<&str>, body: Value) -> Answer {
        let Step::Fetch(request) =
            self.step("getFieldSuggestions", json!({ "path": path, "query": query }))
        else {
            panic!("nothing is fetched")
        };
        let command =
            Command::GetFieldSuggestions { path: path.to_owned(), query: query.map(str::to_owned) };
        let env = Env { now: self.now, ..env(&self.limits, self.locale) };
        fetched(&self.form, &mut self.session, &command, &env, (&request.url, Ok(body)))
    }

    fn save(&mut self, outcome: SaveOutcome) -> Answer {
        let Step::Save(sent) = self.step("saveForm", json!({})) else { panic!("not valid") };
        saved(&self.form, &mut self.session, &sent, &env(&self.limits, self.locale), outcome)
    }
}

pub(super) fn env(limits: &Limits, locale: Locale) -> Env<'_> {
    Env {
        title: "Thing",
        prefix: "thing_",
        locale,
        base: "https://api.test/v1/",
        context: NO_CONTEXT,
        limits,
        writable: true,
        creates: false,
        now: 0,
    }
}

fn guarded() -> Desk {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "computed": {"type": "string", "readOnly": true},
            "file": {"type": "string", "layout": "none"},
            "kind": {"const": "thing"},
            "list": {"type": "array", "items": {"type": "object", "properties": {
                "a": {"type": "string"}, "id": {"type": "string", "readOnly": true}
            }}}
        }
    });
    let document = json!({"name": "n", "computed": "c", "file": "f", "kind": "thing",
        "list": [{"a": "1", "id": "x"}, {"a": "2", "id": "y"}]});
    Desk::new(schema, document)
}

#[test]
fn fields_that_are_not_for_the_agent_are_refused_and_kept() {
    let mut desk = guarded();
    desk.refuses("setFieldValue", json!({"path": "/computed", "value": "z"}), "read-only");
    desk.refuses("setFieldValue", json!({"path": "/file", "value": null}), "not part of the form");
    desk.refuses("setFieldValue", json!({"path": "/kind", "value": "other"}), "always \"thing\"");
    desk.refuses("setData", json!({"data": {"name": "m", "computed": "z"}}), "/computed");
    desk.refuses("setData", json!({"data": {"file": null}}), "/file");
    desk.refuses("setFieldValue", json!({"path": "/", "value": {"file": "g"}}), "/file");
    desk.refuses("setFieldValue", json!({"path": "/list/0/id", "value": "g"}), "/list/0/id");
    let unchanged = json!({"data": {"name": "m", "computed": "c", "file": "f"}, "merge": false});
    desk.text("setData", unchanged);
    assert_eq!(desk.session.data["name"], "m");
    desk.text("setData", json!({"data": {"name": "o"}, "merge": false}));
    assert_eq!(desk.session.data["computed"], "c");
    assert_eq!(desk.session.data["file"], "f");
}

#[test]
fn read_only_values_of_items_move_with_them() {
    let mut desk = guarded();
    let turned = json!([{"a": "2", "id": "y"}, {"a": "1", "id": "x"}]);
    desk.text("setFieldValue", json!({"path": "/list", "value": turned}));
    let forged = json!([{"a": "2", "id": "forged"}]);
    desk.refuses("setFieldValue", json!({"path": "/list", "value": forged}), "/list/0/id");
    desk.refuses(
        "editArray",
        json!({"path": "/list", "action": "add", "value": {"id": "q"}}),
        "id",
    );
    desk.text("editArray", json!({"path": "/list", "action": "remove", "index": 0}));
    assert_eq!(desk.session.data["list"], json!([{"a": "1", "id": "x"}]));
}

#[test]
fn an_item_that_is_replaced_keeps_what_is_not_for_the_agent() {
    let mut desk = guarded();
    let replaced = json!({"path": "/list/0", "value": {"a": "3"}});
    desk.text("setFieldValue", replaced);
    assert_eq!(desk.session.data["list"][0], json!({"a": "3", "id": "x"}));
    let borrowed = json!({"path": "/list/0", "value": {"a": "3", "id": "y"}});
    desk.refuses("setFieldValue", borrowed, "/list/0/id");
    desk.refuses("setFieldValue", json!({"path": "/list/0", "value": "Q"}), "/list/0/id");
    desk.refuses("setFieldValue", json!({"path": "/list/1", "value": null}), "/list/1/id");
}

#[test]
fn lines_of_items_say_what_is_read_only() {
    let mut desk = guarded();
    let text = desk.text("describeState", json!({}));
    assert!(text.contains("/list/1/id (text, readOnly)"), "{text}");
    assert!(text.contains("/list/1/a (text) "), "{text}");
}

#[test]
fn an_item_that_is_cleared_is_all_that_the_answer_is_about() {
    let schema = json!({"type": "object", "properties": {
        "name": {"type": "string"},
        "rows": {"type": "array", "items": {"type": "object", "properties": {
            "a": {"type": "string"}
        }}}
    }});
    let mut desk = Desk::new(schema, json!({"name": "n", "rows": [{"a": "1"}, {"a": "2"}]}));
    for (path, left) in [("/rows/1", json!([{"a": "1"}])), ("/rows/0", json!([]))] {
        let answer = desk.call("setFieldValue", json!({"path": path, "value": null}));
        assert!(
            answer.text.starts_with(&[path, " (section) = undefined\n"].concat()),
            "{answer:?}"
        );
        assert_eq!(answer.structured.unwrap()["value"], Value::Null);
        assert_eq!(desk.session.data.get("rows").cloned().unwrap_or(json!([])), left);
    }
}

fn plain() -> Desk {
    let schema = json!({
        "type": "object",
        "required": ["name"],
        "properties": {"name": {"type": "string"}, "n": {"type": "integer", "maximum": 9}}
    });
    Desk::new(schema, json!({"name": "a"}))
}

#[test]
fn a_conflict_keeps_the_edits_and_overwrites_nothing() {
    let mut desk = plain();
    desk.text("setFieldValue", json!({"path": "/name", "value": "b"}));
    let answer = desk.save(SaveOutcome::Conflict("newer".into()));
    assert!(answer.is_error && answer.text.contains("reloadForm"), "{}", answer.text);
    assert_eq!((desk.session.status, &desk.session.data["name"]), (Status::Stale, &json!("b")));
    assert_eq!(desk.session.validator.as_deref(), Some("etag:1"));
}

#[test]
fn a_failed_save_can_be_repeated() {
    let mut desk = plain();
    desk.text("setFieldValue", json!({"path": "/name", "value": "b"}));
    let answer = desk.save(SaveOutcome::Failed("HTTP 500".into()));
    assert!(answer.is_error && answer.text.contains("HTTP 500"), "{}", answer.text);
    assert_eq!(desk.session.data["name"], "b");
    let done = SaveOutcome::Saved { returned: None, validator: Some("etag:2".into()) };
    assert!(!desk.save(done).is_error);
    assert_eq!(desk.session.saved, desk.session.data);
    assert_eq!(desk.session.validator.as_deref(), Some("etag:2"));
}

#[test]
fn a_save_without_an_answer_says_how_to_find_out() {
    for (created, says) in [(false, "call reloadForm"), (true, "a second time")] {
        let mut desk = plain();
        desk.text("setFieldValue", json!({"path": "/name", "value": "b"}));
        let cause = "the API did not answer within the time limit".to_owned();
        let answer = desk.save(SaveOutcome::Unknown { cause, created });
        for part in
            ["not known whether \"Thing\" was saved", "time limit. The edits are kept", says]
        {
            assert!(answer.is_error && answer.text.contains(part), "{}", answer.text);
        }
        assert_eq!((desk.session.status, &desk.session.data["name"]), (Status::Error, &json!("b")));
        assert_eq!(desk.session.validator.as_deref(), Some("etag:1"));
    }
}

#[test]
fn a_property_without_a_name_can_be_written() {
    let text = json!({"type": "string"});
    let schema = json!({"type": "object", "properties": {
        "": text, "a": {"type": "object", "properties": {"": text, "b": text}}}});
    let mut desk = Desk::new(schema, json!({"a": {"b": "1"}}));
    desk.text("setFieldValue", json!({"path": "/a/", "value": "2"}));
    desk.text("setFieldValue", json!({"path": "/a/b/", "value": "3"}));
    desk.text("setData", json!({"data": {"": "4"}}));
    assert_eq!(desk.session.data, json!({"a": {"b": "3", "": "2"}, "": "4"}));
}

#[test]
fn after_a_save_the_session_holds_what_the_api_returned() {
    let mut desk = plain();
    let returned = json!({"name": "a", "at": "now"});
    desk.save(SaveOutcome::Saved { returned: Some(returned.clone()), validator: None });
    assert_eq!(desk.session.data, returned);
    assert_eq!(desk.session.saved, returned);
}

#[test]
fn edits_made_during_a_save_are_kept() {
    let mut desk = plain();
    let Step::Save(sent) = desk.step("saveForm", json!({})) else { panic!() };
    desk.text("setFieldValue", json!({"path": "/name", "value": "later"}));
    let returned = SaveOutcome::Saved { returned: Some(json!({"name": "a"})), validator: None };
    let limits = Limits::default();
    let answer = saved(&desk.form, &mut desk.session, &sent, &env(&limits, Locale::En), returned);
    assert!(answer.text.contains("still to be saved"), "{}", answer.text);
    assert_eq!(desk.session.data["name"], "later");
    assert_eq!(desk.session.saved["name"], "a");
}

#[test]
fn a_form_that_is_not_valid_is_not_saved() {
    let mut desk = plain();
    desk.text("setFieldValue", json!({"path": "/n", "value": 10}));
    desk.refuses("saveForm", json!({}), "/n must be <= 9");
}

#[test]
fn reloading_works_after_a_failed_reload() {
    let mut desk = plain();
    desk.text("setFieldValue", json!({"path": "/name", "value": "b"}));
    let limits = Limits::default();
    let env = env(&limits, Locale::En);
    let failed = reloaded(&desk.form, &mut desk.session, &env, Err("HTTP 404".into()));
    assert!(failed.is_error && desk.session.data["name"] == "b");
    let loaded = Loaded { data: Some(json!({"name": "new"})), validator: None };
    assert!(!reloaded(&desk.form, &mut desk.session, &env, Ok(loaded)).is_error);
    assert_eq!(desk.session.data["name"], "new");
    assert_eq!(desk.session.status, Status::Ready);
}

#[test]
fn another_form_keeps_the_data() {
    let mut desk = plain();
    desk.text("setFieldValue", json!({"path": "/name", "value": "b"}));
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"},
        "extra": {"type": "string", "default": "x"}}});
    let form = Form::compile(&schema, &CompileOptions::default()).unwrap();
    let limits = Limits::default();
    adopt(&form, &mut desk.session, &env(&limits, Locale::En)).unwrap();
    assert_eq!(desk.session.data, json!({"name": "b", "extra": "x"}));
}

#[test]
fn limits_hold_for_what_is_written_and_shown() {
    let schema = json!({"type": "object", "properties": {
        "text": {"type": "string"}, "list": {"type": "array", "items": {"type": "string"}},
        "free": {"type": "object"}}});
    let limits =
        Limits { document_bytes: 300, depth: 4, array_length: 3, text_bytes: 200, suggestions: 9 };
    let mut desk = Desk::within(schema, json!({}), limits);
    let long = "x".repeat(400);
    desk.refuses("setFieldValue", json!({"path": "/text", "value": long}), "300 are allowed");
    desk.refuses("setFieldValue", json!({"path": "/list", "value": ["", "", "", ""]}), "3 are");
    desk.refuses("setData", json!({"data": {"free": {"a": {"b": {"c": {"d": 1}}}}}}), "4 are");
    desk.text("setFieldValue", json!({"path": "/text", "value": "y".repeat(250)}));
    let text = desk.text("describeState", json!({}));
    assert!(text.len() < 350 && text.contains("cut here"), "{text}");
    desk.refuses("getData", json!({}), "too long");
}

#[test]
fn entries_of_a_map_are_not_items() {
    let schema = json!({"type": "object", "properties": {"map": {"type": "object",
        "patternProperties": {"^[a-z]+$": {"type": "object", "properties": {"v": {"type": "integer"}}}}}}});
    let mut desk = Desk::new(schema, json!({"map": {"one": {"v": 1}}}));
    let path = "/map/$patternProperties";
    desk.refuses("editArray", json!({"path": path, "action": "add", "value": {}}), "setData");
    desk.text("setData", json!({"data": {"map": {"two": {"v": 2}}}}));
    assert_eq!(desk.session.data["map"], json!({"one": {"v": 1}, "two": {"v": 2}}));
}

#[test]
fn a_condition_that_fails_hides() {
    let schema = json!({"type": "object", "properties": {
        "a": {"type": "string", "layout": {"if": "rootData.x.y.z"}}, "b": {"type": "string"}}});
    let mut desk = Desk::new(schema, json!({}));
    let text = desk.text("describeState", json!({}));
    assert!(!text.contains("/a (") && text.contains("/b ("), "{text}");
}

#[test]
fn unknown_keys_are_told_truly() {
    let closed = json!({"type": "object", "additionalProperties": false,
        "properties": {"a": {"type": "string"}}});
    let mut desk = Desk::new(closed, json!({}));
    let text = desk.text("setData", json!({"data": {"a": "1", "b": 2}}));
    assert!(text.contains("left out: b") && desk.session.data.get("b").is_none(), "{text}");
    let mut desk = plain();
    let text = desk.text("setData", json!({"data": {"b": 2}}));
    assert!(text.contains("will be saved: b") && desk.session.data["b"] == 2, "{text}");
}

#[test]
fn members_that_the_schema_describes_beside_its_patterns_are_kept() {
    let map = |others: Value| {
        let mut schema = json!({"type": "object", "properties": {"a": {"type": "string"}},
            "patternProperties": {"^p_": {"type": "string"}}});
        if !others.is_null() {
            schema["additionalProperties"] = others;
        }
        Desk::new(schema, json!({"a": "1", "p_b": "2", "c": 3})).session.data
    };
    let whole = json!({"a": "1", "p_b": "2", "c": 3});
    assert_eq!(map(json!({"type": "number"})), whole);
    assert_eq!(map(json!(true)), whole);
    assert_eq!(map(json!(false)), json!({"a": "1", "p_b": "2"}));
    assert_eq!(map(Value::Null), json!({"a": "1", "p_b": "2"}));
}

#[test]
fn what_a_form_leaves_out_is_told() {
    let closed = json!({"type": "object", "additionalProperties": false, "properties": {
        "name": {"type": "string"},
        "rows": {"type": "array", "items": {"type": "object", "additionalProperties": false,
            "properties": {"a": {"type": "string"}}}},
        "map": {"type": "object", "patternProperties": {"^[a-z]+$": {"type": "integer"}}}
    }});
    let document = json!({"name": "n", "rev": 1, "blank": {"x": [""]},
        "rows": [{"a": "1"}, {"a": "2", "b/c": true}], "map": {"one": 1, "TWO": 2}});
    let mut desk = Desk::new(closed.clone(), document.clone());
    let note = left_out(&desk.form, &document, &desk.session, &desk.env()).unwrap();
    assert!(note.contains("3 value(s)"), "{note}");
    assert!(note.contains(": /rev, /rows/1/b~1c, /map/TWO."), "{note}");
    let loaded = Loaded { data: Some(document), validator: None };
    let Desk { form, session, limits, locale, .. } = &mut desk;
    let answer = reloaded(form, session, &env(limits, *locale), Ok(loaded));
    assert!(answer.text.contains("/map/TWO"), "{answer:?}");

    let many: Map<_, _> = (0..40).map(|n| (format!("k{n}"), json!(n))).collect();
    let desk = Desk::new(closed, Value::Object(many.clone()));
    let note = left_out(&desk.form, &Value::Object(many), &desk.session, &desk.env()).unwrap();
    assert!(note.contains("40 value(s)") && note.contains("/k11, and 28 more"), "{note}");

    let open = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let document = json!({"name": "", "other": 1});
    let desk = Desk::new(open, document.clone());
    assert_eq!(left_out(&desk.form, &document, &desk.session, &desk.env()), None);
}

fn shapes(extra: &Value) -> Desk {
    let variant = |kind: &str, field: &str| {
        let mut variant = json!({"title": kind, "properties": {
            "kind": {"const": kind}, field: {"type": "number"}, "label": {"type": "string"},
        }});
        variant.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        variant
    };
    let schema = json!({"type": "object", "properties": {"shape": {
        "type": "object", "oneOf": [variant("circle", "radius"), variant("rect", "width")],
    }}});
    Desk::new(schema, json!({"shape": {"kind": "circle", "radius": 1, "label": "l"}}))
}

#[test]
fn a_variant_that_forbids_the_fields_of_the_former_one_removes_them() {
    let mut desk = shapes(&json!({"additionalProperties": false}));
    let text = desk.text("setFieldValue", json!({"path": "/shape/$oneOf", "value": 1}));
    assert_eq!(desk.session.data, json!({"shape": {"kind": "rect", "label": "l"}}));
    assert!(text.ends_with("1 key(s) of the former variant were removed: radius"), "{text}");
}

#[test]
fn fields_of_the_former_variant_that_stay_are_told() {
    let mut desk = shapes(&json!({}));
    let text = desk.text("setFieldValue", json!({"path": "/shape/$oneOf", "value": 1}));
    let both = json!({"shape": {"kind": "rect", "radius": 1, "label": "l"}});
    assert_eq!(desk.session.data, both);
    assert!(text.contains("1 key(s) of the former variant are still there"), "{text}");
    assert!(text.contains("saved: radius."), "{text}");
    let anew = json!({"path": "/shape", "value": {"kind": "rect", "label": "l"}});
    desk.text("setFieldValue", anew);
    assert_eq!(desk.session.data, json!({"shape": {"kind": "rect", "label": "l"}}));
    let text = desk.text("setFieldValue", json!({"path": "/shape/$oneOf", "value": 0}));
    assert!(!text.contains("former variant"), "{text}");
}

#[test]
fn sentences_follow_the_locale() {
    let check = |locale, expected: &str| {
        let mut desk = plain();
        desk.locale = locale;
        let answer = desk.call("setFieldValue", json!({"path": "/name", "value": ""}));
        assert!(answer.text.contains(expected), "{}", answer.text);
    };
    check(Locale::En, "- /name: a value is required");
    check(Locale::Fr, "- /name: une valeur est requise");
    check(Locale::De, "- /name: ein Wert ist erforderlich");
    check(Locale::Nl, "- /name: een waarde is verplicht");
}

#[test]
fn structured_content_matches_its_schema() {
    let calls = [
        ("getData", json!({})),
        ("getData", json!({"path": "/n"})),
        ("setData", json!({"data": {"n": 12, "zz": 1}})),
        ("describeState", json!({})),
        ("setFieldValue", json!({"path": "/n", "value": "x"})),
    ];
    for (tool, arguments) in calls {
        let mut desk = plain();
        let answer = desk.call(tool, arguments);
        let definitions = definitions("Thing", Locale::En);
        let definition = definitions.iter().find(|d| d.verb.name() == tool).unwrap();
        let validator = jsonschema::validator_for(&definition.output_schema).unwrap();
        assert!(validator.is_valid(&answer.structured.unwrap()), "{tool}");
    }
}

#[test]
fn a_recursive_union_cannot_make_a_check_endless() {
    let branch = |kind: &str| {
        json!({"required": ["k"], "additionalProperties": false,
        "properties": {"k": {"const": kind}, "n": {"$ref": "#/$defs/n"}}})
    };
    let branches: Vec<_> = ["a", "b", "c", "d"].map(branch).into();
    let schema = json!({"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}},
        "$defs": {"n": {"type": "object", "oneOf": branches}}});
    let mut nested = json!({"k": "z"});
    for _ in 0..25 {
        nested = json!({"k": "a", "n": nested});
    }
    let mut desk = Desk::new(schema, json!({"n": nested}));
    let text = desk.text("describeState", json!({}));
    assert!(text.starts_with("valid: "), "{text}");
}

#[test]
fn the_deepest_states_are_built_on_a_small_stack() {
    let work = || {
        let schema = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/n"}},
        "$defs": {"n": {"type": "object", "allOf": [{"type": "object", "oneOf": [
            {"type": "object", "properties": {"k": {"const": 1}, "a": {"$ref": "#/$defs/n"}}}
        ]}]}}});
        let mut data = json!({});
        for _ in 0..31 {
            data = json!({"a": data});
        }
        let mut desk = Desk::new(schema, data);
        let _ = desk.call("describeState", json!({}));
        let _ = desk.call("setFieldValue", json!({"path": "/a/a", "value": {"a": {"a": 1}}}));
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(work).unwrap().join().unwrap();
}

/// The command with a path that is there, mostly.
fn aimed(form: &Form, session: &Session, env: &Env<'_>, pick: u16, command: Command) -> Command {
    if pick.is_multiple_of(8) {
        return command;
    }
    let view = View::new(form, session, &[], env.context);
    let mut paths = Vec::new();
    view.root.walk(&mut |node| {
        let path = if pick.is_multiple_of(3) { &node.data_path } else { &node.path };
        paths.push(path.clone());
    });
    let path = paths.swap_remove(usize::from(pick) % paths.len());
    match command {
        Command::GetData { .. } => Command::GetData { path },
        Command::DescribeState { .. } => Command::DescribeState { path: Some(path) },
        Command::SetFieldValue { choice, .. } => Command::SetFieldValue { path, choice },
        Command::GetFieldSuggestions { query, .. } => Command::GetFieldSuggestions { path, query },
        Command::EditArray { action, index, .. } => Command::EditArray { path, action, index },
        other => other,
    }
}

/// Schemas with everything that forms know, small.
fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({"type": "string"})),
        Just(json!({"type": "string", "default": "d", "minLength": 2})),
        Just(json!({"type": ["integer", "null"], "maximum": 3})),
        Just(json!({"type": "boolean", "readOnly": true})),
        Just(json!({"const": 1})),
        Just(json!({"type": "string", "enum": ["a", "b"]})),
        Just(json!({"type": "string", "layout": {"if": "parent.data.a === 'x'"}})),
        Just(json!({"type": "array", "items": {"type": "string"}})),
        Just(json!({"type": "array", "items": [{"type": "string"}, {"type": "number"}]})),
        Just(json!({"$ref": "#/$defs/tree"})),
        Just(json!({})),
    ];
    let nested = leaf.prop_recursive(3, 24, 4, |inner| {
        let members = prop::collection::btree_map("[a-d]", inner.clone(), 0..4);
        prop_oneof![
            members.clone().prop_map(|p| json!({"type": "object", "properties": p})),
            members.clone().prop_map(|p| {
                let required: Vec<_> = p.keys().cloned().collect();
                json!({"type": "object", "properties": p, "required": required,
                    "additionalProperties": false})
            }),
            inner.clone().prop_map(|items| json!({"type": "array", "items": items})),
            inner.clone().prop_map(|v| json!({"type": "object", "patternProperties": {"^[a-b]": v}})),
            (members.clone(), members.clone()).prop_map(|(one, two)| json!({"type": "object",
                "oneOf": [{"properties": one}, {"properties": two, "required": ["b"]}]})),
            (members.clone(), members).prop_map(|(one, two)| json!({"type": "object",
                "properties": {"a": {"type": "string"}},
                "if": {"required": ["a"]}, "then": {"properties": one}, "else": {"properties": two}})),
        ]
    });
    prop::collection::btree_map("[a-d]", nested, 1..4).prop_map(|properties| {
        json!({
            "type": "object",
            "properties": properties,
            "$defs": {"tree": {"type": "object", "oneOf": [
                {"title": "Leaf", "required": ["t"], "properties": {"t": {"const": "leaf"}, "v": {"type": "string"}}},
                {"title": "Node", "required": ["t"], "properties": {"t": {"const": "node"},
                    "c": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}
            ]}}
        })
    })
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        Just(json!("x")),
        Just(json!("")),
        Just(json!(2)),
        Just(json!(true)),
        Just(json!({"t": "leaf"})),
        Just(json!({"t": "node", "c": [{"t": "leaf"}]})),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            prop::collection::btree_map("[a-d]", inner, 0..3)
                .prop_map(|members| { Value::Object(members.into_iter().collect::<Map<_, _>>()) }),
        ]
    })
}

fn path() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop_oneof![
            "[a-d]",
            "[0-2]",
            Just("$oneOf".into()),
            Just("$then".into()),
            Just(String::new())
        ],
        0..4,
    )
    .prop_map(|segments| segments.iter().flat_map(|segment| ["/", segment]).collect())
}

fn command() -> impl Strategy<Value = Command> {
    let choice = prop_oneof![
        value().prop_map(Choice::Value),
        (-1.0..3.0).prop_map(Choice::Suggestion),
        (0..3u8).prop_map(|index| Choice::Value(index.into())),
    ];
    let action =
        prop_oneof![prop::option::of(value()).prop_map(Action::Add), Just(Action::Remove),];
    prop_oneof![
        path().prop_map(|path| Command::GetData { path }),
        prop::option::of(path()).prop_map(|path| Command::DescribeState { path }),
        (path(), choice).prop_map(|(path, choice)| Command::SetFieldValue { path, choice }),
        (path(), prop::option::of(Just("x".to_owned())))
            .prop_map(|(path, query)| Command::GetFieldSuggestions { path, query }),
        (path(), action, prop::option::of(-1.0..4.0f64)).prop_map(|(path, action, index)| {
            Command::EditArray { path, action, index: index.map(f64::trunc) }
        }),
        (prop::collection::btree_map("[a-d]", value(), 0..3), any::<bool>())
            .prop_map(|(data, merge)| Command::SetData { data: data.into_iter().collect(), merge }),
        Just(Command::SaveForm),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// Any commands on any form: an answer each time, failures change nothing, and the session is
    /// at rest after each.
    #[test]
    fn sessions_stay_at_rest(schema in schema(), document in value(), commands in prop::collection::vec((any::<u16>(), command()), 1..10)) {
        let Ok(form) = Form::compile(&schema, &CompileOptions::default()) else { return Ok(()) };
        let limits = Limits::default();
        let env = env(&limits, Locale::En);
        let loaded = Loaded { data: Some(document), validator: None };
        let Ok(mut session) = open(&form, loaded, &env) else { return Ok(()) };
        for (pick, command) in commands {
            let command = &aimed(&form, &session, &env, pick, command);
            let before = session.data.clone();
            let step = apply(&form, &mut session, command, &env);
            if let Step::Answer(answer) = &step {
                prop_assert!(!answer.text.is_empty());
                prop_assert!(!answer.is_error || session.data == before);
            }
            let found = findings(&form, &session);
            let view = View::new(&form, &session, &found, env.context);
            prop_assert_eq!(view.root.value().unwrap_or(&Value::Null), &session.data);
        }
    }
}
