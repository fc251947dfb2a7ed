//! Form tools from annotation to session: the whole exchange, with shared data and an API of the
//! test's own.

mod declared;
pub(crate) mod desk;
mod faults;
mod hidden;
mod sessions;
mod vectors;

use serde_json::{Value, json};

/// A document of records that can be edited: `rec` loads and saves with a fetched schema, `draft`
/// creates with the declared one.
fn document() -> Value {
    let id = json!({"name": "id", "in": "path", "required": true, "schema": {"type": "string"}});
    let record = json!({
        "type": "object", "required": ["name"], "properties": {
            "name": {"type": "string", "title": "Name"},
            "qty": {"type": "integer", "minimum": 0, "title": "Qty"},
        },
    });
    let json = |schema: &Value| json!({"application/json": {"schema": schema}});
    json!({
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "servers": [{"url": "https://api.test/v1"}],
        "paths": {
            "/sets/{set}/schema": {"get": {
                "operationId": "getSchema",
                "parameters": [
                    {"name": "set", "in": "path", "required": true, "schema": {"type": "string"}},
                    {"name": "mime", "in": "query", "schema": {"type": "string"}},
                ],
                "responses": {},
            }},
            "/sets/{set}/recs/{id}": {
                "parameters": [
                    {"name": "set", "in": "path", "required": true, "schema": {"type": "string"}},
                    &id,
                ],
                "get": {"operationId": "getRec", "responses": {}},
                "put": {
                    "operationId": "saveRec",
                    "requestBody": {"content": json(&record)},
                    "responses": {},
                    "x-agent": {"name": "rec", "title": "Edit a record", "editor": {
                        "schemaOperation": "getSchema",
                        "schemaParams": {"mime": "schema"},
                        "readOperation": "getRec",
                    }},
                },
            },
            "/drafts/{id}": {
                "parameters": [&id],
                "post": {
                    "operationId": "addDraft",
                    "requestBody": {"content": json(&record)},
                    "responses": {},
                    "x-agent": {"name": "draft", "editor": true},
                },
            },
        },
    })
}
