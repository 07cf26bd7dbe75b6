//! Orders such as `order=title asc,published_at desc`, bound to a table of fields.

use std::{cmp::Ordering, collections::HashMap};

use super::{
    fields::{BodyForm, Field, FieldLookup, Schema},
    value::Value,
};
use crate::{collation, id::Id};

/// The name that orders tags and authors by their number of posts.
pub const POST_COUNT: &str = "count.posts";

/// The direction of one part of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortDirection {
    /// Lowest first.
    Ascending,
    /// Highest first.
    Descending,
}

/// The sort key of one part of an order.
pub enum SortKey<R: 'static> {
    /// A field of the record.
    Field(&'static Field<R>),
    /// The number of posts associated with the record.
    PostCount,
    /// A form of the body: the rank of the body of each record, and a function that returns the
    /// identifier of a record.
    Ranked(HashMap<Id, usize>, fn(&R) -> Id),
}

/// A requested order; never empty.
pub struct Order<R: 'static>(Vec<(SortKey<R>, SortDirection)>);

impl<R> Order<R> {
    /// Parses the order `text`. Returns `None` if no part can be used, in which case the default
    /// order applies.
    ///
    /// A part is ignored if it is empty, has no direction, or names an unknown or private field. If
    /// a field is named twice, the position of the first part and the direction of the last one
    /// apply (Ghost 6.65, recorded). `count.posts` is used only if `with_post_count` says that it
    /// was included.
    pub fn parse(text: &str, schema: &'static Schema<R>, with_post_count: bool) -> Option<Self> {
        let mut parts: Vec<(SortKey<R>, SortDirection)> = Vec::new();
        for part in text.split(',') {
            let Some((key, direction)) = parse_part(part, schema, with_post_count) else {
                continue;
            };
            match parts.iter_mut().find(|(known, _)| known.is_same(&key)) {
                Some(known) => known.1 = direction,
                None => parts.push((key, direction)),
            }
        }
        (!parts.is_empty()).then_some(Self(parts))
    }

    /// Returns whether the order `text` names fields but none of them can be used. Private fields
    /// are ignored, as if the order did not name them.
    pub fn has_only_unknown_fields(
        text: &str,
        schema: &'static Schema<R>,
        with_post_count: bool,
    ) -> bool {
        let is_private = |part: &str| {
            let name = part.split_whitespace().next();
            let name = name.map(str::to_ascii_lowercase);
            name.is_some_and(|name| {
                matches!(
                    schema.lookup(schema.without_table(&name)),
                    FieldLookup::Private
                )
            })
        };
        let mut named = text.split(',').filter(|part| !part.trim().is_empty());
        named.any(|part| !is_private(part)) && Self::parse(text, schema, with_post_count).is_none()
    }

    /// Returns whether the order is by creation date only, newest first.
    pub fn is_newest_first(&self) -> bool {
        match self.0.as_slice() {
            [(SortKey::Field(field), SortDirection::Descending)] => field.name == "created_at",
            _ => false,
        }
    }

    /// Replaces forms of bodies with the ranks that `rank` returns for each form.
    ///
    /// # Errors
    ///
    /// The error of `rank`.
    pub fn rank_bodies<E>(
        &mut self,
        id: fn(&R) -> Id,
        mut rank: impl FnMut(BodyForm) -> Result<HashMap<Id, usize>, E>,
    ) -> Result<(), E> {
        for (key, _) in &mut self.0 {
            if let SortKey::Field(field) = key
                && let Some(form) = field.body_form()
            {
                *key = SortKey::Ranked(rank(form)?, id);
            }
        }
        Ok(())
    }

    /// Returns a number that speeds up sorting: of two records with different numbers, the one with
    /// the lower number comes first.
    pub fn sort_prefix(&self, record: &R) -> u64 {
        // Records with equal numbers are compared in full, so 0 for all records is correct but
        // slower.
        let (SortKey::Field(field), direction) = &self.0[0] else {
            return 0;
        };
        let prefix = match field.value(record) {
            Value::Text(text) => collation::sort_prefix(&text),
            _ => 0,
        };
        match direction {
            SortDirection::Ascending => prefix,
            // Inverting all bits reverses the order of the numbers.
            SortDirection::Descending => !prefix,
        }
    }

    /// Compares two records; `post_count` returns the number of posts associated with a record.
    pub fn compare(&self, a: &R, b: &R, post_count: impl Fn(&R) -> usize) -> Ordering {
        self.0
            .iter()
            .map(|(key, direction)| {
                let ordering = match key {
                    SortKey::Field(field) => field.value(a).order(&field.value(b)),
                    SortKey::PostCount => post_count(a).cmp(&post_count(b)),
                    // A record without a body has no rank, and `None` sorts first, as null does in
                    // fields.
                    SortKey::Ranked(ranks, id) => ranks.get(&id(a)).cmp(&ranks.get(&id(b))),
                };
                match direction {
                    SortDirection::Ascending => ordering,
                    SortDirection::Descending => ordering.reverse(),
                }
            })
            .find(|ordering| ordering.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

impl<R> SortKey<R> {
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Field(a), Self::Field(b)) => a.name == b.name,
            (Self::PostCount, Self::PostCount) => true,
            _ => false,
        }
    }
}

fn parse_part<R>(
    part: &str,
    schema: &'static Schema<R>,
    with_post_count: bool,
) -> Option<(SortKey<R>, SortDirection)> {
    let mut words = part.split_whitespace();
    let name = words.next()?.to_ascii_lowercase();
    let direction = match words.next()?.to_ascii_lowercase().as_str() {
        "asc" => SortDirection::Ascending,
        "desc" => SortDirection::Descending,
        _ => return None,
    };
    if words.next().is_some() {
        return None;
    }
    if name == POST_COUNT {
        return with_post_count.then_some((SortKey::PostCount, direction));
    }
    match schema.lookup(schema.without_table(&name)) {
        FieldLookup::Field(field) => Some((SortKey::Field(field), direction)),
        FieldLookup::Private | FieldLookup::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::{catalog::fields::TAGS, domain::tag::Tag, id::Id};

    fn tag(slug: &str, description: Option<&str>) -> Tag {
        Tag {
            description: description.map(Into::into),
            ..Tag::new(Id::derive("tag", slug), slug, slug, Timestamp::UNIX_EPOCH)
        }
    }

    fn sorted(order: &str, mut tags: Vec<Tag>) -> Vec<String> {
        let order = Order::parse(order, &TAGS, true).expect("a usable order");
        tags.sort_by(|a, b| order.compare(a, b, |tag| tag.slug.len()));
        tags.iter().map(|tag| tag.slug.to_string()).collect()
    }

    #[test]
    fn null_is_lowest_in_both_directions() {
        let tags = || vec![tag("b", Some("x")), tag("a", None), tag("c", Some("y"))];
        assert_eq!(sorted("description asc", tags()), ["a", "b", "c"]);
        assert_eq!(sorted("description desc", tags()), ["c", "b", "a"]);
    }

    #[test]
    fn repeated_field_keeps_its_first_position_and_last_direction() {
        let tags = || {
            vec![
                tag("a", Some("x")),
                tag("b", Some("x")),
                tag("c", Some("w")),
            ]
        };
        assert_eq!(
            sorted("slug asc,description asc,slug desc", tags()),
            ["c", "b", "a"]
        );
    }

    #[test]
    fn unusable_parts_are_ignored() {
        assert!(Order::parse("nosuch desc, slug, created_at asc,,", &TAGS, false).is_none());
        assert!(Order::parse("count.posts desc", &TAGS, false).is_none());
        let tags = vec![tag("bb", None), tag("a", None)];
        assert_eq!(
            sorted("nosuch asc, TAGS.slug, TAGS.slug  ASC", tags),
            ["a", "bb"]
        );
    }

    #[test]
    fn unknown_fields_differ_from_private_ones() {
        for (order, is_unknown) in [
            ("nosuch desc", true),
            ("count.posts desc", true),
            ("name", true),
            ("created_at asc, nosuch asc", true),
            ("created_at asc", false),
            ("nosuch desc, name asc", false),
            (" ,", false),
        ] {
            assert_eq!(
                Order::has_only_unknown_fields(order, &TAGS, false),
                is_unknown,
                "{order}"
            );
        }
    }

    #[test]
    fn post_counts_order_if_they_were_included() {
        let tags = vec![tag("bb", None), tag("a", None), tag("ccc", None)];
        assert_eq!(sorted("count.posts desc", tags), ["ccc", "bb", "a"]);
    }
}
