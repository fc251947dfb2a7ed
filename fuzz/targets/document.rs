//! OpenAPI documents in JSON or YAML, compiled into tools, encoded, opened and listed.
#![no_main]

use fuzz::{mutate, open};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use openapi_mcp_filter::{
    config::ViewOptions,
    openapi::Document,
    toolset::{Family, Listing},
};

fuzz_target!(|input: &[u8]| {
    let Ok(document) = Document::parse(input) else { return };
    let options = ViewOptions { locale: "fr".to_owned(), ..ViewOptions::default() };
    let Ok(set) = open(&document, &options) else { return };
    for family in [Family::Basic, Family::Structured, Family::Modern] {
        let list = set.list(Listing::Tools, family, None);
        list.expect("the first page is always there");
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate(data, size, max_size, seed)
});
