//! Filters of lists and of `{{#get}}` as Ghost reads them, where that differs from the filters of the APIs here (6.65, recorded).

use crate::{
    error::{Error, Kind, Result},
    nql::{
        self, Comparison, Condition, Expression, GroupUse, Membership, Predicate, Span, Spanned,
        Value,
    },
};

/// Returns a filter as the query code reads it; `None` if nothing is left of it.
///
/// # Errors
///
/// `BadRequest` if it does not parse. A word of one letter does not either.
pub(super) fn read(filter: &str, used: GroupUse) -> Result<Option<String>> {
    let unreadable = || Error::new(Kind::BadRequest, "Error parsing filter");
    let expression = nql::parse(filter).map_err(|_| unreadable())?;
    let mut conditions = Vec::new();
    collect(&expression, &mut conditions);
    if conditions.iter().any(|condition| has_letter(condition)) {
        return Err(unreadable());
    }
    let mut changed = filter.to_owned();
    // A test in memory compares with null as the APIs do. The last conditions come first, so that the spans of the others stay valid.
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

/// Returns whether a condition has a word of one letter as a value, which Ghost's language does not have: without quotes it has two
/// or more.
fn has_letter(condition: &Spanned<Condition>) -> bool {
    let is_letter = |value: &Spanned<Value>| match &value.node {
        Value::Word(word) => word.chars().count() == 1,
        _ => false,
    };
    match &condition.node.predicate {
        Predicate::Compare { value, .. } => is_letter(value),
        Predicate::List { items, .. } => items.iter().any(is_letter),
        Predicate::Match { .. } => false,
    }
}

/// Returns the condition that says what Ghost finds for another one with null. A tag that is not null excludes the posts that have
/// tags; nothing else finds a post.
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
    fn words_have_two_letters_or_quotes() {
        for filter in ["tag:c", "slug:>z", "tag:[c,news]", "tag:-é"] {
            assert!(read(filter, GroupUse::Query).is_err(), "{filter}");
        }
        for filter in ["tag:'c'", "id:1", "tag:cc", "title:~'z'"] {
            assert!(read(filter, GroupUse::Query).is_ok(), "{filter}");
        }
    }
}
