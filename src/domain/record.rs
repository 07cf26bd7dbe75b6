//! The common properties of records that staff add, edit and delete.

use serde::Serialize;

use crate::id::Id;

/// A record with an identifier and a kind.
pub trait Record: Serialize {
    /// The noun for a record, used in messages, in audit entries, and as the prefix of its slug in
    /// the store.
    const KIND: &'static str;

    /// Returns the record's identifier.
    fn id(&self) -> Id;

    /// Returns the name of the record in audit entries.
    fn title(&self) -> &str;

    /// Returns the record as the subject of an audit entry.
    fn subject(&self) -> Subject<'_> {
        Subject {
            id: self.id(),
            resource_type: Self::KIND,
            name: Some(self.title()),
            kind: None,
        }
    }
}

/// The subject of an action.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The record.
    pub id: Id,
    /// Its resource type, singular.
    pub resource_type: &'static str,
    /// Its name.
    pub name: Option<&'a str>,
    /// `post` or `page`, for posts and pages.
    pub kind: Option<&'static str>,
}

impl Subject<'_> {
    /// Returns the subject of actions on all posts, pages and tags at once.
    pub fn whole_content() -> Self {
        Self {
            id: Id::derive("content", "all"),
            resource_type: "content",
            name: None,
            kind: None,
        }
    }
}

/// A record with a slug, or another text, that is unique among records of its kind.
pub trait Slugged: Record {
    /// Returns the record's slug, unique among its kind.
    fn slug(&self) -> &str;
}

/// Implements [`Record`] for a type with a field `id`: `record!(Label, "label", |label|
/// &label.name)` names it in audit entries; a fourth argument returns its slug.
macro_rules! record {
    ($noun:ty, $kind:literal, |$titled:ident| $title:expr) => {
        impl $crate::domain::record::Record for $noun {
            const KIND: &'static str = $kind;

            fn id(&self) -> $crate::id::Id {
                self.id
            }

            fn title(&self) -> &str {
                // Macros are hygienic: the expression of the caller cannot name `self`, only its
                // own variable.
                let $titled = self;
                $title
            }
        }
    };
    ($noun:ty, $kind:literal, |$titled:ident| $title:expr, |$slugged:ident| $slug:expr) => {
        $crate::domain::record::record!($noun, $kind, |$titled| $title);

        impl $crate::domain::record::Slugged for $noun {
            fn slug(&self) -> &str {
                let $slugged = self;
                $slug
            }
        }
    };
}

pub(crate) use record;
