//! The fields that a variant brings, in one line: `{ name*: text, more: array of { … } }`.

use crate::editor::{
    layout::{Component, Kind, Node, Source, TreeId},
    state::{Form, Known, fixed},
};

use super::line::{closed_values, length, type_name};

/// Most variants that are shown with their fields.
const MOST_VARIANTS: usize = 20;
/// Most fields of one object.
const MOST_FIELDS: usize = 6;
/// Most values of a list.
const MOST_VALUES: usize = 6;
/// Longest text of all variants of one union.
const LONGEST: usize = 7000;
/// Deepest nesting.
const DEEPEST: usize = 6;

/// The shapes of the variants of a union in their order; none when they are too many or too long.
pub(super) fn shapes(form: &Form, union: &Node, known: &Known) -> Option<Vec<String>> {
    let component = presentation(union)?;
    if component.variants.len() > MOST_VARIANTS {
        return None;
    }
    let mut around = vec![union];
    let mut left = LONGEST;
    let shapes: Vec<String> = component
        .variants
        .iter()
        .map(|variant| {
            let tree = variant.index.and_then(|index| union.trees.get(index));
            let shape = tree.map(|tree| of_tree(form, (*tree, known), &mut around, left));
            let shape = shape.unwrap_or_default();
            left = left.saturating_sub(length(&shape));
            shape
        })
        .collect();
    (left > 0).then_some(shapes)
}

/// How a node is presented when nothing is known about the data.
pub(super) fn presentation(node: &Node) -> Option<&Component> {
    node.cases.first().map(|case| &case.component)
}

fn of_tree<'l>(
    form: &'l Form,
    (tree, known): (TreeId, &Known),
    around: &mut Vec<&'l Node>,
    left: usize,
) -> String {
    let layout = form.layout();
    of_node(form, (layout.node(layout.tree(tree).root), known), around, left)
}

fn of_node<'l>(
    form: &'l Form,
    (node, known): (&'l Node, &Known),
    around: &mut Vec<&'l Node>,
    left: usize,
) -> String {
    let Some(component) = presentation(node) else { return "none".to_owned() };
    let is_around = around.iter().any(|known| std::ptr::eq(*known, node));
    if component.kind == Kind::OneOfSelect {
        return format!("variant selector ({} variants)", node.trees.len());
    }
    if is_around || around.len() > DEEPEST || left == 0 {
        return "…".to_owned();
    }
    around.push(node);
    let text = match component.kind {
        kind if kind.is_composite() => object(form, (component, known), around, left),
        Kind::List => match node.trees.first() {
            Some(tree) => {
                let known = form.concealed().any_item(known);
                ["array of ", &of_tree(form, (*tree, &known), around, left)].concat()
            }
            None => "array".to_owned(),
        },
        kind => [type_name(kind), &values(component)].concat(),
    };
    around.pop();
    text
}

fn object<'l>(
    form: &'l Form,
    (component, known): (&'l Component, &Known),
    around: &mut Vec<&'l Node>,
    mut left: usize,
) -> String {
    let mut fields: Vec<(&Node, Known)> = component
        .children
        .iter()
        .map(|child| form.layout().node(child.node))
        .filter(|node| presentation(node).is_some_and(|shown| shown.kind != Kind::None))
        .filter_map(|node| Some((node, form.concealed().child(known, node)?)))
        .collect();
    fields.sort_by_key(|(node, _)| !node.required);
    let more = fields.len().saturating_sub(MOST_FIELDS);
    let mut parts = Vec::new();
    for (node, known) in fields.iter().take(MOST_FIELDS) {
        let mark = if node.required { "*" } else { "" };
        let part = format!("{}{mark}: {}", node.key, of_node(form, (node, known), around, left));
        left = left.saturating_sub(length(&part));
        parts.push(part);
    }
    if more > 0 {
        parts.push(format!("+{more} more"));
    }
    if parts.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", parts.join(", ")) }
}

fn values(component: &Component) -> String {
    let Some(Source::Fixed(items)) = component.items.as_ref().map(|items| &items.source) else {
        return String::new();
    };
    let known = fixed(items);
    let is_short = known.len() == items.len() && known.len() <= MOST_VALUES;
    let listed = closed_values(&known).filter(|_| is_short);
    listed.map_or_else(String::new, |list| [" ", &list].concat())
}
