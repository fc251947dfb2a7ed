use std::fmt::Write as _;
use std::path::Path;

use super::*;
use crate::editor::prepare::prepare;

#[track_caller]
pub(super) fn layout(schema: &Value) -> Layout {
    compile(schema, &CompileOptions::default()).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// The nodes as lines: path, component, and what else there is to say.
fn outline(layout: &Layout) -> String {
    let mut out = String::new();
    node(layout, layout.root().root, "", 0, &mut out);
    out
}

fn node(layout: &Layout, id: NodeId, path: &str, depth: usize, out: &mut String) {
    let node_ = layout.node(id);
    let path = if depth == 0 { String::new() } else { format!("{path}/{}", node_.key) };
    for case in &node_.cases {
        let component = &case.component;
        write!(out, "{path}: {}", component.kind.name()).unwrap();
        for (flag, is_set) in [
            (" required", node_.required),
            (" nullable", node_.nullable),
            (" recursive", node_.recursive),
            (" multiple", component.multiple),
            (" readOnly", component.options.read_only == Some(true)),
        ] {
            out.push_str(if is_set { flag } else { "" });
        }
        for (name, value) in component.attributes.iter().chain(&node_.constraints) {
            write!(out, " {name}={value}").unwrap();
        }
        for (name, text) in
            [("label", &component.label), ("title", &component.title), ("help", &component.help)]
        {
            text.iter().for_each(|text| write!(out, " {name}={text:?}").unwrap());
        }
        component.default.iter().for_each(|value| write!(out, " default={value}").unwrap());
        case.condition.iter().for_each(|e| write!(out, " if={:?}", e.source()).unwrap());
        component.items.iter().for_each(|items| out.push_str(&shown(&items.source)));
        node_.condition.iter().for_each(|condition| write!(out, " {condition:?}").unwrap());
        out.push('\n');
    }
    if node_.cases.is_empty() {
        writeln!(out, "{path}: hidden").unwrap();
    }
    if depth > 8 {
        return;
    }
    let mut children: Vec<NodeId> = node_
        .cases
        .iter()
        .flat_map(|case| case.component.children.iter().map(|child| child.node))
        .collect();
    children.dedup();
    for child in children {
        node(layout, child, &path, depth + 1, out);
    }
    for tree in node_.trees.iter().map(|id| layout.tree(*id)) {
        let tag = tree.tag.as_ref().map(|tag| format!(" {tag}")).unwrap_or_default();
        writeln!(out, "{path} → {}{tag}", tree.pointer).unwrap();
        node(layout, tree.root, &path, depth + 1, out);
    }
}

fn shown(source: &Source) -> String {
    match source {
        Source::Fixed(items) => {
            let titles: Vec<_> = items.iter().map(|item| item.title.as_str()).collect();
            format!(" [{}]", titles.join(", "))
        }
        Source::Expression(expression) => format!(" from `{}`", expression.source()),
        Source::Url { url, .. } => format!(" at `{}`", url.source()),
    }
}

#[test]
fn every_recorded_schema_compiles() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden-editor");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let vector = crate::json::parse(&std::fs::read(&path).unwrap()).unwrap();
        let Some(schema) = vector.get("schema") else { continue };
        let is_prepared = vector["prepareSchema"] == true;
        let schema = if is_prepared { prepare(schema) } else { schema.clone() };
        let layout = layout(&schema);
        assert!(!layout.node(layout.root().root).children.is_empty(), "{}", path.display());
        for finding in layout.findings() {
            assert!(finding.message.contains("`markdown` is not a component"), "{finding}");
        }
        if std::env::var("OUTLINE").is_ok() {
            println!("== {}\n{}", path.display(), outline(&layout));
        }
        count += 1;
    }
    assert_eq!(count, 22);
}
