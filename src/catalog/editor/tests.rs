use serde_json::{Value, json};

use crate::catalog::{Compiler, Input, Outcome, Severity};
use crate::config::ViewOptions;
use crate::openapi::Document;
use crate::tool::{FormPlan, FormSchema, OperationPlan, Plan, Source};

/// A document whose record is edited as `editor` says; the schema is fetched.
fn document(path: &str, editor: &Value) -> Value {
    let names = path.split('{').skip(1).filter_map(|it| it.split_once('}'));
    let parameters: Vec<_> = names
        .map(|(name, _)| {
            json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}})
        })
        .collect();
    json!({
        "openapi": "3.1.0", "info": {"title": "T", "version": "1"},
        "servers": [{"url": "https://api.test/v1?x=1"}],
        "paths": {
            path: {
                "parameters": &parameters,
                "get": {"operationId": "read", "responses": {}, "x-agent": {"profiles": ["none"]}},
                "put": {
                    "operationId": "write",
                    "requestBody": {"content": {"application/json": {"schema": {"type": "object"}}}},
                    "responses": {},
                    "x-agent": {"name": "rec", "editor": editor},
                },
            },
            "/schemas/{kind}": {"get": {
                "operationId": "schema",
                "parameters": [
                    {"name": "kind", "in": "path", "required": true, "schema": {"type": "string"}},
                    {"name": "X-H", "in": "header", "schema": {"type": "string"}},
                    {"name": "list", "in": "query", "schema": {"type": "array", "items": {}}},
                ],
                "responses": {"200": {"description": "", "content": {
                    "text/markdown": {}, "application/schema+json": {},
                }}},
                "x-agent": {"profiles": ["none"], "fixed": {"list": ["a"], "lang": "en"}},
            }},
            "/plain": {"get": {"operationId": "plain", "responses": {}, "x-agent": {}}},
        },
        "x-agent": {"profiles": {"p": {}, "none": {}}, "namePrefix": "n_"},
    })
}

fn fetched() -> Value {
    json!({"schemaOperation": "schema", "schemaParams": {"kind": "rec"}, "readOperation": "read"})
}

fn compile(document: &Value) -> Outcome {
    let document = Document::from_value(document.clone()).unwrap();
    let input = Input {
        upstream: "api",
        document: Some(&document),
        document_url: None,
        base_url: None,
        servers: &[],
        credentials: &[],
        linked: &[],
    };
    Compiler::new(vec![input], &ViewOptions::default()).finish()
}

fn tools(document: &Value) -> Vec<crate::tool::Tool> {
    let outcome = compile(document);
    outcome.set.unwrap_or_else(|| panic!("{:?}", outcome.problems)).tools
}

fn form(document: &Value) -> FormPlan {
    let mut forms = tools(document).into_iter().filter_map(|tool| match tool.plan {
        Plan::Editor(plan) => plan.form,
        Plan::Operation(_) => None,
    });
    let form = forms.next().unwrap();
    assert!(forms.next().is_none(), "the form is kept once");
    form
}

fn schema_plan(form: &FormPlan) -> &OperationPlan {
    match &form.schema {
        FormSchema::Fetched(plan) => plan,
        FormSchema::Declared { .. } => panic!("{form:?}"),
    }
}

/// Name, and argument or fixed value.
fn bound(plan: &OperationPlan) -> Vec<(String, Value)> {
    let source = |source: &Source| match source {
        Source::Argument(name) => json!({"argument": name}),
        Source::Fixed(value) => value.clone(),
        Source::Selection { .. } => panic!("{source:?}"),
    };
    plan.parameters.iter().map(|it| (it.name.clone(), source(&it.source))).collect()
}

#[test]
fn the_tools_of_a_form_come_after_all_others() {
    let names: Vec<_> =
        tools(&document("/r/{id}", &fetched())).into_iter().map(|it| it.name).collect();
    let verbs = [
        "getData",
        "setData",
        "describeState",
        "setFieldValue",
        "getFieldSuggestions",
        "editArray",
        "saveForm",
        "reloadForm",
    ];
    let expected: Vec<_> = verbs.iter().map(|verb| format!("n_rec_{verb}")).collect();
    assert_eq!(names[0], "n_plain");
    assert_eq!(names[1..], expected);
    let set = compile(&document("/r/{id}", &fetched())).set.unwrap();
    assert_eq!(set.instructions, format!("## n_rec\n\nTools: {}", expected.join(", ")));
}

#[test]
fn every_tool_takes_the_path_parameters_first() {
    for tool in tools(&document("/r/{id}/{value}", &fetched())).iter().skip(1) {
        let properties = tool.input_schema["properties"].as_object().unwrap();
        let names: Vec<_> = properties.keys().take(2).collect();
        assert_eq!(names, ["id", "value__path"], "{}", tool.name);
        let required = tool.input_schema["required"].as_array().unwrap();
        assert_eq!(required[..2], [json!("id"), json!("value__path")]);
        assert_eq!(tool.input_schema["additionalProperties"], json!(false));
        assert!(tool.annotations.contains_key("readOnlyHint"));
    }
}

#[test]
fn schema_and_document_are_loaded_as_annotated() {
    let form = form(&document("/r/{id}", &fetched()));
    assert_eq!((form.title.as_str(), form.prefix.as_str()), ("write", "n_rec_"));
    assert_eq!(form.base_url, "https://api.test/v1/");
    assert_eq!(form.identifiers, ["id"]);
    let schema = schema_plan(&form);
    assert_eq!(schema.response.accept, "application/schema+json");
    let expected =
        [("kind", json!("rec")), ("list", json!(["a"])), ("lang", json!("en")), ("x", json!("1"))];
    assert_eq!(bound(schema), expected.map(|(name, value)| (name.to_owned(), value)));
    let read = form.read.as_ref().unwrap();
    assert_eq!((read.method.as_str(), read.base_path.as_str()), ("GET", "/v1"));
    assert_eq!(bound(read)[0], ("id".to_owned(), json!({"argument": "id"})));
    assert_eq!((form.write.method.as_str(), &*form.write.path), ("PUT", "/r/{id}"));
}

#[test]
fn path_values_are_shared_by_name() {
    let mut editor = fetched();
    editor.as_object_mut().unwrap().shift_remove("schemaParams");
    let form = form(&document("/r/{kind}/{id}", &editor));
    assert_eq!(bound(schema_plan(&form))[0], ("kind".to_owned(), json!({"argument": "kind"})));
}

#[track_caller]
fn refused(document: &Value, at: &str, part: &str) {
    let outcome = compile(document);
    assert!(outcome.set.is_none());
    let is_it = outcome.problems.iter().any(|found| {
        found.severity == Severity::Refused
            && found.problem.at == format!("/paths/~1r~1{{id}}/put/x-agent/{at}")
            && found.problem.message.contains(part)
    });
    assert!(is_it, "{:?}", outcome.problems);
}

#[test]
fn what_cannot_be_a_form_refuses_the_document() {
    let with = |key: &str, value: Value| {
        let mut editor = fetched();
        editor[key] = value;
        document("/r/{id}", &editor)
    };
    refused(&with("schemaOperation", json!("nope")), "editor/schemaOperation", "`nope`");
    refused(&with("readOperation", json!("nope")), "editor/readOperation", "`nope`");
    refused(&with("schemaParams", json!({})), "editor/schemaOperation", "`kind`");
    for content in
        [json!({}), json!({"multipart/form-data": {}}), json!({"application/merge-patch+json": {}})]
    {
        let mut document = document("/r/{id}", &fetched());
        document["paths"]["/r/{id}"]["put"]["requestBody"]["content"] = content;
        refused(&document, "editor", "`application/json`");
    }
    let mut long = document("/r/{id}", &fetched());
    long["paths"]["/r/{id}"]["put"]["x-agent"]["name"] = json!("x".repeat(43));
    refused(&long, "name", "1 to 44");
    let mut twice = document("/r/{id}", &fetched());
    twice["paths"]["/r/{id}"]["post"] = twice["paths"]["/r/{id}"]["put"].clone();
    let problems = compile(&twice).problems;
    let taken = problems.iter().filter(|it| it.problem.message.contains("`n_rec_getData`"));
    assert_eq!(taken.count(), 1, "{problems:?}");
}

#[test]
fn what_a_form_does_not_use_is_a_warning() {
    let mut document = document("/r/{id}", &fetched());
    let required = |name: &str| json!({"name": name, "in": "header", "required": true});
    let put = &mut document["paths"]["/r/{id}"]["put"];
    put["parameters"] = json!([required("If-Match"), required("X-Reason")]);
    put["x-agent"]["body"] = json!("compact");
    let found: Vec<_> = compile(&document).problems.into_iter().collect();
    let texts: Vec<_> = found.iter().map(|it| (it.severity, it.problem.at.as_str())).collect();
    let operation = "/paths/~1r~1{id}/put";
    let expected = [[operation, "/x-agent/body"].concat(), [operation, "/parameters/1"].concat()];
    assert_eq!(texts, expected.each_ref().map(|at| (Severity::Warning, at.as_str())), "{found:?}");
}

/// A document whose record hides a cost.
fn hiding(editor: &Value) -> Value {
    let mut document = document("/r/{id}", editor);
    document["components"]["schemas"] = json!({
        "Rec": {"type": "object", "properties": {
            "name": {"type": "string", "x-agent": {"hint": "the name"}},
            "cost": {"type": "number", "x-agent": {"exclude": true}},
            "password": {"type": "string", "writeOnly": true},
            "rows": {"type": "array", "items": {"$ref": "#/components/schemas/Row"}},
        }},
        "Row": {"allOf": [{"type": "object", "properties": {
            "secret": {"type": "string", "x-agent": {"exclude": true}}, "open": {"type": "string"},
        }}]},
    });
    let reference = json!({"schema": {"$ref": "#/components/schemas/Rec"}});
    let plain = json!({"content": {"application/json": {"schema": {"type": "object"}}}});
    let responses = json!({"200": plain, "203": {"content": {"application/problem+json": {}, "application/hal+json": reference}}});
    document["paths"]["/r/{id}"]["get"]["responses"] = responses;
    document
}

#[track_caller]
fn hides(document: &Value, expected: &Value) {
    let form = form(document);
    assert_eq!(serde_json::to_value(&form.hidden).unwrap(), *expected);
}

#[test]
fn a_form_hides_what_the_answer_that_it_loads_excludes() {
    let expected = json!([
        {"properties": [{"name": "cost", "exclude": true}, {"name": "rows", "node": 1}]},
        {"items": 2},
        {"properties": [{"name": "secret", "exclude": true}]},
    ]);
    let document = hiding(&fetched());
    hides(&document, &expected);
    assert_eq!(form(&document).concealed().len(), 3);
    // The same when only the body says so.
    let mut declared = hiding(&json!({"readOperation": "read"}));
    let reference = json!({"$ref": "#/components/schemas/Rec"});
    let get = &mut declared["paths"]["/r/{id}"]["get"];
    get["responses"] = json!({});
    declared["paths"]["/r/{id}"]["put"]["requestBody"]["content"]["application/json"]["schema"] =
        reference.clone();
    hides(&declared, &expected);
    // What a form creates is the agent's own, but the answer to a save is not.
    declared["paths"]["/r/{id}"]["put"]["x-agent"]["editor"] = json!(true);
    hides(&declared, &json!([]));
    declared["paths"]["/r/{id}"]["put"]["responses"] = json!({"201": {"description": "",
        "content": {"application/json": {"schema": reference}}}});
    hides(&declared, &expected);
    assert!(form(&declared).concealed().is_empty());
}

#[test]
fn fixed_values_go_where_their_names_are_declared() {
    for editor in [fetched(), json!(true)] {
        let mut document = hiding(&editor);
        let put = &mut document["paths"]["/r/{id}"]["put"];
        put["requestBody"]["content"]["application/json"]["schema"] =
            json!({"allOf": [{"$ref": "#/components/schemas/Rec"}]});
        put["parameters"] = json!([{"name": "X-By", "in": "header", "schema": {}}]);
        put["x-agent"]["fixed"] = json!({"name": "n", "x-by": "agents", "lang": "en"});
        let form = form(&document);
        assert_eq!(form.fixed().unwrap().clone(), *json!({"name": "n"}).as_object().unwrap());
        let bound = bound(&form.write);
        let sent = |name: &str| bound.iter().find(|(known, _)| known == name).map(|it| &it.1);
        assert_eq!((sent("X-By"), sent("lang")), (Some(&json!("agents")), Some(&json!("en"))));
        let problems = compile(&document).problems;
        let texts: Vec<_> = problems.iter().map(|it| it.problem.at.as_str()).collect();
        assert_eq!(texts, ["/paths/~1r~1{id}/put/x-agent/fixed/lang"], "{problems:?}");
    }
}

#[test]
fn the_documents_of_forms_are_not_what_agents_are_offered() {
    // The operations that forms use need no annotation, nor a selected profile.
    let names: Vec<_> =
        tools(&document("/r/{id}", &fetched())).into_iter().map(|it| it.name).collect();
    assert!(
        !names.iter().any(|name| name.contains("read") || name.contains("schema")),
        "{names:?}"
    );
}

/// What is found in the annotation of the write operation.
#[track_caller]
fn finds(document: &Value, severity: Severity, at: &str, part: &str) {
    let problems = compile(document).problems;
    let [found] = problems.as_slice() else { panic!("{problems:?}") };
    let place = format!("/x-agent/{at}");
    assert!(found.severity == severity && found.problem.at.ends_with(&place), "{found:?}");
    assert!(found.problem.message.contains(part), "{found:?}");
}

#[test]
fn a_form_that_would_save_one_record_over_another_is_left_out() {
    let mut editor = fetched();
    for (read, severity) in [("plain", Severity::Skipped), ("list", Severity::Skipped)] {
        editor["readOperation"] = json!(read);
        let mut document = document("/r/{id}", &editor);
        let query = json!([{"name": "id", "in": "query", "schema": {"type": "string"}}]);
        document["paths"]["/r"]["get"] = json!({
            "operationId": "list", "parameters": query, "responses": {}, "x-agent": {"profiles": ["none"]},
        });
        finds(&document, severity, "editor/readOperation", "path parameter `id`");
        assert_eq!(tools(&document).len(), 1, "only the plain tool is left");
    }
    // The same record every time, whichever is asked for.
    let mut document = document("/r/{id}", &fetched());
    document["paths"]["/r/{id}"]["get"]["x-agent"]["fixed"] = json!({"id": "1"});
    finds(&document, Severity::Skipped, "editor/readOperation", "path parameter `id`");
    // A value that is no agent's choice may be missing.
    let put = &mut document["paths"]["/r/{id}"]["put"];
    put["x-agent"]["fixed"] = json!({"id": "1"});
    assert_eq!(compile(&document).problems, []);
}

#[test]
fn settings_of_a_form_that_mean_nothing_are_warnings() {
    let annotated = |key: &str, value: Value, editor: &Value| {
        let mut document = document("/r/{id}", editor);
        document["paths"]["/r/{id}"]["put"]["x-agent"][key] = value;
        document
    };
    let unknown = annotated("params", json!({"idd": {"name": "x"}}), &fetched());
    finds(&unknown, Severity::Warning, "params/idd", "no parameter");
    let mut editor = fetched();
    editor["schemaParams"]["zz"] = json!(1);
    let unknown = document("/r/{id}", &editor);
    finds(&unknown, Severity::Warning, "editor/schemaParams/zz", "no parameter of `schema`");
    let alone = document("/r/{id}", &json!({"schemaParams": {"kind": 1}, "readOperation": "read"}));
    finds(&alone, Severity::Warning, "editor/schemaParams", "without `schemaOperation`");
}

#[test]
fn fixed_members_of_a_form_match_their_schemas() {
    let mut document = document("/r/{id}", &fetched());
    let kind = json!({"type": "object", "properties": {"kind": {"enum": ["boat"]}}});
    let put = &mut document["paths"]["/r/{id}"]["put"];
    put["requestBody"]["content"]["application/json"]["schema"] = json!({"allOf": [kind]});
    put["x-agent"]["fixed"] = json!({"kind": "ship"});
    finds(&document, Severity::Warning, "fixed/kind", "`\"ship\"` is not allowed");
    document["paths"]["/r/{id}"]["put"]["x-agent"]["fixed"] = json!({"kind": "boat"});
    assert_eq!(compile(&document).problems, []);
}

#[test]
fn the_media_types_that_make_no_form_are_named() {
    for (content, part) in [
        (json!({}), "declares none"),
        (json!({"text/plain": {}}), "only `text/plain`: declare"),
        (
            json!({"application/merge-patch+json": {}}),
            "only `application/merge-patch+json`, which takes changes",
        ),
    ] {
        let mut document = document("/r/{id}", &fetched());
        document["paths"]["/r/{id}"]["put"]["requestBody"]["content"] = content;
        finds(&document, Severity::Refused, "editor", part);
    }
}
