//! One call of a tool: what goes to the API, and what comes back.

pub mod arguments;
pub mod conform;
pub mod request;
pub mod response;
