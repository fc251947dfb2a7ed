//! Parses expressions by operator precedence.

use super::lexer::{self, Token};
use super::syntax::{Binary, Body, Element, Expr, Member, Pattern, Statement, Unary};

/// Longest expression in bytes.
pub(super) const MAX_LENGTH: usize = 10_000;
/// Most tokens of one expression.
const MAX_TOKENS: usize = 2_000;
/// Deepest nesting of brackets, functions and operators.
const MAX_DEPTH: usize = 48;

/// Why an expression cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault {
    /// Byte in the text.
    pub(super) at: usize,
    /// What is there.
    pub(super) what: &'static str,
}

impl Fault {
    pub(super) fn new(at: usize, what: &'static str) -> Self {
        Self { at, what }
    }
}

/// Parses a whole text as one expression.
pub(super) fn expression(text: &str) -> Result<Expr, Fault> {
    let mut parser = Parser::new(text)?;
    parser.advance()?;
    let expr = parser.assignment()?;
    // a final semicolon does no harm
    if parser.is(";") {
        parser.advance()?;
    }
    parser.finish()?;
    Ok(expr)
}

/// Parses a whole text as the inside of a template literal.
pub(super) fn template(text: &str) -> Result<Expr, Fault> {
    Parser::new(text)?.template(None)
}

/// Parses a whole text as the body of a function.
pub(super) fn function(text: &str) -> Result<Vec<Statement>, Fault> {
    let mut parser = Parser::new(text)?;
    parser.advance()?;
    let mut statements = Vec::new();
    while parser.token != Token::End {
        parser.statement(&mut statements)?;
    }
    Ok(statements)
}

struct Parser<'t> {
    text: &'t str,
    /// Where the current token starts.
    start: usize,
    /// Where it ends.
    at: usize,
    token: Token<'t>,
    depth: usize,
    tokens: usize,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Result<Self, Fault> {
        if text.len() > MAX_LENGTH {
            return Err(Fault::new(MAX_LENGTH, "more text than an expression may have"));
        }
        Ok(Self { text, start: 0, at: 0, token: Token::End, depth: 0, tokens: 0 })
    }

    fn advance(&mut self) -> Result<(), Fault> {
        self.tokens += 1;
        if self.tokens > MAX_TOKENS {
            return Err(self.fault("more parts than an expression may have"));
        }
        let mut at = self.at;
        self.token = lexer::token(self.text, &mut at)?;
        self.start = self.at;
        self.at = at;
        Ok(())
    }

    fn fault(&self, what: &'static str) -> Fault {
        let rest = self.text.get(self.start..).unwrap_or_default();
        Fault::new(self.start + rest.len() - rest.trim_start().len(), what)
    }

    fn finish(&self) -> Result<(), Fault> {
        match self.token {
            Token::End => Ok(()),
            _ => Err(self.fault("something after the end of the expression")),
        }
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.token, Token::Sign(s) if s == sign)
    }

    fn is_name(&self, name: &str) -> bool {
        matches!(self.token, Token::Name(n) if n == name)
    }

    fn take(&mut self, sign: &str) -> Result<bool, Fault> {
        let is = self.is(sign);
        if is {
            self.advance()?;
        }
        Ok(is)
    }

    fn expect(&mut self, sign: &str) -> Result<(), Fault> {
        if self.take(sign)? { Ok(()) } else { Err(self.fault("not the bracket or sign expected")) }
    }

    /// Does `work` one level deeper.
    fn deeper<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.fault("deeper nesting than an expression may have"));
        }
        let result = work(self);
        self.depth -= 1;
        result
    }

    /// An arrow function or a conditional expression.
    fn assignment(&mut self) -> Result<Expr, Fault> {
        self.deeper(|parser| {
            if let Some(arrow) = parser.arrow()? {
                return Ok(arrow);
            }
            let condition = parser.binary(0)?;
            if !parser.take("?")? {
                return Ok(condition);
            }
            let then = parser.assignment()?;
            parser.expect(":")?;
            let otherwise = parser.assignment()?;
            Ok(Expr::Conditional(Box::new([condition, then, otherwise])))
        })
    }

    fn binary(&mut self, least: u8) -> Result<Expr, Fault> {
        let mut left = self.unary()?;
        loop {
            let operator = match self.token {
                Token::Sign(sign) => Binary::parse(sign),
                Token::Name("in") => Binary::parse("in"),
                _ => None,
            };
            let Some((operator, strength)) = operator.filter(|(_, s)| *s > least) else {
                return Ok(left);
            };
            self.advance()?;
            let right = self.deeper(|parser| parser.binary(strength))?;
            left = Expr::Binary(operator, Box::new(left), Box::new(right));
        }
    }

    fn unary(&mut self) -> Result<Expr, Fault> {
        let operator = match self.token {
            Token::Sign("!") => Unary::Not,
            Token::Sign("-") => Unary::Minus,
            Token::Sign("+") => Unary::Plus,
            Token::Name("typeof") => Unary::TypeOf,
            Token::Name("void") => Unary::Void,
            _ => return self.chain(),
        };
        self.advance()?;
        let operand = self.deeper(Self::unary)?;
        Ok(Expr::Unary(operator, Box::new(operand)))
    }

    /// Member accesses and calls.
    fn chain(&mut self) -> Result<Expr, Fault> {
        let mut expr = self.primary()?;
        let mut short_circuits = false;
        loop {
            let optional = self.take("?.")?;
            short_circuits |= optional;
            expr = match self.token {
                Token::Sign("(") => {
                    let arguments = self.elements(")")?;
                    Expr::Call { callee: Box::new(expr), arguments, optional }
                }
                Token::Sign("[") => {
                    self.advance()?;
                    let key = self.assignment()?;
                    self.expect("]")?;
                    Expr::Member { object: Box::new(expr), key: Box::new(key), optional }
                }
                Token::Sign(".") if !optional => {
                    self.advance()?;
                    self.named_member(expr, false)?
                }
                _ if optional => self.named_member(expr, true)?,
                _ if short_circuits => return Ok(Expr::Chain(Box::new(expr))),
                _ => return Ok(expr),
            };
        }
    }

    fn named_member(&mut self, object: Expr, optional: bool) -> Result<Expr, Fault> {
        let Token::Name(name) = self.token else {
            return Err(self.fault("not the name of a member"));
        };
        self.advance()?;
        let key = Box::new(Expr::Text(name.to_owned()));
        Ok(Expr::Member { object: Box::new(object), key, optional })
    }

    fn primary(&mut self) -> Result<Expr, Fault> {
        let expr = match &mut self.token {
            Token::Number(number) => Expr::Number(*number),
            Token::Text(text) => Expr::Text(std::mem::take(text)),
            Token::Name("null") => Expr::Null,
            Token::Name("true") => Expr::Bool(true),
            Token::Name("false") => Expr::Bool(false),
            Token::Name(name) if !is_reserved(name) => Expr::Name((*name).to_owned()),
            Token::Sign("(") => return self.parenthesized(),
            Token::Sign("[") => return self.elements("]").map(Expr::Array),
            Token::Sign("{") => return self.object(),
            Token::Sign("`") => self.template(Some('`'))?,
            Token::End => return Err(self.fault("an end where a value is expected")),
            _ => return Err(self.fault("not a value that expressions can have")),
        };
        self.advance()?;
        Ok(expr)
    }

    fn parenthesized(&mut self) -> Result<Expr, Fault> {
        self.advance()?;
        let expr = self.assignment()?;
        self.expect(")")?;
        // the brackets end what `?.` skips
        Ok(expr)
    }

    /// Elements up to `close`; the current token opens them.
    fn elements(&mut self, close: &str) -> Result<Vec<Element>, Fault> {
        self.advance()?;
        let mut elements = Vec::new();
        while !self.is(close) {
            let spread = self.take("...")?;
            elements.push(Element { spread, value: self.assignment()? });
            if !self.take(",")? {
                break;
            }
        }
        self.expect(close)?;
        Ok(elements)
    }

    fn object(&mut self) -> Result<Expr, Fault> {
        self.advance()?;
        let mut members = Vec::new();
        while !self.is("}") {
            members.push(self.member()?);
            if !self.take(",")? {
                break;
            }
        }
        self.expect("}")?;
        Ok(Expr::Object(members))
    }

    fn member(&mut self) -> Result<Member, Fault> {
        if self.take("...")? {
            return Ok(Member::Spread(self.assignment()?));
        }
        let shorthand = matches!(self.token, Token::Name(name) if !is_reserved(name));
        let key = match &mut self.token {
            Token::Name(name) => Expr::Text((*name).to_owned()),
            Token::Text(text) => Expr::Text(std::mem::take(text)),
            Token::Number(number) => Expr::Number(*number),
            Token::Sign("[") => {
                self.advance()?;
                let key = self.assignment()?;
                if !self.is("]") {
                    return Err(self.fault("not the end of a computed key"));
                }
                key
            }
            _ => return Err(self.fault("not a key of an object")),
        };
        self.advance()?;
        if self.take(":")? {
            return Ok(Member::Entry(key, self.assignment()?));
        }
        match key {
            Expr::Text(name) if shorthand => {
                Ok(Member::Entry(Expr::Text(name.clone()), Expr::Name(name)))
            }
            _ => Err(self.fault("a key without a value")),
        }
    }

    /// The parts of a template up to `close`, or up to the end; the current token, if there is one,
    /// opens it and stays current.
    fn template(&mut self, close: Option<char>) -> Result<Expr, Fault> {
        let opened = self.at;
        let mut parts = Vec::new();
        let mut literal = String::new();
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            match rest.chars().next() {
                None if close.is_none() => break,
                None => return Err(Fault::new(opened, "a template that does not end")),
                Some('\\') => lexer::escape(self.text, &mut self.at, &mut literal)?,
                Some('$') if rest.starts_with("${") => {
                    parts.push(Expr::Text(std::mem::take(&mut literal)));
                    self.at += 2;
                    parts.push(self.hole()?);
                }
                Some(c) => {
                    self.at += c.len_utf8();
                    if Some(c) == close {
                        break;
                    }
                    literal.push(c);
                }
            }
        }
        parts.push(Expr::Text(literal));
        Ok(Expr::Template(parts))
    }

    /// The expression in a hole and the brace after it, which is not passed over by a token.
    fn hole(&mut self) -> Result<Expr, Fault> {
        self.advance()?;
        let expr = self.assignment()?;
        if self.is("}") { Ok(expr) } else { Err(self.fault("not the end of a hole of a template")) }
    }

    /// An arrow function, if one starts here.
    fn arrow(&mut self) -> Result<Option<Expr>, Fault> {
        let saved = (self.start, self.at, self.token.clone());
        let parameters = match self.token {
            Token::Name(name) if !is_reserved(name) => {
                self.advance()?;
                Some(vec![Pattern::Name(name.to_owned())])
            }
            Token::Sign("(") if self.is_arrow_ahead() => Some(self.parameters()?),
            _ => None,
        };
        match parameters {
            Some(parameters) if self.is("=>") => {
                self.advance()?;
                let body = self.body()?;
                Ok(Some(Expr::Arrow(parameters, Box::new(body))))
            }
            _ => {
                (self.start, self.at, self.token) = saved;
                Ok(None)
            }
        }
    }

    /// Whether the bracket that opens here closes before an arrow.
    fn is_arrow_ahead(&self) -> bool {
        let mut at = self.at;
        let mut open = 1_usize;
        // a template ends the search: its inside is not made of tokens
        while let Ok(token) = lexer::token(self.text, &mut at) {
            match token {
                Token::Sign("(") => open += 1,
                Token::Sign(")") => open -= 1,
                Token::End | Token::Sign("`") => return false,
                _ => {}
            }
            if open == 0 {
                return matches!(lexer::token(self.text, &mut at), Ok(Token::Sign("=>")));
            }
        }
        false
    }

    fn parameters(&mut self) -> Result<Vec<Pattern>, Fault> {
        self.advance()?;
        let mut parameters = Vec::new();
        while !self.is(")") {
            parameters.push(self.pattern()?);
            if !self.take(",")? {
                break;
            }
        }
        self.expect(")")?;
        Ok(parameters)
    }

    fn pattern(&mut self) -> Result<Pattern, Fault> {
        if self.take("[")? {
            let mut names = Vec::new();
            while !self.is("]") {
                names.push(self.name()?);
                if !self.take(",")? {
                    break;
                }
            }
            self.expect("]")?;
            return Ok(Pattern::Array(names));
        }
        if !self.take("{")? {
            return Ok(Pattern::Name(self.name()?));
        }
        let mut members = Vec::new();
        while !self.is("}") {
            let key = self.name()?;
            let name = if self.take(":")? { self.name()? } else { key.clone() };
            members.push((key, name));
            if !self.take(",")? {
                break;
            }
        }
        self.expect("}")?;
        Ok(Pattern::Object(members))
    }

    fn name(&mut self) -> Result<String, Fault> {
        let Token::Name(name) = self.token else {
            return Err(self.fault("not a name"));
        };
        self.advance()?;
        Ok(name.to_owned())
    }

    fn body(&mut self) -> Result<Body, Fault> {
        if self.is("{") {
            self.block().map(Body::Block)
        } else {
            self.assignment().map(Body::Expression)
        }
    }

    fn block(&mut self) -> Result<Vec<Statement>, Fault> {
        self.expect("{")?;
        let mut statements = Vec::new();
        while !self.is("}") {
            if self.token == Token::End {
                return Err(self.fault("a block that does not end"));
            }
            self.statement(&mut statements)?;
        }
        self.advance()?;
        Ok(statements)
    }

    fn statement(&mut self, statements: &mut Vec<Statement>) -> Result<(), Fault> {
        self.deeper(|parser| {
            if parser.take(";")? {
                return Ok(());
            }
            if parser.is("{") {
                return Err(parser.fault("a block without a condition"));
            }
            statements.push(parser.plain_statement()?);
            Ok(())
        })
    }

    fn plain_statement(&mut self) -> Result<Statement, Fault> {
        if self.is_name("return") {
            self.advance()?;
            let ends = self.is(";") || self.is("}") || self.token == Token::End;
            let value = if ends { None } else { Some(self.assignment()?) };
            return Ok(Statement::Return(value));
        }
        if self.is_name("if") {
            self.advance()?;
            self.expect("(")?;
            let condition = self.assignment()?;
            self.expect(")")?;
            let then = self.branch()?;
            let mut otherwise = Vec::new();
            if self.is_name("else") {
                self.advance()?;
                otherwise = self.branch()?;
            }
            return Ok(Statement::If(condition, then, otherwise));
        }
        if self.is_name("const") || self.is_name("let") {
            self.advance()?;
            let pattern = self.pattern()?;
            self.expect("=")?;
            return Ok(Statement::Constant(pattern, self.assignment()?));
        }
        Err(self.fault("a statement other than const, if and return"))
    }

    fn branch(&mut self) -> Result<Vec<Statement>, Fault> {
        if self.is("{") {
            return self.block();
        }
        let mut statements = Vec::new();
        self.statement(&mut statements)?;
        self.take(";")?;
        Ok(statements)
    }
}

/// Names that are no variables.
fn is_reserved(name: &str) -> bool {
    matches!(
        name,
        "await"
            | "break"
            | "case"
            | "catch"
            | "class"
            | "const"
            | "continue"
            | "debugger"
            | "default"
            | "delete"
            | "do"
            | "else"
            | "export"
            | "extends"
            | "finally"
            | "for"
            | "function"
            | "if"
            | "import"
            | "in"
            | "instanceof"
            | "let"
            | "new"
            | "return"
            | "super"
            | "switch"
            | "this"
            | "throw"
            | "try"
            | "typeof"
            | "var"
            | "void"
            | "while"
            | "with"
            | "yield"
            | "null"
            | "true"
            | "false"
    )
}
