//! Filters: NQL trees bound to a table of fields.
//!
//! Compiling a filter resolves every name once. Conditions on private fields are removed at any
//! depth, so that private values cannot be probed; the rest of the filter applies (Ghost 6.65,
//! recorded). Conditions on related records (`tag:`, `authors.name:`) are compiled to sets of
//! identifiers, so that testing a post takes only a few comparisons.

use std::collections::HashSet;

use jiff::Timestamp;

use super::{
    Catalog,
    comparison::{NotADate, Operand, Test},
    fields::{BodyForm, Field, FieldLookup, FieldType, Schema, UnknownField},
    relation::{self, Relation, RelationCondition, Relations},
    value::Value,
};
use crate::{
    domain::post::PostKind,
    id::Id,
    nql::{Comparison, Condition, Expression},
};

/// A kind of record that can be filtered.
pub trait Filterable: Sized + 'static {
    /// Returns the identifiers of the related records, in their order.
    fn related(&self, _relation: Relation) -> impl Iterator<Item = Id> {
        std::iter::empty()
    }
}

/// The error for a filter that names a field that the resource does not have.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{resource} have no field \"{name}\" that can be filtered by (character {character})")]
pub struct UnknownFieldError {
    /// The resource, plural.
    pub resource: &'static str,
    /// The name as written.
    pub name: String,
    /// The position in the filter, in characters from 1.
    pub character: usize,
}

/// The error for a filter that compares a time with a value that is not a date.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} of {resource} is a time, and \"{value}\" is not a date (character {character})")]
pub struct NotADateError {
    /// The resource, plural.
    pub resource: &'static str,
    /// The field as written.
    pub name: String,
    /// The value as written, without quotes.
    pub value: String,
    /// The position in the filter, in characters from 1.
    pub character: usize,
}

/// Maximum number of searches with `~` that a filter may have on a site of any size.
pub const TEXT_SEARCHES_ALWAYS: usize = 32;

/// Maximum number of texts that a filter with more searches may examine: the number of searches
/// times the number of records.
pub const SEARCHED_TEXTS_MAX: usize = 4_000_000;

/// The reason why a filter cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// The filter names a field that the resource does not have.
    #[error(transparent)]
    UnknownField(#[from] UnknownFieldError),
    /// The filter compares a time with a value that is not a date.
    #[error(transparent)]
    NotADate(#[from] NotADateError),
    /// The filter has more searches with `~` than are allowed on a site of this size.
    #[error(
        "{searches} searches with `~` are too many for a site with {records} {resource}; at most {max} are allowed"
    )]
    TooManySearches {
        /// The number of searches.
        searches: usize,
        /// The resource, plural.
        resource: &'static str,
        /// The number of records that are searched.
        records: usize,
        /// The allowed number of searches.
        max: usize,
    },
}

/// A compiled filter of records.
pub enum Filter<R: 'static> {
    /// All of these hold.
    All(Vec<Filter<R>>),
    /// At least one of these holds.
    Any(Vec<Filter<R>>),
    /// A field of the record passes a test.
    Field(&'static Field<R>, Test),
    /// The related records fulfil a condition.
    Related(RelationCondition),
    /// A form of the body passes a test; undecided until the body is available.
    Body(BodyForm, Test),
    /// The record is one of these; the function returns its identifier.
    OneOf(HashSet<Id>, fn(&R) -> Id),
    /// Nothing matches.
    Nothing,
}

/// The forms of one body that conditions test. A missing form is null.
#[derive(Debug, Default)]
pub struct BodyForms {
    /// HTML.
    pub html: Option<String>,
    /// The plain text of the HTML.
    pub plaintext: Option<String>,
    /// The editor's document.
    pub lexical: Option<String>,
}

impl BodyForms {
    /// Returns the text of this form.
    pub fn form(&self, form: BodyForm) -> Option<&str> {
        match form {
            BodyForm::Html => self.html.as_deref(),
            BodyForm::Plaintext => self.plaintext.as_deref(),
            BodyForm::Lexical => self.lexical.as_deref(),
        }
    }
}

/// A compiled part of a filter.
enum FilterPart<R: 'static> {
    /// Removed, because it contained conditions on private fields only.
    Removed,
    /// A condition that a related record exists. Such conditions are combined within a group.
    Exists(relation::Existence),
    /// Anything else.
    Whole(Filter<R>),
}

/// The names that a filter can use.
pub struct FilterScope<'a, R: 'static> {
    /// The resource's fields.
    pub schema: &'static Schema<R>,
    /// The relations that the filter can use.
    pub relations: Relations,
    /// The catalog with the related records.
    pub catalog: &'a Catalog,
    /// The value of `now` in the filter.
    pub now: Timestamp,
    /// The text of the filter, for messages.
    pub text: &'a str,
}

impl<R> FilterScope<'_, R> {
    fn unknown(&self, condition: &Condition) -> FilterError {
        FilterError::UnknownField(UnknownFieldError {
            resource: self.schema.name,
            name: condition.field.node.clone(),
            character: condition.field.span.character(self.text),
        })
    }

    fn not_a_date(&self, condition: &Condition, value: NotADate) -> FilterError {
        FilterError::NotADate(NotADateError {
            resource: self.schema.name,
            name: condition.field.node.clone(),
            value: value.value,
            character: value.span.character(self.text),
        })
    }
}

impl<R: Filterable> Filter<R> {
    /// Compiles `expression` with the names in `scope`. Returns `None` if it contained conditions
    /// on private fields only.
    ///
    /// # Errors
    ///
    /// If the expression names a field that the resource does not have, compares a time with a
    /// value that is not a date, or has more searches than are allowed on a site of this size.
    pub fn compile(
        expression: &Expression,
        scope: &FilterScope<R>,
    ) -> Result<Option<Self>, FilterError> {
        // Checked before compiling, because compiling already runs the searches in related records.
        check_searches(expression, scope)?;
        Ok(part(expression, scope)?.into_filter())
    }

    /// Returns whether `record` matches. Conditions on bodies have to be decided before.
    pub fn holds(&self, record: &R) -> bool {
        self.verdict(record, None) == Some(true)
    }

    /// Returns whether `record` matches; `None` if the result depends on the body and `body` is
    /// `None`.
    pub fn verdict(&self, record: &R, body: Option<&BodyForms>) -> Option<bool> {
        match self {
            Self::All(members) => decided(members, false, |member| member.verdict(record, body)),
            Self::Any(members) => decided(members, true, |member| member.verdict(record, body)),
            Self::Field(field, test) => {
                let value = field.value(record);
                Some(
                    test.holds(&value)
                        // Ghost stores these fields in a separate table; posts without a row in it
                        // match negations.
                        || (field.in_side_record && value.is_null() && test.is_negation()),
                )
            }
            // Relations were compiled to identifiers, so no other record is read here.
            Self::Related(related) => Some(related.holds(record.related(related.relation))),
            Self::Body(form, test) => {
                body.map(|body| test.holds(&Value::optional_text(body.form(*form))))
            }
            Self::OneOf(ids, id) => Some(ids.contains(&id(record))),
            Self::Nothing => Some(false),
        }
    }

    /// Returns the forms of bodies that conditions test, one for each condition.
    pub fn body_forms(&self) -> Vec<BodyForm> {
        match self {
            Self::All(members) | Self::Any(members) => {
                members.iter().flat_map(Self::body_forms).collect()
            }
            Self::Body(form, _) => vec![*form],
            _ => Vec::new(),
        }
    }

    /// Returns the conditions that must all hold: the members of the outermost group, or the filter
    /// itself.
    pub fn conjuncts(&self) -> &[Self] {
        match self {
            Self::All(members) => members,
            single => std::slice::from_ref(single),
        }
    }

    /// If the condition only requires that a certain related record exists, returns that record.
    pub fn required_relation(&self) -> Option<(Relation, Id)> {
        match self {
            Self::Related(related) => related.required().map(|id| (related.relation, id)),
            _ => None,
        }
    }

    /// If the condition only requires that the field `name` equals one of a list of texts, returns
    /// these texts.
    pub fn equal_texts(&self, name: &str) -> Option<Vec<&str>> {
        match self {
            Self::Field(field, test) if field.name == name => test.equal_texts(),
            _ => None,
        }
    }
}

/// Rejects a filter with so many searches that it would occupy a thread for a long time.
fn check_searches<R>(expression: &Expression, scope: &FilterScope<R>) -> Result<(), FilterError> {
    let searches = expression.text_searches();
    let records = searched_records(scope.catalog, scope.relations);
    let max = text_searches_max(records);
    if searches > max {
        Err(FilterError::TooManySearches {
            searches,
            resource: scope.schema.name,
            records,
            max,
        })
    } else {
        Ok(())
    }
}

/// Returns the maximum number of searches in a filter if each search examines this many records.
fn text_searches_max(records: usize) -> usize {
    // A small site may have many searches, a large one fewer: the product bounds the time of a
    // filter.
    (SEARCHED_TEXTS_MAX / records.max(1)).max(TEXT_SEARCHES_ALWAYS)
}

/// Returns the number of records that a search examines.
fn searched_records(catalog: &Catalog, relations: Relations) -> usize {
    match relations {
        Relations::OfPosts => [PostKind::Post, PostKind::Page]
            .map(|kind| catalog.posts.staff_listing(kind).len())
            .iter()
            .sum(),
        Relations::OfMembers => catalog.members.len(),
        Relations::None => catalog.tags.len() + catalog.users.len() + catalog.labels.len(),
    }
}

/// Returns `end` if any member has that verdict; otherwise `None` if a member is undecided, or the
/// opposite of `end`.
fn decided<M>(members: &[M], end: bool, verdict: impl Fn(&M) -> Option<bool>) -> Option<bool> {
    let mut is_undecided = false;
    for member in members {
        match verdict(member) {
            // Undecided members before this one do not matter. So the body of a post is read from
            // the store only if the other conditions leave the result open.
            Some(found) if found == end => return Some(end),
            Some(_) => {}
            None => is_undecided = true,
        }
    }
    (!is_undecided).then_some(!end)
}

impl<R> FilterPart<R> {
    fn into_filter(self) -> Option<Filter<R>> {
        match self {
            Self::Removed => None,
            Self::Exists(existence) => Some(Filter::Related(existence.into_related())),
            Self::Whole(filter) => Some(filter),
        }
    }
}

fn part<R: Filterable>(
    expression: &Expression,
    scope: &FilterScope<R>,
) -> Result<FilterPart<R>, FilterError> {
    match expression {
        Expression::And(members) => {
            let parts = members
                .iter()
                .map(|member| part(member, scope))
                .collect::<Result<_, _>>()?;
            Ok(all(parts))
        }
        Expression::Or(members) => {
            let mut filters = Vec::with_capacity(members.len());
            for member in members {
                // Conditions on relations are joined within `And` only; each branch of an `Or` may
                // hold for a different related record.
                filters.extend(part(member, scope)?.into_filter());
            }
            Ok(group(filters, Filter::Any))
        }
        Expression::Condition(condition) => condition_part(&condition.node, scope),
    }
}

/// Combines the members of a group, joining conditions on related records first.
fn all<R>(parts: Vec<FilterPart<R>>) -> FilterPart<R> {
    let mut existences = Vec::new();
    let mut filters = Vec::new();
    for part in parts {
        match part {
            FilterPart::Exists(existence) => relation::join(&mut existences, existence),
            other => filters.extend(other.into_filter()),
        }
    }
    filters.extend(
        existences
            .into_iter()
            .map(|existence| Filter::Related(existence.into_related())),
    );
    group(filters, Filter::All)
}

fn group<R>(mut filters: Vec<Filter<R>>, make: fn(Vec<Filter<R>>) -> Filter<R>) -> FilterPart<R> {
    match filters.len() {
        0 => FilterPart::Removed,
        1 => FilterPart::Whole(filters.remove(0)),
        _ => FilterPart::Whole(make(filters)),
    }
}

fn condition_part<R: Filterable>(
    condition: &Condition,
    scope: &FilterScope<R>,
) -> Result<FilterPart<R>, FilterError> {
    let name = condition.field.node.as_str();
    // Relations come first: `tags` and `authors` are not in the table of fields.
    let related = relation::compile(
        scope.relations,
        name,
        &condition.predicate,
        scope.schema.api,
        scope.catalog,
        scope.now,
    );
    match related.map_err(|value| scope.not_a_date(condition, value))? {
        relation::CompiledCondition::NoRelation => {}
        relation::CompiledCondition::Unknown => return Err(scope.unknown(condition)),
        relation::CompiledCondition::Private => return Ok(FilterPart::Removed),
        relation::CompiledCondition::Exists(existence) => return Ok(FilterPart::Exists(existence)),
        relation::CompiledCondition::All(related) => {
            return Ok(group(
                related.into_iter().map(Filter::Related).collect(),
                Filter::All,
            ));
        }
    }
    let test_as = |kind| {
        let test = Test::new(&condition.predicate, kind, scope.now);
        test.map_err(|value| scope.not_a_date(condition, value))
    };
    // Not a row of the table, because it depends on other records: which newsletters are active.
    if scope.relations == Relations::OfMembers && name == "subscribed" {
        let test = test_as(FieldType::Boolean)?;
        return Ok(FilterPart::Whole(subscribed(&test, scope)));
    }
    match scope.schema.lookup(scope.schema.without_table(name)) {
        FieldLookup::Field(field) => {
            let test = test_as(field.kind)?;
            Ok(FilterPart::Whole(match field.body_form() {
                Some(form) => Filter::Body(form, test),
                None => Filter::Field(field, test),
            }))
        }
        FieldLookup::Private => Ok(FilterPart::Removed),
        FieldLookup::Unknown => match scope.schema.unknown {
            UnknownField::Refuse => Err(scope.unknown(condition)),
            UnknownField::Ignore => Ok(FilterPart::Removed),
            UnknownField::Null => {
                let test = test_as(FieldType::Text)?;
                // An unknown field behaves like a column that is null in every record.
                let holds = test.holds(&Value::Null) || test.is_negation();
                Ok(FilterPart::Whole(if holds {
                    // A group without conditions holds for every record.
                    Filter::All(Vec::new())
                } else {
                    Filter::Nothing
                }))
            }
        },
    }
}

/// Returns the condition that a member receives mail: at least one active newsletter, and an
/// address that accepts mail (Ghost 6.65, observed). Since it depends on the existing newsletters,
/// it is composed of a condition on newsletters and one on the address.
fn subscribed<R: Filterable>(test: &Test, scope: &FilterScope<R>) -> Filter<R> {
    let has_newsletter = |wanted: bool| {
        let related = RelationCondition::to_sent_newsletters(scope.catalog, wanted);
        Filter::Related(related)
    };
    let accepts_mail = |wanted: bool| {
        let field = scope.schema.row("email_disabled");
        let operand = Operand::Boolean(!wanted);
        field.map(|field| Filter::Field(field, Test::Compare(Comparison::Equal, operand)))
    };
    let both = |wanted: bool| {
        [Some(has_newsletter(wanted)), accepts_mail(wanted)]
            .into_iter()
            .flatten()
    };
    // The predicate may be any comparison or list, so it is run on both values to learn which it
    // accepts.
    match [true, false].map(|value| test.holds(&Value::Boolean(value))) {
        [true, true] => Filter::All(Vec::new()),
        [true, false] => Filter::All(both(true).collect()),
        [false, true] => Filter::Any(both(false).collect()),
        [false, false] => Filter::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{catalog::fields::STAFF_TAGS, domain::tag::Tag, nql};

    #[test]
    fn searches_are_bounded_by_the_number_of_texts() {
        assert_eq!(text_searches_max(0), SEARCHED_TEXTS_MAX);
        assert_eq!(text_searches_max(50_000), 80);
        assert_eq!(text_searches_max(1_000_000), TEXT_SEARCHES_ALWAYS);
    }

    #[test]
    fn a_small_site_allows_as_many_searches_as_a_filter_can_have() {
        let text = vec!["name:~'x'"; nql::VALUES_MAX].join(",");
        let scope = FilterScope {
            schema: &STAFF_TAGS,
            relations: Relations::None,
            catalog: &Catalog::default(),
            now: Timestamp::UNIX_EPOCH,
            text: &text,
        };
        let filter = Filter::<Tag>::compile(&nql::parse(&text).unwrap(), &scope);

        assert!(filter.is_ok());
    }
}
