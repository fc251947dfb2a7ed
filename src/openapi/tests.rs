use serde_json::{Value, json};
use url::Url;

use super::*;
use crate::tool::{Place, Style};

fn document(value: Value) -> Document {
    Document::from_value(value).unwrap()
}

/// A 3.1 document with one path item and components.
fn with_path(version: &str, path: &str, item: Value, components: Value) -> Document {
    document(json!({
        "openapi": version, "info": { "title": "T", "version": "1" },
        "paths": { path: item }, "components": components,
    }))
}

fn with_operation(version: &str, operation: Value, components: Value) -> Document {
    with_path(version, "/a", json!({ "get": operation }), components)
}

#[track_caller]
fn only(document: &Document) -> Result<Operation<'_>, Vec<Problem>> {
    let (endpoints, problems) = document.endpoints();
    assert_eq!(problems, []);
    document.operation(endpoints.first().unwrap())
}

#[track_caller]
fn check_problems(document: &Document, expected: &[(&str, &str)]) {
    let problems = only(document).unwrap_err();
    assert_eq!(problems.len(), expected.len(), "{problems:?}");
    for (problem, (at, message)) in problems.iter().zip(expected) {
        assert_eq!(&problem.at, at, "{problem}");
        assert!(problem.message.contains(message), "{problem}");
    }
}

mod versions {
    use super::*;

    #[track_caller]
    fn check(value: Value, expected: Result<Version, (&str, &str)>) {
        match (Document::from_value(value).map(|document| document.version()), expected) {
            (Ok(version), Ok(expected)) => assert_eq!(version, expected),
            (Err(problem), Err((at, message))) => {
                assert_eq!(problem.at, at);
                assert!(problem.message.contains(message), "{problem}");
            }
            (result, _) => panic!("{result:?}"),
        }
    }

    #[test]
    fn every_minor_version_of_openapi_3_is_read() {
        check(json!({ "openapi": "3.0.4", "paths": {} }), Ok(Version::V3_0));
        check(json!({ "openapi": "3.1.1", "paths": {} }), Ok(Version::V3_1));
        check(json!({ "openapi": "3.2.0", "paths": {} }), Ok(Version::V3_2));
        check(json!({ "openapi": "3.7.0", "paths": {} }), Ok(Version::V3_2));
        check(json!({ "openapi": 3.1, "paths": {} }), Ok(Version::V3_1));
    }

    #[test]
    fn anything_else_is_refused_by_name() {
        check(json!({ "swagger": "1.2" }), Err(("/swagger", "Swagger `1.2`")));
        check(json!({ "openapi": "4.0.0" }), Err(("/openapi", "`4.0.0`")));
        check(json!({ "openapi": "3" }), Err(("/openapi", "`3`")));
        check(json!({ "info": {} }), Err(("", "not an OpenAPI document")));
        check(json!([]), Err(("", "an object")));
        check(json!({ "openapi": "3.1.0", "paths": [] }), Err(("/paths", "an object")));
    }

    #[test]
    fn text_that_is_not_a_document_says_so() {
        assert!(Document::parse(b"<html>").is_err());
    }
}

mod references {
    use super::*;

    fn sample() -> Document {
        document(json!({
            "openapi": "3.1.0",
            "$self": "https://api.test/openapi.json",
            "paths": { "/b/{id}": { "get": { "x": [10, { "y": 11 }] } } },
            "components": {
                "schemas": {
                    "a/b~c": 1,
                    "a b": 2,
                    "a%20b c": 3,
                    "Chain": { "$ref": "#/components/schemas/Next" },
                    "Next": { "$ref": "#/components/schemas/End" },
                    "End": { "type": "string", "properties": { "p": { "type": "integer" } } },
                    "Loop": { "$ref": "#/components/schemas/Loop" },
                    "Named": {
                        "$id": "https://ids.test/named",
                        "$defs": {
                            "k": { "type": "null" },
                            "inner": { "$ref": "#/$defs/k" },
                            "far": { "$ref": "#here" },
                        },
                        "properties": { "here": { "$anchor": "here", "type": "boolean" } },
                    },
                    "Relative": { "$id": "relative", "type": "array" },
                    "ByUri": { "$ref": "https://ids.test/named#/$defs/k" },
                    "ByRelative": { "$ref": "relative" },
                    "BySelf": { "$ref": "https://api.test/openapi.json#/components/schemas/End" },
                    "ByFile": { "$ref": "openapi.json#/components/schemas/End" },
                    "Sample": { "example": { "$id": "https://ids.test/sample" }, "$anchor": "there" },
                },
            },
        }))
    }

    #[track_caller]
    fn check(reference: &str, expected: Result<Value, &str>) {
        let document = sample();
        let value = json!({ "$ref": reference });
        let node = Node { value: &value, pointer: Pointer::root().join("paths").join("x") };
        match (document.target(reference, &node.pointer), expected) {
            (Ok(node), Ok(expected)) => {
                assert_eq!(node.value, &expected, "{reference}");
                assert_eq!(node.pointer.get(document.root()), Some(node.value), "{reference}");
            }
            (Err(problem), Err(message)) => {
                assert_eq!(problem.at, "/paths/x/$ref");
                assert!(problem.message.contains(message), "{problem}");
                assert!(problem.message.contains(reference), "{problem}");
            }
            (result, _) => panic!("{reference}: {result:?}"),
        }
    }

    #[test]
    fn pointers_are_unescaped_and_percent_decoded() {
        check("#/components/schemas/a~1b~0c", Ok(json!(1)));
        check("#/components/schemas/a%20b", Ok(json!(2)));
        check("#/components/schemas/a b", Ok(json!(2)));
        check("#/components/schemas/a%20b c", Ok(json!(3)));
        check("#/paths/~1b~1%7Bid%7D/get/x/1/y", Ok(json!(11)));
    }

    #[test]
    fn pointers_look_through_references() {
        check("#/components/schemas/Chain/properties/p", Ok(json!({ "type": "integer" })));
        check("#/components/schemas/Loop/properties/p", Err("points at nothing"));
    }

    #[test]
    fn identifiers_and_anchors_are_found() {
        check("https://ids.test/named#/$defs/k", Ok(json!({ "type": "null" })));
        check("https://ids.test/named#here", Ok(json!({ "$anchor": "here", "type": "boolean" })));
        check("relative", Ok(json!({ "$id": "relative", "type": "array" })));
        check("openapi.json#/components/schemas/a b", Ok(json!(2)));
    }

    #[test]
    fn what_is_not_in_the_document_is_named() {
        check("#/components/schemas/None", Err("`None`"));
        check("#/components/None/x", Err("`None`"));
        check("#nowhere", Err("the anchor `nowhere`"));
        check("#here", Err("the anchor `here`"));
        check("other.json#/x", Err("outside this document"));
        check("file:///etc/passwd", Err("outside this document"));
        check("http://169.254.169.254/latest", Err("outside this document"));
        check("https://ids.test/sample", Err("outside this document"));
        check("#/%FF", Err("not UTF-8"));
    }

    #[track_caller]
    fn check_resolved(name: &str, expected: Result<&str, (&str, &str)>) {
        let document = sample();
        let pointer = Pointer::root().join("components").join("schemas").join(name);
        let node = Node { value: pointer.get(document.root()).unwrap(), pointer };
        match (document.resolve(node), expected) {
            (Ok(node), Ok(expected)) => assert_eq!(node.pointer.as_str(), expected),
            (Err(problem), Err((at, message))) => {
                assert_eq!(problem.at, at);
                assert!(problem.message.contains(message), "{problem}");
            }
            (result, _) => panic!("{name}: {result:?}"),
        }
    }

    #[test]
    fn chains_are_followed_to_their_end_and_circles_are_not() {
        check_resolved("End", Ok("/components/schemas/End"));
        check_resolved("Chain", Ok("/components/schemas/End"));
        check_resolved("ByUri", Ok("/components/schemas/Named/$defs/k"));
        check_resolved("ByRelative", Ok("/components/schemas/Relative"));
        check_resolved("BySelf", Ok("/components/schemas/End"));
        check_resolved("ByFile", Ok("/components/schemas/End"));
        check_resolved("Loop", Err(("/components/schemas/Loop/$ref", "in a circle")));
    }

    #[test]
    fn inside_a_schema_with_an_id_references_start_there() {
        let document = sample();
        for (name, expected) in [("inner", "$defs/k"), ("far", "properties/here")] {
            let root = "/components/schemas/Named";
            let node = document.root_node().get("components").unwrap().get("schemas").unwrap();
            let node = node.get("Named").unwrap().get("$defs").unwrap().get(name).unwrap();
            let target = document.resolve(node).unwrap();
            assert_eq!(target.pointer.as_str(), format!("{root}/{expected}"));
        }
    }

    #[test]
    fn in_3_0_there_are_no_identifiers() {
        let document = document(json!({
            "openapi": "3.0.0",
            "components": { "schemas": { "A": {
                "$id": "https://ids.test/a", "b": { "$ref": "#/components/schemas/A/c" }, "c": 1,
            } } },
        }));
        let node = document.root_node().get("components").unwrap().get("schemas").unwrap();
        let node = node.get("A").unwrap().get("b").unwrap();
        assert_eq!(document.resolve(node).unwrap().value, &json!(1));
    }
}

mod endpoints {
    use super::*;

    #[track_caller]
    fn check(version: &str, paths: Value, expected: &[&str], problems: &[(&str, &str)]) {
        let document = document(json!({ "openapi": version, "paths": paths, "components": {
            "pathItems": { "P": { "get": { "summary": "shared" } } },
        } }));
        let (endpoints, found) = document.endpoints();
        let list: Vec<_> = endpoints
            .iter()
            .map(|endpoint| format!("{} {} {}", endpoint.method, endpoint.path, endpoint.pointer))
            .collect();
        assert_eq!(list, expected);
        assert_eq!(found.len(), problems.len(), "{found:?}");
        for (problem, (at, message)) in found.iter().zip(problems) {
            assert_eq!(&problem.at, at);
            assert!(problem.message.contains(message), "{problem}");
        }
    }

    #[test]
    fn paths_are_in_document_order_and_methods_in_that_of_the_specification() {
        let paths = json!({ "/z": { "trace": {}, "post": {}, "get": {} }, "/a": { "patch": {} } });
        let expected = [
            "GET /z /paths/~1z/get",
            "POST /z /paths/~1z/post",
            "TRACE /z /paths/~1z/trace",
            "PATCH /a /paths/~1a/patch",
        ];
        check("3.0.0", paths, &expected, &[]);
    }

    #[test]
    fn query_and_additional_operations_belong_to_3_2() {
        let paths = json!({ "/a": {
            "additionalOperations": { "LINK": {}, "Bad Method": {}, "GET": {} },
            "query": {}, "get": {},
        } });
        let bad = "/paths/~1a/additionalOperations/Bad Method";
        let expected = [
            "GET /a /paths/~1a/get",
            "QUERY /a /paths/~1a/query",
            "LINK /a /paths/~1a/additionalOperations/LINK",
        ];
        check("3.2.0", paths.clone(), &expected, &[(bad, "not an HTTP method")]);
        check("3.1.0", paths, &expected[..1], &[]);
    }

    #[test]
    fn path_item_references_are_followed_and_merged() {
        let paths = json!({ "/a": {
            "$ref": "#/components/pathItems/P", "put": {}, "parameters": [],
        } });
        let expected = ["GET /a /components/pathItems/P/get", "PUT /a /paths/~1a/put"];
        check("3.1.0", paths, &expected, &[]);
    }

    #[test]
    fn broken_paths_cost_only_themselves() {
        let paths = json!({
            "x-note": 1,
            "a": { "get": {} },
            "/b": 7,
            "/c": { "GET": {}, "put": {} },
            "/d": { "$ref": "other.yaml" , "get": {} },
            "/e": { "$ref": "#/paths/~1e" , "get": {} },
            "/f": { "get": { "$ref": "get.yaml" }, "put": [], "post": null },
            "/g": null,
        });
        let expected = ["PUT /c /paths/~1c/put", "GET /d /paths/~1d/get", "GET /e /paths/~1e/get"];
        check(
            "3.1.0",
            paths,
            &expected,
            &[
                ("/paths/a", "does not start with `/`"),
                ("/paths/~1b", "expected a path item"),
                ("/paths/~1c/GET", "write `get`"),
                ("/paths/~1d/$ref", "outside this document"),
                ("/paths/~1e", "circle"),
                ("/paths/~1f/get/$ref", "outside this document"),
                ("/paths/~1f/put", "expected an operation"),
            ],
        );
    }
}

mod parameters {
    use super::*;

    type Row = (&'static str, Place, Style, bool);

    #[track_caller]
    fn check(version: &str, parameters: Value, expected: &[Row]) {
        let operation = json!({ "parameters": parameters });
        let document = with_operation(version, operation, json!({}));
        let operation = only(&document).unwrap();
        let rows: Vec<_> =
            operation.parameters.iter().map(|p| (p.name, p.place, p.style, p.explode)).collect();
        assert_eq!(rows, expected);
    }

    #[test]
    fn style_and_explode_default_by_place() {
        check(
            "3.0.0",
            json!([
                { "name": "p", "in": "path", "required": true },
                { "name": "q", "in": "query" },
                { "name": "h", "in": "header" },
                { "name": "c", "in": "cookie" },
                { "name": "l", "in": "path", "required": true, "style": "label" },
                { "name": "m", "in": "path", "required": true, "style": "matrix", "explode": true },
                { "name": "s", "in": "query", "style": "spaceDelimited" },
                { "name": "d", "in": "query", "style": "deepObject", "explode": true },
                { "name": "f", "in": "query", "explode": false },
            ]),
            &[
                ("p", Place::Path, Style::Simple, false),
                ("q", Place::Query, Style::Form, true),
                ("h", Place::Header, Style::Simple, false),
                ("c", Place::Cookie, Style::Form, true),
                ("l", Place::Path, Style::Label, false),
                ("m", Place::Path, Style::Matrix, true),
                ("s", Place::Query, Style::SpaceDelimited, false),
                ("d", Place::Query, Style::DeepObject, true),
                ("f", Place::Query, Style::Form, false),
            ],
        );
    }

    #[test]
    fn the_cookie_style_belongs_to_3_2() {
        let parameters = json!([{ "name": "c", "in": "cookie", "style": "cookie" }]);
        check("3.2.0", parameters.clone(), &[("c", Place::Cookie, Style::Cookie, true)]);
        let document = with_operation("3.1.0", json!({ "parameters": parameters }), json!({}));
        check_problems(&document, &[("/paths/~1a/get/parameters/0", "expected one of form here")]);
    }

    #[test]
    fn the_operation_overrides_and_the_path_keeps_the_position() {
        let document = with_path(
            "3.1.0",
            "/{id}",
            json!({
                "parameters": [
                    { "name": "id", "in": "path", "required": true, "description": "path" },
                    { "name": "q", "in": "query", "description": "path" },
                    { "name": "X-H", "in": "header", "description": "path" },
                ],
                "get": { "parameters": [
                    { "name": "new", "in": "query" },
                    { "name": "x-h", "in": "header", "description": "operation" },
                    { "name": "q", "in": "query", "description": "operation" },
                    { "name": "id", "in": "query" },
                ] },
            }),
            json!({}),
        );
        let operation = only(&document).unwrap();
        let rows: Vec<_> =
            operation.parameters.iter().map(|p| (p.name, p.place, p.description)).collect();
        assert_eq!(
            rows,
            [
                ("id", Place::Path, Some("path")),
                ("q", Place::Query, Some("operation")),
                ("x-h", Place::Header, Some("operation")),
                ("new", Place::Query, None),
                ("id", Place::Query, None),
            ]
        );
        assert_eq!(operation.warnings, []);
    }

    #[test]
    fn a_description_beside_a_reference_wins_from_3_1_on() {
        for (version, expected) in [("3.1.0", "beside"), ("3.0.0", "component")] {
            let operation = json!({
                "parameters": [{ "$ref": "#/components/parameters/R", "description": "beside" }],
            });
            let components = json!({ "parameters": {
                "Q": { "name": "q", "in": "query", "description": "component", "x-agent": { "name": "z" } },
                "R": { "$ref": "#/components/parameters/Q", "x-agent": { "name": "r" } },
            } });
            let document = with_operation(version, operation, components);
            let operation = only(&document).unwrap();
            let parameter = operation.parameters.first().unwrap();
            assert_eq!(parameter.description, Some(expected));
            let places: Vec<_> =
                parameter.annotations.iter().map(|node| node.pointer.as_str()).collect();
            let components =
                ["R", "Q"].map(|name| format!("/components/parameters/{name}/x-agent"));
            assert_eq!(places, components);
            assert_eq!(parameter.pointer.as_str(), "/components/parameters/Q");
        }
    }

    #[test]
    fn content_parameters_have_a_media_type_and_its_schema() {
        let document = with_operation(
            "3.1.0",
            json!({ "parameters": [
            { "name": "f", "in": "query", "content": { "application/json": { "schema": { "type": "object" } } } },
        ] }),
            json!({}),
        );
        let operation = only(&document).unwrap();
        let parameter = operation.parameters.first().unwrap();
        assert_eq!(parameter.content, Some("application/json"));
        let schema = parameter.schema.as_ref().unwrap();
        assert_eq!(
            schema.pointer.as_str(),
            "/paths/~1a/get/parameters/0/content/application~1json/schema"
        );
    }

    #[test]
    fn reserved_headers_are_ignored_and_repetitions_reported() {
        let document = with_operation(
            "3.1.0",
            json!({ "parameters": [
            { "name": "ACCEPT", "in": "header" },
            { "name": "Content-type", "in": "header" },
            { "name": "authorization", "in": "header" },
            { "name": "authorization", "in": "query" },
            { "name": "q", "in": "query", "description": "first" },
            { "name": "q", "in": "query", "description": "second" },
            { "name": "gone", "in": "path", "required": true },
        ] }),
            json!({}),
        );
        let operation = only(&document).unwrap();
        let names: Vec<_> = operation.parameters.iter().map(|p| (p.name, p.description)).collect();
        assert_eq!(names, [("authorization", None), ("q", Some("second")), ("gone", None)]);
        let warnings: Vec<_> = operation.warnings.iter().map(ToString::to_string).collect();
        let expected = [
            "`ACCEPT` is ignored",
            "`Content-type` is ignored",
            "`authorization` is ignored",
            "`q` is declared twice",
            "no `{gone}`",
        ];
        assert_eq!(warnings.len(), expected.len(), "{warnings:?}");
        for (warning, expected) in warnings.iter().zip(expected) {
            assert!(warning.contains(expected), "{warning}");
        }
    }

    #[test]
    fn all_faults_are_reported_at_once() {
        let document = with_operation(
            "3.2.0",
            json!({ "parameters": [
            { "in": "query" },
            { "name": "b", "in": "body" },
            { "name": "s", "in": "query", "style": "simple" },
            { "name": "r", "in": "querystring", "content": {} },
            { "name": "c", "in": "query", "content": { "a/b": {}, "c/d": {} } },
            { "name": "x", "in": "query", "schema": {}, "content": { "a/b": {} } },
            { "name": "e", "in": "query", "explode": "yes" },
            { "$ref": "#/components/parameters/None" },
            7,
        ] }),
            json!({}),
        );
        check_problems(
            &document,
            &[
                ("/paths/~1a/get/parameters/0", "`name` is missing"),
                ("/paths/~1a/get/parameters/1", "`in` is `body`"),
                ("/paths/~1a/get/parameters/2", "`style` is `simple`"),
                ("/paths/~1a/get/parameters/3", "`querystring`"),
                ("/paths/~1a/get/parameters/4/content", "exactly one"),
                ("/paths/~1a/get/parameters/5", "not both"),
                ("/paths/~1a/get/parameters/6/explode", "true or false"),
                ("/paths/~1a/get/parameters/7/$ref", "points at nothing"),
                ("/paths/~1a/get/parameters/8", "an object"),
            ],
        );
    }
}

mod operations {
    use super::*;

    #[test]
    fn everything_of_an_operation_is_read() {
        let document = with_path(
            "3.1.0",
            "/a-{b}/{c}.json#x",
            json!({
                "summary": "item summary", "description": "item description",
                "servers": [{ "url": "/item" }],
                "post": {
                    "operationId": "op", "summary": "own", "tags": ["t", 7], "deprecated": true,
                    "x-agent": {}, "servers": [{ "url": "/own" }],
                    "parameters": [{ "name": "b", "in": "path", "required": true }],
                    "requestBody": { "$ref": "#/components/requestBodies/B", "description": "beside" },
                    "responses": {
                        "200": { "$ref": "#/components/responses/R" },
                        "4XX": { "description": "bad" }, "5xx": {}, "default": {}, "x-note": 1, "oops": {},
                    },
                },
            }),
            json!({
                "requestBodies": { "B": { "required": true, "content": {
                    "application/json": { "schema": { "type": "object" } },
                    "multipart/form-data": { "schema": {}, "encoding": { "f": {} } },
                    "text/plain": {},
                } } },
                "responses": { "R": { "description": "fine",
                    "headers": { "X-A": { "$ref": "#/components/headers/H" } },
                    "content": { "image/*": {} },
                } },
                "headers": { "H": { "schema": { "type": "string" } } },
            }),
        );
        let operation = only(&document).unwrap();
        assert_eq!((operation.method.as_str(), operation.path), ("POST", "/a-{b}/{c}.json#x"));
        assert_eq!(operation.template, "/a-{b}/{c}.json");
        assert_eq!(operation.undeclared, ["c"]);
        assert_eq!(operation.operation_id, Some("op"));
        assert_eq!(operation.summary, Some("own"));
        assert_eq!(operation.description, Some("item description"));
        assert_eq!((&operation.tags[..], operation.deprecated), (&["t"][..], true));
        assert_eq!(operation.annotation, Some(&json!({})));
        let urls: Vec<_> = operation.servers.iter().map(|server| server.url).collect();
        assert_eq!(urls, ["/own"]);

        let body = operation.body.unwrap();
        assert_eq!((body.required, body.description), (true, Some("beside")));
        let names: Vec<_> = body.content.iter().map(|media_type| media_type.name).collect();
        assert_eq!(names, ["application/json", "multipart/form-data", "text/plain"]);
        assert_eq!(body.content[1].encoding, json!({ "f": {} }).as_object());
        assert!(body.content[2].schema.is_none());

        let statuses: Vec<_> = operation.responses.iter().map(|response| response.status).collect();
        assert_eq!(
            statuses,
            [
                StatusPattern::Code(200),
                StatusPattern::Range(4),
                StatusPattern::Range(5),
                StatusPattern::Default,
            ]
        );
        let (name, header) = &operation.responses[0].headers[0];
        assert_eq!((*name, header.pointer.as_str()), ("X-A", "/components/headers/H"));
        assert_eq!(operation.warnings.len(), 1, "{:?}", operation.warnings);
    }

    #[test]
    fn faults_are_located_and_stay_with_their_operation() {
        let document = with_operation(
            "3.1.0",
            json!({
                "deprecated": "no", "tags": {},
                "requestBody": { "$ref": "b.yaml" },
                "responses": { "200": { "content": { "a/b": 7 } }, "201": { "$ref": "#/components/responses/R" } },
            }),
            json!({}),
        );
        check_problems(
            &document,
            &[
                ("/paths/~1a/get/tags", "a list"),
                ("/paths/~1a/get/deprecated", "true or false"),
                ("/paths/~1a/get/requestBody/$ref", "`b.yaml` points outside"),
                ("/paths/~1a/get/responses/200/content/a~1b", "an object"),
                ("/paths/~1a/get/responses/201/$ref", "there is no `responses`"),
            ],
        );
    }

    #[test]
    fn malformed_templates_cost_the_operation() {
        let document = with_path("3.1.0", "/../up/{x", json!({ "get": {} }), json!({}));
        check_problems(&document, &[("/paths/~1..~1up~1{x", "never closed")]);
    }

    #[test]
    fn path_item_parameters_of_a_reference_come_first() {
        let document = with_path(
            "3.1.0",
            "/a",
            json!({
                "$ref": "#/components/pathItems/P",
                "parameters": [{ "name": "b", "in": "query" }],
            }),
            json!({ "pathItems": { "P": {
            "get": {}, "parameters": [{ "name": "a", "in": "query" }, { "name": "b", "in": "query" }],
        } } }),
        );
        let names: Vec<_> =
            only(&document).unwrap().parameters.iter().map(|p| p.pointer.to_string()).collect();
        assert_eq!(names, ["/components/pathItems/P/parameters/0", "/paths/~1a/parameters/0"]);
    }
}

mod servers {
    use super::*;

    #[track_caller]
    fn check(servers: Value, address: Option<&str>, expected: Result<&str, (&str, &str)>) {
        let document = document(json!({ "openapi": "3.1.0", "paths": {}, "servers": servers }));
        let address = address.map(|address| Url::parse(address).unwrap());
        match (document.base_url(address.as_ref()), expected) {
            (Ok(url), Ok(expected)) => assert_eq!(url.as_str(), expected),
            (Err(problem), Err((at, message))) => {
                assert_eq!(problem.at, at);
                assert!(problem.message.contains(message), "{problem}");
            }
            (result, _) => panic!("{result:?}"),
        }
    }

    #[test]
    fn the_first_server_counts_with_the_defaults_of_its_variables() {
        check(json!([{ "url": "https://h.test/v1/" }]), None, Ok("https://h.test/v1/"));
        check(
            json!([{ "url": "https://a.test" }, { "url": "https://b.test" }]),
            None,
            Ok("https://a.test/"),
        );
        check(json!([{ "url": "https://h.test/v1?k=1#f" }]), None, Ok("https://h.test/v1?k=1"));
        let variables = json!({ "host": { "default": "h.test" }, "v": { "default": 2 } });
        let server = json!({ "url": "https://{host}/v{v}", "variables": variables });
        check(json!([server]), None, Ok("https://h.test/v2"));
    }

    #[test]
    fn relative_servers_start_at_the_document() {
        let address = Some("https://h.test/docs/openapi.json");
        check(json!([{ "url": "/api" }]), address, Ok("https://h.test/api"));
        check(json!([{ "url": "v2" }]), address, Ok("https://h.test/docs/v2"));
        check(json!([{ "url": "//o.test/v2" }]), address, Ok("https://o.test/v2"));
        check(json!([]), address, Ok("https://h.test/"));
        check(Value::Null, address, Ok("https://h.test/"));
    }

    #[test]
    fn unusable_servers_say_what_to_do() {
        check(json!([]), None, Err(("", "no base URL is configured")));
        check(json!([{ "url": "/api" }]), None, Err(("/servers/0", "configure a base URL")));
        check(json!([{ "url": "https://{h}/" }]), None, Err(("/servers/0", "`h` has no default")));
        check(json!([{ "url": "ws://h.test" }]), None, Err(("/servers/0", "not an `http`")));
        check(json!([{ "url": "https://h:x/" }]), None, Err(("/servers/0", "not a URL")));
        check(json!([{}]), None, Err(("/servers/0", "an object with `url`")));
    }
}
