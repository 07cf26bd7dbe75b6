//! The tree of a filter: groups of conditions, each a field and a predicate.
//!
//! Invalid combinations cannot be represented: only text can be matched, and only lists can be
//! tested for membership. Nodes have spans for messages, which equality ignores. Fields are names
//! as written; the evaluator handles aliases, private fields and unknown fields.

/// A filter or a part of one.
///
/// Groups have two or more members. A group in parentheses remains a separate node, even inside a
/// group of the same kind: `a:1+(b:2+c:3)` differs from `a:1+b:2+c:3`, because conditions on a
/// relation are combined within one group. Redundant parentheses (doubled, around a single
/// condition, or around the whole filter) are dropped.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// `a+b`: every member matches.
    And(Vec<Expression>),
    /// `a,b`: at least one member matches.
    Or(Vec<Expression>),
    /// A single condition.
    Condition(Spanned<Condition>),
}

impl Expression {
    /// Returns the number of conditions that search for a text, as `title:~'x'` does.
    pub fn text_searches(&self) -> usize {
        match self {
            Self::And(members) | Self::Or(members) => members.iter().map(Self::text_searches).sum(),
            Self::Condition(condition) => {
                usize::from(matches!(condition.node.predicate, Predicate::Match { .. }))
            }
        }
    }
}

/// A field with its predicate: `slug:-news`.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The name as written, with its dots: `tags.visibility`.
    pub field: Spanned<String>,
    /// The condition on the field.
    pub predicate: Predicate,
}

/// A condition on a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicate {
    /// `x`, `-x`, `>x`, `>=x`, `<x`, `<=x`.
    Compare {
        /// The comparison of the field with the value.
        operator: Comparison,
        /// The right-hand side.
        value: Spanned<Value>,
    },
    /// `~'x'`, `~^'x'`, `~$'x'` and, negated, `-~'x'`, `-~^'x'`, `-~$'x'`.
    Match {
        /// True if the text must *not* be found.
        negated: bool,
        /// The searched part of the field.
        anchor: TextAnchor,
        /// The searched text; never empty.
        text: Spanned<String>,
    },
    /// `[a,b]`, `-[a,b]`, `[a+b]`.
    List {
        /// The relation of the field to the items.
        membership: Membership,
        /// The items: at least one, or at least two for [`Membership::AllOf`].
        items: Vec<Spanned<Value>>,
    },
}

/// A comparison of a field with one value.
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

/// The part of a field in which a text is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextAnchor {
    /// `~`
    Anywhere,
    /// `~^`
    Start,
    /// `~$`
    End,
}

/// A relation of a field to the items of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Membership {
    /// `[a,b]`
    AnyOf,
    /// `-[a,b]`
    NoneOf,
    /// `[a+b]`
    AllOf,
}

/// A value as written. The variant depends on the spelling; the field determines the meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// `null`
    Null,
    /// `true`, `false`
    Boolean(bool),
    /// A number in its canonical form: `0`, `42`. Never negative, since `-5` means "not 5". `007`,
    /// `1.5` and numbers above `i64::MAX` are words, so that the original text can always be
    /// restored.
    Integer(i64),
    /// `now-30d`, `now+2h`
    RelativeDate(RelativeDate),
    /// Text without quotes: `getting-started`, `2024-01-01`.
    Word(String),
    /// Text in single quotes, without the quotes and escapes; never empty.
    Text(String),
}

/// A time relative to now. The evaluator of the filter supplies the current time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelativeDate {
    /// The direction from now: before or after.
    pub direction: Direction,
    /// The number of units.
    pub amount: u32,
    /// The unit of `amount`.
    pub unit: TimeUnit,
}

/// The direction of a relative date from now.
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

    pub(super) fn symbol(self) -> char {
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

    pub(super) fn from_symbol(symbol: char) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.symbol() == symbol)
    }
}

/// A range of bytes in the filter's text, always on character boundaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Span {
    /// Returns the start of the span, in characters from 1. `text` is the filter that was parsed.
    pub fn character(self, text: &str) -> usize {
        let characters_before = text
            .char_indices()
            .take_while(|(offset, _)| *offset < self.start)
            .count();
        characters_before + 1
    }
}

/// A node and its position. Equality ignores the position.
#[derive(Clone, Copy, Debug)]
pub struct Spanned<T> {
    /// The node.
    pub node: T,
    /// Its position.
    pub span: Span,
}

impl<T: PartialEq> PartialEq for Spanned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.node == other.node
    }
}
