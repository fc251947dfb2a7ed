//! Encoding a view that was compiled, one tool at a time.

use crate::config::ViewOptions;
use crate::toolset::{Contents, Encoder, Meta};

/// A view on its way to bytes.
#[derive(Debug)]
pub(super) struct Encoding {
    /// What is being encoded.
    pub(super) contents: Contents,
    /// Options of the view.
    pub(super) options: ViewOptions,
    /// Number of things that were found.
    pub(super) problems: usize,
    encoder: Encoder,
    done: usize,
}

impl Encoding {
    /// Begins with a view; `problems` says how many there are.
    pub(super) fn new(
        options: ViewOptions,
        contents: Contents,
        problems: usize,
        meta: &Meta,
    ) -> Self {
        let encoder = Encoder::new(&contents, meta);
        Self { contents, options, problems, encoder, done: 0 }
    }

    /// Encodes the next tool; false when there is none.
    pub(super) fn step(&mut self) -> bool {
        let tool = self.contents.tools.get(self.done);
        if let Some(tool) = tool {
            self.encoder.add(tool);
            self.done += 1;
        }
        tool.is_some()
    }

    /// The bytes, and what they are of.
    pub(super) fn finish(self) -> (ViewOptions, Contents, usize, Vec<u8>) {
        (self.options, self.contents, self.problems, self.encoder.finish())
    }
}
