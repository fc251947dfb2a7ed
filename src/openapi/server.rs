//! Servers: variables, relative addresses, the base URL.

use url::Url;

use super::reader::Reader;
use super::{Document, Node};
use crate::json::{Pointer, Problem};

/// A Server Object (OpenAPI 3.1 §4.8.5).
#[derive(Debug, Clone)]
pub struct Server<'d> {
    /// `url` as written, with variables.
    pub url: &'d str,
    /// Place of the object.
    pub pointer: Pointer,
    node: Node<'d>,
}

impl Document {
    /// The URL that paths are appended to: the first server, with the defaults of its variables,
    /// relative to where the document was found. A document without servers is served from the root
    /// of its own address (OpenAPI 3.1 §4.8.1).
    ///
    /// # Errors
    /// There is no server and no document address; the server's URL cannot be used.
    pub fn base_url(&self, document_url: Option<&Url>) -> Result<Url, Problem> {
        match self.root_servers()?.first() {
            Some(server) => server.resolve(document_url),
            None => document_url.and_then(|url| url.join("/").ok()).ok_or_else(|| {
                Problem::new("", "there is no `servers[0].url` and no base URL is configured")
            }),
        }
    }

    fn root_servers(&self) -> Result<Vec<Server<'_>>, Problem> {
        let mut reader = Reader::new(self);
        let servers = reader.servers(&self.root_node());
        reader.problems.pop().map_or(Ok(servers), Err)
    }
}

impl Server<'_> {
    /// The absolute URL, with the defaults of the variables; a relative one is resolved against
    /// `document_url`. It ends without a fragment and keeps a query.
    ///
    /// # Errors
    /// A variable without default, an unknown document address, or not an HTTP URL.
    pub fn resolve(&self, document_url: Option<&Url>) -> Result<Url, Problem> {
        let text = self.substitute()?;
        let parsed = match Url::parse(&text) {
            Err(url::ParseError::RelativeUrlWithoutBase) => match document_url {
                Some(base) => base.join(&text),
                None => {
                    return Err(self.problem(format!(
                        "`{text}` is relative and the address of the document is unknown: \
                         configure a base URL"
                    )));
                }
            },
            parsed => parsed,
        };
        let mut url =
            parsed.map_err(|error| self.problem(format!("`{text}` is not a URL: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(self.problem(format!("`{text}` is not an `http` or `https` URL")));
        }
        url.set_fragment(None);
        Ok(url)
    }

    fn substitute(&self) -> Result<String, Problem> {
        let mut text = String::new();
        let mut rest = self.url;
        while let Some((literal, tail)) = rest.split_once('{') {
            let Some((name, tail)) = tail.split_once('}') else { break };
            text.push_str(literal);
            text.push_str(&self.variable(name)?);
            rest = tail;
        }
        text.push_str(rest);
        Ok(text)
    }

    fn variable(&self, name: &str) -> Result<String, Problem> {
        let default = self
            .node
            .value
            .get("variables")
            .and_then(|variables| variables.get(name)?.get("default"))
            .and_then(super::version_text);
        default.ok_or_else(|| {
            self.problem(format!(
                "the variable `{name}` has no default: declare it under `variables`"
            ))
        })
    }

    fn problem(&self, message: String) -> Problem {
        Problem::new(self.pointer.clone(), message)
    }
}

impl<'d> Reader<'d> {
    /// The servers of a document, path item or operation.
    pub(super) fn servers(&mut self, owner: &Node<'d>) -> Vec<Server<'d>> {
        self.list(owner, "servers")
            .into_iter()
            .filter_map(|node| {
                if node.present("url").is_none() {
                    self.problem(&node, "expected a server, an object with `url`");
                }
                let url = self.text(&node, "url")?;
                Some(Server { url, pointer: node.pointer.clone(), node })
            })
            .collect()
    }
}
