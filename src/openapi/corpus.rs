//! Real documents, read in place where they are available.
//!
//! They are looked for under `openapi/` of the folder that `OPENAPI_MCP_SHARED` names, else of
//! `../shared` beside the package.

use std::path::{Path, PathBuf};
use std::process::Command;

use hashbrown::HashSet;
use serde_json::Value;

use super::schema::{self, Direction, walk};
use super::{Document, MediaType, Node, Operation};
use crate::json::Problem;

#[derive(Default)]
struct Count {
    endpoints: usize,
    operations: usize,
    schemas: usize,
    input_bytes: usize,
    output_bytes: usize,
    largest: usize,
    plain_bodies: usize,
    bodies: usize,
    warnings: usize,
    walked: usize,
    problems: Vec<Problem>,
}

fn documents() -> Vec<PathBuf> {
    let shared = std::env::var_os("OPENAPI_MCP_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let Ok(folder) = std::fs::read_dir(shared.join("openapi")) else { return Vec::new() };
    let mut files: Vec<PathBuf> = folder.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| {
        let name = file.to_string_lossy();
        [".json", ".json.gz", ".yaml", ".yaml.gz"].iter().any(|end| name.ends_with(end))
    });
    files.sort();
    files
}

fn read(file: &Path) -> Vec<u8> {
    if file.extension().is_some_and(|extension| extension == "gz") {
        Command::new("gzip").arg("-dc").arg(file).output().expect("gzip runs").stdout
    } else {
        std::fs::read(file).expect("the document can be read")
    }
}

fn is_valid_2020_12(schema: &Value) -> Result<(), String> {
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .build(schema)
        .map(|_| ())
        .map_err(|error| format!("{error} in {schema}"))
}

impl Count {
    fn schema(
        &mut self,
        document: &Document,
        node: &Node<'_>,
        direction: Direction,
    ) -> Option<Value> {
        match schema::extract(document, node, direction) {
            Ok(schema) => {
                let size = schema.to_string().len();
                assert!(size < 2 << 20, "{}: {size} bytes", node.pointer);
                is_valid_2020_12(&schema).unwrap_or_else(|e| panic!("{}: {e}", node.pointer));
                self.schemas += 1;
                self.largest = self.largest.max(size);
                match direction {
                    Direction::Input => self.input_bytes += size,
                    Direction::Output => self.output_bytes += size,
                    Direction::Both => {}
                }
                Some(schema)
            }
            Err(problems) => {
                self.problems.extend(problems);
                None
            }
        }
    }

    fn operation(&mut self, document: &Document, operation: &Operation<'_>) {
        self.operations += 1;
        self.warnings += operation.warnings.len();
        for parameter in &operation.parameters {
            if let Some(node) = &parameter.schema {
                self.schema(document, node, Direction::Input);
            }
        }
        for node in operation.body.iter().flat_map(|body| schemas(&body.content)) {
            let Some(body) = self.schema(document, node, Direction::Input) else { continue };
            let body = schema::portable(body);
            is_valid_2020_12(&body).unwrap_or_else(|e| panic!("{}: {e}", node.pointer));
            self.bodies += 1;
            self.plain_bodies += usize::from(schema::is_plain_object(&body));
        }
        for node in operation.responses.iter().flat_map(|response| schemas(&response.content)) {
            self.schema(document, node, Direction::Output);
            self.walk(document, node.clone());
        }
    }

    fn walk<'d>(&mut self, document: &'d Document, node: Node<'d>) {
        let mut seen = HashSet::new();
        let mut pending = vec![node];
        while let Some(node) = pending.pop() {
            if !seen.insert(node.pointer.clone()) {
                continue;
            }
            self.walked += 1;
            match walk::children(document, &node) {
                Ok(parts) => pending.extend(parts.into_iter().map(|(_, child)| child)),
                Err(problem) => self.problems.push(problem),
            }
        }
    }
}

fn schemas<'a, 'd>(content: &'a [MediaType<'d>]) -> impl Iterator<Item = &'a Node<'d>> {
    content.iter().filter_map(|media_type| media_type.schema.as_ref())
}

fn count(document: &Document) -> Count {
    let mut count = Count::default();
    let (endpoints, problems) = document.endpoints();
    count.endpoints = endpoints.len();
    count.problems = problems;
    for endpoint in &endpoints {
        match document.operation(endpoint) {
            Ok(operation) => count.operation(document, &operation),
            Err(problems) => count.problems.extend(problems),
        }
    }
    count
}

#[test]
#[allow(clippy::print_stdout, reason = "the table is the result")]
fn every_schema_of_every_real_document_becomes_valid_2020_12() {
    let files = documents();
    if files.is_empty() {
        println!("no real documents here, set OPENAPI_MCP_SHARED: nothing was checked");
    }
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let document = Document::parse(&read(&file));
        let document = document.unwrap_or_else(|problem| panic!("{name}: {problem}"));
        let c = count(&document);
        println!(
            "{name}: {} operations, {} schemas, in {} KB, out {} KB, largest {} KB, flat bodies \
             {} of {}, {} nodes walked, {} warnings",
            c.operations,
            c.schemas,
            c.input_bytes >> 10,
            c.output_bytes >> 10,
            c.largest >> 10,
            c.plain_bodies,
            c.bodies,
            c.walked,
            c.warnings
        );
        assert_eq!(c.problems, [], "{name}");
        assert_eq!(c.operations, c.endpoints, "{name}");
    }
}
