//! Parses the tokens of a tag into names, paths and arguments.

use std::sync::Arc;

use super::{
    lexer::{Fault, Tag as TagTokens, Token},
    tree::{Expression, Literal, Path, PathRoot, Tag, TagKind},
};

/// Maximum nesting depth of blocks, and of parentheses.
pub const DEPTH_MAX: usize = 250;

/// Maximum number of named arguments of a tag.
const NAMED_MAX: usize = 250;

/// Maximum number of block parameters of a tag.
const PARAMETERS_MAX: usize = 10;

/// The tokens of a tag, with the current position.
pub struct Tokens<'t> {
    tag: &'t TagTokens<'t>,
    position: usize,
    /// The block parameters in scope, innermost last.
    parameters: &'t [Vec<Box<str>>],
    depth: usize,
}

/// A path or a literal that names a helper, a block or a partial.
pub struct Name {
    /// The name as written, without quotes and brackets.
    pub text: Arc<str>,
    /// The value.
    pub value: Expression,
    /// Whether it may name a helper: a single name without a prefix.
    is_simple: bool,
}

/// The arguments of a tag.
#[derive(Default)]
pub struct Arguments {
    /// The positional arguments.
    pub positional: Vec<Expression>,
    /// The named arguments: the first one of each name, without those whose value is the literal `undefined`.
    pub named: Vec<(Arc<str>, Expression)>,
    /// Whether there are named arguments.
    pub has_names: bool,
}

impl Arguments {
    /// Returns the tag with a name and these arguments.
    pub fn tag(self, start: usize, name: Name) -> Tag {
        let has_arguments = !self.positional.is_empty() || self.has_names;
        self.call(start, name, has_arguments)
    }

    fn call(self, start: usize, name: Name, is_helper: bool) -> Tag {
        let Name {
            text,
            value,
            is_simple,
        } = name;
        let path = match value {
            Expression::Path(path) => path,
            _ => Path {
                root: PathRoot::Context(0),
                names: names_of(vec![(&*text).into()]),
            },
        };
        // A block parameter is a value even if it has arguments.
        let is_parameter = matches!(path.root, PathRoot::Parameter(..)) && path.names.is_empty();
        let kind = match (is_simple, is_helper) {
            _ if is_parameter => TagKind::Value,
            (true, false) => TagKind::Ambiguous,
            (true, true) => TagKind::Helper,
            (false, false) => TagKind::Value,
            (false, true) => TagKind::Invalid,
        };
        // The name of a variable is also the name of a helper: `{{@a}}` (Handlebars 4.7).
        let name = if is_simple {
            text.trim_start_matches('@').into()
        } else {
            text
        };
        Tag {
            start,
            kind,
            path,
            name,
            arguments: self.positional,
            hash: self.named,
        }
    }
}

impl<'t> Tokens<'t> {
    /// Returns the tokens of a tag with block parameters in scope.
    pub fn new(tag: &'t TagTokens<'t>, parameters: &'t [Vec<Box<str>>]) -> Self {
        Self {
            tag,
            position: 0,
            parameters,
            depth: 0,
        }
    }

    /// Returns the next token without consuming it.
    pub fn peek(&self) -> Option<Token<'t>> {
        self.tag.tokens.get(self.position).map(|(token, _)| *token)
    }

    /// Checks that the tag ends here with `expected`.
    pub fn end(&mut self, expected: Token) -> Result<(), Fault> {
        match self.peek() {
            Some(found) if found == expected => Ok(()),
            Some(Token::End | Token::EndUnescaped | Token::EndRaw) => {
                Err(self.fault("the opening and closing braces of the tag do not match"))
            }
            _ => Err(self.fault("expected the end of the tag")),
        }
    }

    /// Parses a path or a literal.
    pub fn name(&mut self) -> Result<Name, Fault> {
        let token = self.peek();
        if matches!(token, Some(Token::Data | Token::Name(_))) {
            return self.path();
        }
        self.position += 1;
        let (text, literal): (Arc<str>, _) = match token {
            Some(Token::Text(written)) => {
                let text = text_of(written);
                (Arc::clone(&text), Literal::Text(text))
            }
            Some(Token::Literal(written)) => {
                let literal = literal_of(written);
                let text = match &literal {
                    Literal::Number(number) => number.to_string().into(),
                    _ => written.into(),
                };
                (text, literal)
            }
            _ => {
                // The error is at the token, which has been consumed above.
                self.position -= 1;
                return Err(self.fault("expected a name"));
            }
        };
        Ok(Name {
            is_simple: !is_scoped(&text),
            text,
            value: Expression::Literal(literal),
        })
    }

    fn path(&mut self) -> Result<Name, Fault> {
        let is_data = self.peek() == Some(Token::Data);
        self.position += usize::from(is_data);
        let mut written = String::from(if is_data { "@" } else { "" });
        let mut names: Vec<Box<str>> = Vec::new();
        let mut up = 0;
        loop {
            let Some(Token::Name(token)) = self.peek() else {
                return Err(self.fault("expected a name"));
            };
            let name = without_brackets(token);
            written.push_str(&name);
            match token {
                // Compared as written: in brackets, `[this]` is an ordinary name.
                ".." | "." | "this" if !names.is_empty() => {
                    return Err(self.fault(format!("the path \"{written}\" is invalid")));
                }
                ".." => up += 1,
                "." | "this" => {}
                _ => names.push(name.into()),
            }
            self.position += 1;
            let Some(Token::Separator(separator)) = self.peek() else {
                break;
            };
            written.push_str(separator);
            self.position += 1;
        }
        let is_plain = up == 0 && !is_scoped(&written);
        let is_simple = is_plain && names.len() == 1;
        let parameter = names
            .first()
            .and_then(|name| self.parameter(name))
            .filter(|_| is_plain);
        let mut names = names_of(names);
        let root = match parameter {
            Some(root) => {
                // The first name is the parameter itself; the rest is the path in its value.
                names.remove(0);
                root
            }
            None if is_data && !names.is_empty() => PathRoot::Data(up),
            None => PathRoot::Context(up),
        };
        Ok(Name {
            text: written.into(),
            value: Expression::Path(Path { root, names }),
            is_simple,
        })
    }

    fn parameter(&self, name: &str) -> Option<PathRoot> {
        self.parameters
            .iter()
            .rev()
            .enumerate()
            .find_map(|(up, names)| {
                let index = names.iter().position(|own| **own == *name)?;
                Some(PathRoot::Parameter(up, index))
            })
    }

    /// Parses a value: a path, a literal, or a call in parentheses.
    pub fn expression(&mut self) -> Result<Expression, Fault> {
        if self.peek() != Some(Token::Open) {
            return Ok(self.name()?.value);
        }
        let start = self.offset();
        if self.depth == DEPTH_MAX {
            return Err(self.fault(format!("more than {DEPTH_MAX} nested parentheses")));
        }
        self.depth += 1;
        self.position += 1;
        let name = self.name()?;
        let arguments = self.arguments()?;
        if self.peek() != Some(Token::Close) {
            return Err(self.fault("unclosed parenthesis"));
        }
        self.position += 1;
        self.depth -= 1;
        Ok(Expression::Call(Box::new(
            arguments.call(start, name, true),
        )))
    }

    /// Parses positional arguments, followed by named arguments.
    pub fn arguments(&mut self) -> Result<Arguments, Fault> {
        let mut arguments = Arguments::default();
        loop {
            let next = self
                .tag
                .tokens
                .get(self.position + 1)
                .map(|(token, _)| *token);
            let is_value = matches!(
                self.peek(),
                Some(
                    Token::Open | Token::Name(_) | Token::Text(_) | Token::Literal(_) | Token::Data
                )
            );
            match self.peek() {
                Some(Token::Name(name)) if next == Some(Token::Equals) => {
                    if arguments.named.len() == NAMED_MAX {
                        let reason = format!("more than {NAMED_MAX} named arguments");
                        return Err(self.fault(reason));
                    }
                    self.position += 2;
                    let name = without_brackets(name);
                    let value = self.expression()?;
                    // `NAMED_MAX` bounds this search.
                    if arguments.named.iter().all(|(own, _)| **own != *name) {
                        arguments.named.push((name.into(), value));
                    }
                }
                _ if !is_value => break,
                _ if !arguments.named.is_empty() => {
                    return Err(self.fault("positional argument after a named argument"));
                }
                _ => arguments.positional.push(self.expression()?),
            }
        }
        // Set before arguments are removed: `{{a b=undefined}}` still calls a helper.
        arguments.has_names = !arguments.named.is_empty();
        let is_given =
            |value: &Expression| !matches!(value, Expression::Literal(Literal::Undefined));
        arguments.named.retain(|(_, value)| is_given(value));
        Ok(arguments)
    }

    /// Parses `as |one other|` if it comes next.
    pub fn parameters(&mut self) -> Result<Vec<Box<str>>, Fault> {
        let mut names = Vec::new();
        if self.peek() != Some(Token::Parameters) {
            return Ok(names);
        }
        self.position += 1;
        while let Some(Token::Name(name)) = self.peek() {
            names.push(without_brackets(name).into());
            self.position += 1;
        }
        if names.len() > PARAMETERS_MAX {
            let reason = format!("more than {PARAMETERS_MAX} block parameters");
            return Err(self.fault(reason));
        }
        if names.is_empty() || self.peek() != Some(Token::ParametersEnd) {
            return Err(self.fault("expected names between | and |"));
        }
        self.position += 1;
        Ok(names)
    }

    fn offset(&self) -> usize {
        let token = self.tag.tokens.get(self.position);
        token.map_or(self.tag.start, |(_, offset)| *offset)
    }

    fn fault(&self, reason: impl Into<String>) -> Fault {
        Fault::new(self.offset(), reason)
    }
}

/// Returns the names of a path. A path that begins with an empty name is the context (Handlebars 4.7).
fn names_of(names: Vec<Box<str>>) -> Vec<Box<str>> {
    match names.first() {
        Some(first) if first.is_empty() => Vec::new(),
        _ => names,
    }
}

/// Returns whether a path explicitly refers to a property: `./a`, `this.a`. As in Handlebars 4.7, this includes every path that
/// contains `this` at the end of a word.
fn is_scoped(written: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut after_this = written.split("this").skip(1);
    written.starts_with('.') || after_this.any(|after| !after.starts_with(is_word))
}

/// Returns the text between the quotes, with escaped quotes resolved.
fn text_of(written: &str) -> Arc<str> {
    let quote = &written[..1];
    let inside = &written[1..written.len() - 1];
    if inside.contains('\\') {
        inside.replace(&format!("\\{quote}"), quote).into()
    } else {
        inside.into()
    }
}

fn literal_of(written: &str) -> Literal {
    match written {
        "true" => Literal::Bool(true),
        "false" => Literal::Bool(false),
        "null" => Literal::Null,
        "undefined" => Literal::Undefined,
        // The lexer has checked the digits.
        number => Literal::Number(number.parse().unwrap_or(f64::NAN)),
    }
}

/// Removes the brackets around a name, if there are any.
fn without_brackets(name: &str) -> String {
    let Some(inside) = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'))
    else {
        return name.to_owned();
    };
    let mut plain = String::with_capacity(inside.len());
    let mut chars = inside.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.next_if(|next| c == '\\' && matches!(next, '\\' | ']'));
        plain.push(next.unwrap_or(c));
    }
    plain
}
