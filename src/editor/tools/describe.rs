//! describeState: fields with their values and errors, as a tree of lines.

use serde_json::json;

use super::{
    Answer, Env, errors,
    line::{line, type_name},
    overview, paths, shape, words,
};
use crate::editor::{
    layout::Kind,
    state::{Form, StateNode, View, is_union},
};

/// Unions whose variants were listed: pointer of the union, path they were listed for.
pub(super) type Shown = Vec<(String, String)>;

/// Most unions that are remembered.
const MOST_SHOWN: usize = 200;

/// Answers describeState.
pub(super) fn describe(
    form: &Form,
    view: &View<'_>,
    memory: &mut Shown,
    path: Option<&str>,
    env: &Env<'_>,
) -> Answer {
    let mut shown = Shown::new();
    let text = match path {
        None => whole(form, view, &mut shown, env),
        Some(path) => match paths::resolve(view, path) {
            Some(node) => {
                let tree = tree(form, view, node, true, &mut shown, env);
                [&tree, "\n", &errors::summary(view, &node.path, env)].concat()
            }
            None => match overview::overview(form, view, path) {
                Some(text) => [&words::NOT_YET.say(env.locale, &[]), "\n", &text].concat(),
                None => return Answer::failed(paths::not_found(view, path, env)),
            },
        },
    };
    for entry in shown {
        remember(memory, entry);
    }
    let errors = errors::structured(&errors::whole(view, env));
    Answer::done(text, json!({ "valid": view.is_valid(), "errors": errors }))
}

fn remember(shown: &mut Shown, entry: (String, String)) {
    shown.retain(|(pointer, _)| *pointer != entry.0);
    shown.push(entry);
    if shown.len() > MOST_SHOWN {
        shown.remove(0);
    }
}

fn whole(form: &Form, view: &View<'_>, shown: &mut Shown, env: &Env<'_>) -> String {
    let listed = errors::whole(view, env);
    let mut text = format!("valid: {}, ", view.is_valid());
    if listed.is_empty() {
        text.push_str(&words::VALID.say(env.locale, &[]));
    } else {
        text.push_str(&words::INVALID_WITH.say(env.locale, &[&listed.len().to_string()]));
        text.push_str("\n\n");
        text.push_str(&words::ERRORS.say(env.locale, &[]));
        text.push('\n');
        text.push_str(&errors::lines(&listed));
    }
    text.push_str("\n\n");
    text.push_str(&words::FIELDS.say(env.locale, &[]));
    text.push('\n');
    text.push_str(&tree(form, view, &view.root, false, shown, env));
    text
}

/// The lines of a node and of what is below it. `asked`: it is what was asked for.
pub(super) fn tree(
    form: &Form,
    view: &View<'_>,
    node: &StateNode<'_>,
    asked: bool,
    shown: &mut Shown,
    env: &Env<'_>,
) -> String {
    let mut writer = Writer { form, view, shown, env, text: String::new() };
    writer.node(node, 0, asked);
    writer.text
}

struct Writer<'w, 'v, 's> {
    form: &'w Form,
    view: &'w View<'s>,
    shown: &'w mut Shown,
    env: &'w Env<'v>,
    text: String,
}

impl<'s> Writer<'_, '_, 's> {
    fn push(&mut self, level: usize, line: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        for _ in 0..level {
            self.text.push_str("  ");
        }
        self.text.push_str(line);
    }

    fn node(&mut self, node: &StateNode<'s>, level: usize, asked: bool) {
        if self.text.len() > self.env.limits.text_bytes {
            return;
        }
        self.push(level, &line(self.view, node, asked, self.env));
        let component = node.component;
        if component.multiple && component.kind != Kind::List && component.separator.is_none() {
            self.push(level + 1, &words::TAKES_LIST.say(self.env.locale, &[]));
        }
        if is_union(node.node) {
            self.variants(node, level + 1);
        }
        let visible: Vec<_> = node.children.iter().filter(|child| child.is_visible()).collect();
        if visible.is_empty() && node.component.kind.is_composite() {
            self.declared(node, level + 1);
        }
        for child in visible {
            self.node(child, level + 1, false);
        }
    }

    /// The variants of a union, once per answer and session.
    fn variants(&mut self, node: &StateNode<'s>, level: usize) {
        let pointer = node.node.pointers.last().cloned().unwrap_or_default();
        let before = self.shown.iter().find(|(known, _)| *known == pointer);
        if let Some((_, path)) = before {
            let count = node.node.trees.len();
            let active =
                active_title(node).map_or_else(String::new, |active| format!(" ({active} active)"));
            let same = words::SAME_VARIANTS.say(self.env.locale, &[path, &node.path]);
            let text = format!("- {count} variants{active}, {same}");
            self.push(level, &text);
            return;
        }
        let shapes = shape::shapes(self.form, node.node, &node.known);
        for (position, variant) in node.component.variants.iter().enumerate() {
            let Some(index) = variant.index else { continue };
            let mut text = format!("- {}", title(self.form, node, index));
            if node.active == Some(index) {
                text.push_str(" (active)");
            }
            if let Some(shape) = shapes.as_ref().and_then(|shapes| shapes.get(position)) {
                text.push_str(" — ");
                text.push_str(shape);
            }
            self.push(level, &text);
        }
        self.shown.push((pointer, node.path.clone()));
    }

    /// Parts of the schema that a composite without fields could have.
    fn declared(&mut self, node: &StateNode<'s>, level: usize) {
        for id in &node.node.children {
            let child = self.form.layout().node(*id);
            let Some(component) = child.cases.first().map(|case| &case.component) else { continue };
            let is_hidden = self.form.concealed().child(&node.known, child).is_none();
            if is_hidden || component.kind == Kind::None {
                continue;
            }
            let required = if child.required { ", required" } else { "" };
            let path = [&node.path, "/", &child.key].concat();
            self.push(
                level,
                &format!("- {path} ({}, declared{required})", type_name(component.kind)),
            );
        }
    }
}

/// `variant 0: Title (tag="value")`.
pub(super) fn title(form: &Form, node: &StateNode<'_>, index: usize) -> String {
    let title = node.component.variants.iter().find(|variant| variant.index == Some(index));
    let title = title.map_or("", |variant| variant.title.as_str());
    let tree = node.node.trees.get(index).map(|id| form.layout().tree(*id));
    let tag = tree.and_then(|tree| tree.tag.as_ref()).zip(node.node.discriminator.as_ref());
    let tag = tag.map_or_else(String::new, |(tag, name)| format!(" ({name}={tag})"));
    format!("variant {index}: {title}{tag}")
}

fn active_title(node: &StateNode<'_>) -> Option<String> {
    let index = node.active?;
    let variant = node.component.variants.iter().find(|variant| variant.index == Some(index))?;
    Some(format!("variant {index}: {}", variant.title))
}
