//! Presentations of a node: component, texts, item lists, settings.

use serde_json::Value;

use super::NodeId;
use crate::editor::expression::Expression;

/// How a node is presented.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Component {
    /// The component.
    pub kind: Kind,
    /// Label of a field: title, else key. `None` for composites, lists, slots, variants.
    pub label: Option<String>,
    /// Title of a composite or list; `None` when it has none.
    pub title: Option<String>,
    /// Help as plain text, in one line.
    pub help: Option<String>,
    /// Children that are shown, in order; composites only.
    pub children: Vec<Child>,
    /// Where the values to choose from come from.
    pub items: Option<Items>,
    /// Whether several items can be chosen.
    pub multiple: bool,
    /// What joins several choices in one string.
    pub separator: Option<String>,
    /// Attributes of the component to show (`min`, `max`, `step`, `precision`, `format`,
    /// `separator`), in this order.
    pub attributes: Vec<(&'static str, Value)>,
    /// Settings for this node and what is below it.
    pub options: Options,
    /// Settings that depend on the data: an object with the keys of [`Options::read`].
    pub get_options: Option<Expression>,
    /// Value that fills an empty field.
    pub default: Option<Value>,
    /// Value that fills an empty field, before `default`.
    pub get_default: Option<Expression>,
    /// Value that the field is forced to.
    pub get_const: Option<Expression>,
    /// What becomes of a value that is entered; nothing when the result is falsy.
    pub transform: Option<Expression>,
    /// Settings of a list.
    pub list: Option<List>,
    /// Variants to choose from, for [`Kind::OneOfSelect`].
    pub variants: Vec<Variant>,
    /// Whether choosing another variant deletes the members of the former one.
    pub empty_data: bool,
}

/// Components; names as schemas write them (`text-field`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// Hidden; the data is kept.
    #[default]
    None,
    /// Text between the fields.
    Slot,
    /// Fields under a title.
    Section,
    /// Sections side by side.
    Tabs,
    /// Sections side by side.
    VerticalTabs,
    /// Sections that open.
    ExpansionPanels,
    /// Sections one after the other.
    Stepper,
    /// Fields under a title.
    Card,
    /// A composite that is drawn by the host application.
    CompositeSlot,
    /// An array whose items are edited one by one, or the entries of a map.
    List,
    /// One line of text.
    TextField,
    /// Several lines of text.
    Textarea,
    /// A number.
    NumberField,
    /// A boolean.
    Checkbox,
    /// A boolean.
    Switch,
    /// A number in a range.
    Slider,
    /// A date.
    DatePicker,
    /// A date with time.
    DateTimePicker,
    /// A time.
    TimePicker,
    /// A color.
    ColorPicker,
    /// One or several of a list.
    Select,
    /// One or several of a long or remote list.
    Autocomplete,
    /// Text, with proposals.
    Combobox,
    /// A number, with proposals.
    NumberCombobox,
    /// Several of a short list.
    CheckboxGroup,
    /// Several of a short list.
    SwitchGroup,
    /// One of a short list.
    RadioGroup,
    /// A file; cannot be filled by an agent.
    FileInput,
    /// Selects the variant of an object.
    OneOfSelect,
}

/// All components with their names.
const KINDS: &[(Kind, &str)] = &[
    (Kind::None, "none"),
    (Kind::Slot, "slot"),
    (Kind::Section, "section"),
    (Kind::Tabs, "tabs"),
    (Kind::VerticalTabs, "vertical-tabs"),
    (Kind::ExpansionPanels, "expansion-panels"),
    (Kind::Stepper, "stepper"),
    (Kind::Card, "card"),
    (Kind::CompositeSlot, "composite-slot"),
    (Kind::List, "list"),
    (Kind::TextField, "text-field"),
    (Kind::Textarea, "textarea"),
    (Kind::NumberField, "number-field"),
    (Kind::Checkbox, "checkbox"),
    (Kind::Switch, "switch"),
    (Kind::Slider, "slider"),
    (Kind::DatePicker, "date-picker"),
    (Kind::DateTimePicker, "date-time-picker"),
    (Kind::TimePicker, "time-picker"),
    (Kind::ColorPicker, "color-picker"),
    (Kind::Select, "select"),
    (Kind::Autocomplete, "autocomplete"),
    (Kind::Combobox, "combobox"),
    (Kind::NumberCombobox, "number-combobox"),
    (Kind::CheckboxGroup, "checkbox-group"),
    (Kind::SwitchGroup, "switch-group"),
    (Kind::RadioGroup, "radio-group"),
    (Kind::FileInput, "file-input"),
    (Kind::OneOfSelect, "one-of-select"),
];

impl Kind {
    /// The component of this name.
    pub fn parse(name: &str) -> Option<Self> {
        KINDS.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }

    /// The name of the component.
    pub fn name(self) -> &'static str {
        KINDS.iter().find(|(kind, _)| *kind == self).map_or("none", |(_, name)| name)
    }

    /// Whether it arranges children and holds no value of its own.
    pub fn is_composite(self) -> bool {
        matches!(
            self,
            Self::CompositeSlot
                | Self::Section
                | Self::Tabs
                | Self::VerticalTabs
                | Self::ExpansionPanels
                | Self::Stepper
                | Self::Card
        )
    }

    /// Whether its values come from [`Component::items`].
    pub fn has_items(self) -> bool {
        matches!(
            self,
            Self::List
                | Self::Select
                | Self::Autocomplete
                | Self::Combobox
                | Self::NumberCombobox
                | Self::CheckboxGroup
                | Self::SwitchGroup
                | Self::RadioGroup
        )
    }
}

/// A child that a composite shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Child {
    /// The child, one of the schema or a group (`$comp-1`) or slot (`$slot-1`) of the layout.
    pub node: NodeId,
    /// When it is shown, in addition to its own conditions; a failing expression counts as false.
    pub condition: Option<Expression>,
}

/// A variant to choose.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    /// Index in `oneOf`, and in the node's `trees`; `None` for a heading.
    pub index: Option<usize>,
    /// Its title.
    pub title: String,
}

/// The values that a field is chosen from.
#[derive(Debug, Clone, PartialEq)]
pub struct Items {
    /// Where they come from.
    pub source: Source,
    /// Finds the list in the answer of [`Source::Url`] or in the value of [`Source::Expression`]
    /// (alias `body`).
    pub results: Option<Expression>,
    /// Key of an item (alias `item`).
    pub key: Option<Expression>,
    /// Title of an item (alias `item`).
    pub title: Option<Expression>,
    /// Value of an item (alias `item`).
    pub value: Option<Expression>,
    /// Whether an item itself is the value, when neither `value` nor a member `value` is there.
    pub return_objects: bool,
}

/// Where items come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// They are known.
    Fixed(Vec<Item>),
    /// An array, or an object with the `results`.
    Expression(Expression),
    /// An HTTP resource.
    Url {
        /// Template of the URL; may contain `{q}`, the query.
        url: Expression,
        /// Templates of query parameters to set; one that fails is left out.
        search_params: Vec<(String, Expression)>,
        /// Templates of headers to send; one that fails is left out.
        headers: Vec<(String, Expression)>,
        /// Name of the query parameter that takes the query.
        search_param: Option<String>,
    },
}

/// A known item.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Identifies it.
    pub key: String,
    /// What is shown.
    pub title: String,
    /// What is chosen; `None` for a heading.
    pub value: Option<Value>,
}

/// Settings of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct List {
    /// How items are edited.
    pub edit_mode: EditMode,
    /// What can be done with the items.
    pub actions: Vec<Action>,
    /// Title of an item (alias `item`).
    pub item_title: Option<Expression>,
}

/// How items of a list are edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditMode {
    /// All of them in place.
    Inline,
    /// One at a time, in place.
    InlineSingle,
    /// One at a time, in a menu.
    Menu,
    /// One at a time, in a dialog.
    Dialog,
}

/// What can be done with items of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Append or insert one.
    Add,
    /// Change one.
    Edit,
    /// Remove one.
    Delete,
    /// Move one.
    Sort,
    /// Copy one.
    Duplicate,
}

/// Settings that a node passes on to what is below it; `None`: as the parent's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Values are shown and not changed.
    pub read_only: Option<bool>,
    /// Only a summary is shown.
    pub summary: Option<bool>,
    /// Which undeclared members are removed.
    pub removal: Option<Removal>,
    /// When defaults apply.
    pub default_on: Option<Mode>,
    /// What becomes of read-only properties.
    pub read_only_properties: Option<Mode>,
}

/// Which undeclared members are removed (`removeAdditional`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// None.
    Never,
    /// Those that the schema forbids; the default.
    Errors,
    /// All of them.
    Unknown,
}

/// Value of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// `never`
    Never,
    /// `missing`: no value at all.
    Missing,
    /// `empty`: no value, or an empty one; the default of `defaultOn`.
    Empty,
    /// `show`; the default of `readOnlyPropertiesMode`.
    Show,
    /// `hide`
    Hide,
    /// `remove`
    Remove,
}

impl Options {
    /// Reads `readOnly`, `summary`, `removeAdditional`, `defaultOn` and `readOnlyPropertiesMode`;
    /// what is not one of their values is ignored.
    pub fn read(value: &Value) -> Self {
        Self {
            read_only: value.get("readOnly").and_then(Value::as_bool),
            summary: value.get("summary").and_then(Value::as_bool),
            removal: value.get("removeAdditional").and_then(Removal::read),
            default_on: value.get("defaultOn").and_then(Mode::read),
            read_only_properties: value.get("readOnlyPropertiesMode").and_then(Mode::read),
        }
    }

    /// These settings over those of the parent.
    #[must_use]
    pub fn over(self, parent: Self) -> Self {
        Self {
            read_only: self.read_only.or(parent.read_only),
            summary: self.summary.or(parent.summary),
            removal: self.removal.or(parent.removal),
            default_on: self.default_on.or(parent.default_on),
            read_only_properties: self.read_only_properties.or(parent.read_only_properties),
        }
    }
}

impl Removal {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(true) => Some(Self::Unknown),
            Value::Bool(false) => Some(Self::Never),
            Value::String(text) => match text.as_str() {
                "unknown" => Some(Self::Unknown),
                "error" => Some(Self::Errors),
                "none" => Some(Self::Never),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Mode {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(false) => Some(Self::Never),
            Value::Bool(true) => Some(Self::Empty),
            Value::String(text) => match text.as_str() {
                "never" => Some(Self::Never),
                "missing" => Some(Self::Missing),
                "empty" => Some(Self::Empty),
                "show" => Some(Self::Show),
                "hide" => Some(Self::Hide),
                "remove" => Some(Self::Remove),
                _ => None,
            },
            _ => None,
        }
    }
}
