//! The syntax tree of an expression.

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expr {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    Name(String),
    /// Texts and holes in turn.
    Template(Vec<Expr>),
    Array(Vec<Element>),
    Object(Vec<Member>),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Conditional(Box<[Expr; 3]>),
    /// `object.key`, `object[key]`; with `?.` when optional.
    Member {
        object: Box<Expr>,
        key: Box<Expr>,
        optional: bool,
    },
    /// `callee(arguments)`; with `?.` when optional.
    Call {
        callee: Box<Expr>,
        arguments: Vec<Element>,
        optional: bool,
    },
    /// What a short-circuiting `?.` inside ends.
    Chain(Box<Expr>),
    Arrow(Vec<Pattern>, Box<Body>),
}

/// An element of an array or an argument, perhaps spread.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Element {
    pub(super) spread: bool,
    pub(super) value: Expr,
}

/// A member of an object literal.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Member {
    Spread(Expr),
    Entry(Expr, Expr),
}

/// What takes an argument or a constant.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Pattern {
    Name(String),
    /// `{ key, key: name }`: keys and names.
    Object(Vec<(String, String)>),
    /// `[a, b]`
    Array(Vec<String>),
}

/// The body of a function.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Body {
    Expression(Expr),
    Block(Vec<Statement>),
}

/// A statement of a function.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Statement {
    Constant(Pattern, Expr),
    Return(Option<Expr>),
    If(Expr, Vec<Statement>, Vec<Statement>),
}

/// Operators with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unary {
    Not,
    Minus,
    Plus,
    TypeOf,
    Void,
}

/// Operators with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Binary {
    Or,
    Nullish,
    And,
    Same,
    NotSame,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Binary {
    /// The operator and how strongly it binds.
    pub(super) fn parse(token: &str) -> Option<(Self, u8)> {
        Some(match token {
            "??" => (Self::Nullish, 1),
            "||" => (Self::Or, 1),
            "&&" => (Self::And, 2),
            "===" => (Self::Same, 3),
            "!==" => (Self::NotSame, 3),
            "==" => (Self::Equal, 3),
            "!=" => (Self::NotEqual, 3),
            "<" => (Self::Less, 4),
            "<=" => (Self::LessEqual, 4),
            ">" => (Self::Greater, 4),
            ">=" => (Self::GreaterEqual, 4),
            "in" => (Self::In, 4),
            "+" => (Self::Add, 5),
            "-" => (Self::Subtract, 5),
            "*" => (Self::Multiply, 6),
            "/" => (Self::Divide, 6),
            "%" => (Self::Remainder, 6),
            _ => return None,
        })
    }
}
