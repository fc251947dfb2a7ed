//! Everything of one operation, references followed.

use serde_json::Value;

use super::reader::Reader;
use super::template::Template;
use super::{Document, Endpoint, Node, Parameter, RequestBody, Response, Server};
use crate::json::{Pointer, Problem};
use crate::tool::Place;

/// One operation, read completely.
#[derive(Debug, Clone)]
pub struct Operation<'d> {
    /// HTTP method as sent.
    pub method: String,
    /// Key of `paths`, as written.
    pub path: &'d str,
    /// The path template to send: literal parts percent-encoded, without query and fragment.
    pub template: String,
    /// Query parameters the key of `paths` carries (`/responses?beta=true`), decoded; always sent.
    pub path_query: Vec<(String, String)>,
    /// Template variables without a path parameter; the template cannot be filled without them.
    pub undeclared: Vec<&'d str>,
    /// Place of the Operation Object, behind references.
    pub pointer: Pointer,
    /// `operationId`.
    pub operation_id: Option<&'d str>,
    /// `summary`, else that of the path item.
    pub summary: Option<&'d str>,
    /// `description`, else that of the path item.
    pub description: Option<&'d str>,
    /// `tags`.
    pub tags: Vec<&'d str>,
    /// `deprecated`.
    pub deprecated: bool,
    /// Raw `x-agent`.
    pub annotation: Option<&'d Value>,
    /// Parameters of the path item and the operation, merged; path-level ones first.
    pub parameters: Vec<Parameter<'d>>,
    /// `requestBody`.
    pub body: Option<RequestBody<'d>>,
    /// `responses`, in document order.
    pub responses: Vec<Response<'d>>,
    /// Servers of the operation, else of the path item; empty when those of the document apply.
    pub servers: Vec<Server<'d>>,
    /// Alternatives of security schemes, by name; of one alternative all are needed.
    pub security: Vec<Vec<&'d str>>,
    /// Oddities that do not make it unusable: ignored or repeated parameters and the like.
    pub warnings: Vec<Problem>,
}

impl Document {
    /// Reads one operation.
    ///
    /// # Errors
    /// All faults of the operation, each with its place.
    pub fn operation<'d>(&'d self, endpoint: &Endpoint<'d>) -> Result<Operation<'d>, Vec<Problem>> {
        let mut reader = Reader::new(self);
        let operation = reader.operation(endpoint);
        match operation {
            Some(operation) if reader.problems.is_empty() => {
                Ok(Operation { warnings: reader.warnings, ..operation })
            }
            _ => Err(reader.problems),
        }
    }
}

impl<'d> Reader<'d> {
    fn operation(&mut self, endpoint: &Endpoint<'d>) -> Option<Operation<'d>> {
        let node = self.document.node_at(endpoint.pointer.clone())?;
        let items: Vec<_> = std::iter::once(&endpoint.item).chain(&endpoint.referenced).collect();
        let template = self.template(endpoint);
        let parameters = self.merged_parameters(&items, &node);
        let undeclared = self.match_template(&template, &parameters);
        let body = node.present("requestBody");
        Some(Operation {
            method: endpoint.method.clone(),
            path: endpoint.path,
            template: template.path,
            path_query: template.query,
            undeclared,
            operation_id: self.prose(&node, "operationId"),
            summary: self.inherited_prose(&node, &items, "summary"),
            description: self.inherited_prose(&node, &items, "description"),
            tags: self.tags(&node),
            deprecated: self.flag(&node, "deprecated").unwrap_or(false),
            annotation: node.value.get("x-agent"),
            parameters,
            body: body.and_then(|body| self.request_body(body)),
            responses: self.responses(&node),
            servers: self.nearest_servers(&node, &items),
            security: self.document.security(&node),
            pointer: node.pointer,
            warnings: Vec::new(),
        })
    }

    fn template(&mut self, endpoint: &Endpoint<'d>) -> Template<'d> {
        Template::parse(endpoint.path).unwrap_or_else(|message| {
            self.problem(&endpoint.item, format!("the path `{}`: {message}", endpoint.path));
            Template::default()
        })
    }

    fn merged_parameters(&mut self, items: &[&Node<'d>], node: &Node<'d>) -> Vec<Parameter<'d>> {
        let mut merged = Vec::new();
        for owner in items.iter().rev() {
            self.parameters(owner, &mut merged);
        }
        self.parameters(node, &mut merged);
        merged
    }

    /// Reports path parameters that the template has no place for; returns the variables that have
    /// no parameter.
    fn match_template(
        &mut self,
        template: &Template<'d>,
        parameters: &[Parameter<'d>],
    ) -> Vec<&'d str> {
        let is_path = |parameter: &&Parameter<'_>| parameter.place == Place::Path;
        for unused in parameters.iter().filter(is_path) {
            let name = unused.name;
            if !template.variables.contains(&name) {
                let message = format!("the path has no `{{{name}}}` for the parameter `{name}`");
                self.warnings.push(Problem::new(unused.pointer.clone(), message));
            }
        }
        let declared = |name: &str| parameters.iter().filter(is_path).any(|p| p.name == name);
        template.variables.iter().copied().filter(|name| !declared(name)).collect()
    }

    fn inherited_prose(
        &mut self,
        node: &Node<'d>,
        items: &[&Node<'d>],
        key: &str,
    ) -> Option<&'d str> {
        self.prose(node, key).or_else(|| items.iter().find_map(|item| self.prose(item, key)))
    }

    fn tags(&mut self, node: &Node<'d>) -> Vec<&'d str> {
        let tags = self.list(node, "tags");
        tags.iter().filter_map(|tag| tag.value.as_str()).collect()
    }

    fn nearest_servers(&mut self, node: &Node<'d>, items: &[&Node<'d>]) -> Vec<Server<'d>> {
        let own = self.servers(node);
        if !own.is_empty() {
            return own;
        }
        items
            .iter()
            .map(|item| self.servers(item))
            .find(|found| !found.is_empty())
            .unwrap_or_default()
    }
}
