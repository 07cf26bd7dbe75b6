//! Adapts the filters of lists and of `{{#get}}` where Ghost reads them differently from the filters of the APIs (6.65,
//! recorded).

use std::slice;

use crate::{
    error::{Error, Kind, Result},
    nql::{
        self, Comparison, Condition, Expression, GroupUse, Membership, Predicate, Span, Spanned,
        Value,
    },
};

/// Returns a filter as the query code expects it; `None` if no condition remains.
///
/// # Errors
///
/// `BadRequest` if the filter does not parse, which includes some one-letter words.
pub(super) fn read(filter: &str, used: GroupUse) -> Result<Option<String>> {
    let unreadable = || Error::new(Kind::BadRequest, "Error parsing filter");
    let expression = nql::parse(filter).map_err(|_| unreadable())?;
    // Parsed first, which also bounds the recursion of `collect`.
    let mut conditions = Vec::new();
    collect(&expression, &mut conditions);
    let values = conditions
        .iter()
        .flat_map(|condition| values(&condition.node.predicate));
    let mut characters = values.filter(|value| is_character(value));
    if characters.any(|character| !is_readable(character, filter, used)) {
        return Err(unreadable());
    }
    let mut changed = filter.to_owned();
    // Tests in memory compare with null as the APIs do. Replacing the last condition first keeps the spans of the others valid.
    let of_query = conditions.iter().rev().filter(|_| used != GroupUse::Test);
    for condition in of_query {
        if let Some(other) = replacement(&condition.node) {
            let Span { start, end } = condition.span;
            changed.replace_range(start..end, other);
        }
    }
    Ok(nql::without_doubled_groups(&changed, used))
}

fn collect<'e>(expression: &'e Expression, conditions: &mut Vec<&'e Spanned<Condition>>) {
    match expression {
        Expression::And(members) | Expression::Or(members) => {
            for member in members {
                collect(member, conditions);
            }
        }
        Expression::Condition(condition) => conditions.push(condition),
    }
}

/// Returns the values of a condition.
fn values(predicate: &Predicate) -> &[Spanned<Value>] {
    match predicate {
        Predicate::Compare { value, .. } => slice::from_ref(value),
        Predicate::List { items, .. } => items,
        Predicate::Match { .. } => &[],
    }
}

fn is_character(value: &Spanned<Value>) -> bool {
    matches!(&value.node, Value::Word(word) if word.chars().count() == 1)
}

/// Returns whether Ghost's grammar accepts a one-letter word at this position of a filter: an English letter, followed by a
/// space, `+` or the end of the filter. An extended query is enclosed in parentheses, so its end does not count.
fn is_readable(character: &Spanned<Value>, filter: &str, used: GroupUse) -> bool {
    let Span { start, end } = character.span;
    let is_end_valid = match filter[end..].chars().next() {
        None => used != GroupUse::ExtendedQuery,
        Some(next) => next == '+' || next.is_whitespace(),
    };
    let is_english = |byte: u8| byte.is_ascii_alphabetic();
    filter[start..end].bytes().all(is_english) && is_end_valid
}

/// Returns the condition that finds the posts that Ghost finds for a condition with null; `None` if it is the same condition. In
/// Ghost, `tag:-null` excludes the posts that have tags, and the other conditions that are replaced find no posts.
fn replacement(condition: &Condition) -> Option<&'static str> {
    const NOTHING: &str = "id:null";
    let relation = condition.field.node.split('.').next().unwrap_or_default();
    let is_tag = matches!(relation, "tag" | "tags");
    let is_relation = is_tag
        || matches!(
            relation,
            "author" | "authors" | "primary_tag" | "primary_author"
        );
    match &condition.predicate {
        Predicate::Compare { operator, value } if value.node == Value::Null => match operator {
            Comparison::NotEqual if is_tag => Some("tag:null"),
            Comparison::Equal | Comparison::NotEqual if is_relation => Some(NOTHING),
            _ => None,
        },
        Predicate::List {
            membership: Membership::NoneOf,
            items,
        } if !is_relation && items.iter().any(|item| item.node == Value::Null) => Some(NOTHING),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_with_null_are_those_of_ghost() {
        for (filter, expected) in [
            ("tag:null,featured:true", Some("id:null,featured:true")),
            ("tag:-null", Some("tag:null")),
            (
                "featured:true+(primary_tag:-null)",
                Some("featured:true+(id:null)"),
            ),
            ("authors:-null", Some("id:null")),
            ("slug:-[aa,null]", Some("id:null")),
            ("tag:-[aa,null]", Some("tag:-[aa,null]")),
            ("feature_image:-null", Some("feature_image:-null")),
            ("((tag:-null))", None),
        ] {
            let found = read(filter, GroupUse::Query).unwrap();
            assert_eq!(found.as_deref(), expected, "{filter}");
        }
    }

    #[test]
    fn words_of_one_letter_need_quotes_at_some_positions() {
        for filter in ["tag:[c,news]", "(slug:c)", "tag:c,slug:news", "tag:-é"] {
            assert!(read(filter, GroupUse::Query).is_err(), "{filter}");
        }
        for filter in ["tag:'c'", "id:1", "tag:c", "tag:c+slug:news", "title:~'z'"] {
            assert!(read(filter, GroupUse::Query).is_ok(), "{filter}");
        }
        assert!(read("tag:c", GroupUse::ExtendedQuery).is_err());
        assert!(read("tag:c+slug:news", GroupUse::ExtendedQuery).is_ok());
    }
}
