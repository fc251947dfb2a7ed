//! From a session to its state, and from new data to data at rest.

use std::borrow::Cow;

use serde_json::Value;

use super::{
    Activation, Form, Session, assign, build::Builder, check::Finding, compose::is_within,
    node::StateNode,
};
use crate::editor::layout::Kind;

/// Passes until the data has to be at rest.
const MAX_PASSES: usize = 20;

/// The state of a form with one session.
#[derive(Debug)]
pub(in crate::editor) struct View<'s> {
    /// The whole form.
    pub(in crate::editor) root: StateNode<'s>,
    /// The document.
    pub(in crate::editor) document: &'s Value,
    /// What is wrong with the document.
    pub(in crate::editor) findings: Cow<'s, [Finding]>,
    /// Which of them are about variants that are not chosen.
    inactive: Vec<bool>,
}

/// How data came into a session.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::editor) struct Write<'w> {
    /// Path of the field that was written.
    pub(in crate::editor) field: Option<&'w str>,
    /// Path in the form of what was replaced as a whole.
    pub(in crate::editor) replaced: Option<&'w str>,
}

impl<'s> View<'s> {
    /// The state of a session at rest, with the lists of its fields.
    pub(in crate::editor) fn new(
        form: &'s Form,
        session: &'s Session,
        findings: &'s [Finding],
        context: &'s Value,
    ) -> Self {
        let mut builder = Builder::new(form, session, context);
        builder.findings = findings;
        builder.lists = true;
        let mut root = builder.run();
        let hidden = form.concealed();
        let mut findings = Cow::Borrowed(findings);
        if !hidden.is_empty() {
            findings = Cow::Owned(hidden.retell(&findings, &session.data));
        }
        let inactive = assign::assign(&mut root, &findings);
        compare(&mut root, &session.saved, false);
        if !hidden.is_empty() {
            hidden.conceal(&mut root);
        }
        Self { root, findings, document: &session.data, inactive }
    }

    /// The findings that are about what is chosen.
    pub(in crate::editor) fn active_findings(&self) -> impl Iterator<Item = &Finding> {
        let all = self.findings.iter().zip(&self.inactive);
        all.filter(|(_, inactive)| !**inactive).map(|(finding, _)| finding)
    }

    /// Whether the document can be saved.
    pub(in crate::editor) fn is_valid(&self) -> bool {
        self.findings.is_empty()
    }
}

/// What is wrong with the document of a session.
pub(in crate::editor) fn findings(form: &Form, session: &Session) -> Vec<Finding> {
    form.check(&session.data)
}

/// Brings new data to rest: constants and defaults apply, what the form makes of the data is put
/// into it until nothing changes any more. Answers what is wrong with it then.
///
/// # Errors
/// The data does not come to rest.
pub(in crate::editor) fn settle(
    form: &Form,
    session: &mut Session,
    context: &Value,
    write: Write<'_>,
) -> Result<Vec<Finding>, ()> {
    form.concealed().pin(&mut session.data);
    for pass in 0..MAX_PASSES {
        let findings = form.check(&session.data);
        let mut builder = Builder::new(form, session, context);
        builder.findings = &findings;
        builder.fills = pass == 0;
        builder.written = write.field;
        builder.replaced = write.replaced.filter(|_| pass == 0);
        let data = builder.run().data;
        let activated = std::mem::take(&mut builder.resolved);
        let changed = match data.as_deref() {
            Some(data) if *data == session.data => None,
            None if session.data.is_null() => None,
            Some(data) => Some(data.clone()),
            None => Some(Value::Null),
        };
        let is_settled = activated == session.activated;
        session.activated = activated;
        match changed {
            None if is_settled || pass > 0 => return Ok(findings),
            None => {}
            Some(data) => session.data = data,
        }
    }
    Err(())
}

/// Closes lists at and below a path, forgets choices below it.
pub(in crate::editor) fn deactivate(activated: &mut Vec<Activation>, path: &str) {
    activated.retain(|activation| !is_within(&activation.path, path));
}

/// Marks what differs from the saved document. What is compared as a whole is marked as a whole.
fn compare(node: &mut StateNode<'_>, saved: &Value, within: bool) {
    let kind = node.component.kind;
    let is_map = kind == Kind::List && matches!(node.value(), Some(Value::Object(_)));
    if !kind.is_composite() && node.is_visible() && !is_map && !within {
        node.modified = node.value() != saved.pointer(&node.data_path);
    }
    let within = within || (node.modified && matches!(kind, Kind::OneOfSelect | Kind::List));
    for child in &mut node.children {
        compare(child, saved, within);
    }
}
