//! Rows as a Markdown table.

use hashbrown::HashMap;

use super::markdown::Page;
use crate::json::tree::{Member, Tree};
use crate::tool::graph::{Graph, Nodes};

/// Appends the objects of `items`, all described by `nodes`, as a table with the hints of its
/// columns. What is over the text limit is counted instead.
pub(super) fn write<'a>(page: &mut Page<'a>, items: &'a [Tree<'a>], nodes: &Nodes) {
    let rows: Vec<_> = items.iter().filter_map(Tree::as_object).collect();
    if rows.is_empty() {
        page.line(0);
        page.out.push_str("_(no rows)_");
        return;
    }
    let mut columns = Columns::of(page.graph, nodes, page.fields, &rows);
    if columns.shown().next().is_none() {
        page.line(0);
        page.out.push_str("_(rows without fields: ");
        page.out.push_str(&rows.len().to_string());
        page.out.push_str(")_");
        return;
    }
    header(page, &columns);
    body(page, &mut columns, &rows);
    for column in columns.shown() {
        if let Some(hint) = column.hint {
            page.line(0);
            page.out.push_str("> ");
            page.name(column.name);
            page.out.push_str(": ");
            page.note(hint);
        }
    }
}

fn header(page: &mut Page<'_>, columns: &Columns<'_>) {
    page.line(0);
    for column in columns.shown() {
        page.out.push_str("| ");
        page.name(column.name);
        page.out.push(' ');
    }
    page.out.push_str("|\n");
    page.out.extend(columns.shown().map(|_| "| --- "));
    page.out.push('|');
}

fn body<'a>(page: &mut Page<'a>, columns: &mut Columns<'a>, rows: &[&'a [Member<'a>]]) {
    let mut cells = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let start = page.out.len();
        columns.cells(row, &mut cells);
        page.line(0);
        for (cell, column) in cells.iter().zip(&columns.all).filter(|(_, column)| column.seen) {
            page.out.push_str("| ");
            if let Some(value) = cell {
                page.cell(value, &column.nodes);
            }
            page.out.push(' ');
        }
        page.out.push('|');
        if page.is_full() {
            page.out.truncate(start);
            page.drop_rows(rows.len() - index);
            return;
        }
    }
}

struct Column<'a> {
    name: &'a str,
    hint: Option<&'a str>,
    nodes: Nodes,
    /// Some row has it: only then it is shown.
    seen: bool,
}

/// The columns of a table, and where each member of a row goes.
///
/// Rows of one table mostly have the same members in the same order, so the place of a member is
/// first looked for where the same position of the row before led.
struct Columns<'a> {
    all: Vec<Column<'a>>,
    by_name: HashMap<&'a str, usize>,
    by_position: Vec<(&'a str, Option<usize>)>,
}

impl<'a> Columns<'a> {
    /// Known columns that some row has, in the order of the projection or else of the schema; then,
    /// without a projection, the others in the order they appear.
    fn of(
        graph: Graph<'a>,
        nodes: &Nodes,
        fields: Option<&'a [&'a str]>,
        rows: &[&'a [Member<'a>]],
    ) -> Self {
        let mut columns =
            Self { all: Vec::new(), by_name: HashMap::new(), by_position: Vec::new() };
        match fields {
            Some(fields) => fields.iter().for_each(|name| columns.add(graph, nodes, name)),
            None => graph.declared(nodes).for_each(|name| columns.add(graph, nodes, name)),
        }
        for row in rows {
            for (position, (name, _)) in row.iter().enumerate() {
                let name = &**name;
                let mut place = columns.place(name, position);
                if place.is_none() && fields.is_none() {
                    columns.add(graph, nodes, name);
                    place = columns.search(name, position);
                }
                if let Some(column) = place.and_then(|place| columns.all.get_mut(place)) {
                    column.seen = true;
                }
            }
        }
        columns
    }

    /// Adds a column unless its field is excluded.
    fn add(&mut self, graph: Graph<'a>, nodes: &Nodes, name: &'a str) {
        if self.by_name.contains_key(name) {
            return;
        }
        let member = graph.member(nodes, name, &mut 0);
        let place = if member.exclude { usize::MAX } else { self.all.len() };
        self.by_name.insert(name, place);
        if !member.exclude {
            self.all.push(Column { name, hint: member.hint, nodes: member.nodes, seen: false });
        }
    }

    fn shown(&self) -> impl Iterator<Item = &Column<'a>> {
        self.all.iter().filter(|column| column.seen)
    }

    /// The column of the member `name` at `position` of a row.
    fn place(&mut self, name: &'a str, position: usize) -> Option<usize> {
        match self.by_position.get(position) {
            Some((known, place)) if *known == name => *place,
            _ => self.search(name, position),
        }
    }

    /// Looks a column up by name and remembers the position.
    fn search(&mut self, name: &'a str, position: usize) -> Option<usize> {
        let place = self.by_name.get(name).copied();
        match self.by_position.get_mut(position) {
            Some(entry) => *entry = (name, place),
            None => self.by_position.push((name, place)),
        }
        place
    }

    /// Puts the values of `row` in the order of the columns.
    fn cells(&mut self, row: &'a [Member<'a>], cells: &mut Vec<Option<&'a Tree<'a>>>) {
        cells.clear();
        cells.resize(self.all.len(), None);
        for (position, (name, value)) in row.iter().enumerate() {
            let place = self.place(name, position);
            if let Some(cell) = place.and_then(|place| cells.get_mut(place)) {
                *cell = Some(value);
            }
        }
    }
}
