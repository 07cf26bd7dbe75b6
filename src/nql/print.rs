//! Writes a tree as canonical text, without redundant blanks and parentheses and with one spelling
//! for each value.
//!
//! The text of a tree that the parser built parses to an equal tree. It can be longer than the
//! original, because quotes inside text are always escaped.

use std::fmt::{self, Display, Formatter};

use super::tree::{
    Comparison, Condition, Direction, Expression, Membership, Predicate, RelativeDate, Spanned,
    TextAnchor, Value,
};

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::And(members) => {
                // A group within a group of the same kind needs its parentheses, because conditions
                // on relations are combined within one group (see `Expression`).
                print_group(f, members, "+", |m| !matches!(m, Self::Condition(_)))
            }
            Self::Or(members) => print_group(f, members, ",", |m| matches!(m, Self::Or(_))),
            Self::Condition(condition) => condition.node.fmt(f),
        }
    }
}

fn print_group(
    f: &mut Formatter<'_>,
    members: &[Expression],
    separator: &str,
    needs_parentheses: fn(&Expression) -> bool,
) -> fmt::Result {
    for (index, member) in members.iter().enumerate() {
        if index > 0 {
            f.write_str(separator)?;
        }
        if needs_parentheses(member) {
            write!(f, "({member})")?;
        } else {
            member.fmt(f)?;
        }
    }
    Ok(())
}

impl Display for Condition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.field.node, self.predicate)
    }
}

impl Display for Predicate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compare { operator, value } => write!(f, "{operator}{}", value.node),
            Self::Match {
                negated,
                anchor,
                text,
            } => {
                f.write_str(if *negated { "-" } else { "" })?;
                anchor.fmt(f)?;
                print_quoted(f, &text.node)
            }
            Self::List { membership, items } => print_list(f, *membership, items),
        }
    }
}

fn print_list(
    f: &mut Formatter<'_>,
    membership: Membership,
    items: &[Spanned<Value>],
) -> fmt::Result {
    let (opening, separator) = match membership {
        Membership::AnyOf => ("[", ","),
        Membership::NoneOf => ("-[", ","),
        Membership::AllOf => ("[", "+"),
    };
    f.write_str(opening)?;
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(separator)?;
        }
        item.node.fmt(f)?;
        // Separates the words `now` and `2h`, which would otherwise form a date: `[now +2h]` has
        // two items, `[now+2h]` one.
        if membership == Membership::AllOf && is_word_now(&item.node) {
            f.write_str(" ")?;
        }
    }
    f.write_str("]")
}

fn is_word_now(value: &Value) -> bool {
    matches!(value, Value::Word(word) if word == "now")
}

impl Display for Comparison {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "",
            Self::NotEqual => "-",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
        })
    }
}

impl Display for TextAnchor {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Anywhere => "~",
            Self::Start => "~^",
            Self::End => "~$",
        })
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Boolean(boolean) => boolean.fmt(f),
            Self::Integer(integer) => integer.fmt(f),
            Self::RelativeDate(date) => date.fmt(f),
            Self::Word(word) => f.write_str(word),
            Self::Text(text) => print_quoted(f, text),
        }
    }
}

fn print_quoted(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    let escaped = text.replace('\'', "\\'").replace('"', "\\\"");
    write!(f, "'{escaped}'")
}

impl Display for RelativeDate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sign = match self.direction {
            Direction::Past => '-',
            Direction::Future => '+',
        };
        write!(f, "now{sign}{}{}", self.amount, self.unit.symbol())
    }
}
