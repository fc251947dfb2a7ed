//! Documents of several files: what other files hold is taken in, and references to it become local.
//!
//! A file becomes a member of `$files` at the root, named by its address relative to the document.
//! So everything else knows one document only, and a place in a file reads
//! `/$files/models~1pet.yaml/properties/name`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use url::Url;

use super::identifiers::{Identifiers, is_data, is_map_of_named};
use super::{Document, uri};

/// Member of the document root that holds the other files.
pub(super) const KEY: &str = "$files";

/// Says whether a file may be fetched; an error says why not.
pub type Reach<'r> = dyn Fn(&Url) -> Result<(), String> + 'r;

/// The other files of a document.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// Where the document is.
    pub(super) address: Option<Url>,
    /// Address of each file → its name under `$files`.
    pub(super) names: BTreeMap<String, String>,
    /// Files that were not asked for yet.
    missing: Vec<Url>,
    /// Why there is no such file, by name, or by address for files that may not be fetched.
    absent: BTreeMap<String, String>,
    /// Identifiers that schemas declare.
    identified: BTreeSet<String>,
}

impl Files {
    /// Why what an address denotes is not there.
    pub(super) fn why_absent(&self, address: &Url) -> Option<&str> {
        self.absent.get(address.as_str()).map(String::as_str)
    }

    /// Why the file that a local reference leads into is not there, and its name.
    pub(super) fn why_empty(&self, reference: &str) -> Option<(String, &str)> {
        let rest = reference.split_once('#')?.1.strip_prefix("/$files/")?;
        let name = rest.split('/').next()?.replace("~1", "/").replace("~0", "~");
        let name = uri::decode(&name)?;
        let reason = self.absent.get(&name)?;
        Some((name, reason))
    }
}

impl Document {
    /// Says where the document was found, and looks for references to other files; `reach` decides
    /// which of them may be fetched. They are [`Document::missing`] then.
    pub fn link(&mut self, address: &Url, reach: &Reach<'_>) {
        self.files.address = Some(address.clone());
        let mut root = std::mem::take(&mut self.root);
        self.link_file(&mut root, address, None, reach);
        self.root = root;
        self.identifiers.take();
    }

    /// The files that are referred to and were not named before, by address, in the order of the
    /// references to them. Each is to be given to [`Document::add_file`].
    pub fn missing(&mut self) -> Vec<Url> {
        std::mem::take(&mut self.files.missing)
    }

    /// Takes in a file, or why it is not there. What it refers to becomes [`Document::missing`].
    pub fn add_file(&mut self, address: &Url, file: Result<Value, String>, reach: &Reach<'_>) {
        let Some(name) = self.files.names.get(address.as_str()).cloned() else { return };
        let mut file = match file {
            Ok(file) => file,
            Err(reason) => {
                self.files.absent.insert(name, reason);
                return;
            }
        };
        if let Some(swagger) = &self.swagger {
            swagger.convert_file(&mut file);
        }
        self.link_file(&mut file, address, Some(&name), reach);
        if let Value::Object(root) = &mut self.root {
            let files = root.entry(KEY).or_insert_with(|| json!({}));
            if let Value::Object(files) = files {
                files.insert(name, file);
            }
        }
        self.identifiers.take();
    }

    fn link_file(
        &mut self,
        file: &mut Value,
        address: &Url,
        name: Option<&str>,
        reach: &Reach<'_>,
    ) {
        if name.is_none() {
            // The key is ours.
            file.as_object_mut().map(|map| map.shift_remove(KEY));
        }
        if name.is_none() && !refers_outside(file) {
            return;
        }
        let own = file.get("$self").and_then(Value::as_str).unwrap_or_default();
        let base = address.join(own).unwrap_or_else(|_| address.clone());
        self.files.identified.extend(Identifiers::addresses(file, &base));
        let mut linker = Linker {
            is_2020_12: self.version.is_2020_12(),
            address,
            prefix: name.map(pointer_to),
            files: &mut self.files,
            reach,
        };
        linker.value(file, Scope { base: &base, is_identified: false });
    }
}

/// Whether anything refers to another address than the document's own.
fn refers_outside(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(refers_outside),
        Value::Object(map) => map.iter().any(|(key, value)| match value {
            Value::String(text) => {
                matches!(key.as_str(), "$ref" | "$dynamicRef") && !text.starts_with('#')
            }
            _ => refers_outside(value),
        }),
        _ => false,
    }
}

/// The fragment of a reference to a file; `%` is encoded, for fragments are decoded.
fn pointer_to(name: &str) -> String {
    let name = name.replace('~', "~0").replace('/', "~1").replace('%', "%25");
    format!("/{KEY}/{name}")
}

/// What references in some part of a file start from.
#[derive(Debug, Clone, Copy)]
struct Scope<'u> {
    base: &'u Url,
    /// Within a schema that has an `$id`: `#` denotes that schema.
    is_identified: bool,
}

/// Rewrites the references of one file.
struct Linker<'l> {
    is_2020_12: bool,
    /// Where the file was found.
    address: &'l Url,
    /// Pointer to the file in the document; none for the document itself.
    prefix: Option<String>,
    files: &'l mut Files,
    reach: &'l Reach<'l>,
}

impl Linker<'_> {
    fn value(&mut self, value: &mut Value, scope: Scope<'_>) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item, scope)),
            Value::Object(map) => self.object(map, scope),
            _ => {}
        }
    }

    fn object(&mut self, map: &mut Map<String, Value>, scope: Scope<'_>) {
        let own = map.get("$id").and_then(Value::as_str).filter(|_| self.is_2020_12);
        let own = own.filter(|id| !id.starts_with('#')).and_then(|id| scope.base.join(id).ok());
        let scope = match &own {
            Some(base) => Scope { base, is_identified: true },
            None => scope,
        };
        for (key, value) in map {
            match (key.as_str(), value) {
                ("$ref" | "$dynamicRef", Value::String(text)) => self.reference(text, scope),
                ("discriminator", Value::Object(discriminator)) => {
                    self.mapping(discriminator, scope);
                }
                (key, Value::Object(members)) if is_map_of_named(key) => {
                    self.named(members, scope);
                }
                (key, _) if is_data(key) || key.starts_with("x-") => {}
                (_, value) => self.value(value, scope),
            }
        }
    }

    fn named(&mut self, members: &mut Map<String, Value>, scope: Scope<'_>) {
        for (name, member) in members {
            match member {
                Value::String(text) if name == "$ref" => self.reference(text, scope),
                member => self.value(member, scope),
            }
        }
    }

    /// Mappings name components or refer to schemas.
    fn mapping(&mut self, discriminator: &mut Map<String, Value>, scope: Scope<'_>) {
        let mapping = discriminator.get_mut("mapping").and_then(Value::as_object_mut);
        for value in mapping.into_iter().flat_map(Map::values_mut) {
            if let Value::String(text) = value
                && text.contains(['#', '/', '.'])
            {
                self.reference(text, scope);
            }
        }
    }

    fn reference(&mut self, text: &mut String, scope: Scope<'_>) {
        let (address, fragment) = text.split_once('#').unwrap_or((text, ""));
        let new = if address.is_empty() {
            self.own(fragment, scope)
        } else {
            self.other(address, fragment, scope)
        };
        if let Some(new) = new {
            *text = new;
        }
    }

    /// A reference to a place in the same file.
    fn own(&self, fragment: &str, scope: Scope<'_>) -> Option<String> {
        let prefix = self.prefix.as_ref().filter(|_| !scope.is_identified)?;
        if is_pointer(fragment) {
            Some(format!("#{prefix}{fragment}"))
        } else {
            Some(format!("{}#{fragment}", self.address))
        }
    }

    /// A reference to another file, or to a schema by its identifier. A relative one is seen from
    /// the identity of the file first, then from where the file was found.
    fn other(&mut self, address: &str, fragment: &str, scope: Scope<'_>) -> Option<String> {
        let bases = [scope.base, self.address];
        let urls: Vec<Url> =
            bases.iter().filter_map(|base| self.same_site(base.join(address).ok()?)).collect();
        if let Some(url) = urls.iter().find(|url| self.files.identified.contains(url.as_str())) {
            return Some(format!("{url}#{fragment}"));
        }
        let document = self.files.address.clone()?;
        if urls.contains(&document) {
            let root = if scope.is_identified { document.as_str() } else { "" };
            return Some(format!("{root}#{fragment}"));
        }
        let Some((url, name)) = urls.iter().find_map(|url| Some((url, self.name(url)?))) else {
            // The address, since the base of a file is not known when it is looked up.
            return self
                .prefix
                .as_ref()
                .and_then(|_| Some(format!("{}#{fragment}", urls.first()?)));
        };
        Some(match (is_pointer(fragment), scope.is_identified) {
            (true, false) => format!("#{}{fragment}", pointer_to(&name)),
            (true, true) => format!("{document}#{}{fragment}", pointer_to(&name)),
            (false, _) => format!("{url}#{fragment}"),
        })
    }

    /// The address without fragment; on the host of the document with the scheme of the document.
    fn same_site(&self, mut url: Url) -> Option<Url> {
        url.set_fragment(None);
        let document = self.files.address.as_ref()?;
        let is_web = |url: &Url| matches!(url.scheme(), "http" | "https");
        if is_web(&url) && url.host() == document.host() && url.port() == document.port() {
            url.set_scheme(document.scheme()).ok()?;
        }
        Some(url)
    }

    /// The name of a file, which is asked for when it is new and may be fetched.
    fn name(&mut self, url: &Url) -> Option<String> {
        if let Some(name) = self.files.names.get(url.as_str()) {
            return Some(name.clone());
        }
        if let Err(reason) = (self.reach)(url) {
            self.files.absent.insert(url.as_str().to_owned(), reason);
            return None;
        }
        let relative = self.files.address.as_ref().and_then(|address| address.make_relative(url));
        let name = relative.filter(|name| !name.is_empty()).unwrap_or_else(|| url.to_string());
        self.files.names.insert(url.as_str().to_owned(), name.clone());
        self.files.missing.push(url.clone());
        Some(name)
    }
}

/// Whether a fragment is a JSON Pointer, not an anchor.
fn is_pointer(fragment: &str) -> bool {
    fragment.is_empty() || fragment.starts_with('/') || fragment.starts_with("%2F")
}

#[cfg(test)]
mod tests;
