//! The tree of a template.

use std::{ops::Range, sync::Arc};

/// A part of a template that is rendered as one: the whole template, or a block.
#[derive(Debug, Default)]
pub struct Program {
    /// Its content, in order.
    pub nodes: Vec<Node>,
    /// The number of its block parameters.
    pub parameters: usize,
    /// The partials that it defines itself.
    pub inlines: Vec<Inline>,
}

/// A piece of content.
#[derive(Debug)]
pub enum Node {
    /// A text.
    Text(Text),
    /// A comment, which is there until blanks have been removed.
    Comment,
    /// A value or a call that is written: `{{a}}`.
    Output {
        /// The value.
        tag: Tag,
        /// Whether it is escaped.
        is_escaped: bool,
    },
    /// A block.
    Block(Box<Block>),
    /// A partial, with or without a block.
    Partial(Box<Partial>),
    /// A block that defines a partial; it is moved into `Program::inlines` when blanks have been removed.
    Inline(Inline),
}

/// A text, as ranges of the template.
#[derive(Clone, Debug)]
pub struct Text {
    /// The text as it is in the template.
    pub original: Range<usize>,
    /// The text without the blanks that tags next to it remove.
    pub value: Range<usize>,
    /// Whether blanks at its beginning have been removed.
    pub is_stripped_before: bool,
    /// Whether blanks at its end have been removed.
    pub is_stripped_after: bool,
}

/// A tag that is a value or calls a helper.
#[derive(Debug)]
pub struct Tag {
    /// The offset of the tag or the parenthesis.
    pub start: usize,
    /// Whether it calls a helper.
    pub kind: TagKind,
    /// Its path.
    pub path: Path,
    /// Its name as it is written, without quotes and brackets.
    pub name: Arc<str>,
    /// The arguments without names.
    pub arguments: Vec<Expression>,
    /// The arguments with names, of each name the first.
    pub hash: Vec<(Arc<str>, Expression)>,
}

/// Whether a tag calls a helper, as far as the template says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagKind {
    /// It is a value.
    Value,
    /// It calls a helper, if there is one of its name; else it is a value.
    Ambiguous,
    /// It calls a helper.
    Helper,
    /// It has arguments, and its path cannot be the name of a helper.
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
    /// A text.
    Text(Arc<str>),
}

/// A path to a value.
#[derive(Debug)]
pub struct Path {
    /// Its beginning.
    pub root: PathRoot,
    /// The names to follow from there.
    pub names: Vec<Box<str>>,
}

impl Path {
    /// Returns its names as they are written, of a variable with `@`; those of a block parameter without the parameter.
    pub fn text(&self) -> String {
        let sign = match self.root {
            PathRoot::Data(_) => "@",
            PathRoot::Context(_) | PathRoot::Parameter(..) => "",
        };
        format!("{sign}{}", self.names.join("."))
    }
}

/// The beginning of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathRoot {
    /// The context of the block that is so many levels outside.
    Context(usize),
    /// A variable, as seen by the frame that is so many levels outside.
    Data(usize),
    /// A block parameter: of the block with parameters that is so many levels outside, the one with this index.
    Parameter(usize, usize),
}

/// A block.
#[derive(Debug)]
pub struct Block {
    /// Its first tag.
    pub tag: Tag,
    /// The program after the first tag, or in `{{^a}}` after the else.
    pub program: Option<Program>,
    /// The program after the else.
    pub inverse: Option<Program>,
}

/// A partial.
#[derive(Debug)]
pub struct Partial {
    /// The offset of the tag.
    pub start: usize,
    /// Its name.
    pub name: PartialName,
    /// The context to render it in, unless it is that of the tag.
    pub context: Option<Expression>,
    /// Properties that are added to a copy of the context.
    pub hash: Option<Vec<(Arc<str>, Expression)>>,
    /// Its block, which `{{> @partial-block}}` renders in it.
    pub block: Option<Program>,
    /// The blanks before it, if it is alone in its line.
    pub indent: Range<usize>,
}

/// The name of a partial.
#[derive(Debug)]
pub enum PartialName {
    /// It is written in the tag.
    Fixed(Arc<str>),
    /// It is computed.
    Computed(Expression),
}

/// A partial that a template defines itself: `{{#*inline "name"}}`.
#[derive(Debug)]
pub struct Inline {
    /// The name.
    pub name: Expression,
    /// The content.
    pub program: Program,
}

impl Text {
    /// Returns the text of a range, with all its blanks.
    pub fn new(range: Range<usize>) -> Self {
        Self {
            original: range.clone(),
            value: range,
            is_stripped_before: false,
            is_stripped_after: false,
        }
    }
}
