//! One call of a tool: arguments checked, one upstream request built, its response rendered.

pub mod arguments;
pub mod request;
pub mod response;
