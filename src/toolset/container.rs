//! The binary form: a header, a checksum, an index of spans, and one run of JSON fragments.
//!
//! All numbers are little-endian. The checksum covers everything after itself, so a value that was
//! cut or altered is refused as a whole; offsets are checked all the same.

use sha2::{Digest, Sha256};

use super::directory::{self, DirectoryRow, Work};
use super::{Contents, Family, Meta, render, skills};
use crate::tool::Tool;

/// Marks a value as a tool set.
const MAGIC: [u8; 7] = *b"oamcp\0t";
/// Changes with every change of this format or of the meaning of what is stored.
const FORMAT: u8 = 3;
/// Bytes before those that the checksum covers.
const PREFIX: usize = 16;

/// A value that is not a tool set that this version can open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// Something else.
    #[error("the value is not a compiled tool set")]
    Foreign,
    /// Written by another version of this program.
    #[error("the compiled tool set has format {0}, expected {FORMAT}")]
    Format(u8),
    /// Cut, or altered.
    #[error("the compiled tool set is damaged")]
    Damaged,
}

/// A range of the fragments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) length: u32,
}

/// Where the fragments of a tool are.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToolRow {
    pub(super) name: Span,
    /// Entries of `tools/list` by family. Behind a search the first one is the line in results, as
    /// the inside of a JSON string.
    pub(super) entries: [Span; 3],
    pub(super) rest: Span,
}

/// Where the fragments of a file are.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileRow {
    pub(super) uri: Span,
    pub(super) entry: Span,
    pub(super) contents: Span,
}

/// Where the fragments of a skill are.
#[derive(Debug, Clone, Copy)]
pub(super) struct SkillRow {
    pub(super) uri: Span,
    pub(super) entry: Span,
}

/// Everything but the fragments.
#[derive(Debug)]
pub(super) struct Index {
    /// SHA-256 of the contents and of how they are listed.
    pub(super) digest: [u8; 32],
    pub(super) meta: Meta,
    pub(super) title: Span,
    pub(super) version: Span,
    /// A JSON string; empty for none.
    pub(super) instructions: Span,
    /// A JSON object.
    pub(super) server_info: Span,
    pub(super) tools: Vec<ToolRow>,
    /// Positions in `tools` in the order of their names' bytes.
    pub(super) by_name: Vec<u32>,
    pub(super) files: Vec<FileRow>,
    pub(super) skills: Vec<SkillRow>,
    /// One when tools are found by a search, else none.
    pub(super) directory: Vec<DirectoryRow>,
    /// Where the fragments begin.
    pub(super) fragments: usize,
}

/// Encodes a tool set tool by tool, so that the work can be spread.
#[derive(Debug)]
pub struct Encoder {
    index: Index,
    names: Vec<String>,
    fragments: Vec<u8>,
    digest: Sha256,
    work: Option<Work>,
}

impl Encoder {
    /// An encoder of the contents without their tools.
    pub fn new(contents: &Contents, meta: &Meta) -> Self {
        let index = Index {
            digest: [0; 32],
            meta: Meta { page_size: meta.page_size.max(1), ..*meta },
            title: Span::default(),
            version: Span::default(),
            instructions: Span::default(),
            server_info: Span::default(),
            tools: Vec::new(),
            by_name: Vec::new(),
            files: Vec::new(),
            skills: Vec::new(),
            directory: Vec::new(),
            fragments: 0,
        };
        let mut encoder = Self {
            index,
            names: Vec::new(),
            fragments: Vec::new(),
            digest: Sha256::new(),
            work: Work::new(contents),
        };
        encoder.put_head(contents);
        encoder.put_skills(contents);
        encoder
    }

    /// Adds the next tool.
    pub fn add(&mut self, tool: &Tool) {
        let modern = render::entry(tool, Family::Modern);
        let modern_span = self.put(&modern);
        let (basic_span, structured_span) = if let Some(work) = &mut self.work {
            let line = work.add(tool);
            (self.put(&line), modern_span)
        } else {
            let structured = render::entry(tool, Family::Structured);
            let structured_span = self.put_unless(structured, &[(&modern, modern_span)]);
            let basic = render::entry(tool, Family::Basic);
            (self.put_unless(basic, &[(&modern, modern_span)]), structured_span)
        };
        let row = ToolRow {
            name: self.put(tool.name.as_bytes()),
            entries: [basic_span, structured_span, modern_span],
            rest: self.put(&render::rest(tool)),
        };
        self.index.tools.push(row);
        self.names.push(tool.name.clone());
    }

    /// The encoded set.
    pub fn finish(mut self) -> Vec<u8> {
        self.put_directory();
        let mut order: Vec<_> = self.names.iter().zip(0u32..).collect();
        order.sort_by_key(|(name, _)| name.as_bytes());
        self.index.by_name = order.into_iter().map(|(_, position)| position).collect();

        let mut tables = Vec::new();
        self.index.write(&mut tables);
        self.digest.update(&tables);

        let mut body = self.digest.finalize().to_vec();
        body.append(&mut tables);
        body.append(&mut self.fragments);

        let mut out = Vec::with_capacity(PREFIX + body.len());
        out.extend(MAGIC);
        out.push(FORMAT);
        out.extend(checksum(&body).to_le_bytes());
        out.append(&mut body);
        out
    }

    fn put_head(&mut self, contents: &Contents) {
        self.index.title = self.put(contents.title.as_bytes());
        self.index.version = self.put(contents.version.as_bytes());
        self.index.server_info = self.put(&render::server_info(&contents.title, &contents.version));
        if !contents.instructions.is_empty() {
            let mut text = Vec::new();
            render::push_text(&mut text, &contents.instructions);
            self.index.instructions = self.put(&text);
        }
    }

    fn put_skills(&mut self, contents: &Contents) {
        for skill in &contents.skills {
            let row = SkillRow {
                uri: self.put(skill.uri.as_bytes()),
                entry: self.put(&skills::entry(skill)),
            };
            self.index.skills.push(row);
            for file in &skill.files {
                let row = FileRow {
                    uri: self.put(file.uri.as_bytes()),
                    entry: self.put(&skills::resource(skill, file)),
                    contents: self.put(&skills::contents(file)),
                };
                self.index.files.push(row);
            }
        }
    }

    fn put_directory(&mut self) {
        let Some(mut work) = self.work.take() else { return };
        let basic = work.entries(false);
        let titled = work.entries(true);
        let row = DirectoryRow {
            most: narrow(work.directory.max_results),
            names: work.names().map(|name| self.put(name.as_bytes())),
            basic: basic.map(|entry| self.put(&entry)),
            titled: titled.map(|entry| self.put(&entry)),
            words: self.put(&work.words()),
            overview: self.put(&directory::inside(&work.overview)),
        };
        self.index.directory.push(row);
    }

    fn put(&mut self, fragment: &[u8]) -> Span {
        let span = Span { start: narrow(self.fragments.len()), length: narrow(fragment.len()) };
        self.digest.update(fragment);
        self.fragments.extend_from_slice(fragment);
        span
    }

    fn put_unless(&mut self, fragment: Vec<u8>, known: &[(&Vec<u8>, Span)]) -> Span {
        match known.iter().find(|(other, _)| **other == fragment) {
            Some((_, span)) => *span,
            None => self.put(&fragment),
        }
    }
}

/// The digest that encoded contents carry; it is not compared with them.
pub fn digest(bytes: &[u8]) -> Option<&[u8; 32]> {
    bytes.get(PREFIX..)?.first_chunk()
}

impl Index {
    /// Reads and checks everything but the fragments themselves.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, OpenError> {
        let (magic, rest) = bytes.split_first_chunk().ok_or(OpenError::Foreign)?;
        if *magic != MAGIC {
            return Err(OpenError::Foreign);
        }
        let (&format, rest) = rest.split_first().ok_or(OpenError::Damaged)?;
        if format != FORMAT {
            return Err(OpenError::Format(format));
        }
        let (sum, body) = rest.split_first_chunk().ok_or(OpenError::Damaged)?;
        if u64::from_le_bytes(*sum) != checksum(body) {
            return Err(OpenError::Damaged);
        }
        let mut reader = Reader { rest: body };
        let mut index = reader.index().ok_or(OpenError::Damaged)?;
        index.fragments = bytes.len() - reader.rest.len();
        if index.is_within(reader.rest.len()) { Ok(index) } else { Err(OpenError::Damaged) }
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.meta.page_size.to_le_bytes());
        out.extend(self.meta.ttl_ms.to_le_bytes());
        out.push(u8::from(self.meta.cache_private));
        let counts = [self.tools.len(), self.files.len(), self.skills.len(), self.directory.len()];
        out.extend(counts.into_iter().flat_map(|count| narrow(count).to_le_bytes()));
        out.extend(self.directory.iter().flat_map(|row| row.most.to_le_bytes()));
        out.extend(self.by_name.iter().flat_map(|position| position.to_le_bytes()));
        for span in self.spans() {
            out.extend(span.start.to_le_bytes());
            out.extend(span.length.to_le_bytes());
        }
    }

    fn is_within(&self, fragments: usize) -> bool {
        let fits = |span: Span| u64::from(span.start) + u64::from(span.length) <= fragments as u64;
        self.spans().all(fits)
            && self.by_name.iter().all(|&position| (position as usize) < self.tools.len())
            && self.meta.page_size > 0
    }

    /// All spans, in the order in which they are stored.
    fn spans(&self) -> impl Iterator<Item = Span> {
        let head = [self.title, self.version, self.instructions, self.server_info];
        let tools = self.tools.iter().flat_map(|row| {
            let [basic, structured, modern] = row.entries;
            [row.name, basic, structured, modern, row.rest]
        });
        let files = self.files.iter().flat_map(|row| [row.uri, row.entry, row.contents]);
        let skills = self.skills.iter().flat_map(|row| [row.uri, row.entry]);
        let directory = self.directory.iter().flat_map(|row| {
            let texts = [row.words, row.overview];
            row.names.into_iter().chain(row.basic).chain(row.titled).chain(texts)
        });
        head.into_iter().chain(tools).chain(files).chain(skills).chain(directory)
    }
}

/// Reads the index; `None` when the bytes end too early.
struct Reader<'b> {
    rest: &'b [u8],
}

impl Reader<'_> {
    fn index(&mut self) -> Option<Index> {
        let digest = self.take()?;
        let meta = Meta {
            page_size: u32::from_le_bytes(self.take()?),
            ttl_ms: u64::from_le_bytes(self.take()?),
            cache_private: self.take::<1>()? != [0],
        };
        let [tools, files, skills] = [self.count()?, self.count()?, self.count()?];
        let directories = self.count()?;
        let most = self.many(directories, |reader| reader.take().map(u32::from_le_bytes))?;
        let mut index = Index {
            digest,
            meta,
            by_name: self.many(tools, |reader| reader.take().map(u32::from_le_bytes))?,
            title: self.span()?,
            version: self.span()?,
            instructions: self.span()?,
            server_info: self.span()?,
            tools: self.many(tools, Self::tool)?,
            files: self.many(files, Self::file)?,
            skills: self.many(skills, Self::skill)?,
            directory: self.many(directories, Self::directory)?,
            fragments: 0,
        };
        for (row, most) in index.directory.iter_mut().zip(most) {
            row.most = most;
        }
        Some(index)
    }

    fn directory(&mut self) -> Option<DirectoryRow> {
        Some(DirectoryRow {
            most: 0,
            names: self.three()?,
            basic: self.three()?,
            titled: self.three()?,
            words: self.span()?,
            overview: self.span()?,
        })
    }

    fn three(&mut self) -> Option<[Span; 3]> {
        Some([self.span()?, self.span()?, self.span()?])
    }

    fn tool(&mut self) -> Option<ToolRow> {
        Some(ToolRow { name: self.span()?, entries: self.three()?, rest: self.span()? })
    }

    fn file(&mut self) -> Option<FileRow> {
        Some(FileRow { uri: self.span()?, entry: self.span()?, contents: self.span()? })
    }

    fn skill(&mut self) -> Option<SkillRow> {
        Some(SkillRow { uri: self.span()?, entry: self.span()? })
    }

    fn many<T>(&mut self, count: usize, read: fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        (0..count).map(|_| read(self)).collect()
    }

    fn span(&mut self) -> Option<Span> {
        Some(Span {
            start: u32::from_le_bytes(self.take()?),
            length: u32::from_le_bytes(self.take()?),
        })
    }

    fn count(&mut self) -> Option<usize> {
        usize::try_from(u32::from_le_bytes(self.take()?)).ok()
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*head)
    }
}

/// A checksum that differs whenever one word differs: each step is a bijection of the state.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let mix =
        |state: u64, word: u64| (state ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let (words, tail) = bytes.as_chunks::<8>();
    let state =
        words.iter().fold(bytes.len() as u64, |state, word| mix(state, u64::from_le_bytes(*word)));
    tail.iter().fold(state, |state, &byte| mix(state, u64::from(byte)))
}

/// Sizes beyond 4 GiB do not occur in a VM with a 32-bit address space; if one does, the set will
/// not open.
fn narrow(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}
