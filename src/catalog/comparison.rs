//! Tests of conditions on single values, which are compiled once per filter and run once per
//! record.

use std::{cmp::Ordering, num::IntErrorKind};

use jiff::{Span, Timestamp, tz::TimeZone};
use uuid::{Uuid, fmt::Hyphenated};

use super::{fields::FieldType, filter_date, value::Value};
use crate::{
    collation,
    id::Id,
    nql::{self, Comparison, Direction, Membership, Spanned, TextAnchor, TimeUnit},
};

/// A test of a field's value.
#[derive(Debug)]
pub enum Test {
    /// Compares with one value.
    Compare(Comparison, Operand),
    /// Compares with a list of values.
    List(Membership, Vec<Operand>),
    /// Contains, begins or ends with a text, ignoring case and accents.
    Match {
        /// True if the text must *not* be found.
        negated: bool,
        /// The part of the field in which the text is searched.
        anchor: TextAnchor,
        /// The text to search, folded.
        text: String,
    },
}

/// The right-hand side of a comparison, converted to the type of the field.
#[derive(Debug)]
pub enum Operand {
    /// `null`
    Null,
    /// `true`, `false`
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A number between this whole number and the next; with the greatest whole number, a number
    /// greater than all whole numbers.
    Fraction(i64),
    /// An instant.
    Time(Timestamp),
    /// Text, and the identifier that it represents, if any.
    Text(String, Option<Id>),
}

/// The error for a value that is compared with a time but is not a date.
#[derive(Debug, PartialEq, Eq)]
pub struct NotADate {
    /// The value as written, without quotes.
    pub value: String,
    /// The position of the value.
    pub span: nql::Span,
}

impl Test {
    /// Returns the test of `predicate` on a field of the type `kind`, at the time `now`.
    ///
    /// # Errors
    ///
    /// If the field is a time, and is compared with a value that is not a date.
    pub fn new(
        predicate: &nql::Predicate,
        kind: FieldType,
        now: Timestamp,
    ) -> Result<Self, NotADate> {
        Ok(match predicate {
            nql::Predicate::Compare { operator, value } => {
                Self::Compare(*operator, Operand::new(value, kind, now)?)
            }
            nql::Predicate::List { membership, items } => Self::List(
                *membership,
                items
                    .iter()
                    .map(|item| Operand::new(item, kind, now))
                    .collect::<Result<_, _>>()?,
            ),
            nql::Predicate::Match {
                negated,
                anchor,
                text,
            } => Self::Match {
                negated: *negated,
                anchor: *anchor,
                text: collation::folded(&text.node),
            },
        })
    }

    /// Returns whether the test is a negation. Negations hold for fields of missing metadata.
    pub fn is_negation(&self) -> bool {
        match self {
            // "Is not null" requires a value, so missing metadata does not pass.
            Self::Compare(Comparison::NotEqual, operand) => !matches!(operand, Operand::Null),
            Self::List(Membership::NoneOf, _) => true,
            _ => false,
        }
    }

    /// Returns whether `value` passes the test. Null passes only comparisons with null (Ghost 6.65,
    /// recorded).
    pub fn holds(&self, value: &Value) -> bool {
        match self {
            Self::Compare(comparison, operand) => operand.fulfils(*comparison, value),
            Self::List(Membership::AnyOf, operands) => {
                operands.iter().any(|operand| operand.equals(value))
            }
            Self::List(Membership::AllOf, operands) => {
                operands.iter().all(|operand| operand.equals(value))
            }
            // As in SQL, null is not in a list and not outside of it either.
            Self::List(Membership::NoneOf, operands) => {
                !value.is_null() && !operands.iter().any(|operand| operand.equals(value))
            }
            Self::Match {
                negated,
                anchor,
                text,
            } => value
                .to_text()
                .is_some_and(|value| matches(&value, *anchor, text) != *negated),
        }
    }

    /// If the test requires the field to equal one of a list of texts, returns these texts.
    pub fn equal_texts(&self) -> Option<Vec<&str>> {
        match self {
            Self::Compare(Comparison::Equal, Operand::Text(text, _)) => Some(vec![text]),
            Self::List(Membership::AnyOf, operands) => operands
                .iter()
                .map(|operand| match operand {
                    Operand::Text(text, _) => Some(text.as_str()),
                    _ => None,
                })
                .collect(),
            _ => None,
        }
    }
}

impl Operand {
    fn new(value: &Spanned<nql::Value>, kind: FieldType, now: Timestamp) -> Result<Self, NotADate> {
        Ok(match &value.node {
            nql::Value::Null => Self::Null,
            nql::Value::RelativeDate(date) => Self::relative(date, kind, now),
            nql::Value::Word(text) | nql::Value::Text(text) => match kind {
                FieldType::Time => Self::Time(
                    filter_date::parse(text).ok_or_else(|| not_a_date(text, value.span))?,
                ),
                _ => Self::parsed(text, kind),
            },
            nql::Value::Boolean(written) => match kind {
                FieldType::Time => return Err(not_a_date(written, value.span)),
                FieldType::Boolean => Self::Boolean(*written),
                // In MySQL, Ghost's booleans are the numbers 0 and 1.
                FieldType::Integer => Self::Integer(i64::from(*written)),
                _ => Self::text(&written.to_string()),
            },
            // MySQL parses some numbers as dates; other numbers sort before all dates.
            nql::Value::Integer(number) => match kind {
                FieldType::Time => return Err(not_a_date(number, value.span)),
                FieldType::Boolean | FieldType::Integer => Self::Integer(*number),
                _ => Self::text(&number.to_string()),
            },
        })
    }

    fn parsed(text: &str, kind: FieldType) -> Self {
        let typed = match kind {
            FieldType::Integer => Self::number(text),
            // `featured:'1'` is a number: in MySQL, Ghost's booleans are the numbers 0 and 1.
            FieldType::Boolean => {
                let boolean = text.parse().ok().map(Self::Boolean);
                boolean.or_else(|| Self::number(text))
            }
            _ => None,
        };
        typed.unwrap_or_else(|| Self::text(text))
    }

    /// Parses a whole or decimal number, ignoring surrounding blanks.
    fn number(text: &str) -> Option<Self> {
        let text = text.trim();
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let is_number = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number {
            return None;
        }
        let whole_number: i64 = match whole.parse() {
            Ok(number) => number,
            // A number that exceeds an `i64` still compares: all stored numbers are below it.
            Err(error) if *error.kind() == IntErrorKind::PosOverflow => {
                return Some(Self::Fraction(i64::MAX));
            }
            Err(_) => return None,
        };
        Some(if fraction.bytes().all(|digit| digit == b'0') {
            Self::Integer(whole_number)
        } else {
            // The whole number below a negative fraction is one less than its integer part: -1.5 is
            // between -2 and -1.
            let is_negative = whole.starts_with('-');
            Self::Fraction(whole_number.saturating_sub(i64::from(is_negative)))
        })
    }

    fn relative(date: &nql::RelativeDate, kind: FieldType, now: Timestamp) -> Self {
        let time = resolve(date, now);
        match kind {
            FieldType::Time => Self::Time(time),
            // A field of another type compares with the date as text, in the notation of MySQL.
            _ => Self::text(&Value::Time(time).to_text().unwrap_or_default()),
        }
    }

    fn text(text: &str) -> Self {
        // Upper-case digits also parse as an identifier, but are not equal to it as text.
        let id = text.parse().ok().filter(|id: &Id| id.to_string() == text);
        Self::Text(text.to_owned(), id)
    }

    fn fulfils(&self, comparison: Comparison, value: &Value) -> bool {
        match comparison {
            Comparison::Equal => self.equals(value),
            Comparison::NotEqual => match self {
                Self::Null => !value.is_null(),
                _ => !value.is_null() && !self.equals(value),
            },
            Comparison::Greater => self.order(value).is_some_and(Ordering::is_gt),
            Comparison::GreaterOrEqual => self.order(value).is_some_and(Ordering::is_ge),
            Comparison::Less => self.order(value).is_some_and(Ordering::is_lt),
            Comparison::LessOrEqual => self.order(value).is_some_and(Ordering::is_le),
        }
    }

    fn equals(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Null, _) => value.is_null(),
            // The text is not an identifier, so it cannot match. Formatting the identifier for the
            // comparison would take seconds with a long list on a large site.
            (Self::Text(_, None), Value::Id(_)) => false,
            // Likewise, a text whose length is not that of a UUID cannot match.
            (Self::Text(text, _), Value::Uuid(_)) if text.len() != Hyphenated::LENGTH => false,
            // Equal bytes need no comparison by weights, which `order` always does.
            (Self::Text(text, _), Value::Text(value)) => collation::is_equal(text, value),
            _ => self.order(value) == Some(Ordering::Equal),
        }
    }

    /// Returns the ordering of `value` relative to this operand; `None` if one of them is null or
    /// they are not comparable.
    fn order(&self, value: &Value) -> Option<Ordering> {
        match (value, self) {
            (Value::Null, _) | (_, Self::Null) => None,
            (Value::Boolean(a), Self::Boolean(b)) => Some(a.cmp(b)),
            (Value::Boolean(a), Self::Integer(b)) => Some(i64::from(*a).cmp(b)),
            (Value::Integer(a), Self::Integer(b)) => Some(a.cmp(b)),
            (Value::Time(a), Self::Time(b)) => Some(a.cmp(b)),
            (Value::Text(a), Self::Text(b, _)) => Some(collation::compare(a, b)),
            (Value::Id(a), Self::Text(_, Some(b))) => Some(a.cmp(b)),
            (Value::Uuid(a), Self::Text(b, _)) => {
                let mut digits = Uuid::encode_buffer();
                let a: &str = a.as_hyphenated().encode_lower(&mut digits);
                Some(a.cmp(b))
            }
            (Value::Boolean(a), Self::Fraction(floor)) => Some(beside(i64::from(*a), *floor)),
            (Value::Integer(a), Self::Fraction(floor)) => Some(beside(*a, *floor)),
            // A number is not comparable with text that is not a number.
            (Value::Boolean(_) | Value::Integer(_), _) => None,
            // The other types have a single ASCII representation, so a comparison of bytes
            // suffices.
            (_, Self::Text(b, _)) => value.to_text().map(|a| a.as_ref().cmp(b)),
            _ => None,
        }
    }
}

/// Returns whether `value` contains the folded `text` at `anchor`.
fn matches(value: &str, anchor: TextAnchor, text: &str) -> bool {
    let value = collation::folded(value);
    match anchor {
        TextAnchor::Anywhere => value.contains(text),
        TextAnchor::Start => value.starts_with(text),
        TextAnchor::End => value.ends_with(text),
    }
}

fn not_a_date(value: &impl ToString, span: nql::Span) -> NotADate {
    NotADate {
        value: value.to_string(),
        span,
    }
}

/// Returns the ordering of `number` relative to a number between `floor` and `floor + 1`.
fn beside(number: i64, floor: i64) -> Ordering {
    if number <= floor {
        Ordering::Less
    } else {
        Ordering::Greater
    }
}

/// Returns the time of a relative date at `now`, clamped to the range of timestamps.
fn resolve(date: &nql::RelativeDate, now: Timestamp) -> Timestamp {
    let (amount, beyond) = match date.direction {
        Direction::Past => (-i64::from(date.amount), Timestamp::MIN),
        Direction::Future => (i64::from(date.amount), Timestamp::MAX),
    };
    let span = match date.unit {
        TimeUnit::Second => Span::new().try_seconds(amount),
        TimeUnit::Minute => Span::new().try_minutes(amount),
        TimeUnit::Hour => Span::new().try_hours(amount),
        TimeUnit::Day => Span::new().try_days(amount),
        TimeUnit::Week => Span::new().try_weeks(amount),
        TimeUnit::Month => Span::new().try_months(amount),
        TimeUnit::Year => Span::new().try_years(amount),
    };
    // Months and years cannot be added to a timestamp, because their length depends on the
    // calendar.
    span.and_then(|span| now.to_zoned(TimeZone::UTC).checked_add(span))
        .map_or(beyond, |zoned| zoned.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_match_times_identifiers_and_uuids_in_every_notation() {
        let now: Timestamp = "2025-01-05T12:00:00Z".parse().unwrap();
        let id = Id::derive("post", "a");
        let uuid = Uuid::from_u128(7);
        for (listed, kind, value) in [
            (
                "'2025-01-05 12:00:00'".to_owned(),
                FieldType::Time,
                Value::Time(now),
            ),
            (
                "'2025-01-05T12:00:00.000Z'".to_owned(),
                FieldType::Time,
                Value::Time(now),
            ),
            (format!("'{id}'"), FieldType::Text, Value::Id(id)),
            (format!("'{uuid}'"), FieldType::Text, Value::Uuid(uuid)),
        ] {
            let holds = |filter: String| {
                let Ok(nql::Expression::Condition(condition)) = nql::parse(&filter) else {
                    panic!("{filter}")
                };
                let test = Test::new(&condition.node.predicate, kind, now);
                test.unwrap().holds(&value)
            };
            let other = match kind {
                FieldType::Time => "'1999-12-31'",
                _ => "other",
            };
            assert!(holds(format!("field:[{other},{listed}]")), "{listed}");
            assert!(!holds(format!("field:-[{other},{listed}]")), "{listed}");
            assert!(holds(format!("field:-[{other}]")), "{listed}");
        }
    }
}
