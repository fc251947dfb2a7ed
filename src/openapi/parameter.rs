//! Parameters: defaults by place, path-level ones merged, faults reported.

use super::reader::Reader;
use super::reference::MAX_CHAIN;
use super::{Node, Version};
use crate::json::Pointer;
use crate::tool::{Place, Style};

/// A parameter of one operation, with the defaults of the specification filled in.
#[derive(Debug, Clone)]
#[allow(clippy::struct_excessive_bools, reason = "the flags are OpenAPI's")]
pub struct Parameter<'d> {
    /// Name in the API.
    pub name: &'d str,
    /// Where it goes.
    pub place: Place,
    /// `required`; always true for path parameters.
    pub required: bool,
    /// `deprecated`.
    pub deprecated: bool,
    /// `description`; from OpenAPI 3.1 on, one beside a reference wins.
    pub description: Option<&'d str>,
    /// `style`, or the default of the place.
    pub style: Style,
    /// `explode`, or the default of the style.
    pub explode: bool,
    /// `allowReserved`.
    pub allow_reserved: bool,
    /// Media type of a `content` parameter.
    pub content: Option<&'d str>,
    /// The schema, also that of a `content` parameter; not resolved.
    pub schema: Option<Node<'d>>,
    /// Raw `x-agent` of the references that led to the parameter, then its own: the first wins.
    pub annotations: Vec<Node<'d>>,
    /// Place of the Parameter Object, behind references.
    pub pointer: Pointer,
}

impl Parameter<'_> {
    /// Whether an annotation means this parameter: header names ignore case.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || (self.place == Place::Header && self.name.eq_ignore_ascii_case(name))
    }

    /// Whether both are the same parameter: name and place are equal (OpenAPI 3.1 §4.8.12); header
    /// names ignore case.
    fn is_same(&self, other: &Parameter<'_>) -> bool {
        self.place == other.place && self.is_called(other.name)
    }

    /// Header parameters of these names are to be ignored (OpenAPI 3.1 §4.8.12.2.1).
    fn is_ignored(&self) -> bool {
        self.place == Place::Header
            && ["accept", "content-type", "authorization"]
                .iter()
                .any(|name| self.name.eq_ignore_ascii_case(name))
    }
}

impl<'d> Reader<'d> {
    /// Adds the parameters of one list. An operation's parameter replaces the path's and keeps its
    /// position; inside one list the later of two equal ones wins and is reported.
    pub(super) fn parameters(&mut self, owner: &Node<'d>, merged: &mut Vec<Parameter<'d>>) {
        /// Most parameters of one operation; each is compared with all others.
        const MOST: usize = 1_000;
        let mut own: Vec<Pointer> = Vec::new();
        for node in self.list(owner, "parameters") {
            if node.value.is_null() {
                continue;
            }
            if merged.len() == MOST {
                self.problem(&node, format!("an operation may have {MOST} parameters, not more"));
                return;
            }
            let Some(parameter) = self.parameter(node.clone()) else { continue };
            if parameter.is_ignored() {
                let name = parameter.name;
                self.warn(
                    &node,
                    format!("the header parameter `{name}` is ignored, as OpenAPI says"),
                );
                continue;
            }
            let same = merged.iter_mut().find(|known| known.is_same(&parameter));
            if same.as_ref().is_some_and(|known| own.contains(&known.pointer)) {
                let name = parameter.name;
                self.warn(&node, format!("the parameter `{name}` is declared twice in one list"));
            }
            own.push(parameter.pointer.clone());
            match same {
                Some(known) => *known = parameter,
                None => merged.push(parameter),
            }
        }
    }

    fn parameter(&mut self, reference: Node<'d>) -> Option<Parameter<'d>> {
        let description = self.sibling_description(&reference);
        let annotations = self.annotations(&reference);
        let node = self.resolve(reference)?;
        let name = self.required_text(&node, "name");
        let place = self.place(&node);
        let (name, place) = (name?, place?);
        let (style, explode) = self.style(&node, place)?;
        let (content, schema) = self.parameter_type(&node)?;
        let required = self.flag(&node, "required").unwrap_or(false);
        if place == Place::Path && !required {
            self.warn(&node, format!("the path parameter `{name}` lacks `required: true`"));
        }
        Some(Parameter {
            name,
            place,
            required: required || place == Place::Path,
            deprecated: self.flag(&node, "deprecated").unwrap_or(false),
            description: description.or_else(|| self.prose(&node, "description")),
            style,
            explode,
            allow_reserved: self.flag(&node, "allowReserved").unwrap_or(false),
            content,
            schema,
            annotations,
            pointer: node.pointer,
        })
    }

    /// `x-agent` of everything from a reference to its target.
    fn annotations(&self, reference: &Node<'d>) -> Vec<Node<'d>> {
        let mut found = Vec::new();
        let mut next = Some(reference.clone());
        while let Some(node) = next.filter(|_| found.len() < MAX_CHAIN) {
            next = node.reference().and_then(|it| self.document.target(it, &node.pointer).ok());
            found.push(node.get("x-agent"));
        }
        found.into_iter().flatten().collect()
    }

    /// From OpenAPI 3.1 on, `description` beside `$ref` replaces the one of the target.
    pub(super) fn sibling_description(&mut self, node: &Node<'d>) -> Option<&'d str> {
        let counts = self.document.version >= Version::V3_1 && node.reference().is_some();
        if counts { self.prose(node, "description") } else { None }
    }

    fn required_text(&mut self, node: &Node<'d>, key: &str) -> Option<&'d str> {
        if node.present(key).is_none() {
            self.problem(node, format!("`{key}` is missing, expected a string"));
        }
        self.text(node, key)
    }

    fn place(&mut self, node: &Node<'d>) -> Option<Place> {
        let text = self.required_text(node, "in")?;
        let place = match text {
            "path" => Place::Path,
            "query" => Place::Query,
            "header" => Place::Header,
            "cookie" => Place::Cookie,
            "querystring" if self.document.version >= Version::V3_2 => {
                if node.get("content").is_none_or(|content| content.members().next().is_none()) {
                    self.problem(node, "a parameter in `querystring` needs `content`");
                    return None;
                }
                Place::Querystring
            }
            _ => {
                let message = format!("`in` is `{text}`, expected path, query, header or cookie");
                self.problem(node, message);
                return None;
            }
        };
        Some(place)
    }

    fn style(&mut self, node: &Node<'d>, place: Place) -> Option<(Style, bool)> {
        let allowed = styles(place, self.document.version);
        let default = allowed.first().map_or(Style::Form, |&(_, style)| style);
        let style = match self.text(node, "style") {
            None => default,
            Some(text) => {
                let known = allowed.iter().find(|(name, _)| *name == text);
                if known.is_none() {
                    let expected =
                        allowed.iter().map(|&(name, _)| name).collect::<Vec<_>>().join(", ");
                    let message = format!("`style` is `{text}`, expected one of {expected} here");
                    self.problem(node, message);
                }
                known?.1
            }
        };
        let exploded = matches!(style, Style::Form | Style::Cookie);
        Some((style, self.flag(node, "explode").unwrap_or(exploded)))
    }

    /// Media type and schema.
    #[allow(clippy::type_complexity, reason = "a pair of options inside an option reads fine")]
    fn parameter_type(&mut self, node: &Node<'d>) -> Option<(Option<&'d str>, Option<Node<'d>>)> {
        let Some(content) = self.object(node, "content") else {
            return Some((None, node.present("schema")));
        };
        if node.present("schema").is_some() {
            self.problem(node, "expected either `schema` or `content`, not both");
            return None;
        }
        let mut entries = content.members();
        let (Some((media_type, entry)), None) = (entries.next(), entries.next()) else {
            self.problem(&content, "expected exactly one media type");
            return None;
        };
        let entry = self.resolve(entry)?;
        Some((Some(media_type), entry.present("schema")))
    }
}

/// The styles of a place, the default first.
fn styles(place: Place, version: Version) -> &'static [(&'static str, Style)] {
    match place {
        Place::Path => {
            &[("simple", Style::Simple), ("label", Style::Label), ("matrix", Style::Matrix)]
        }
        Place::Query => &[
            ("form", Style::Form),
            ("spaceDelimited", Style::SpaceDelimited),
            ("pipeDelimited", Style::PipeDelimited),
            ("deepObject", Style::DeepObject),
        ],
        Place::Header => &[("simple", Style::Simple)],
        Place::Cookie if version >= Version::V3_2 => {
            &[("form", Style::Form), ("cookie", Style::Cookie)]
        }
        Place::Cookie | Place::Querystring => &[("form", Style::Form)],
    }
}
