//! An opened tool set: lists, resources and plans, each made on first use.

use std::{
    cell::{OnceCell, RefCell},
    collections::BTreeMap,
    rc::Rc,
};

use super::{
    BadCursor, Family, Lifetime, Listing, OpenError,
    container::{Index, Span, ToolRow},
    cursor, render, skills,
};
use crate::call::arguments::Validators;
use crate::tool::Tool;

/// A page of a list: which list, for whom, from which entry on.
type PageKey = (Listing, Family, u32);

/// A tool set as one worker uses it.
#[derive(Debug)]
pub struct ToolSet {
    bytes: Vec<u8>,
    pub(super) index: Index,
    opened: Vec<OnceCell<Rc<OpenTool>>>,
    pages: RefCell<BTreeMap<PageKey, Rc<[u8]>>>,
    closings: Closings,
}

/// A tool whose plan was decoded.
#[derive(Debug)]
pub struct OpenTool {
    /// The tool.
    pub tool: Tool,
    /// Revisions before 2026-07-28 get every structured result of it as `{"result": …}`.
    pub wraps_result: bool,
    validators: Validators,
}

impl OpenTool {
    /// The compiled schemas of the tool, made on first use.
    pub fn validators(&self) -> &Validators {
        &self.validators
    }
}

/// The last members of results, with the closing brace.
#[derive(Debug)]
struct Closings {
    legacy: Rc<[u8]>,
    legacy_lifetime: Rc<[u8]>,
    modern: Rc<[u8]>,
    modern_lifetime: Rc<[u8]>,
}

impl ToolSet {
    /// Opens what [`super::encode`] gave. Takes time in proportion to the number of tools, and one
    /// pass over the bytes for the checksum.
    ///
    /// # Errors
    /// When the bytes are something else, of another format version, cut or altered.
    pub fn open(bytes: Vec<u8>) -> Result<Self, OpenError> {
        let index = Index::read(&bytes)?;
        let opened = index.tools.iter().map(|_| OnceCell::new()).collect();
        let info = slice(&bytes, &index, index.server_info);
        let closings = Closings::new(&index, info);
        Ok(Self { bytes, index, opened, pages: RefCell::default(), closings })
    }

    /// Title of the API.
    pub fn title(&self) -> &str {
        self.text(self.index.title)
    }

    /// Version of the API.
    pub fn version(&self) -> &str {
        self.text(self.index.version)
    }

    /// SHA-256 of the contents and of how they are listed.
    pub fn digest(&self) -> &[u8; 32] {
        &self.index.digest
    }

    /// Number of tools, those behind a search included.
    pub fn tool_count(&self) -> usize {
        self.index.tools.len()
    }

    /// Whether the set has skills, and thus resources.
    pub fn has_skills(&self) -> bool {
        !self.index.skills.is_empty()
    }

    /// Instructions for agents as a JSON string, if there are any.
    pub fn instructions_json(&self) -> Option<&[u8]> {
        Some(self.fragment(self.index.instructions)).filter(|text| !text.is_empty())
    }

    /// The server's name and version as a JSON object.
    pub fn server_info_json(&self) -> &[u8] {
        self.fragment(self.index.server_info)
    }

    /// The last members of a result with the closing brace: `resultType`, the lifetime, the server's
    /// name. A result has at least one member before them.
    pub fn closing(&self, family: Family, lifetime: Lifetime) -> &Rc<[u8]> {
        let closings = &self.closings;
        match (family, lifetime) {
            (Family::Modern, Lifetime::Unsaid) => &closings.modern,
            (Family::Modern, Lifetime::Modern | Lifetime::Always) => &closings.modern_lifetime,
            (Family::Basic | Family::Structured, Lifetime::Always) => &closings.legacy_lifetime,
            (Family::Basic | Family::Structured, Lifetime::Unsaid | Lifetime::Modern) => {
                &closings.legacy
            }
        }
    }

    /// One page of a list as the bytes of the `result` object. No cursor and the empty cursor mean
    /// the first page.
    ///
    /// # Errors
    /// When the cursor is not one that this set gives out.
    pub fn list(
        &self,
        listing: Listing,
        family: Family,
        cursor: Option<&str>,
    ) -> Result<Rc<[u8]>, BadCursor> {
        let offset = match cursor {
            None | Some("") => 0,
            Some(cursor) => self.offset(listing, cursor)?,
        };
        let key = (listing, family, offset);
        if let Some(page) = self.pages.borrow().get(&key) {
            return Ok(Rc::clone(page));
        }
        let page: Rc<[u8]> = self.page(listing, family, offset).into();
        self.pages.borrow_mut().insert(key, Rc::clone(&page));
        Ok(page)
    }

    /// The listed tool of this name, decoded on first use.
    ///
    /// # Errors
    /// When its plan cannot be decoded.
    pub fn tool(&self, name: &str) -> Result<Option<Rc<OpenTool>>, OpenError> {
        if self.front().is_some() { Ok(None) } else { self.open_tool(name) }
    }

    /// The tool of this name, also where it is behind a search.
    ///
    /// # Errors
    /// When its plan cannot be decoded.
    pub fn open_tool(&self, name: &str) -> Result<Option<Rc<OpenTool>>, OpenError> {
        let Some((row, cell)) = self.find(name) else { return Ok(None) };
        if let Some(tool) = cell.get() {
            return Ok(Some(Rc::clone(tool)));
        }
        let tool = Rc::new(self.decode(row)?);
        Ok(Some(Rc::clone(cell.get_or_init(|| tool))))
    }

    /// The `resources/read` result of a file, if there is one of this URI.
    #[cold]
    pub fn read(&self, uri: &str, family: Family) -> Option<Vec<u8>> {
        let file = self.index.files.iter().find(|row| self.fragment(row.uri) == uri.as_bytes())?;
        let closing = self.closing(family, Lifetime::Modern);
        Some([b"{\"contents\":[", self.fragment(file.contents), b"]", closing].concat())
    }

    /// The `skills/get` result of a skill, if there is one whose `SKILL.md` has this URI.
    #[cold]
    pub fn skill(&self, uri: &str, family: Family) -> Option<Vec<u8>> {
        let skill =
            self.index.skills.iter().find(|row| self.fragment(row.uri) == uri.as_bytes())?;
        let closing = self.closing(family, Lifetime::Always);
        Some([b"{\"skill\":".as_slice(), self.fragment(skill.entry), closing].concat())
    }

    /// The `resources/directory/read` result of a directory of a skill: its direct children.
    /// `uri` has no final slash.
    #[cold]
    pub fn directory(&self, uri: &str, family: Family) -> Option<Vec<u8>> {
        let path = uri.strip_prefix("skill://").filter(|path| !path.is_empty())?;
        if path.ends_with('/') {
            return None;
        }
        let mut out = b"{\"resources\":[".to_vec();
        let empty = out.len();
        let mut seen: Vec<&str> = Vec::new();
        for file in &self.index.files {
            let below =
                self.text(file.uri).strip_prefix(uri).and_then(|rest| rest.strip_prefix('/'));
            let Some(below) = below else { continue };
            let name = below.split_once('/').map(|(name, _)| name);
            if name.is_some_and(|name| seen.contains(&name)) {
                continue;
            }
            if out.len() > empty {
                out.push(b',');
            }
            if let Some(name) = name {
                seen.push(name);
                skills::directory(&mut out, &[uri, "/", name].concat(), name);
            } else {
                out.extend_from_slice(self.fragment(file.entry));
            }
        }
        if out.len() == empty {
            return None;
        }
        out.push(b']');
        out.extend_from_slice(self.closing(family, Lifetime::Always));
        Some(out)
    }

    #[cold]
    fn offset(&self, listing: Listing, cursor: &str) -> Result<u32, BadCursor> {
        let offset = cursor::read(&self.index.digest, listing, cursor)?;
        let known = offset.is_multiple_of(self.index.meta.page_size)
            && offset > 0
            && (offset as usize) < self.count(listing);
        if known { Ok(offset) } else { Err(BadCursor) }
    }

    fn count(&self, listing: Listing) -> usize {
        match listing {
            Listing::Tools => self.front().map_or(self.index.tools.len(), |it| it.names.len()),
            Listing::Resources => self.index.files.len(),
            Listing::Skills => self.index.skills.len(),
        }
    }

    #[cold]
    fn page(&self, listing: Listing, family: Family, offset: u32) -> Vec<u8> {
        let size = self.index.meta.page_size;
        let (opening, lifetime): (&[u8], _) = match listing {
            Listing::Tools => (b"{\"tools\":[", Lifetime::Modern),
            Listing::Resources => (b"{\"resources\":[", Lifetime::Modern),
            Listing::Skills => (b"{\"skills\":[", Lifetime::Always),
        };
        let mut out = opening.to_vec();
        for (position, entry) in
            self.entries(listing, family).skip(offset as usize).take(size as usize).enumerate()
        {
            if position > 0 {
                out.push(b',');
            }
            out.extend_from_slice(self.fragment(entry));
        }
        out.push(b']');
        let next = offset.saturating_add(size);
        if (next as usize) < self.count(listing) {
            let cursor = cursor::write(&self.index.digest, listing, next);
            render::push_member(&mut out, "nextCursor", &cursor);
        }
        out.extend_from_slice(self.closing(family, lifetime));
        out
    }

    fn entries(&self, listing: Listing, family: Family) -> Box<dyn Iterator<Item = Span> + '_> {
        if let (Listing::Tools, Some(directory)) = (listing, self.front()) {
            let is_basic = family == Family::Basic;
            let entries = if is_basic { directory.basic } else { directory.titled };
            return Box::new(entries.into_iter());
        }
        match listing {
            Listing::Tools => Box::new(self.index.tools.iter().map(move |row| {
                let [basic, structured, modern] = row.entries;
                match family {
                    Family::Basic => basic,
                    Family::Structured => structured,
                    Family::Modern => modern,
                }
            })),
            Listing::Resources => Box::new(self.index.files.iter().map(|row| row.entry)),
            Listing::Skills => Box::new(self.index.skills.iter().map(|row| row.entry)),
        }
    }

    fn find(&self, name: &str) -> Option<(&ToolRow, &OnceCell<Rc<OpenTool>>)> {
        let name_at = |position: u32| {
            self.index.tools.get(position as usize).map(|row| self.fragment(row.name))
        };
        let by_name = &self.index.by_name;
        let found = by_name.binary_search_by(|&at| name_at(at).cmp(&Some(name.as_bytes()))).ok()?;
        let position = *by_name.get(found)? as usize;
        Some((self.index.tools.get(position)?, self.opened.get(position)?))
    }

    #[cold]
    fn decode(&self, row: &ToolRow) -> Result<OpenTool, OpenError> {
        let [_, _, shown] = row.entries;
        let shown = self.fragment(shown).strip_suffix(b"}").ok_or(OpenError::Damaged)?;
        let rest = self.fragment(row.rest).strip_prefix(b"{").ok_or(OpenError::Damaged)?;
        let whole = [shown, b",", rest].concat();
        let tool: Tool = serde_json::from_slice(&whole).map_err(|_| OpenError::Damaged)?;
        let wraps_result = tool.output_schema.as_ref().is_some_and(render::wraps);
        Ok(OpenTool { tool, wraps_result, validators: Validators::default() })
    }

    pub(super) fn fragment(&self, span: Span) -> &[u8] {
        slice(&self.bytes, &self.index, span)
    }

    pub(super) fn text(&self, span: Span) -> &str {
        std::str::from_utf8(self.fragment(span)).unwrap_or_default()
    }
}

impl Closings {
    fn new(index: &Index, server_info: &[u8]) -> Self {
        let scope = if index.meta.cache_private { "private" } else { "public" };
        let lifetime = format!(",\"ttlMs\":{},\"cacheScope\":\"{scope}\"", index.meta.ttl_ms);
        let lifetime = lifetime.as_bytes();
        let complete = b",\"resultType\":\"complete\"";
        let server =
            [b",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":", server_info, b"}"].concat();
        Self {
            legacy: b"}".as_slice().into(),
            legacy_lifetime: [lifetime, b"}"].concat().into(),
            modern: [complete, server.as_slice(), b"}"].concat().into(),
            modern_lifetime: [complete, lifetime, &server, b"}"].concat().into(),
        }
    }
}

/// The bytes of a span; [`Index::read`] checked that it is within the fragments.
fn slice<'b>(bytes: &'b [u8], index: &Index, span: Span) -> &'b [u8] {
    let start = index.fragments + span.start as usize;
    bytes.get(start..start + span.length as usize).unwrap_or_default()
}
