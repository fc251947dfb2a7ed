use serde_json::{Value, json};

use crate::openapi::{Document, Operation};
use crate::tool::Style;

fn converted(operation: Value, more: Value) -> Document {
    let mut root =
        json!({ "swagger": "2.0", "info": {}, "paths": { "/a/{id}": { "post": operation } } });
    let more = more.as_object().unwrap().clone();
    root.as_object_mut().unwrap().extend(more);
    Document::from_value(root).unwrap()
}

#[track_caller]
fn check(operation: Value, more: Value, at: &str, expected: Value) {
    let document = converted(operation, more);
    let found = document.root().pointer(&format!("/paths/~1a~1{{id}}/post{at}"));
    assert_eq!(found, Some(&expected), "{}", document.root());
}

fn only(document: &Document) -> Result<Operation<'_>, Vec<crate::json::Problem>> {
    let (endpoints, problems) = document.endpoints();
    assert_eq!(problems, []);
    document.operation(endpoints.first().unwrap())
}

#[test]
fn other_versions_are_refused_by_name() {
    let problem = Document::from_value(json!({ "swagger": "1.2", "paths": {} })).unwrap_err();
    assert_eq!(problem.at, "/swagger");
    assert!(problem.message.contains("Swagger `1.2`"), "{problem}");
    let yaml = Document::parse(b"swagger: 2.0\npaths: {}\n");
    assert!(yaml.is_ok(), "{yaml:?}");
}

#[test]
fn servers_come_from_schemes_host_and_base_path() {
    #[track_caller]
    fn check(root: Value, expected: Value) {
        let document = converted(json!({}), root);
        assert_eq!(document.root()["servers"], expected);
    }
    let host = json!({ "host": "h.test", "basePath": "/v1", "schemes": ["wss", "https", "http"] });
    check(host, json!([{ "url": "https://h.test/v1" }, { "url": "http://h.test/v1" }]));
    check(json!({ "host": "h.test" }), json!([{ "url": "//h.test" }]));
    check(json!({ "basePath": "/v1", "schemes": ["https"] }), json!([{ "url": "/v1" }]));
    check(json!({}), json!([{ "url": "/" }]));
    let document = converted(json!({}), json!({ "host": "h.test", "basePath": "/v1" }));
    let found = url::Url::parse("https://docs.test/swagger.json").unwrap();
    assert_eq!(document.base_url(Some(&found)).unwrap().as_str(), "https://h.test/v1");
}

#[test]
fn what_is_about_the_type_of_a_parameter_becomes_its_schema() {
    let parameter = json!({
        "name": "q", "in": "query", "description": "d", "required": true, "x-agent": { "name": "z" },
        "type": "integer", "format": "int64", "minimum": 1, "default": 9_007_199_254_740_993_i64,
    });
    check(
        json!({ "parameters": [parameter] }),
        json!({}),
        "/parameters/0",
        json!({
            "name": "q", "in": "query", "description": "d", "required": true, "x-agent": { "name": "z" },
            "schema": {
                "type": "integer", "format": "int64", "minimum": 1, "default": 9_007_199_254_740_993_i64,
            },
        }),
    );
}

#[test]
fn collection_formats_become_styles() {
    let cases = [
        ("query", Some("csv"), Ok((Style::Form, false))),
        ("query", None, Ok((Style::Form, false))),
        ("query", Some("ssv"), Ok((Style::SpaceDelimited, false))),
        ("query", Some("pipes"), Ok((Style::PipeDelimited, false))),
        ("query", Some("multi"), Ok((Style::Form, true))),
        ("query", Some("tsv"), Err("`style` is `tsv`")),
        ("header", Some("csv"), Ok((Style::Simple, false))),
        ("path", None, Ok((Style::Simple, false))),
        ("path", Some("pipes"), Err("`style` is `pipes`")),
    ];
    for (place, format, expected) in cases {
        let mut parameter = json!({ "name": "id", "in": place, "required": true, "type": "array",
            "items": { "type": "array", "collectionFormat": "csv", "items": { "type": "string" } } });
        if let Some(format) = format {
            parameter["collectionFormat"] = format.into();
        }
        let document = converted(json!({ "parameters": [parameter] }), json!({}));
        match (only(&document), expected) {
            (Ok(operation), Ok(expected)) => {
                let found = operation.parameters.first().unwrap();
                assert_eq!((found.style, found.explode), expected, "{place} {format:?}");
                let schema = found.schema.as_ref().unwrap().value;
                assert_eq!(
                    schema["items"],
                    json!({ "type": "array", "items": { "type": "string" } })
                );
            }
            (Err(problems), Err(expected)) => {
                assert!(problems[0].message.contains(expected), "{problems:?}");
            }
            (found, _) => panic!("{place} {format:?}: {found:?}"),
        }
    }
}

#[test]
fn a_body_parameter_becomes_the_request_body() {
    let body = json!({ "name": "b", "in": "body", "description": "d", "required": true, "schema": { "type": "object" } });
    let media = json!({ "schema": { "type": "object" } });
    let expected =
        |content: Value| json!({ "description": "d", "required": true, "content": content });
    let operation = json!({ "parameters": [body, { "name": "id", "in": "path", "required": true, "type": "string" }] });
    check(
        operation.clone(),
        json!({}),
        "/requestBody",
        expected(json!({ "application/json": media })),
    );
    check(
        operation.clone(),
        json!({ "consumes": ["application/xml", "application/json"] }),
        "/requestBody",
        expected(json!({ "application/xml": media, "application/json": media })),
    );
    let shared = json!({ "parameters": { "B": body }, "consumes": ["text/plain"] });
    check(
        json!({ "parameters": [{ "$ref": "#/parameters/B" }], "consumes": ["a/b+json"] }),
        shared,
        "/requestBody",
        expected(json!({ "a/b+json": media })),
    );
    // The places of the others stay.
    let document = converted(operation, json!({}));
    let operation = only(&document).unwrap();
    let place = operation.parameters.first().unwrap().pointer.to_string();
    assert_eq!(place, "/paths/~1a~1{id}/post/parameters/1");
}

#[test]
fn form_parameters_become_properties_of_the_body() {
    let fields = json!([
        { "name": "n", "in": "formData", "type": "integer", "required": true, "description": "d" },
        { "name": "l", "in": "formData", "type": "array", "items": { "type": "string" }, "collectionFormat": "pipes" },
        { "name": "m", "in": "formData", "type": "array", "items": { "type": "string" }, "collectionFormat": "multi" },
    ]);
    let media = json!({
        "schema": { "type": "object", "required": ["n"], "properties": {
            "n": { "description": "d", "type": "integer" },
            "l": { "type": "array", "items": { "type": "string" } },
            "m": { "type": "array", "items": { "type": "string" } },
        } },
        "encoding": { "l": { "style": "pipeDelimited", "explode": false } },
    });
    for (consumes, name) in [
        (json!([]), "application/x-www-form-urlencoded"),
        (json!(["application/json"]), "application/x-www-form-urlencoded"),
        (json!(["multipart/form-data"]), "multipart/form-data"),
    ] {
        check(
            json!({ "parameters": fields, "consumes": consumes }),
            json!({}),
            "/requestBody",
            json!({ "required": true, "content": { name: media } }),
        );
    }
    check(
        json!({ "parameters": [{ "name": "f", "in": "formData", "type": "file" }] }),
        json!({ "consumes": ["application/x-www-form-urlencoded"] }),
        "/requestBody/content",
        json!({ "multipart/form-data": { "encoding": {}, "schema": { "type": "object", "properties": {
            "f": { "type": "string", "format": "binary" },
        } } } }),
    );
}

#[test]
fn fields_without_a_counterpart_cost_the_operation() {
    let field = json!({ "name": "l", "in": "formData", "type": "array", "items": {}, "collectionFormat": "tsv" });
    let document = converted(json!({ "parameters": [field] }), json!({}));
    let problems = only(&document).unwrap_err();
    assert_eq!(problems[0].at, "/paths/~1a~1{id}/post/parameters/0");
    assert!(problems[0].message.contains("`in` is `formData`"), "{problems:?}");
}

#[test]
fn body_parameters_of_a_path_are_those_of_its_operations() {
    let document = Document::from_value(json!({ "swagger": "2.0", "paths": { "/a": {
        "parameters": [
            { "name": "x", "in": "formData", "type": "string" },
            { "name": "y", "in": "formData", "type": "string" },
        ],
        "post": { "parameters": [{ "name": "x", "in": "formData", "type": "integer" }] },
    } } }))
    .unwrap();
    let content = &document.root()["paths"]["/a"]["post"]["requestBody"]["content"];
    assert_eq!(
        content["application/x-www-form-urlencoded"]["schema"]["properties"],
        json!({ "x": { "type": "integer" }, "y": { "type": "string" } })
    );
    assert!(only(&document).unwrap().parameters.is_empty());
}

#[test]
fn responses_have_content_for_each_media_type() {
    let response = json!({ "description": "d", "schema": { "$ref": "#/definitions/P" },
        "headers": { "X": { "type": "integer", "description": "h" } },
        "examples": { "application/json": { "a": 1 } } });
    let schema = json!({ "$ref": "#/definitions/P" });
    let expected = json!({ "description": "d",
        "headers": { "X": { "description": "h", "schema": { "type": "integer" } } },
        "content": { "application/json": { "schema": schema, "example": { "a": 1 } }, "a/b": { "schema": schema } } });
    let more = json!({ "responses": { "R": response }, "produces": ["x/y"] });
    let produces = json!(["application/json", "a/b"]);
    let operation = json!({ "produces": produces, "responses": { "200": response, "x-a": 1, "201": { "$ref": "#/responses/R" } } });
    check(operation.clone(), more.clone(), "/responses/200", expected.clone());
    check(operation, more.clone(), "/responses/201", expected);
    let document = converted(json!({ "responses": { "200": { "$ref": "#/responses/R" } } }), more);
    let operation = only(&document).unwrap();
    let names: Vec<_> = operation.responses[0].content.iter().map(|media| media.name).collect();
    assert_eq!(names, ["x/y"]);

    check(
        json!({ "responses": { "200": { "description": "", "schema": { "type": "file" } }, "204": { "description": "" } } }),
        json!({}),
        "/responses",
        json!({ "200": { "description": "", "content": {
            "application/octet-stream": { "schema": { "type": "string", "format": "binary" } },
        } }, "204": { "description": "" } }),
    );
}

#[test]
fn security_definitions_become_security_schemes() {
    let document = converted(
        json!({}),
        json!({ "securityDefinitions": {
            "b": { "type": "basic" },
            "k": { "type": "apiKey", "in": "header", "name": "X" },
            "o": { "type": "oauth2", "flow": "accessCode", "authorizationUrl": "a", "tokenUrl": "t", "scopes": { "s": "" } },
        } }),
    );
    assert_eq!(
        document.root()["components"]["securitySchemes"],
        json!({
            "b": { "type": "http", "scheme": "basic" },
            "k": { "type": "apiKey", "in": "header", "name": "X" },
            "o": { "type": "oauth2", "flows": { "authorizationCode": {
                "authorizationUrl": "a", "tokenUrl": "t", "scopes": { "s": "" },
            } } },
        })
    );
}

#[test]
fn nothing_that_is_malformed_stops_the_conversion() {
    for root in [
        json!({ "swagger": "2.0", "paths": 7, "parameters": [], "responses": { "R": 1 }, "securityDefinitions": [] }),
        json!({ "swagger": "2.0", "components": 1, "securityDefinitions": {}, "paths": { "/a": { "get": {
            "parameters": [1, null, { "in": "body" }, { "in": "formData" }, { "$ref": 1 }], "responses": { "200": 1 } } } } }),
        json!({ "swagger": "2.0", "schemes": "https", "host": 1, "consumes": [1], "paths": { "/a": 1, "/b": { "parameters": {} } } }),
    ] {
        let Ok(document) = Document::from_value(root) else { continue };
        for endpoint in document.endpoints().0 {
            let _ = document.operation(&endpoint);
        }
    }
}
