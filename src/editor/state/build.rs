//! One pass over a form: what its nodes are with a document, and how the document changes by that.

use std::borrow::Cow;

use serde_json::Value;

use super::{
    Activation, Form, Session,
    check::Finding,
    hidden::Known,
    node::{Source, StateNode},
    source::source,
    value::is_empty,
};
use crate::editor::{
    expression::{Enclosing, Fuel, Scope},
    layout::{Component, Kind, Layout, Mode, Node, NodeId, Options, Place, Type},
};

/// Most nodes of one state.
const MAX_NODES: usize = 20_000;
/// Steps that all expressions of one pass may take together.
pub(in crate::editor) const STEPS: usize = 200_000;
/// Deepest nesting of nodes.
const MAX_LEVEL: usize = 96;

/// What a pass works with.
#[derive(Debug)]
pub(super) struct Builder<'s> {
    pub(super) form: &'s Form,
    pub(super) layout: &'s Layout,
    /// The document.
    pub(super) root: &'s Value,
    /// The document as the API has it: what is empty there may stay so.
    pub(super) saved: &'s Value,
    /// Constants of expressions.
    pub(super) context: &'s Value,
    /// Defaults and constants apply.
    pub(super) fills: bool,
    /// The field that was written: a text that was just cleared stays so.
    pub(super) written: Option<&'s str>,
    /// The path that new data came to: variants at and below it are chosen anew.
    pub(super) replaced: Option<&'s str>,
    /// Activations of the session.
    pub(super) activated: &'s [Activation],
    /// What is wrong with the document.
    pub(super) findings: &'s [Finding],
    /// Sources of items are needed.
    pub(super) lists: bool,
    /// Activations that hold.
    pub(super) resolved: Vec<Activation>,
    /// Unions around the node that is being built: data path, node, active variant.
    pub(super) around: Vec<(String, &'s Node, usize)>,
    /// Nodes that can still be built.
    pub(super) left: usize,
    /// What the expressions of one pass may cost.
    pub(super) fuel: Fuel,
}

/// Where a node is being built.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot<'a> {
    pub(super) key: &'a str,
    pub(super) path: &'a str,
    pub(super) data_path: &'a str,
    pub(super) parent: Option<&'a Enclosing<'a>>,
    pub(super) options: Options,
    /// Below an item that is not opened.
    pub(super) summary: bool,
    /// An item of a list, which `null` fills.
    pub(super) is_item: bool,
    /// What is known to be hidden here and below.
    pub(super) known: &'a Known,
    pub(super) level: usize,
}

/// A value, or none.
pub(super) type Datum<'s> = Option<Cow<'s, Value>>;

impl<'s> Builder<'s> {
    /// A pass over a document that changes nothing by itself.
    pub(super) fn new(form: &'s Form, session: &'s Session, context: &'s Value) -> Self {
        Self {
            form,
            layout: form.layout(),
            root: &session.data,
            saved: &session.saved,
            context,
            fills: false,
            written: None,
            replaced: None,
            activated: &session.activated,
            findings: &[],
            lists: false,
            resolved: Vec::new(),
            around: Vec::new(),
            left: MAX_NODES,
            fuel: Fuel::new(STEPS),
        }
    }

    /// Builds the whole form.
    pub(super) fn run(&mut self) -> StateNode<'s> {
        let known = self.form.concealed().root();
        let spot = Spot {
            key: "",
            path: "",
            data_path: "",
            parent: None,
            options: Options::default(),
            summary: false,
            is_item: false,
            known: &known,
            level: 0,
        };
        self.node(self.layout.root().root, spot, Some(self.root).filter(|data| !data.is_null()))
    }

    /// Builds one node with what is below it.
    pub(super) fn node(
        &mut self,
        id: NodeId,
        spot: Spot<'_>,
        data: Option<&'s Value>,
    ) -> StateNode<'s> {
        let node = self.layout.node(id);
        self.left = self.left.saturating_sub(1);
        let scope = self.scope(&spot, data);
        let component =
            if spot.known.is_hidden() { &self.form.hidden } else { self.component(node, &scope) };
        let options = options(component, &spot, &scope);
        let spot = Spot { options, ..spot };
        let data = self.fill(node, component, &spot, data);
        let items =
            if self.lists { source(component, &self.scope(&spot, None)) } else { Source::None };
        let mut built = StateNode {
            id,
            node,
            component,
            key: spot.key.to_owned(),
            path: spot.path.to_owned(),
            data_path: spot.data_path.to_owned(),
            data: None,
            children: Vec::new(),
            active: None,
            read_only: options.read_only == Some(true),
            summary: spot.summary,
            items,
            error: None,
            modified: false,
            known: spot.known.clone(),
        };
        let data = match data {
            Some(Cow::Borrowed(data)) => self.inside(&mut built, &spot, Some(data)),
            None => self.inside(&mut built, &spot, None),
            owned => owned,
        };
        let is_as_saved =
            is_empty(data.as_deref()) && self.is_as_saved(spot.data_path, data.as_deref());
        built.data = if is_as_saved { data } else { settle(data, &built, spot.is_item) };
        built
    }

    /// Whether the API has this value at this place of the document. The document itself is no value
    /// of a field.
    fn is_as_saved(&self, data_path: &str, data: Option<&Value>) -> bool {
        !data_path.is_empty() && data.is_some() && self.saved.pointer(data_path) == data
    }

    /// What is below a node; answers its value with what the children made of it.
    fn inside(
        &mut self,
        built: &mut StateNode<'s>,
        spot: &Spot<'_>,
        data: Option<&'s Value>,
    ) -> Datum<'s> {
        let is_endless = built.node.recursive && is_empty(data) && spot.level > 8;
        if self.left == 0 || spot.level >= MAX_LEVEL || is_endless {
            return data.map(Cow::Borrowed);
        }
        let enclosing = Enclosing { data, parent: spot.parent };
        let below =
            Spot { parent: Some(&enclosing), level: spot.level + 1, is_item: false, ..*spot };
        match built.component.kind {
            Kind::OneOfSelect => self.union(built, below, data),
            Kind::List if built.component.items.is_none() => self.list(built, below, data),
            kind if kind.is_composite() => self.composite(built, below, data),
            _ => self.cleaned(built, data),
        }
    }

    /// The variables of expressions at a node.
    pub(super) fn scope<'a>(&'a self, spot: &Spot<'a>, data: Option<&'a Value>) -> Scope<'a> {
        Scope {
            data,
            root: Some(self.root),
            parent: spot.parent,
            context: Some(self.context),
            read_only: spot.summary || spot.options.read_only == Some(true),
            summary: spot.summary || spot.options.summary == Some(true),
            fuel: &self.fuel,
        }
    }

    fn component(&self, node: &'s Node, scope: &Scope<'_>) -> &'s Component {
        let case = node
            .cases
            .iter()
            .find(|case| case.condition.as_ref().is_none_or(|condition| condition.holds(scope)));
        case.map_or(&self.form.hidden, |case| &case.component)
    }

    /// The value before anything below is looked at: a constant, a default, or what is there.
    fn fill(
        &self,
        node: &'s Node,
        component: &'s Component,
        spot: &Spot<'_>,
        data: Option<&'s Value>,
    ) -> Datum<'s> {
        let is_nullable = node.nullable || spot.is_item || spot.known.is_hidden();
        let data = data.filter(|data| is_nullable || !data.is_null());
        if !self.fills {
            return data.map(Cow::Borrowed);
        }
        let scope = self.scope(spot, data);
        if let Some(constant) = &component.get_const {
            return constant.value(&scope).ok().flatten().map(Cow::Owned);
        }
        if let Some(constant) = &node.constant {
            return Some(Cow::Borrowed(constant));
        }
        let keeps = match spot.options.default_on {
            Some(Mode::Never) => true,
            Some(Mode::Missing) => data.is_some(),
            _ => !is_empty(data) || self.is_as_saved(spot.data_path, data),
        };
        if keeps || self.was_typed(component, spot) || (node.recursive && spot.level > 8) {
            return data.map(Cow::Borrowed);
        }
        let computed = component.get_default.as_ref();
        let computed = computed.and_then(|default| default.value(&scope).ok().flatten());
        let default = match computed {
            Some(computed) => Some(Cow::Owned(computed)),
            None => component.default.as_ref().map(Cow::Borrowed),
        };
        let is_better = |default: &Cow<'_, Value>| data.is_none() || !is_empty(Some(default));
        default.filter(is_better).or(data.map(Cow::Borrowed))
    }

    /// Whether a text was just entered here: its default waits for the next write.
    fn was_typed(&self, component: &Component, spot: &Spot<'_>) -> bool {
        self.written == Some(spot.path)
            && matches!(component.kind, Kind::TextField | Kind::Textarea | Kind::NumberField)
    }
}

/// The settings of a node and of what is below it.
fn options(component: &Component, spot: &Spot<'_>, scope: &Scope<'_>) -> Options {
    let options = component.options.over(spot.options);
    let own = component.get_options.as_ref().and_then(|own| own.value(scope).ok().flatten());
    own.map_or(options, |own| Options::read(&own).over(options))
}

/// The value that a node ends with: an empty one is none, or `null` where that is allowed, unless it
/// is what the node starts with.
fn settle<'s>(data: Datum<'s>, built: &StateNode<'s>, is_item: bool) -> Datum<'s> {
    let (node, component) = (built.node, built.component);
    if !is_empty(data.as_deref()) || (component.kind == Kind::None && data.is_some()) {
        return data;
    }
    let is_start = component.default.is_some() && component.default.as_ref() == data.as_deref();
    let is_union = component.kind == Kind::OneOfSelect && data.is_some();
    if is_start || is_union {
        return data;
    }
    let is_root = node.place == Place::Root;
    if is_root && node.data_type == Some(Type::Object) && component.kind.is_composite() {
        return Some(Cow::Owned(Value::Object(serde_json::Map::new())));
    }
    (node.nullable || is_item).then_some(Cow::Borrowed(&Value::Null))
}
