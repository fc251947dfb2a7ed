//! `$id`, `$anchor` and `$dynamicAnchor` of a document (JSON Schema 2020-12 core §8.2).

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use url::Url;

use crate::json::Pointer;

/// Stands for the unknown address of a document without `$self`, so that relative identifiers and
/// references resolve alike.
const UNKNOWN_ADDRESS: &str = "http://document.invalid/";

/// Where the identified schemas of a document are.
#[derive(Debug, Default)]
pub(super) struct Identifiers {
    /// Schema resources by the text of their place, the document (`""`) included.
    resources: BTreeMap<String, Resource>,
    /// Absolute identifier without fragment → place.
    places: BTreeMap<String, Pointer>,
    /// Place of the schema resource and name of the anchor → place.
    anchors: BTreeMap<(String, String), Pointer>,
    has_dynamic_anchors: bool,
}

#[derive(Debug)]
struct Resource {
    place: Pointer,
    address: Url,
}

impl Identifiers {
    /// Walks a whole document once.
    pub(super) fn of(root: &Value) -> Self {
        let mut found = Self::default();
        let address = Url::parse(UNKNOWN_ADDRESS).ok().and_then(|unknown| {
            let own = root.get("$self").and_then(Value::as_str).unwrap_or("");
            unknown.join(own).ok()
        });
        if let Some(address) = address {
            found.add_resource(&Pointer::root(), address);
        }
        found.visit(root, &Pointer::root(), "");
        found
    }

    /// The place of the schema resource (or document, `""`) that `place` belongs to.
    pub(super) fn resource_of(&self, place: &Pointer) -> Pointer {
        if self.resources.len() <= 1 {
            return Pointer::root();
        }
        let mut text = place.as_str();
        loop {
            if let Some(resource) = self.resources.get(text) {
                return resource.place.clone();
            }
            let Some((parent, _)) = text.rsplit_once('/') else { return Pointer::root() };
            text = parent;
        }
    }

    /// The schema resource that a URI reference without fragment denotes, seen from `resource`.
    pub(super) fn find(&self, resource: &Pointer, reference: &str) -> Option<Pointer> {
        let target = self.resources.get(resource.as_str())?.address.join(reference).ok()?;
        self.places.get(target.as_str()).cloned()
    }

    /// The schema with an anchor inside a schema resource.
    pub(super) fn anchor(&self, resource: &Pointer, name: &str) -> Option<Pointer> {
        self.anchors.get(&(resource.as_str().to_owned(), name.to_owned())).cloned()
    }

    pub(super) fn has_dynamic_anchors(&self) -> bool {
        self.has_dynamic_anchors
    }

    fn add_resource(&mut self, place: &Pointer, mut address: Url) {
        address.set_fragment(None);
        self.places.entry(address.as_str().to_owned()).or_insert_with(|| place.clone());
        let resource = Resource { place: place.clone(), address };
        self.resources.insert(place.as_str().to_owned(), resource);
    }

    fn visit(&mut self, value: &Value, place: &Pointer, resource: &str) {
        match value {
            Value::Object(map) => self.visit_object(map, place, resource),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    if item.is_object() {
                        self.visit(item, &place.join(index), resource);
                    }
                }
            }
            _ => {}
        }
    }

    fn visit_object(&mut self, map: &Map<String, Value>, place: &Pointer, resource: &str) {
        let own = self.own_resource(map, place, resource);
        let resource = own.as_deref().unwrap_or(resource);
        for key in ["$anchor", "$dynamicAnchor"] {
            if let Some(name) = map.get(key).and_then(Value::as_str) {
                let anchor = (resource.to_owned(), name.to_owned());
                self.anchors.entry(anchor).or_insert_with(|| place.clone());
                self.has_dynamic_anchors |= key == "$dynamicAnchor";
            }
        }
        for (key, value) in map {
            match key.as_str() {
                "example" | "examples" | "default" | "enum" | "const" => {}
                "properties" | "patternProperties" | "$defs" | "definitions" | "schemas"
                | "dependentSchemas" => self.visit_named(value, &place.join(key), resource),
                _ if value.is_object() || value.is_array() => {
                    self.visit(value, &place.join(key), resource);
                }
                _ => {}
            }
        }
    }

    /// The keys of these objects are names, not keywords.
    fn visit_named(&mut self, value: &Value, place: &Pointer, resource: &str) {
        for (name, schema) in value.as_object().into_iter().flatten() {
            self.visit(schema, &place.join(name), resource);
        }
    }

    fn own_resource(
        &mut self,
        map: &Map<String, Value>,
        place: &Pointer,
        resource: &str,
    ) -> Option<String> {
        let id = map.get("$id").and_then(Value::as_str).filter(|id| !id.starts_with('#'))?;
        let address = self.resources.get(resource)?.address.join(id).ok()?;
        self.add_resource(place, address);
        Some(place.as_str().to_owned())
    }
}
