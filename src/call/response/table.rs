//! Rows as a Markdown table.

use hashbrown::HashMap;
use serde_json::{Map, Value};

use super::markdown::Page;
use crate::tool::graph::{Graph, Nodes};

/// Appends the objects of `items`, all described by `nodes`, as a table with the hints of its
/// columns. What is over the text limit is counted instead.
pub(super) fn write<'a>(page: &mut Page<'a>, items: &'a [Value], nodes: &Nodes) {
    let rows: Vec<_> = items.iter().filter_map(Value::as_object).collect();
    if rows.is_empty() {
        page.line(0);
        page.out.push_str("_(no rows)_");
        return;
    }
    let mut columns = Columns::of(page.graph, nodes, page.fields, &rows);
    if columns.shown.is_empty() {
        page.line(0);
        page.out.push_str("_(rows without fields: ");
        page.out.push_str(&rows.len().to_string());
        page.out.push_str(")_");
        return;
    }
    header(page, &columns);
    body(page, &mut columns, &rows);
    for column in &columns.shown {
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
    for column in &columns.shown {
        page.out.push_str("| ");
        page.name(column.name);
        page.out.push(' ');
    }
    page.out.push_str("|\n");
    page.out.extend(std::iter::repeat_n("| --- ", columns.shown.len()));
    page.out.push('|');
}

fn body<'a>(page: &mut Page<'a>, columns: &mut Columns<'a>, rows: &[&'a Map<String, Value>]) {
    let mut cells = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let start = page.out.len();
        columns.cells(row, &mut cells);
        page.line(0);
        for (cell, column) in cells.iter().zip(&columns.shown) {
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
    seen: bool,
}

/// The columns of a table, and where each member of a row goes.
///
/// Rows of one table mostly have the same members in the same order, so the place of a member is
/// first looked for where the same position of the row before led.
struct Columns<'a> {
    shown: Vec<Column<'a>>,
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
        rows: &[&'a Map<String, Value>],
    ) -> Self {
        let mut columns =
            Self { shown: Vec::new(), by_name: HashMap::new(), by_position: Vec::new() };
        match fields {
            Some(fields) => fields.iter().for_each(|name| columns.add(graph, nodes, name)),
            None => graph.declared(nodes).for_each(|name| columns.add(graph, nodes, name)),
        }
        for row in rows {
            for (position, name) in row.keys().enumerate() {
                let name = name.as_str();
                let mut place = columns.place(name, position);
                if place.is_none() && fields.is_none() {
                    columns.add(graph, nodes, name);
                    place = columns.search(name, position);
                }
                if let Some(column) = place.and_then(|place| columns.shown.get_mut(place)) {
                    column.seen = true;
                }
            }
        }
        columns.keep_seen()
    }

    /// Adds a column unless its field is excluded.
    fn add(&mut self, graph: Graph<'a>, nodes: &Nodes, name: &'a str) {
        if self.by_name.contains_key(name) {
            return;
        }
        let member = graph.member(nodes, name, &mut 0);
        let place = if member.exclude { usize::MAX } else { self.shown.len() };
        self.by_name.insert(name, place);
        if !member.exclude {
            self.shown.push(Column { name, hint: member.hint, nodes: member.nodes, seen: false });
        }
    }

    fn keep_seen(mut self) -> Self {
        self.shown.retain(|column| column.seen);
        self.by_name = self.shown.iter().enumerate().map(|(i, c)| (c.name, i)).collect();
        self.by_position.clear();
        self
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
    fn cells(&mut self, row: &'a Map<String, Value>, cells: &mut Vec<Option<&'a Value>>) {
        cells.clear();
        cells.resize(self.shown.len(), None);
        for (position, (name, value)) in row.iter().enumerate() {
            let place = self.place(name, position);
            if let Some(cell) = place.and_then(|place| cells.get_mut(place)) {
                *cell = Some(value);
            }
        }
    }
}
