//! What a part of the form would hold that is not there yet: a variant not chosen, an item of an
//! empty list.

use super::{
    line::{constraints, fixed_values, length, quoted, type_name},
    paths::{resolve, shown},
    shape::presentation,
};
use crate::editor::{
    layout::{Kind, Node, Source},
    state::{Form, Known, View, is_union},
};

/// Longest text.
const LONGEST: usize = 7000;
/// Most levels below the part itself.
const MOST_LEVELS: usize = 3;

/// The lines of a part that is not there; `None` when the schema has nothing at the path.
pub(super) fn overview(form: &Form, view: &View<'_>, path: &str) -> Option<String> {
    let (mut prefix, mut rest) = (path, Vec::new());
    let known = loop {
        let (before, segment) = prefix.rsplit_once('/')?;
        rest.push(segment);
        prefix = before;
        if let Some(node) = resolve(view, prefix) {
            break node;
        }
    };
    let (path, below) = (known.path.clone(), known.known.clone());
    let mut place = Place { node: known.node, path, known: below, lead: None };
    for segment in rest.iter().rev() {
        place = place.step(form, segment)?;
    }
    let text = (0..=MOST_LEVELS).rev().map(|levels| place.render(form, levels));
    let mut text = text.skip_while(|(text, levels)| length(text) > LONGEST && *levels > 0);
    text.next().map(|(text, _)| text)
}

/// A node of the layout at a path.
struct Place<'l> {
    node: &'l Node,
    path: String,
    known: Known,
    lead: Option<String>,
}

impl<'l> Place<'l> {
    fn step(&self, form: &'l Form, segment: &str) -> Option<Self> {
        let (layout, hidden) = (form.layout(), form.concealed());
        let at = |node: &'l Node, path: &str, known: Known| Place {
            node,
            path: path.to_owned(),
            known,
            lead: None,
        };
        if is_union(self.node) {
            let index: usize = segment.parse().ok()?;
            let tree = layout.tree(*self.node.trees.get(index)?);
            let object = self.path.strip_suffix("/$oneOf").unwrap_or(&self.path);
            let title = tree.title.as_deref().unwrap_or_default();
            let lead = format!("variant {index}: {title} — {}:", shown(object));
            let place = at(layout.node(tree.root), object, self.known.clone());
            return Some(Place { lead: Some(lead), ..place });
        }
        let below = [&self.path, "/", segment].concat();
        let own = self.node.children.iter().map(|id| layout.node(*id)).find(|n| n.key == segment);
        if let Some(child) = own {
            return Some(at(child, &below, hidden.child(&self.known, child)?));
        }
        let is_index = segment.parse::<usize>().is_ok();
        let tree = self.node.trees.first().filter(|_| is_index)?;
        Some(at(layout.node(layout.tree(*tree).root), &below, hidden.any_item(&self.known)))
    }

    fn render(&self, form: &'l Form, levels: usize) -> (String, usize) {
        let mut lines: Vec<String> = self.lead.iter().cloned().collect();
        write(form, (self.node, &self.known), &self.path, (0, levels), &mut lines);
        (lines.join("\n"), levels)
    }
}

fn write(
    form: &Form,
    (node, known): (&Node, &Known),
    path: &str,
    (level, levels): (usize, usize),
    lines: &mut Vec<String>,
) {
    let Some(component) = presentation(node).filter(|shown| shown.kind != Kind::None) else {
        return;
    };
    let mut meta = vec![type_name(component.kind).to_owned()];
    if node.required {
        meta.push("required".to_owned());
    }
    if node.condition.is_some() || node.cases.iter().any(|case| case.condition.is_some()) {
        meta.push("conditional".to_owned());
    }
    meta.extend(constraints(node, component));
    meta.extend(component.items.as_ref().map(|items| match &items.source {
        Source::Fixed(items) => fixed_values(items),
        Source::Expression(_) | Source::Url { .. } => "suggestions".to_owned(),
    }));
    let mut line = format!("{}- {} ({})", "  ".repeat(level), shown(path), meta.join(", "));
    let label = component.label.as_ref().or(component.title.as_ref()).or(node.title.as_ref());
    if let Some(label) = label {
        line.push_str(" label=");
        line.push_str(&quoted(label));
    }
    lines.push(line);
    for variant in component.variants.iter().filter(|variant| variant.index.is_some()) {
        let index = variant.index.unwrap_or_default();
        lines.push(format!("{}- variant {index}: {}", "  ".repeat(level + 1), variant.title));
    }
    if levels == 0 {
        return;
    }
    let below = (level + 1, levels - 1);
    if let (Kind::List, Some(tree)) = (component.kind, node.trees.first()) {
        let item = form.layout().node(form.layout().tree(*tree).root);
        let known = form.concealed().any_item(known);
        write(form, (item, &known), &[path, "/0"].concat(), below, lines);
    }
    for child in &component.children {
        let child = form.layout().node(child.node);
        let path = [path, "/", &child.key].concat();
        if let Some(known) = form.concealed().child(known, child) {
            write(form, (child, &known), &path, below, lines);
        }
    }
}
