//! The syntax tree of a template.

use std::{ops::Range, sync::Arc};

/// A unit of rendering: a whole template, or a part of a block.
#[derive(Debug, Default)]
pub struct Program {
    /// The content, in order.
    pub nodes: Vec<Node>,
    /// The number of block parameters.
    pub parameters: usize,
    /// The inline partials that it defines.
    pub inlines: Vec<Inline>,
}

/// A piece of content.
#[derive(Debug)]
pub enum Node {
    /// Text.
    Text(Text),
    /// A comment. It is removed after white space has been stripped.
    Comment,
    /// A value or call whose result is written: `{{a}}`.
    Output {
        /// The tag.
        tag: Tag,
        /// Whether the result is escaped.
        is_escaped: bool,
    },
    /// A block.
    Block(Box<Block>),
    /// A partial, with or without a block.
    Partial(Box<Partial>),
    /// A block that defines a partial. It is moved into `Program::inlines` after white space has been stripped.
    Inline(Inline),
}

/// Text, as ranges of the template.
#[derive(Clone, Debug)]
pub struct Text {
    /// The whole text.
    pub original: Range<usize>,
    /// The text without the white space that adjacent tags strip.
    pub value: Range<usize>,
    /// Whether white space at the start has been stripped.
    pub is_stripped_before: bool,
    /// Whether white space at the end has been stripped.
    pub is_stripped_after: bool,
}

/// A tag that is a value or calls a helper.
#[derive(Debug)]
pub struct Tag {
    /// The offset of the tag or of the opening parenthesis.
    pub start: usize,
    /// Whether it calls a helper.
    pub kind: TagKind,
    /// Its path.
    pub path: Path,
    /// The name as written, without quotes and brackets.
    pub name: Arc<str>,
    /// The positional arguments.
    pub arguments: Vec<Expression>,
    /// The named arguments; of several with the same name, the first.
    pub hash: Vec<(Arc<str>, Expression)>,
}

/// Whether a tag calls a helper, as far as the syntax determines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagKind {
    /// The tag is a value.
    Value,
    /// The tag calls a helper if one with its name exists; otherwise, it is a value.
    Ambiguous,
    /// The tag calls a helper.
    Helper,
    /// The tag has arguments, but its path cannot be the name of a helper.
    Invalid,
}

/// An argument.
#[derive(Debug)]
pub enum Expression {
    /// A literal.
    Literal(Literal),
    /// A path.
    Path(Path),
    /// A call in parentheses.
    Call(Box<Tag>),
}

/// A literal.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `undefined`.
    Undefined,
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A string.
    Text(Arc<str>),
}

/// A path to a value.
#[derive(Debug)]
pub struct Path {
    /// The start of the path.
    pub root: PathRoot,
    /// The property names to follow from the start.
    pub names: Vec<Box<str>>,
}

impl Path {
    /// Returns the path as written: a variable with `@`, and a path from a block parameter without the parameter.
    pub fn text(&self) -> String {
        let sign = match self.root {
            PathRoot::Data(_) => "@",
            PathRoot::Context(_) | PathRoot::Parameter(..) => "",
        };
        format!("{sign}{}", self.names.join("."))
    }
}

/// The start of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathRoot {
    /// The context a number of levels up.
    Context(usize),
    /// A variable, as seen from the frame a number of levels up.
    Data(usize),
    /// A block parameter: how many blocks with parameters to go up, and the index of the parameter.
    Parameter(usize, usize),
}

/// A block.
#[derive(Debug)]
pub struct Block {
    /// The opening tag.
    pub tag: Tag,
    /// The program after the opening tag; for `{{^a}}`, the program after the `{{else}}`.
    pub program: Option<Program>,
    /// The program after the `{{else}}`; for `{{^a}}`, the program after the opening tag.
    pub inverse: Option<Program>,
}

/// A partial.
#[derive(Debug)]
pub struct Partial {
    /// The offset of the tag.
    pub start: usize,
    /// Its name.
    pub name: PartialName,
    /// The context for rendering; `None` for the context of the tag.
    pub context: Option<Expression>,
    /// Properties to add to a copy of the context.
    pub hash: Option<Vec<(Arc<str>, Expression)>>,
    /// The block, which `{{> @partial-block}}` in the partial renders.
    pub block: Option<Program>,
    /// The white space before the tag, if the tag is alone on its line.
    pub indent: Range<usize>,
}

/// The name of a partial.
#[derive(Debug)]
pub enum PartialName {
    /// The name is written in the tag.
    Fixed(Arc<str>),
    /// The name is computed.
    Computed(Expression),
}

/// An inline partial that a template defines: `{{#*inline "name"}}`.
#[derive(Debug)]
pub struct Inline {
    /// The name.
    pub name: Expression,
    /// The content.
    pub program: Program,
}

impl Text {
    /// Returns the text of a range, including all its white space.
    pub fn new(range: Range<usize>) -> Self {
        Self {
            original: range.clone(),
            value: range,
            is_stripped_before: false,
            is_stripped_after: false,
        }
    }
}
