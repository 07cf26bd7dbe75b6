//! Records that appear alone and as parts of other records: tags, users, tiers and newsletters.

use super::View;
use crate::{
    api::{
        json::{self, Object},
        listing::written_time,
        params::Rows,
    },
    catalog::{
        fields::{STAFF_NEWSLETTERS, STAFF_TIERS, ViewField},
        value::Value,
    },
    domain::{newsletter::Newsletter, role::Role, tag::Tag, tier::Tier, user::User},
};

impl View<'_> {
    /// Writes a tag.
    pub fn tag(&self, object: &mut Object, tag: &Tag, rows: &Rows<Tag>) {
        self.fields(object, tag, rows, |object, name, _| {
            object.field(name, self.site_urls.tag(tag));
        });
    }

    /// Writes a user.
    pub fn user(&self, object: &mut Object, user: &User, rows: &Rows<User>) {
        self.fields(object, user, rows, |object, name, _| {
            object.field(name, self.site_urls.author(user));
        });
    }

    /// Writes the list of a user's roles, which has one element.
    pub fn roles(&self, object: &mut Object, user: &User) {
        json::list(object.name("roles"), [user.role].iter(), |bytes, role| {
            let mut object = Object::begin(bytes);
            self.role(&mut object, *role);
            object.end();
        });
    }

    /// Writes a role. Roles never change; their dates are that of the site's creation.
    pub fn role(&self, object: &mut Object, role: Role) {
        object.field("id", role.id());
        object.field("name", role.name());
        object.field("description", role.description());
        let beginning = written_time(self.catalog().beginning());
        object.field("created_at", &beginning);
        object.field("updated_at", &beginning);
    }

    /// Writes a tier that a member has.
    pub fn tier_of_member(&self, object: &mut Object, tier: &Tier) {
        self.tier_of_post(object, tier, true);
    }

    /// Writes a tier whose members may read a post: its record and prices. Tiers chosen for the post
    /// and default tiers have an `updated_at` even if they never changed (Ghost 6.65, recorded).
    pub(super) fn tier_of_post(&self, object: &mut Object, tier: &Tier, is_chosen: bool) {
        let tier = &*tier.dated(self.catalog().beginning());
        for field in STAFF_TIERS.rows() {
            if field.is_stored() {
                let value = match field.value(tier) {
                    Value::Null
                        if field.name == "updated_at"
                            && (is_chosen || tier.is_untouched_default()) =>
                    {
                        Value::Time(tier.created_at)
                    }
                    value => value,
                };
                self.value(object.name(field.name), field.kind, value);
            }
        }
        let price = tier.price.as_ref();
        object.field("monthly_price", price.map(|price| price.monthly));
        object.field("yearly_price", price.map(|price| price.yearly));
        // Identifiers at Ghost's payment provider, null without a provider (recorded).
        object.field("monthly_price_id", ());
        object.field("yearly_price_id", ());
    }

    /// Writes a newsletter with all its fields.
    pub fn newsletter(&self, object: &mut Object, newsletter: &Newsletter) {
        let rows = STAFF_NEWSLETTERS.rows().collect();
        let dated = newsletter.dated(self.catalog().beginning());
        self.fields(object, &*dated, &rows, |_, _, _: ViewField| {});
    }
}
