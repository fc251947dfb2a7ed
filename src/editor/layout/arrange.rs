//! Arranges the children of a composite.

use serde_json::Value;

use super::build::{Builder, hidden};
use super::read::Settings;
use super::{Case, Child, Component, Kind, Node, NodeId, Place, Type, help};
use crate::editor::expression::Syntax;
use crate::json::Pointer;

/// Deepest nesting of groups.
const MAX_LEVEL: usize = 16;

/// Numbers of the next group and the next slot of one parent.
#[derive(Debug, Default)]
struct Counts {
    groups: usize,
    slots: usize,
}

impl<'s> Builder<'s> {
    /// The children that a composite shows: those that its layout lists, else all.
    pub(super) fn arrange(
        &mut self,
        node: &Node,
        listed: Option<&'s Value>,
        at: &Pointer,
    ) -> Vec<Child> {
        let Some(Value::Array(listed)) = listed else {
            let all = node.children.iter();
            return all.map(|id| Child { node: *id, condition: None }).collect();
        };
        self.listed(node, listed, &at.join("children"), &mut Counts::default(), 0)
    }

    fn listed(
        &mut self,
        node: &Node,
        listed: &'s [Value],
        at: &Pointer,
        counts: &mut Counts,
        level: usize,
    ) -> Vec<Child> {
        if level > MAX_LEVEL {
            self.too_much(at, "levels of groups");
            return Vec::new();
        }
        let mut children = Vec::new();
        for (index, entry) in listed.iter().enumerate() {
            let at = at.join(index);
            let settings = Settings { at: &at, values: entry.as_object() };
            let key = entry.as_str().or(settings.text("key"));
            let node = match (key, entry, settings.get("children")) {
                (Some(key), ..) => self.known_child(node, key, &at),
                (None, Value::Array(entries), _) | (None, _, Some(Value::Array(entries))) => {
                    self.group(node, entries, settings, counts, level)
                }
                _ if ["text", "markdown", "name", "slots"]
                    .iter()
                    .any(|k| settings.get(k).is_some()) =>
                {
                    self.slot(node, settings, counts)
                }
                _ => {
                    self.finding(&at, "the child is ignored: expected a key, or children");
                    None
                }
            };
            let condition = settings.get("if").filter(|_| key.is_some());
            let condition = self.expression(condition, Syntax::Expression, None, &at.join("if"));
            children.extend(node.map(|node| Child { node, condition }));
        }
        children
    }

    fn known_child(&mut self, node: &Node, key: &str, at: &Pointer) -> Option<NodeId> {
        let is_named =
            |id: &&NodeId| self.nodes.get(id.index()).is_some_and(|child| child.key == key);
        let found = node.children.iter().find(is_named).copied();
        if found.is_none() {
            let key: String = key.chars().filter(|c| !c.is_control()).take(100).collect();
            self.finding(
                at,
                format!("the child `{key}` is ignored: the schema has none of this name"),
            );
        }
        found
    }

    fn group(
        &mut self,
        parent: &Node,
        entries: &'s [Value],
        settings: Settings<'s, '_>,
        counts: &mut Counts,
        level: usize,
    ) -> Option<NodeId> {
        counts.groups += 1;
        let key = format!("$comp-{}", counts.groups);
        let named = settings.text("comp").and_then(Kind::parse);
        let children =
            self.listed(parent, entries, &settings.at.join("children"), counts, level + 1);
        let title = settings.text("title").map(str::to_owned);
        let component = Component {
            kind: named.filter(|kind| kind.is_composite()).unwrap_or(Kind::Section),
            help: settings.text("help").map(help::plain),
            title: title.filter(|title| !title.is_empty()),
            children,
            ..Component::default()
        };
        self.virtual_node(parent, key, component, settings)
    }

    fn slot(
        &mut self,
        parent: &Node,
        settings: Settings<'s, '_>,
        counts: &mut Counts,
    ) -> Option<NodeId> {
        counts.slots += 1;
        let key = format!("$slot-{}", counts.slots);
        let text = settings.text("text").or(settings.text("markdown"));
        let component = Component {
            kind: Kind::Slot,
            help: text.map(help::plain).filter(|text| !text.is_empty()),
            ..Component::default()
        };
        self.virtual_node(parent, key, component, settings)
    }

    /// A node that the layout adds to those of the schema.
    fn virtual_node(
        &mut self,
        parent: &Node,
        key: String,
        component: Component,
        settings: Settings<'_, '_>,
    ) -> Option<NodeId> {
        let condition = self.setting(settings, "if", None);
        let children: Vec<NodeId> = component.children.iter().map(|child| child.node).collect();
        let mut property_keys = Vec::new();
        for child in children.iter().filter_map(|id| self.nodes.get(id.index())) {
            match child.place {
                Place::Property => property_keys.push(child.key.clone()),
                _ => property_keys.extend(child.property_keys.iter().cloned()),
            }
        }
        self.add(Node {
            key,
            place: Place::Same,
            data_type: Some(parent.data_type.unwrap_or(Type::Object)),
            required: parent.required,
            nullable: parent.nullable,
            title: component.title.clone(),
            property_keys,
            cases: vec![Case { condition, component }],
            children,
            ..hidden()
        })
    }
}
