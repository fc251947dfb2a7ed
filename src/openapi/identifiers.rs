//! `$id`, `$anchor` and `$dynamicAnchor` of a document (JSON Schema 2020-12 core §8.2).

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use url::Url;

use super::files::{self, Files};
use crate::json::Pointer;

/// Stands for the unknown address of a document without `$self`, so that relative identifiers and
/// references resolve alike.
const UNKNOWN_ADDRESS: &str = "http://document.invalid/";

/// Whether the value of a key is data, which has no schemas in it.
pub(super) fn is_data(key: &str) -> bool {
    matches!(key, "example" | "examples" | "default" | "enum" | "const")
}

/// Whether the members of an object under this key have names, not keywords, for keys.
pub(super) fn is_map_of_named(key: &str) -> bool {
    matches!(
        key,
        "properties"
            | "patternProperties"
            | "$defs"
            | "definitions"
            | "dependentSchemas"
            | "schemas"
            | "responses"
            | "parameters"
            | "requestBodies"
            | "headers"
            | "callbacks"
            | "pathItems"
            | "mediaTypes"
            | "content"
    )
}

/// Where the identified schemas of a document are.
#[derive(Debug, Default)]
pub(super) struct Identifiers {
    /// Schema resources by the text of their place, the document (`""`) and its files included.
    resources: BTreeMap<String, Resource>,
    /// How many of them are schemas.
    schemas: usize,
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
    /// A file, in which local references are written as seen from the document.
    is_file: bool,
}

impl Identifiers {
    /// Walks a whole document once, its files included.
    pub(super) fn of(root: &Value, known: &Files) -> Self {
        let mut found = Self::default();
        let unknown = || Url::parse(UNKNOWN_ADDRESS).ok();
        let Some(address) = known.address.clone().or_else(unknown) else { return found };
        let own = root.get("$self").and_then(Value::as_str).unwrap_or("");
        let base = address.join(own).unwrap_or_else(|_| address.clone());
        found.add_resource(&Pointer::root(), base, true);
        found.places.entry(address.into()).or_insert_with(Pointer::root);
        found.visit(root, &Pointer::root(), "");
        let files = root.get(files::KEY).and_then(Value::as_object);
        for (address, name) in &known.names {
            if let (Some(file), Ok(address)) = (files.and_then(|it| it.get(name)), address.parse())
            {
                let place = Pointer::root().join(files::KEY).join(name);
                found.add_resource(&place, address, true);
                found.visit(file, &place, place.as_str());
            }
        }
        found
    }

    /// The identifiers that the schemas of one file declare.
    pub(super) fn addresses(file: &Value, base: &Url) -> impl Iterator<Item = String> {
        let mut found = Self::default();
        found.add_resource(&Pointer::root(), base.clone(), true);
        found.places.clear();
        found.visit(file, &Pointer::root(), "");
        found.places.into_keys()
    }

    /// The place of the schema resource that `#` denotes at `place`: a schema with `$id`, or the
    /// document, `""`.
    pub(super) fn resource_of(&self, place: &Pointer) -> Pointer {
        if self.schemas == 0 {
            return Pointer::root();
        }
        self.around(place, |resource| !resource.is_file)
    }

    /// The place of the schema resource, file or document that `place` belongs to.
    pub(super) fn resource_or_file_of(&self, place: &Pointer) -> Pointer {
        if self.resources.len() <= 1 {
            return Pointer::root();
        }
        self.around(place, |_| true)
    }

    fn around(&self, place: &Pointer, takes: fn(&Resource) -> bool) -> Pointer {
        let mut text = place.as_str();
        loop {
            if let Some(resource) = self.resources.get(text).filter(|it| takes(it)) {
                return resource.place.clone();
            }
            let Some((parent, _)) = text.rsplit_once('/') else { return Pointer::root() };
            text = parent;
        }
    }

    /// The address that a URI reference without fragment denotes, seen from `resource`.
    pub(super) fn resolve(&self, resource: &Pointer, reference: &str) -> Option<Url> {
        self.resources.get(resource.as_str())?.address.join(reference).ok()
    }

    /// The schema resource or file with an address.
    pub(super) fn find(&self, address: &Url) -> Option<Pointer> {
        self.places.get(address.as_str()).cloned()
    }

    /// The schema with an anchor inside a schema resource.
    pub(super) fn anchor(&self, resource: &Pointer, name: &str) -> Option<Pointer> {
        self.anchors.get(&(resource.as_str().to_owned(), name.to_owned())).cloned()
    }

    pub(super) fn has_dynamic_anchors(&self) -> bool {
        self.has_dynamic_anchors
    }

    fn add_resource(&mut self, place: &Pointer, mut address: Url, is_file: bool) {
        address.set_fragment(None);
        self.schemas += usize::from(!is_file);
        self.places.entry(address.as_str().to_owned()).or_insert_with(|| place.clone());
        let resource = Resource { place: place.clone(), address, is_file };
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
            match value {
                Value::Object(members) if is_map_of_named(key) => {
                    let place = place.join(key);
                    for (name, member) in members {
                        self.visit(member, &place.join(name), resource);
                    }
                }
                Value::Object(_) | Value::Array(_) if !is_data(key) && key != files::KEY => {
                    self.visit(value, &place.join(key), resource);
                }
                _ => {}
            }
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
        self.add_resource(place, address, false);
        Some(place.as_str().to_owned())
    }
}
