//! Newsletters that members subscribe to.

use std::{borrow::Cow, collections::BTreeMap};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::{
    OptionalText, UNDATED,
    newsletter_design::{DESIGN, DesignChoice},
    origin::RecordOrigin,
    permission::permissions,
    record::record,
};
use crate::id::Id;

/// Slug of the newsletter of a new site (Ghost 6.65, recorded).
pub const DEFAULT_SLUG: &str = "default-newsletter";

/// A newsletter (Ghost 6.65, recorded).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Newsletter {
    /// The record's identifier.
    pub id: Id,
    /// A second identifier, used in URLs in mails.
    pub uuid: Uuid,
    /// The slug, unique among newsletters.
    pub slug: Box<str>,
    /// The name that readers see.
    pub name: Box<str>,
    /// Its description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: OptionalText,
    /// The sender's address, if not the site's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender_email: OptionalText,
    /// True if the newsletter is active; archived newsletters are not served.
    pub active: bool,
    /// The members who may subscribe: `members` or `paid`.
    pub visibility: Box<str>,
    /// True if new members are subscribed by default.
    pub subscribe_on_signup: bool,
    /// Its position among the newsletters.
    pub sort_order: u32,
    /// The design options of its mails that differ from the defaults; see
    /// [`super::newsletter_design`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub design: BTreeMap<Box<str>, Value>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// The content file that the newsletter comes from, if any.
    #[serde(
        rename = "source",
        default,
        skip_serializing_if = "RecordOrigin::is_store"
    )]
    pub origin: RecordOrigin,
}

record!(
    Newsletter,
    "newsletter",
    |newsletter| &newsletter.name,
    |newsletter| &newsletter.slug
);

permissions! {
    NEWSLETTERS_BROWSE: "newsletters", "browse" => Yes, Yes, Yes, Yes, Yes, No, Yes;
    NEWSLETTERS_READ: "newsletters", "read" => Yes, Yes, Yes, Yes, Yes, No, Yes;
    NEWSLETTERS_ADD: "newsletters", "add" => Yes, Yes, No, No, No, No, Yes;
    NEWSLETTERS_EDIT: "newsletters", "edit" => Yes, Yes, No, No, No, No, Yes;
}

impl Newsletter {
    /// Returns an active newsletter with this slug, to which new members are subscribed. Mails of
    /// the default newsletter do not show its name next to the name of the site (Ghost 6.65,
    /// recorded).
    pub fn new(slug: &str, name: &str) -> Self {
        let mut design = BTreeMap::new();
        if slug == DEFAULT_SLUG {
            design.insert("show_header_name".into(), false.into());
        }
        Self {
            id: Id::derive("newsletter", slug),
            // Derived from the slug, so that two machines that serve the same folder have the same
            // URLs in mails.
            uuid: Uuid::new_v5(
                &Uuid::NAMESPACE_URL,
                format!("galley:newsletter:{slug}").as_bytes(),
            ),
            slug: slug.into(),
            name: name.into(),
            description: None,
            sender_email: None,
            active: true,
            visibility: "members".into(),
            subscribe_on_signup: true,
            sort_order: 0,
            design,
            created_at: UNDATED,
            updated_at: UNDATED,
            origin: RecordOrigin::Store,
        }
    }

    /// Returns the name of its status (Ghost 6.65, recorded).
    pub fn status(&self) -> &'static str {
        if self.active { "active" } else { "archived" }
    }

    /// Returns the value of the design option called `name`; `None` if there is no such option.
    pub fn chosen(&self, name: &str) -> Option<Value> {
        let default = || Some(DESIGN.iter().find(|choice| choice.name == name)?.default());
        self.design.get(name).cloned().or_else(default)
    }

    /// Sets a design option. Default values are not stored.
    pub fn choose(&mut self, choice: &DesignChoice, value: Value) {
        if value.is_null() || value == choice.default() {
            self.design.remove(choice.name)
        } else {
            self.design.insert(choice.name.into(), value)
        };
    }

    /// Returns whether new members are subscribed to the newsletter.
    pub fn is_for_new_members(&self) -> bool {
        self.active && self.subscribe_on_signup && &*self.visibility == "members"
    }

    /// Returns whether this is the unchanged newsletter of a new site, which content files and
    /// imports may replace.
    pub fn is_untouched_default(&self) -> bool {
        self.id == Id::derive("newsletter", DEFAULT_SLUG)
            && self.origin.is_store()
            && self.updated_at == self.created_at
    }

    /// Returns the newsletter as staff see it. `beginning` is the creation date of the site, which
    /// is the date of a default newsletter without a recorded date.
    pub fn dated(&self, beginning: Timestamp) -> Cow<'_, Self> {
        if self.is_untouched_default() && self.created_at == UNDATED {
            Cow::Owned(Self {
                created_at: beginning,
                updated_at: beginning,
                ..self.clone()
            })
        } else {
            Cow::Borrowed(self)
        }
    }
}
