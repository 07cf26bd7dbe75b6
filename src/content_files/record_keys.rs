//! The front matter keys of tags, authors, tiers and newsletters.
//!
//! A key with its default value is omitted; the file name provides the slug where possible.

use jiff::Timestamp;
use serde_json::Value;

use crate::{
    catalog::fields::{AUTHOR_TEXTS, NEWSLETTER_TEXTS, TAG_TEXTS, TIER_TEXTS},
    content_files::written_keys::WrittenKeys,
    content_text::url_form::UrlForm,
    domain::{
        UNDATED,
        newsletter::Newsletter,
        newsletter_design::{DESIGN, DesignChoice, DesignType},
        tag::{self, Tag},
        tier::Tier,
        user::User,
    },
    id::Id,
    render::slug::{self, Kind},
};

/// The properties of a record's file that its keys depend on.
pub struct FileNaming<'a> {
    /// The file name, without folder, date and extension.
    pub stem: &'a str,
    /// The form of URLs.
    pub form: UrlForm,
}

impl FileNaming<'_> {
    /// Returns the first keys of a record with this name, slug and identifier.
    fn begin(&self, kind: Kind, noun: &str, name: &str, slug: &str, id: Id) -> WrittenKeys {
        let mut keys = WrittenKeys::new(self.form);
        keys.text("name", name);
        self.identify(&mut keys, kind, noun, slug, id);
        keys
    }

    /// Adds the slug and the identifier, unless they follow from the file name.
    pub fn identify(&self, keys: &mut WrittenKeys, kind: Kind, noun: &str, slug: &str, id: Id) {
        if slug::from_text(kind, self.stem, "") != slug {
            keys.text("slug", slug);
        }
        if Id::derive(noun, slug) != id {
            keys.text("id", &id.to_string());
        }
    }

    /// Returns the keys of a tag.
    pub fn tag(&self, tag: &Tag) -> WrittenKeys {
        let mut keys = self.begin(Kind::Tag, "tag", &tag.name, &tag.slug, tag.id);
        // A name with `#` makes the tag internal without this key.
        if tag.internal && !tag::is_internal(&tag.name) {
            keys.text("visibility", tag.visibility());
        }
        for text in TAG_TEXTS {
            keys.stored(text, tag);
        }
        add_times(&mut keys, tag.created_at, tag.updated_at);
        keys
    }

    /// Returns the keys of an author. Permissions and credentials are not part of content files.
    pub fn author(&self, user: &User) -> WrittenKeys {
        let mut keys = self.begin(Kind::User, "user", &user.name, &user.slug, user.id);
        keys.optional("email", &user.email);
        for text in AUTHOR_TEXTS {
            keys.stored(text, user);
        }
        add_times(&mut keys, user.created_at, user.updated_at);
        keys
    }

    /// Returns the keys of a tier.
    pub fn tier(&self, tier: &Tier) -> WrittenKeys {
        let mut keys = self.begin(Kind::Tier, "tier", &tier.name, &tier.slug, tier.id);
        for text in TIER_TEXTS {
            keys.stored(text, tier);
        }
        keys.text("type", tier.type_name());
        if !tier.active {
            keys.switch("active", false);
        }
        if !tier.public {
            keys.text("visibility", tier.visibility());
        }
        if let Some(price) = &tier.price {
            keys.text("currency", &price.currency);
            keys.number("monthly_price", price.monthly);
            keys.number("yearly_price", price.yearly);
        }
        if tier.trial_days > 0 {
            keys.number("trial_days", tier.trial_days.into());
        }
        keys.texts("benefits", tier.benefits.iter().map(AsRef::as_ref));
        if tier.created_at != UNDATED {
            keys.time("created_at", tier.created_at);
        }
        if let Some(updated_at) = tier.updated_at {
            keys.time("updated_at", updated_at);
        }
        keys
    }

    /// Returns the keys of a newsletter.
    pub fn newsletter(&self, newsletter: &Newsletter) -> WrittenKeys {
        let (name, slug, id) = (&newsletter.name, &newsletter.slug, newsletter.id);
        let mut keys = self.begin(Kind::Newsletter, "newsletter", name, slug, id);
        // The default is derived from the slug.
        if newsletter.uuid != Newsletter::new(slug, name).uuid {
            keys.text("uuid", &newsletter.uuid.to_string());
        }
        for text in NEWSLETTER_TEXTS {
            keys.stored(text, newsletter);
        }
        keys.optional("sender_email", &newsletter.sender_email);
        if !newsletter.active {
            keys.text("status", "archived");
        }
        if &*newsletter.visibility != "members" {
            keys.text("visibility", &newsletter.visibility);
        }
        if !newsletter.subscribe_on_signup {
            keys.switch("subscribe_on_signup", false);
        }
        if newsletter.sort_order > 0 {
            keys.number("sort_order", newsletter.sort_order.into());
        }
        let default = Newsletter::new(slug, name);
        for choice in DESIGN {
            let chosen = newsletter.chosen(choice.name);
            if chosen != default.chosen(choice.name) {
                add_choice(&mut keys, choice, chosen);
            }
        }
        add_times(&mut keys, newsletter.created_at, newsletter.updated_at);
        keys
    }
}

/// Adds a design option of a newsletter.
fn add_choice(keys: &mut WrittenKeys, choice: &DesignChoice, chosen: Option<Value>) {
    let name = choice.name;
    match (choice.kind, chosen) {
        (_, Some(Value::Bool(is_on))) => keys.switch(name, is_on),
        (DesignType::Image(_), Some(Value::String(url))) => {
            keys.url(name, &Some(url.into()));
        }
        (DesignType::Markup(_), Some(Value::String(markup))) => {
            keys.markup(name, &Some(markup.into()));
        }
        (_, Some(Value::String(text))) => keys.text(name, &text),
        // Options have no other types.
        _ => {}
    }
}

/// Adds the dates of creation and of the last change, which defaults to that of creation.
fn add_times(keys: &mut WrittenKeys, created_at: Timestamp, updated_at: Timestamp) {
    if created_at != UNDATED {
        keys.time("created_at", created_at);
    }
    if updated_at != created_at {
        keys.time("updated_at", updated_at);
    }
}
