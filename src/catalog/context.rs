//! What is the same for every operation of one document, and what is found on the way.

use std::collections::BTreeMap;

use url::Url;

use crate::config::{SchemaProfile, Server, ViewOptions};
use crate::json::{Pointer, Problem};
use crate::openapi::{Document, Endpoint, Operation};

use super::security::Security;
use super::{Severity, names};

/// One document under one set of options.
#[derive(Debug)]
pub(super) struct Context<'d> {
    /// Name of the upstream.
    pub(super) upstream: &'d str,
    /// The document.
    pub(super) document: &'d Document,
    /// Options of the route.
    pub(super) options: ViewOptions,
    /// Prefix of tool names.
    pub(super) prefix: String,
    /// Where the operations are.
    pub(super) base: Base<'d>,
    /// Its security schemes.
    pub(super) security: Security<'d>,
    /// Some property is hidden or explained.
    pub(super) is_annotated: bool,
    /// The operations of the document by `operationId`; of several, the first.
    pub(super) operations: BTreeMap<&'d str, Endpoint<'d>>,
}

impl Context<'_> {
    /// A tool name made of method and path alone.
    pub(super) fn spare_name(&self, (method, path): (&str, &str)) -> String {
        let origin = names::Origin::Operation { id: None, method, path };
        names::tool(&self.prefix, origin, 0).unwrap_or_default()
    }

    /// Whether schemas are made for strict clients.
    pub(super) fn is_portable(&self) -> bool {
        self.options.schema_profile != SchemaProfile::Full
    }
}

/// What the compiler has to say about one operation.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// Problems with what they cost.
    pub(super) findings: Vec<(Severity, Problem)>,
    /// Arguments whose description an annotation wrote, and where.
    pub(super) authored: Vec<(String, Pointer)>,
}

impl Report {
    /// Nothing is lost.
    pub(super) fn warn(&mut self, problem: Problem) {
        self.findings.push((Severity::Warning, problem));
    }

    /// The operation is left out.
    pub(super) fn skip(&mut self, problem: Problem) {
        self.findings.push((Severity::Skipped, problem));
    }

    /// The operation is left out, for several reasons.
    pub(super) fn skip_all(&mut self, problems: Vec<Problem>) {
        for problem in problems {
            self.skip(problem);
        }
    }

    /// The document is refused.
    pub(super) fn refuse(&mut self, problem: Problem) {
        self.findings.push((Severity::Refused, problem));
    }

    /// Whether the operation cannot become a tool.
    pub(super) fn is_fatal(&self) -> bool {
        self.findings.iter().any(|(severity, _)| *severity != Severity::Warning)
    }
}

/// Where the operations of a document are.
#[derive(Debug)]
pub(super) struct Base<'d> {
    /// Base URL of operations without servers of their own.
    url: Url,
    /// Address of the document; a placeholder when it is unknown.
    document_url: Url,
    /// The document's own base URL, if it can be told.
    declared: Option<Url>,
    /// The configured base URL.
    configured: Option<Url>,
    /// The other servers that are configured.
    servers: &'d [Server],
}

impl<'d> Base<'d> {
    /// The configured base URL, else the one of the document.
    ///
    /// # Errors
    /// The document's first server cannot be used and none is configured.
    pub(super) fn new(
        document: &Document,
        document_url: Option<&Url>,
        configured: Option<&Url>,
        servers: &'d [Server],
    ) -> Result<Self, Problem> {
        let unknown = || {
            Url::parse("http://document.invalid/").map_err(|error| {
                Problem::new("", format!("the address of the document cannot be made up: {error}"))
            })
        };
        let document_url = document_url.cloned().map_or_else(unknown, Ok)?;
        let declared = document.base_url(Some(&document_url));
        let base = match (configured, &declared) {
            (Some(url), _) | (None, Ok(url)) => url,
            (None, Err(problem)) => return Err(problem.clone()),
        };
        let (url, configured) = (base.clone(), configured.cloned());
        Ok(Self { url, document_url, declared: declared.ok(), configured, servers })
    }

    /// Base URL of an operation, which may have servers of its own, and the configured server that it
    /// is on, if it is not the upstream.
    ///
    /// # Errors
    /// None of its servers has the origin of the document's or of a configured server.
    pub(super) fn place_of(
        &self,
        operation: &Operation<'_>,
    ) -> Result<(Url, Option<String>), Problem> {
        let Some(first) = operation.servers.first() else { return Ok((self.url.clone(), None)) };
        let urls = operation
            .servers
            .iter()
            .filter_map(|server| server.resolve(Some(&self.document_url)).ok());
        for url in urls {
            let server = self.configured_server(&url);
            if server.is_some() || self.is_own(&url) {
                return Ok((url, server));
            }
        }
        let message = format!(
            "the operation has its own server `{}`, which is not where the upstream is: say under \
             `servers` of the upstream which cluster it is",
            first.url
        );
        Err(Problem::new(first.pointer.clone(), message))
    }

    fn configured_server(&self, url: &Url) -> Option<String> {
        let origin = url.origin().ascii_serialization();
        self.servers.iter().any(|server| server.origin == origin).then_some(origin)
    }

    fn is_own(&self, url: &Url) -> bool {
        let known = [self.configured.as_ref(), self.declared.as_ref(), Some(&self.document_url)];
        known.into_iter().flatten().any(|known| known.origin() == url.origin())
    }
}
