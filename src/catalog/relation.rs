//! Conditions on related records: the tags and authors of a post; the labels, tiers and newsletters
//! of a member.
//!
//! The matching related records are determined once per filter, as a sorted list of identifiers. A
//! condition then tests whether any, none, or the first of the related records of a post is in the
//! list (Ghost 6.65, recorded):
//!
//! - `tag:a`, `tags.name:~'x'`, `tags.name:-~'x'`: *any* related record matches. Within one group,
//!   such conditions on different columns of one relation apply to the same record; conditions on
//!   the same column apply separately.
//! - `tag:-a`, `tags.visibility:-[a,b]`: *none* has the value.
//! - `primary_tag:a`: the *first* one matches, if it is public.
//!
//! Filters of members may also name relations that Galley does not support, such as payments and
//! opened mails. These relations have no records, so "is not" holds for every member.

use jiff::Timestamp;

use super::{
    Catalog,
    comparison::{NotADate, Test},
    fields::{
        AUTHORS, ApiKind, FieldLookup, FieldType, LABELS, STAFF_NEWSLETTERS, STAFF_TAGS,
        STAFF_TIERS, Schema, TAGS, USERS,
    },
    records::Records,
};
use crate::{
    domain::{record::Slugged, tag::Tag, user::User},
    id::Id,
    nql::{Comparison, Expression, Membership, Predicate, Spanned, Value},
};

/// The relations that a filter can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relations {
    /// The resource has no relations.
    None,
    /// Tags and authors.
    OfPosts,
    /// Labels, tiers, newsletters, and relations that are not supported.
    OfMembers,
}

/// A relation of a post or a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The tags of a post.
    Tags,
    /// The authors of a post.
    Authors,
    /// The labels of a member.
    Labels,
    /// The tiers of a member.
    Tiers,
    /// The newsletters of a member.
    Newsletters,
    /// A relation of members that is not supported and always empty.
    Absent,
}

/// The columns of [`Relation::Absent`] that contain times in Ghost 6.65 (observed).
const ABSENT_TIMES: &[&str] = &[
    "start_date",
    "current_period_end",
    "trial_start_at",
    "trial_end_at",
    "created_at",
    "updated_at",
];

/// The condition on the related records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RequiredMatch {
    /// At least one is in the list.
    Any,
    /// None is in the list.
    None,
    /// The first is in the list.
    First,
    /// The first is not in the list, or there is none.
    NotFirst,
}

/// A condition on related records.
#[derive(Debug)]
pub struct RelationCondition {
    /// The relation.
    pub relation: Relation,
    required_match: RequiredMatch,
    ids: Vec<Id>,
}

/// A condition that a related record matches, to which further conditions of its group can be
/// joined.
#[derive(Debug)]
pub struct Existence {
    relation: Relation,
    columns: Vec<&'static str>,
    ids: Vec<Id>,
}

/// The result of compiling a name in a filter.
pub enum CompiledCondition {
    /// The name is not a relation.
    NoRelation,
    /// The name is a field that the related records do not have.
    Unknown,
    /// The name is a private field.
    Private,
    /// A related record must match.
    Exists(Existence),
    /// All of these must hold.
    All(Vec<RelationCondition>),
}

impl RelationCondition {
    /// Returns the condition that a member receives at least one active newsletter or, if
    /// `are_there` is false, none.
    pub fn to_sent_newsletters(catalog: &Catalog, are_there: bool) -> Self {
        let sent = catalog.newsletters.iter();
        Self {
            relation: Relation::Newsletters,
            required_match: if are_there {
                RequiredMatch::Any
            } else {
                RequiredMatch::None
            },
            // `iter` returns ascending identifiers, which the binary search in `holds` requires.
            ids: sent
                .filter(|newsletter| newsletter.active)
                .map(|newsletter| newsletter.id)
                .collect(),
        }
    }

    /// Returns whether a record with these related records fulfils the condition.
    pub fn holds(&self, mut related: impl Iterator<Item = Id>) -> bool {
        let listed = |id: Id| self.ids.binary_search(&id).is_ok();
        match self.required_match {
            RequiredMatch::Any => related.any(listed),
            RequiredMatch::None => !related.any(listed),
            RequiredMatch::First => related.next().is_some_and(listed),
            RequiredMatch::NotFirst => !related.next().is_some_and(listed),
        }
    }

    /// If the condition only requires that a certain related record exists, returns that record.
    pub fn required(&self) -> Option<Id> {
        match (self.required_match, self.ids.as_slice()) {
            (RequiredMatch::Any, [id]) => Some(*id),
            _ => None,
        }
    }
}

impl Existence {
    /// Returns the condition on its own, without further conditions of its group.
    pub fn into_related(self) -> RelationCondition {
        RelationCondition {
            relation: self.relation,
            required_match: RequiredMatch::Any,
            ids: self.ids,
        }
    }
}

/// Joins `existence` to the first condition on the same relation that does not test the same
/// column, so that both apply to the same related record. If there is none, `existence` is added
/// separately.
pub fn join(group: &mut Vec<Existence>, existence: Existence) {
    let partner = group.iter_mut().find(|other| {
        other.relation == existence.relation
            && !existence
                .columns
                .iter()
                .any(|column| other.columns.contains(column))
    });
    match partner {
        Some(partner) => {
            partner
                // Both lists are in ascending order, which `retain` preserves for the search in
                // `holds`.
                .ids
                .retain(|id| existence.ids.binary_search(id).is_ok());
            partner.columns.extend(existence.columns);
        }
        None => group.push(existence),
    }
}

/// Compiles `predicate` on the relation or column `name` of `api`.
///
/// # Errors
///
/// If the column is a time, and is compared with a value that is not a date.
pub fn compile(
    relations: Relations,
    name: &str,
    predicate: &Predicate,
    api: ApiKind,
    catalog: &Catalog,
    now: Timestamp,
) -> Result<CompiledCondition, NotADate> {
    let name = name
        .split_once('.')
        .map_or((name, None), |(first, column)| (first, Some(column)));
    match relations {
        Relations::None => Ok(CompiledCondition::NoRelation),
        Relations::OfPosts => of_posts(name, predicate, api, catalog, now),
        Relations::OfMembers => of_members(name, predicate, catalog, now),
    }
}

fn of_posts(
    name: (&str, Option<&str>),
    predicate: &Predicate,
    api: ApiKind,
    catalog: &Catalog,
    now: Timestamp,
) -> Result<CompiledCondition, NotADate> {
    let tags = Selection::new(tags(api), &catalog.tags, Relation::Tags, now);
    let authors = Selection::new(authors(api), &catalog.users, Relation::Authors, now);
    match name {
        // A relation alone means the slug of the related record, as in Ghost.
        ("tag" | "tags", None) => tags.column("slug", predicate),
        ("tags", Some(column)) => tags.column(column, predicate),
        ("author" | "authors", None) => authors.column("slug", predicate),
        ("authors", Some(column)) => authors.column(column, predicate),
        ("primary_tag", None) => tags.first(predicate, |tag| !tag.internal),
        ("primary_author", None) => authors.first(predicate, |_| true),
        _ => Ok(CompiledCondition::NoRelation),
    }
}

/// Compiles a condition on a relation of members, including relations that are not supported:
/// payments, sent mails and their opens (Ghost 6.65, observed).
fn of_members(
    name: (&str, Option<&str>),
    predicate: &Predicate,
    catalog: &Catalog,
    now: Timestamp,
) -> Result<CompiledCondition, NotADate> {
    let labels = || Selection::new(&LABELS, &catalog.labels, Relation::Labels, now);
    let tiers = || Selection::new(&STAFF_TIERS, &catalog.tiers, Relation::Tiers, now);
    let newsletters = || {
        let relation = Relation::Newsletters;
        Selection::new(&STAFF_NEWSLETTERS, &catalog.newsletters, relation, now)
    };
    match name {
        ("label" | "labels", column) => labels().column(column.unwrap_or("slug"), predicate),
        ("tier" | "tiers" | "product" | "products", column) => {
            tiers().column(column.unwrap_or("slug"), predicate)
        }
        ("tier_id", None) => tiers().column("id", predicate),
        ("newsletters", column) => newsletters().column(column.unwrap_or("slug"), predicate),
        ("subscriptions" | "emails" | "opened_emails" | "clicked_links" | "feedback", Some(_))
        | ("offer_redemptions", _)
        | ("signup" | "conversion", None) => {
            if name.1.is_some_and(|column| ABSENT_TIMES.contains(&column)) {
                // Compiled only to reject a value that is not a date, as for supported columns.
                Test::new(predicate, FieldType::Time, now)?;
            }
            // No member has related records, so only "is not" and "is null" can hold.
            let is_negated = matches!(split(predicate), PredicateMode::Negated(_))
                || tests_for_null(predicate) == Some(true);
            let required_match = if is_negated {
                RequiredMatch::None
            } else {
                RequiredMatch::Any
            };
            Ok(CompiledCondition::All(vec![RelationCondition {
                relation: Relation::Absent,
                required_match,
                ids: Vec::new(),
            }]))
        }
        _ => Ok(CompiledCondition::NoRelation),
    }
}

/// Returns the relations for which `expression` lists several records by slug, such as `tag:[a,b]`;
/// authors before tags.
pub fn listed(expression: &Expression) -> Vec<Relation> {
    let lists = |relation: Relation| lists(expression, relation);
    [Relation::Authors, Relation::Tags]
        .into_iter()
        .filter(|relation| lists(*relation))
        .collect()
}

/// Returns whether `expression` lists records of `relation`. The recursion is bounded, because the
/// parser limits the depth of expressions.
fn lists(expression: &Expression, relation: Relation) -> bool {
    match expression {
        Expression::And(members) | Expression::Or(members) => {
            members.iter().any(|member| lists(member, relation))
        }
        Expression::Condition(condition) => {
            let name = condition.node.field.node.as_str();
            let is_about = match relation {
                Relation::Tags => matches!(name, "tag" | "tags"),
                Relation::Authors => matches!(name, "author" | "authors"),
                _ => false,
            };
            let is_list = matches!(
                condition.node.predicate,
                Predicate::List {
                    membership: Membership::AnyOf | Membership::AllOf,
                    ..
                }
            );
            is_about && is_list
        }
    }
}

fn tags(api: ApiKind) -> &'static Schema<Tag> {
    match api {
        ApiKind::Content => &TAGS,
        ApiKind::Admin => &STAFF_TAGS,
    }
}

fn authors(api: ApiKind) -> &'static Schema<User> {
    match api {
        ApiKind::Content => &AUTHORS,
        ApiKind::Admin => &USERS,
    }
}

/// Selects among the records that a relation can have.
struct Selection<'a, R: 'static> {
    schema: &'static Schema<R>,
    records: &'a Records<R>,
    relation: Relation,
    now: Timestamp,
}

impl<'a, R: Slugged> Selection<'a, R> {
    fn new(
        schema: &'static Schema<R>,
        records: &'a Records<R>,
        relation: Relation,
        now: Timestamp,
    ) -> Self {
        Self {
            schema,
            records,
            relation,
            now,
        }
    }

    /// Compiles a condition on a column of the related records.
    fn column(&self, column: &str, predicate: &Predicate) -> Result<CompiledCondition, NotADate> {
        let field = match self.schema.lookup(column) {
            FieldLookup::Field(field) => field,
            FieldLookup::Private => return Ok(CompiledCondition::Private),
            FieldLookup::Unknown => return Ok(CompiledCondition::Unknown),
        };
        if let Some(absent) = tests_for_null(predicate).filter(|_| field.name == "slug") {
            // Every record has a slug, so a condition on null tests whether there is a related
            // record at all.
            let everything = self.ids(|_| true);
            let required_match = if absent {
                RequiredMatch::None
            } else {
                RequiredMatch::Any
            };
            return Ok(self.all_of(required_match, vec![everything]));
        }
        let fitting = |predicate: &Predicate| {
            let test = Test::new(predicate, field.kind, self.now)?;
            Ok(self.ids(|record| test.holds(&field.value(record))))
        };
        Ok(match split(predicate) {
            PredicateMode::Negated(positive) => {
                self.all_of(RequiredMatch::None, vec![fitting(&positive)?])
            }
            // Each value may match a different record: `tag:[a+b]` finds posts with both tags.
            PredicateMode::Each(values) => {
                let each = values.iter().map(|value| fitting(&equal(value)));
                self.all_of(RequiredMatch::Any, each.collect::<Result<_, _>>()?)
            }
            PredicateMode::Plain => CompiledCondition::Exists(Existence {
                relation: self.relation,
                columns: vec![field.name],
                ids: fitting(predicate)?,
            }),
        })
    }

    /// Compiles a condition on the slug of the first related record, which counts only if
    /// `eligible` returns true.
    fn first(
        &self,
        predicate: &Predicate,
        eligible: impl Fn(&R) -> bool,
    ) -> Result<CompiledCondition, NotADate> {
        if let Some(absent) = tests_for_null(predicate) {
            // If the first tag is internal, there is no primary tag (Ghost 6.65, recorded).
            let candidates = self.ids(&eligible);
            let required_match = if absent {
                RequiredMatch::NotFirst
            } else {
                RequiredMatch::First
            };
            return Ok(self.all_of(required_match, vec![candidates]));
        }
        let FieldLookup::Field(slug) = self.schema.lookup("slug") else {
            return Ok(CompiledCondition::Unknown);
        };
        // Negations are tested on the slug as well, so unlike `tag:-a`, `primary_tag:-a` does not
        // find posts without a primary tag.
        let test = Test::new(predicate, slug.kind, self.now)?;
        let fitting = self.ids(|record| eligible(record) && test.holds(&slug.value(record)));
        Ok(self.all_of(RequiredMatch::First, vec![fitting]))
    }

    /// Returns the condition that every list of records is matched.
    fn all_of(&self, required_match: RequiredMatch, lists: Vec<Vec<Id>>) -> CompiledCondition {
        let conditions = lists.into_iter().map(|ids| RelationCondition {
            relation: self.relation,
            required_match,
            ids,
        });
        CompiledCondition::All(conditions.collect())
    }

    /// Returns the identifiers of the records that `fits` accepts, in ascending order.
    fn ids(&self, fits: impl Fn(&R) -> bool) -> Vec<Id> {
        self.records
            .iter()
            .filter(|record| fits(record))
            .map(|record| record.id())
            .collect()
    }
}

/// How a predicate on a column applies to several related records.
enum PredicateMode<'a> {
    /// At least one record must pass the predicate.
    Plain,
    /// No record may pass this predicate.
    Negated(Predicate),
    /// For each of these values, at least one record must equal it.
    Each(&'a [Spanned<Value>]),
}

fn split(predicate: &Predicate) -> PredicateMode<'_> {
    match predicate {
        Predicate::Compare {
            operator: Comparison::NotEqual,
            value,
            // `-null` means that a value exists: a condition on one record, not a negation.
        } if value.node != Value::Null => PredicateMode::Negated(equal(value)),
        Predicate::List {
            membership: Membership::NoneOf,
            items,
        } => PredicateMode::Negated(Predicate::List {
            membership: Membership::AnyOf,
            items: items.clone(),
        }),
        Predicate::List {
            membership: Membership::AllOf,
            items,
        } => PredicateMode::Each(items),
        _ => PredicateMode::Plain,
    }
}

fn equal(value: &Spanned<Value>) -> Predicate {
    Predicate::Compare {
        operator: Comparison::Equal,
        value: value.clone(),
    }
}

/// Returns `Some(true)` for `null`, which requires no related record, `Some(false)` for `-null`,
/// which requires one, and `None` otherwise.
fn tests_for_null(predicate: &Predicate) -> Option<bool> {
    match predicate {
        Predicate::Compare { operator, value } if value.node == Value::Null => match operator {
            Comparison::Equal => Some(true),
            Comparison::NotEqual => Some(false),
            _ => None,
        },
        _ => None,
    }
}
