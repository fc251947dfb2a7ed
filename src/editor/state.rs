//! The state of a form: what a session keeps, and what follows from it.

mod form;
mod limits;
mod locale;
mod session;

pub use form::Form;
pub use limits::Limits;
pub use locale::Locale;
pub use session::{Activation, ItemList, Memory, Session, Status};
