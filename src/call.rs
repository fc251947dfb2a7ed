//! One tool call: arguments checked, one upstream request built, its response rendered.

pub mod arguments;
pub mod request;
