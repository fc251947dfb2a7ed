//! Chooses how a node is presented.

use serde_json::{Map, Value};

use super::build::Builder;
use super::fragment::Fragment;
use super::items::closed;
use super::read::Settings;
use super::{
    Action, Case, Component, EditMode, Kind, List, Node, Options, Place, Type, Variant, help,
};
use crate::json::Pointer;

/// Longer lists are searched instead of shown.
const MAX_SHOWN: usize = 20;

/// Settings that may stand in a layout itself instead of its `options`.
const OPTIONS: [&str; 5] =
    ["readOnly", "summary", "removeAdditional", "defaultOn", "readOnlyPropertiesMode"];

impl<'s> Builder<'s> {
    /// The presentations of a node, by the keyword that holds its layout; `is_asked`: its parent
    /// requires it.
    pub(super) fn cases(
        &mut self,
        node: &Node,
        fragment: &Fragment<'s>,
        keyword: &str,
        is_asked: bool,
    ) -> Vec<Case> {
        let Some(data_type) = node.data_type.filter(|_| node.constant.is_none()) else {
            return Vec::new();
        };
        let (at, layout) = match fragment.find(keyword) {
            Some((at, layout)) => (at, Some(layout)),
            None => (fragment.at().join(keyword), None),
        };
        let maker = Maker { node, fragment, data_type, is_asked };
        if let Some(Value::Array(cases)) = layout.and_then(|layout| layout.get("switch")) {
            let at = at.join("switch");
            let cases = cases.iter().enumerate();
            return cases
                .map(|(index, case)| self.case(maker, Some(case), &at.join(index)))
                .collect();
        }
        vec![self.case(maker, layout, &at)]
    }

    fn case(&mut self, maker: Maker<'_, 's>, layout: Option<&'s Value>, at: &Pointer) -> Case {
        let (component, children) = match layout {
            Some(Value::String(name)) => (Some(name.as_str()), None),
            Some(Value::Array(_)) => (None, layout),
            Some(Value::Object(map)) => {
                (map.get("comp").and_then(Value::as_str), map.get("children"))
            }
            Some(Value::Null | Value::Bool(_) | Value::Number(_)) => {
                self.finding(at, "the layout is ignored: expected a component's name or an object");
                (None, None)
            }
            None => (None, None),
        };
        let settings = Settings { at, values: layout.and_then(Value::as_object) };
        let named = component.and_then(Kind::parse);
        if let (Some(name), None) = (component, named) {
            let name: String = name.chars().filter(|c| !c.is_control()).take(50).collect();
            self.finding(at, format!("`{name}` is not a component, so the usual one is used"));
        }
        let kind = maker.kind(named, settings);
        let condition = self.setting(settings, "if", None);
        let component = self.component(maker, kind, settings, children);
        Case { condition, component }
    }

    fn component(
        &mut self,
        maker: Maker<'_, 's>,
        kind: Kind,
        settings: Settings<'s, '_>,
        children: Option<&'s Value>,
    ) -> Component {
        let Maker { node, fragment, data_type, .. } = maker;
        let mut component = Component {
            kind,
            options: options(fragment, settings),
            default: maker.default(kind),
            get_options: self.setting(settings, "getOptions", None),
            get_default: self.setting(settings, "getDefaultData", None),
            get_const: self.setting(settings, "getConstData", None),
            transform: self.setting(settings, "transformData", Some("value")),
            separator: settings.text("separator").map(str::to_owned),
            ..Component::default()
        };
        maker.texts(&mut component, settings);
        if kind.has_items() {
            component.items = self.items(fragment, data_type, settings);
            component.multiple = data_type == Type::Array || component.separator.is_some();
        }
        component.attributes = maker.attributes(&component, settings);
        match kind {
            Kind::List => component.list = Some(self.list(maker, &component, settings)),
            Kind::OneOfSelect => {
                component.variants = variants(fragment, settings);
                component.empty_data = settings.get("emptyData") == Some(&Value::Bool(true));
            }
            kind if kind.is_composite() => {
                component.children = self.arrange(node, children, settings.at);
            }
            _ => {}
        }
        component
    }

    fn list(
        &mut self,
        maker: Maker<'_, 's>,
        component: &Component,
        settings: Settings<'s, '_>,
    ) -> List {
        let last = match maker.data_type {
            Type::Object => maker.fragment.map("patternProperties").pop().map(|(_, entry)| entry),
            _ => maker.fragment.one("items"),
        };
        let holds_objects = last.is_some_and(|item| item.data_type() == Some(Type::Object));
        let edit_mode = match settings.text("listEditMode") {
            Some("inline") => EditMode::Inline,
            Some("inline-single") => EditMode::InlineSingle,
            Some("menu") => EditMode::Menu,
            Some("dialog") => EditMode::Dialog,
            _ if holds_objects => EditMode::InlineSingle,
            _ => EditMode::Inline,
        };
        let actions = match settings.get("listActions") {
            Some(Value::Array(names)) => names.iter().filter_map(action).collect(),
            _ if component.items.is_some() => vec![Action::Edit],
            _ => vec![Action::Add, Action::Edit, Action::Delete, Action::Sort, Action::Duplicate],
        };
        List { edit_mode, actions, item_title: self.setting(settings, "itemTitle", Some("item")) }
    }
}

fn action(name: &Value) -> Option<Action> {
    Some(match name.as_str()? {
        "add" => Action::Add,
        "edit" => Action::Edit,
        "delete" => Action::Delete,
        "sort" => Action::Sort,
        "duplicate" => Action::Duplicate,
        _ => return None,
    })
}

fn options(fragment: &Fragment<'_>, settings: Settings<'_, '_>) -> Options {
    let own: Map<String, Value> = OPTIONS
        .into_iter()
        .filter_map(|key| Some((key.to_owned(), settings.get(key)?.clone())))
        .collect();
    let mut options = Options::read(&Value::Object(own));
    if let Some(given) = settings.get("options") {
        options = Options::read(given).over(options);
    }
    if fragment.get("readOnly") == Some(&Value::Bool(true)) {
        options.read_only.get_or_insert(true);
    }
    options
}

/// The variants to choose from: those listed by the layout, else all.
fn variants(fragment: &Fragment<'_>, settings: Settings<'_, '_>) -> Vec<Variant> {
    let titles: Vec<String> = fragment
        .list("oneOf")
        .iter()
        .enumerate()
        .map(|(index, branch)| match branch.text("title") {
            Some(title) => title.to_owned(),
            None => format!("option {}", index + 1),
        })
        .collect();
    let Some(Value::Array(listed)) = settings.get("oneOfItems") else {
        let titles = titles.into_iter().enumerate();
        return titles.map(|(index, title)| Variant { index: Some(index), title }).collect();
    };
    let listed = listed.iter().filter_map(|item| {
        let given = item.get("title").and_then(Value::as_str).map(str::to_owned);
        if item.get("header") == Some(&Value::Bool(true)) {
            return Some(Variant { index: None, title: given.unwrap_or_default() });
        }
        let key = item.get("key").unwrap_or(item);
        let index = match key {
            Value::String(digits) => digits.parse().ok()?,
            key => usize::try_from(key.as_u64()?).ok()?,
        };
        let usual = titles.get(index)?;
        Some(Variant { index: Some(index), title: given.unwrap_or_else(|| usual.clone()) })
    });
    listed.collect()
}

/// What a component is made for.
#[derive(Debug, Clone, Copy)]
struct Maker<'n, 's> {
    node: &'n Node,
    fragment: &'n Fragment<'s>,
    data_type: Type,
    /// Whether its parent requires it, also when it may be `null`.
    is_asked: bool,
}

impl Maker<'_, '_> {
    fn is_union(self) -> bool {
        self.node.place == Place::Same && self.node.key == "$oneOf"
    }

    fn is_map(self) -> bool {
        self.node.place == Place::Same && self.node.key == "$patternProperties"
    }

    fn kind(self, named: Option<Kind>, settings: Settings<'_, '_>) -> Kind {
        let is_bare_array = self.data_type == Type::Array
            && self.fragment.get("items").is_none()
            && self.fragment.get("prefixItems").is_none();
        if is_bare_array && named != Some(Kind::FileInput) && settings.get("items").is_none() {
            return Kind::None;
        }
        let slots = settings.get("slots");
        if let Some(kind) = named {
            return kind;
        }
        if slots.is_some_and(|slots| slots.get("component").is_some()) {
            return Kind::Slot;
        }
        if slots.is_some_and(|slots| slots.get("compositeComponent").is_some()) {
            return Kind::CompositeSlot;
        }
        if self.is_union() {
            return Kind::OneOfSelect;
        }
        if self.is_map() {
            return Kind::List;
        }
        self.usual(settings)
    }

    fn usual(self, settings: Settings<'_, '_>) -> Kind {
        let own = closed(self.fragment);
        if let Some(closed) = own.as_ref().filter(|closed| !closed.is_open) {
            return list_kind(closed.items.len());
        }
        if own.is_some() {
            return combobox(self.data_type);
        }
        if self.data_type == Type::String && settings.get("separator").is_some() {
            return Kind::Combobox;
        }
        if let Some(Value::Array(items)) = settings.get("items") {
            return list_kind(items.len());
        }
        if let Some(get) = settings.get("getItems") {
            return if is_searched(get) { Kind::Autocomplete } else { Kind::Select };
        }
        match self.data_type {
            Type::Object => Kind::Section,
            Type::Array => self.array_kind(),
            Type::String => match self.fragment.text("format") {
                Some("date") => Kind::DatePicker,
                Some("date-time") => Kind::DateTimePicker,
                Some("time") => Kind::TimePicker,
                _ => Kind::TextField,
            },
            Type::Integer | Type::Number => Kind::NumberField,
            Type::Boolean => Kind::Checkbox,
        }
    }

    fn array_kind(self) -> Kind {
        if self.fragment.get("prefixItems").is_some() {
            return Kind::Section;
        }
        let Some(item) = self.fragment.one("items") else { return Kind::None };
        let Some(item_type) = item.data_type() else { return Kind::List };
        if !matches!(item_type, Type::String | Type::Integer | Type::Number) {
            return Kind::List;
        }
        let is_time = matches!(item.text("format"), Some("date" | "date-time" | "time"));
        match closed(&item) {
            Some(closed) if closed.is_open => combobox(item_type),
            Some(closed) => list_kind(closed.items.len()),
            None if item.get("layout").is_none() && !is_time => combobox(item_type),
            None => Kind::List,
        }
    }

    fn default(self, kind: Kind) -> Option<Value> {
        if let Some(default) = self.fragment.get("default") {
            return Some(default.clone());
        }
        if self.is_union() {
            let empty = Value::Object(Map::new());
            return Some(if self.node.nullable { Value::Null } else { empty });
        }
        let is_document = self.node.pointers.first().is_some_and(String::is_empty);
        if self.node.place == Place::Root && is_document && self.data_type == Type::String {
            return Some("".into());
        }
        match self.data_type {
            _ if !self.is_asked => None,
            _ if self.node.nullable => Some(Value::Null),
            Type::Object if kind.is_composite() => Some(Value::Object(Map::new())),
            Type::Array => Some(Value::Array(Vec::new())),
            Type::Boolean => Some(Value::Bool(false)),
            _ => None,
        }
    }

    fn texts(self, component: &mut Component, settings: Settings<'_, '_>) {
        let kind = component.kind;
        let title = self.fragment.text("title");
        let given = |key: &str| settings.text(key).map(str::to_owned);
        if kind.is_composite() || kind == Kind::List {
            let is_of_map = self.data_type == Type::Object
                && !self.is_map()
                && self.fragment.get("patternProperties").is_some()
                && self.fragment.get("properties").is_none();
            component.title = match settings.get("title") {
                Some(title) => title.as_str().filter(|title| !title.is_empty()).map(str::to_owned),
                None if is_of_map => None,
                None if kind == Kind::List => Some(title.unwrap_or(&self.node.key).to_owned()),
                None => title.map(str::to_owned),
            };
        } else if !matches!(kind, Kind::None | Kind::Slot) {
            let usual = if self.is_union() { None } else { Some(title.unwrap_or(&self.node.key)) };
            component.label = given("label").or(usual.map(str::to_owned));
        }
        let is_subtitle = kind.is_composite() && component.title.is_some();
        let description = self.fragment.text("description");
        let description = description.filter(|_| !is_subtitle && !self.is_union());
        let help = settings.text("help").or(description).map(help::plain);
        component.help = help.filter(|help| !help.is_empty());
    }

    fn attributes(
        self,
        component: &Component,
        settings: Settings<'_, '_>,
    ) -> Vec<(&'static str, Value)> {
        let is_integer = self.data_type == Type::Integer;
        let limit = |key: &'static str, keyword: &str| {
            let value = settings.get(key).or_else(|| self.fragment.get(keyword))?;
            Some((key, value.clone()))
        };
        let fixed = |key: &'static str, usual: Option<u8>| {
            let value = settings.get(key).cloned().or_else(|| usual.map(Value::from))?;
            Some((key, value))
        };
        let step = fixed("step", is_integer.then_some(1));
        let attributes = match component.kind {
            Kind::NumberField => vec![
                limit("min", "minimum"),
                limit("max", "maximum"),
                step,
                fixed("precision", is_integer.then_some(0)),
            ],
            Kind::Slider => vec![limit("min", "minimum"), limit("max", "maximum"), step],
            Kind::DatePicker => vec![
                limit("min", "formatMinimum"),
                limit("max", "formatMaximum"),
                Some(("format", settings.get("format").cloned().unwrap_or("date".into()))),
            ],
            Kind::DateTimePicker | Kind::TimePicker => {
                vec![limit("min", "formatMinimum"), limit("max", "formatMaximum")]
            }
            Kind::Combobox => {
                vec![component.separator.clone().map(|text| ("separator", text.into()))]
            }
            _ => Vec::new(),
        };
        attributes.into_iter().flatten().collect()
    }
}

fn list_kind(length: usize) -> Kind {
    if length > MAX_SHOWN { Kind::Autocomplete } else { Kind::Select }
}

fn combobox(data_type: Type) -> Kind {
    match data_type {
        Type::Integer | Type::Number => Kind::NumberCombobox,
        _ => Kind::Combobox,
    }
}

/// Whether an item list takes a query.
fn is_searched(get: &Value) -> bool {
    let url = get.get("url");
    let template = url.and_then(|url| url.as_str().or_else(|| url.get("expr")?.as_str()));
    get.get("qSearchParam").is_some() || template.is_some_and(|url| url.contains("{q}"))
}
