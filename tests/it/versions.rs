//! What OpenAPI 3.2 and Swagger 2.0 have of their own, through the compiler.

use openapi_mcp_filter::config::{Exposure, Lint, ViewOptions};
use openapi_mcp_filter::json;
use openapi_mcp_filter::tool::Place;
use serde_json::{Value, json};

use crate::harness::{self, Compiled};

const NEWEST: &str = r##"
openapi: 3.2.0
$self: /docs/openapi
info: { title: T, version: "1" }
servers: [{ url: https://api.test/v1, name: production }]
tags:
- { name: all, summary: All, kind: nav }
- { name: some, parent: all, kind: badge }
paths:
  /things:
    query:
      operationId: findThings
      tags: [some]
      parameters:
      - in: querystring
        name: selector
        required: true
        content:
          application/x-www-form-urlencoded:
            schema: { type: object, properties: { q: { type: string } } }
      requestBody:
        content: { application/json: { $ref: "#/components/mediaTypes/Filter" } }
      responses: { "200": { summary: found, description: "" } }
    additionalOperations:
      LINK:
        operationId: linkThings
        parameters:
        - { in: cookie, name: session, style: cookie, schema: { type: string } }
        responses: { "204": { description: "" } }
  /stream:
    post:
      operationId: pushThings
      requestBody:
        required: true
        content:
          application/jsonl:
            itemSchema: { $ref: "/docs/openapi#/components/schemas/Thing" }
      responses:
        "200": { description: "", content: { application/jsonl: { itemSchema: { $ref: "#/components/schemas/Thing" } } } }
components:
  mediaTypes:
    Filter: { schema: { type: object, properties: { limit: { type: integer } } } }
  schemas:
    Thing:
      type: object
      required: [kind]
      properties: { kind: { type: string }, id: { type: integer, example: 9007199254740993 } }
      discriminator: { propertyName: kind, defaultMapping: Thing }
      xml: { nodeType: element }
  securitySchemes:
    device: { type: oauth2, deprecated: true, flows: { deviceAuthorization: { deviceAuthorizationUrl: "https://a.test", tokenUrl: "https://a.test", scopes: {} } } }
"##;

fn compile(text: &str) -> Compiled {
    let options = ViewOptions {
        exposure: Exposure::all(),
        lint: Lint::Off,
        strict: true,
        ..ViewOptions::default()
    };
    Compiled::of(&json::parse_text(text.as_bytes()).unwrap(), &options, None)
}

fn properties<'c>(compiled: &'c Compiled, tool: &str) -> &'c Value {
    &compiled.tool(tool).unwrap().input_schema["properties"]
}

#[test]
fn everything_that_is_new_in_3_2_is_served() {
    let compiled = compile(NEWEST);
    assert_eq!(compiled.problems, []);
    assert_eq!(compiled.names(), ["find_things", "link_things", "push_things"]);

    let find = compiled.tool("find_things").unwrap();
    let plan = harness::plan(find);
    assert_eq!((plan.method.as_str(), plan.base_path.as_str()), ("QUERY", "/v1"));
    assert_eq!(plan.parameters[0].place, Place::Querystring);
    assert_eq!(find.annotations["readOnlyHint"], json!(true));
    let arguments = properties(&compiled, "find_things");
    assert_eq!(arguments["selector"]["properties"]["q"], json!({ "type": "string" }));
    assert_eq!(arguments["limit"], json!({ "type": "integer" }));

    let link = harness::plan(compiled.tool("link_things").unwrap());
    assert_eq!(link.method, "LINK");
    assert_eq!(link.parameters[0].place, Place::Cookie);

    let push = properties(&compiled, "push_things");
    let list = &push.as_object().unwrap().values().next().unwrap();
    assert_eq!(list["items"]["properties"]["id"]["examples"].to_string(), "[9007199254740993]");
}

const OLDEST: &str = r##"
swagger: "2.0"
info: { title: T, version: "1" }
host: api.test
basePath: /v1
consumes: [application/json]
paths:
  /pets/{id}:
    parameters: [{ $ref: "#/parameters/Id" }]
    put:
      operationId: updatePet
      parameters:
      - { in: body, name: pet, required: true, schema: { $ref: "#/definitions/Pet" } }
      - { in: query, name: tags, type: array, items: { type: string }, collectionFormat: pipes }
      responses: { "200": { description: ok, schema: { $ref: "#/definitions/Pet" } } }
    post:
      operationId: uploadPicture
      consumes: [multipart/form-data]
      parameters: [{ in: formData, name: file, type: file, required: true }]
      responses: { default: { $ref: "#/responses/Done" } }
parameters:
  Id: { in: path, name: id, required: true, type: integer, format: int64, maximum: 9223372036854775807 }
responses: { Done: { description: done } }
definitions:
  Pet:
    type: object
    required: [kind]
    discriminator: kind
    properties: { kind: { type: string }, owner: { type: string, x-nullable: true }, age: { type: integer, readOnly: true } }
"##;

#[test]
fn swagger_2_is_served_like_its_successors() {
    let compiled = compile(OLDEST);
    assert_eq!(compiled.problems, []);
    assert_eq!(compiled.names(), ["update_pet", "upload_picture"]);
    let plan = harness::plan(compiled.tool("update_pet").unwrap());
    assert_eq!((plan.base_path.as_str(), &*plan.path), ("/v1", "/pets/{id}"));
    let arguments = properties(&compiled, "update_pet");
    assert_eq!(arguments["id"]["maximum"].to_string(), "9223372036854775807");
    assert_eq!(arguments["kind"], json!({ "type": "string" }));
    assert_eq!(arguments["owner"], json!({ "type": ["string", "null"] }));
    assert_eq!(arguments.get("age"), None, "read-only");
    let upload = harness::plan(compiled.tool("upload_picture").unwrap());
    assert_eq!(upload.body.as_ref().unwrap().media_type, "multipart/form-data");
}
