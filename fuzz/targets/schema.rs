//! Schemas as forms, with and without preparation; a form that there is gets opened.
#![no_main]

use fuzz::{lines, mutate};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use openapi_mcp_filter::editor::{
    layout::{self, CompileOptions},
    prepare,
    state::{Form, Limits, Locale},
    tools::{self, Env, Loaded},
};
use serde_json::json;

fuzz_target!(|input: &[u8]| {
    let Some(schema) = lines(input).next() else { return };
    let _ = layout::compile(&schema, &CompileOptions { locale: "fr", ..CompileOptions::default() });
    let Ok(form) = Form::compile(&prepare::prepare(&schema), &CompileOptions::default()) else {
        return;
    };
    let env = Env {
        title: "Form",
        prefix: "form_",
        locale: Locale::of("fr"),
        base: "https://api.example.com/",
        context: &json!({}),
        limits: &Limits::default(),
        writable: true,
        creates: false,
        now: 0,
    };
    let _ = tools::open(&form, Loaded::default(), &env);
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate(data, size, max_size, seed)
});
