//! The tree of a filter: groups of conditions, each a field and what is asked of it.
//!
//! Combinations that the language does not have cannot be built: text is matched against text, only lists are asked
//! for membership. Nodes carry spans for messages; equality ignores them. Fields are names as written: aliases,
//! private and unknown fields are the business of whoever evaluates the tree.

/// A filter or a part of one.
///
/// Groups have two or more members. A group in parentheses stays a node of its own, also inside one of its kind:
/// `a:1+(b:2+c:3)` is not `a:1+b:2+c:3`, because conditions on a relation count together within one group.
/// Parentheses that make no group (doubled, around one condition, around the whole) leave no trace.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// `a+b`: every member holds.
    And(Vec<Expression>),
    /// `a,b`: at least one member holds.
    Or(Vec<Expression>),
    /// A single condition.
    Condition(Spanned<Condition>),
}

impl Expression {
    /// Returns the number of conditions that look for a text, as `title:~'x'` does.
    pub fn text_searches(&self) -> usize {
        match self {
            Self::And(members) | Self::Or(members) => members.iter().map(Self::text_searches).sum(),
            Self::Condition(condition) => {
                usize::from(matches!(condition.node.predicate, Predicate::Match { .. }))
            }
        }
    }
}

/// A field and what is asked of it: `slug:-news`.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The name as written, with its dots: `tags.visibility`.
    pub field: Spanned<String>,
    /// What the field must fulfil.
    pub predicate: Predicate,
}

/// What a condition asks of its field.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicate {
    /// `x`, `-x`, `>x`, `>=x`, `<x`, `<=x`.
    Compare {
        /// How the field relates to the value.
        operator: Comparison,
        /// The right-hand side.
        value: Spanned<Value>,
    },
    /// `~'x'`, `~^'x'`, `~$'x'` and, negated, `-~'x'`, `-~^'x'`, `-~$'x'`.
    Match {
        /// Whether the text must *not* be there.
        negated: bool,
        /// Where the text is looked for.
        place: TextPlace,
        /// What is looked for; never empty.
        text: Spanned<String>,
    },
    /// `[a,b]`, `-[a,b]`, `[a+b]`.
    List {
        /// How the field relates to the items.
        membership: Membership,
        /// At least one; at least two for [`Membership::AllOf`].
        items: Vec<Spanned<Value>>,
    },
}

/// How a field relates to one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// No operator.
    Equal,
    /// `-`
    NotEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
}

/// Where in a field a text is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextPlace {
    /// `~`
    Anywhere,
    /// `~^`
    Start,
    /// `~$`
    End,
}

/// How a field relates to the items of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Membership {
    /// `[a,b]`
    AnyOf,
    /// `-[a,b]`
    NoneOf,
    /// `[a+b]`
    AllOf,
}

/// A value as written. Its type is that of the spelling; the field decides what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// `null`
    Null,
    /// `true`, `false`
    Boolean(bool),
    /// Digits that a number prints as: `0`, `42`. Never negative, since `-5` reads "not 5". `007`, `1.5` and what is
    /// above `i64::MAX` are words, so the text of a number is never lost.
    Integer(i64),
    /// `now-30d`, `now+2h`
    RelativeDate(RelativeDate),
    /// Text written bare: `getting-started`, `2024-01-01`.
    Word(String),
    /// Text written in single quotes, without them and their escapes; never empty.
    Text(String),
}

/// A moment told by its distance from now. Who evaluates the filter supplies the now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelativeDate {
    /// Which way from now.
    pub direction: Direction,
    /// How many units.
    pub amount: u32,
    /// The unit of `amount`.
    pub unit: TimeUnit,
}

/// Which way a relative date lies from now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `now-`
    Past,
    /// `now+`
    Future,
}

/// The unit of a relative date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// `s`
    Second,
    /// `m`
    Minute,
    /// `h`
    Hour,
    /// `d`
    Day,
    /// `w`
    Week,
    /// `M`
    Month,
    /// `y`
    Year,
}

impl TimeUnit {
    const ALL: [TimeUnit; 7] = [
        Self::Second,
        Self::Minute,
        Self::Hour,
        Self::Day,
        Self::Week,
        Self::Month,
        Self::Year,
    ];

    pub(super) fn letter(self) -> char {
        match self {
            Self::Second => 's',
            Self::Minute => 'm',
            Self::Hour => 'h',
            Self::Day => 'd',
            Self::Week => 'w',
            Self::Month => 'M',
            Self::Year => 'y',
        }
    }

    pub(super) fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.letter() == letter)
    }
}

/// A part of the filter's text, in bytes, the end excluded. Always on character boundaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// First byte that no longer belongs to it.
    pub end: usize,
}

impl Span {
    /// Where the span begins, as people count: characters from 1. `text` is the filter that was parsed.
    pub fn character(self, text: &str) -> usize {
        let characters_before = text
            .char_indices()
            .take_while(|(offset, _)| *offset < self.start)
            .count();
        characters_before + 1
    }
}

/// A node and where it was read. Equal to another if the nodes are, wherever they stand.
#[derive(Clone, Copy, Debug)]
pub struct Spanned<T> {
    /// What was read.
    pub node: T,
    /// Where it was read.
    pub span: Span,
}

impl<T: PartialEq> PartialEq for Spanned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.node == other.node
    }
}
