//! Filters of tiers. Ghost tests tiers in memory, with the names and values that they have there. Unlike in its database, case
//! and type matter, and a missing value differs from any value (6.65, recorded).

use std::cmp::Ordering;

use crate::{
    domain::tier::Tier,
    nql::{self, Comparison, Condition, Expression, Membership, Predicate, TextAnchor},
};

/// A property of a tier.
#[derive(Debug, PartialEq)]
enum Property<'t> {
    Missing,
    Boolean(bool),
    Number(i64),
    Text(&'t str),
    Texts(&'t [Box<str>]),
    /// A time, which never equals a string.
    Time,
}

/// Returns whether an active tier satisfies a filter.
///
/// Recursion is bounded: the parser limits the depth of an expression.
pub(super) fn holds(filter: &Expression, tier: &Tier) -> bool {
    let member = |member: &Expression| holds(member, tier);
    match filter {
        Expression::And(members) => members.iter().all(member),
        Expression::Or(members) => members.iter().any(member),
        Expression::Condition(condition) => holds_for(&condition.node, tier),
    }
}

fn holds_for(condition: &Condition, tier: &Tier) -> bool {
    let id = tier.id.to_string();
    let currency = tier.price.as_ref();
    let currency = currency.map(|price| price.currency.to_uppercase());
    let price = tier.price.as_ref();
    let number = |number: Option<u64>| {
        let number = number.and_then(|number| i64::try_from(number).ok());
        number.map_or(Property::Missing, Property::Number)
    };
    let property = match &*condition.field.node {
        "id" => Property::Text(&id),
        "name" => Property::Text(&tier.name),
        "slug" => Property::Text(&tier.slug),
        "description" => Property::optional(tier.description.as_deref()),
        "status" => Property::Text("active"),
        "active" => Property::Boolean(tier.active),
        "visibility" => Property::Text(tier.visibility()),
        "type" => Property::Text(tier.type_name()),
        "currency" => Property::optional(currency.as_deref()),
        "monthlyPrice" => number(price.map(|price| price.monthly)),
        "yearlyPrice" => number(price.map(|price| price.yearly)),
        "trialDays" => Property::Number(tier.trial_days.into()),
        "welcomePageURL" => Property::optional(tier.welcome_page_url.as_deref()),
        "benefits" => Property::Texts(&tier.benefits),
        "createdAt" => Property::Time,
        "updatedAt" if tier.updated_at.is_some() => Property::Time,
        _ => Property::Missing,
    };
    property.fulfils(&condition.predicate)
}

impl<'t> Property<'t> {
    fn optional(text: Option<&'t str>) -> Self {
        text.map_or(Self::Missing, Self::Text)
    }

    fn fulfils(&self, predicate: &Predicate) -> bool {
        match predicate {
            Predicate::Compare { operator, value } => match operator {
                Comparison::Equal => self.equals(&value.node),
                Comparison::NotEqual => !self.equals(&value.node),
                Comparison::Greater => self.order(&value.node).is_some_and(Ordering::is_gt),
                Comparison::GreaterOrEqual => self.order(&value.node).is_some_and(Ordering::is_ge),
                Comparison::Less => self.order(&value.node).is_some_and(Ordering::is_lt),
                Comparison::LessOrEqual => self.order(&value.node).is_some_and(Ordering::is_le),
            },
            Predicate::List { membership, items } => {
                let mut items = items.iter();
                match membership {
                    Membership::AnyOf => items.any(|item| self.equals(&item.node)),
                    Membership::AllOf => items.all(|item| self.equals(&item.node)),
                    Membership::NoneOf => !items.any(|item| self.equals(&item.node)),
                }
            }
            Predicate::Match {
                negated,
                anchor,
                text,
            } => self.has(&text.node, *anchor) != *negated,
        }
    }

    fn equals(&self, value: &nql::Value) -> bool {
        match (self, value) {
            (Self::Missing, nql::Value::Null) => true,
            (Self::Boolean(own), nql::Value::Boolean(other)) => own == other,
            (Self::Number(own), nql::Value::Integer(other)) => own == other,
            (Self::Text(own), nql::Value::Word(other) | nql::Value::Text(other)) => own == other,
            (Self::Texts(own), nql::Value::Word(other) | nql::Value::Text(other)) => {
                own.iter().any(|own| **own == **other)
            }
            _ => false,
        }
    }

    fn order(&self, value: &nql::Value) -> Option<Ordering> {
        match (self, value) {
            (Self::Number(own), nql::Value::Integer(other)) => Some(own.cmp(other)),
            (Self::Text(own), nql::Value::Word(other) | nql::Value::Text(other)) => {
                Some((*own).cmp(other))
            }
            _ => None,
        }
    }

    /// Returns whether the property contains a string, ignoring case.
    fn has(&self, text: &str, anchor: TextAnchor) -> bool {
        let text = text.to_lowercase();
        let has = |own: &str| {
            let own = own.to_lowercase();
            match anchor {
                TextAnchor::Anywhere => own.contains(&text),
                TextAnchor::Start => own.starts_with(&text),
                TextAnchor::End => own.ends_with(&text),
            }
        };
        match self {
            Self::Text(own) => has(own),
            Self::Texts(own) => own.iter().any(|own| has(own)),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiers_are_tested_by_their_names_in_memory() {
        let mut tier = Tier::new("bronze", "Bronze");
        tier.benefits = vec!["A badge".into()];
        for (filter, expected) in [
            ("slug:bronze", true),
            ("name:bronze", false),
            ("name:~'BRON'", true),
            ("status:active+active:true", true),
            ("welcome_page_url:null", true),
            ("trialDays:0", true),
            ("trial_days:0", false),
            ("trial_days:-0", true),
            ("benefits:'A badge'", true),
            ("benefits:null", false),
            ("createdAt:>2020-01-01", false),
            ("name:[Bronze,Gold]", true),
            ("name:-[Bronze,Gold]", false),
            ("id:null", false),
        ] {
            let expression = nql::parse(filter).unwrap();
            assert_eq!(holds(&expression, &tier), expected, "{filter}");
        }
    }
}
