//! The tables of fields: one row for each field of each resource.
//!
//! A row contains the name of the field, its form in responses, the source of its value, and its
//! exposure in each of the two APIs: whether it is served, and whether filters and orders may use
//! it. Each API has a [`Schema`] over the same rows. The row of a text also defines how requests,
//! content files, imports and exports set the text ([`StoredText`]). Serialisation, `fields=`,
//! filters, orders, changes, files and the schema documents all use these rows, so they are always
//! consistent.

mod content;
mod field;
mod member;
mod newsletter;
mod post;
mod schema;
mod social_fields;
mod staff;
mod stored;
mod text_fields;
mod tier;

pub use self::field::{BodyForm, Exposure, Field, FieldSource, FieldType, ViewField};
pub use self::schema::{ApiKind, FieldLookup, PRIVATE_EVERYWHERE, Schema, UnknownField};

pub use content::{RECOMMENDATIONS, SNIPPETS, STAFF_RECOMMENDATIONS, STAFF_TAGS, TAG_TEXTS, TAGS};
pub use member::{LABELS, MEMBER_EVENTS, MEMBERS};
pub use newsletter::{EMAILS, NEWSLETTER_TEXTS, NEWSLETTERS, STAFF_NEWSLETTERS};
pub use post::{PAGES, POST_TEXTS, POSTS, STAFF_PAGES, STAFF_POSTS};
pub use staff::{ACTIONS, AUTHOR_TEXTS, AUTHORS, INVITES, USER_TEXTS, USERS};
pub use stored::{Requests, StoredText, TextContent, TextRules};
pub use tier::{OFFER_TEXTS, OFFERS, STAFF_OFFERS, STAFF_TIERS, TIER_TEXTS, TIERS};
