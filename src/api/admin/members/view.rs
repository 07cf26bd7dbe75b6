//! Members as staff and integrations see them (Ghost 6.65, recorded).
//!
//! No payment provider is connected, so the only subscriptions are complimentary. Received e-mails
//! are not listed here.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::avatar::MemberAvatars;
use crate::{
    api::{admin::view::View, json::Object, listing::written_time, params::Selection},
    catalog::{Catalog, fields::MEMBERS},
    domain::{
        label::Label,
        member::{Member, MemberOrigin, Status, SuppressionReason, TierGrant},
        member_link::MemberLinks,
        newsletter::Newsletter,
        tier::Tier,
    },
    site::SiteView,
    site_urls::SiteUrls,
};

/// Computed fields of a member, absent if the response is restricted to other fields.
const WHOLE_ONLY: &[&str] = &[
    "enable_updates_and_announcements",
    "can_comment",
    "commenting",
];

/// Returns whether `fields` names at least one known field.
pub fn names_any_column(selection: &Selection) -> bool {
    let mut columns = MEMBERS.rows().map(|field| field.name);
    columns.any(|name| selection.names(name)) || WHOLE_ONLY.iter().any(|name| selection.names(name))
}

/// Writes the members of one response.
pub struct MemberView<'a> {
    view: View<'a>,
    site_urls: &'a SiteUrls,
    images: MemberAvatars,
    now: Timestamp,
}

impl<'a> MemberView<'a> {
    /// Returns the view of a site's members as of `now`.
    pub fn of(
        site_urls: &'a SiteUrls,
        snapshot: &'a dyn SiteView,
        selection: &'a Selection,
        images: MemberAvatars,
        now: Timestamp,
    ) -> Self {
        Self {
            view: View {
                snapshot,
                site_urls,
                selection,
            },
            site_urls,
            images,
            now,
        }
    }

    /// Returns the builder of member links; `None` without a secret, which every opened site has.
    pub fn links(&self) -> Option<MemberLinks<'_>> {
        let secret = self.catalog().member_secret.as_ref()?;
        Some(MemberLinks {
            base: self.site_urls.base(),
            secret,
        })
    }

    fn catalog(&self) -> &'a Catalog {
        self.view.catalog()
    }

    /// Returns whether a relation is included. Ghost looks up labels and newsletters by the identifier,
    /// so they are also included if `fields` names `id` (Ghost 6.65, observed).
    fn includes(&self, name: &str) -> bool {
        let selection = self.view.selection;
        let comes_with_id = matches!(name, "labels" | "newsletters") && selection.names("id");
        comes_with_id || selection.includes(name)
    }

    /// Returns the member: its columns, the included relations, and the fields that are always
    /// present. If the newsletters are not included, `subscribed` is false; if the status is not,
    /// `comped` is false (Ghost 6.65, recorded).
    pub fn member(&self, member: &Member) -> Map<String, Value> {
        // Tiers expire without a change to the record.
        let member = &*member.at(self.now);
        let selection = self.view.selection;
        let mut record = self.columns(member);
        let newsletters = if self.includes("newsletters") {
            self.newsletters(member)
        } else {
            Vec::new()
        };
        let subscriptions = if selection.is_restricted() {
            Vec::new()
        } else {
            self.subscriptions(member)
        };
        let shows_status = !selection.is_restricted() || selection.names("status");
        let is_comped = shows_status && member.status() == Status::Comped;
        let mut put = |name: &str, value: Value| record.insert(name.to_owned(), value);
        put("subscribed", json!(!newsletters.is_empty()));
        put("comped", json!(is_comped));
        put("subscriptions", Value::Array(subscriptions));
        put("current_subscription", Value::Null);
        put("avatar_image", self.images.of(&member.email));
        put("email_suppression", suppression(member));
        put("unsubscribe_url", json!(self.unsubscribe_url(member)));
        if self.includes("newsletters") {
            put("newsletters", Value::Array(newsletters));
        }
        if self.includes("labels") {
            let labels = self.catalog().labels.all(&member.labels);
            put("labels", labels.into_iter().map(label).collect());
        }
        if self.includes("tiers") {
            let grants = member.tiers.iter();
            put(
                "tiers",
                grants.filter_map(|grant| self.tier(grant)).collect(),
            );
        }
        if self.includes("attribution") {
            put("attribution", attribution(member.origin.as_ref()));
        }
        if self.includes("email_recipients") {
            put("email_recipients", json!([]));
        }
        record
    }

    /// Returns the requested columns of the record.
    fn columns(&self, member: &Member) -> Map<String, Value> {
        let selection = self.view.selection;
        let mut bytes = Vec::new();
        let mut object = Object::begin(&mut bytes);
        let rows = selection.rows(&MEMBERS, &[]);
        self.view.fields(&mut object, member, &rows, |_, _, _| {});
        for name in WHOLE_ONLY {
            if !selection.is_restricted() || selection.names(name) {
                object.field(name, constant(name));
            }
        }
        object.end();
        serde_json::from_slice(&bytes).expect("invariant: the bytes were written as an object")
    }

    /// Returns the newsletters of the member; archived ones are omitted (Ghost 6.65, recorded).
    fn newsletters(&self, member: &Member) -> Vec<Value> {
        let mut newsletters = self.catalog().newsletters.all(&member.newsletters);
        newsletters.retain(|newsletter| newsletter.active);
        newsletters.sort_by_key(|newsletter| (newsletter.sort_order, newsletter.id));
        newsletters.into_iter().map(newsletter).collect()
    }

    fn unsubscribe_url(&self, member: &Member) -> String {
        let selection = self.view.selection;
        let has_uuid = !selection.is_restricted() || selection.names("uuid");
        match self.links() {
            Some(links) if has_uuid => links.unsubscribe(member),
            Some(links) => links.unsubscribe_preview(),
            None => String::new(),
        }
    }

    /// Returns the complimentary plans of a comped member, in the form of paid subscriptions.
    fn subscriptions(&self, member: &Member) -> Vec<Value> {
        let grants = member
            .tiers
            .iter()
            .filter(|_| member.status() == Status::Comped);
        grants
            .filter_map(|grant| self.subscription(member, grant))
            .collect()
    }

    fn subscription(&self, member: &Member, grant: &TierGrant) -> Option<Value> {
        let tier = self.catalog().tiers.get(grant.tier)?;
        let currency = tier.price.as_ref().map(|price| &price.currency);
        // Ghost also sends empty identifiers for complimentary plans (recorded in
        // admin-members-tiers).
        Some(json!({
            "id": "",
            "tier": self.tier(grant),
            "customer": { "id": "", "name": member.name, "email": member.email },
            "plan": {
                "id": "",
                "nickname": "Complimentary",
                "interval": "year",
                "currency": currency,
                "amount": 0,
            },
            "status": "active",
            "start_date": written_time(member.created_at),
            "default_payment_card_last4": "****",
            "cancel_at_period_end": false,
            "cancellation_reason": null,
            "current_period_end": grant.expires_at.map(written_time),
            "price": {
                "id": "",
                "price_id": "",
                "nickname": "Complimentary",
                "amount": 0,
                "interval": "year",
                "type": "recurring",
                "currency": currency,
                "tier": { "id": "", "tier_id": tier.id },
            },
            "offer": null,
            "offer_redemptions": [],
            "next_payment": {
                "original_amount": 0,
                "amount": 0,
                "interval": "year",
                "currency": currency,
                "discount": null,
            },
        }))
    }

    fn tier(&self, grant: &TierGrant) -> Option<Value> {
        let tier: &Tier = self.catalog().tiers.get(grant.tier)?;
        let mut bytes = Vec::new();
        let mut object = Object::begin(&mut bytes);
        self.view.tier_of_member(&mut object, tier);
        object.field("expiry_at", grant.expires_at.map(written_time));
        object.end();
        serde_json::from_slice(&bytes).ok()
    }
}

/// Returns the value of a field that is the same for every member: commenting is never disabled.
fn constant(name: &str) -> Value {
    match name {
        "can_comment" => json!(true),
        "commenting" => json!({
            "disabled": false,
            "disabled_reason": null,
            "disabled_until": null,
        }),
        _ => Value::Null,
    }
}

/// Returns a label of a member.
pub fn label(label: &Label) -> Value {
    json!({
        "id": label.id,
        "name": label.name,
        "slug": label.slug,
        "created_at": written_time(label.created_at),
        "updated_at": written_time(label.updated_at),
    })
}

fn newsletter(newsletter: &Newsletter) -> Value {
    json!({
        "id": newsletter.id,
        "name": newsletter.name,
        "description": newsletter.description,
        "status": newsletter.status(),
    })
}

fn suppression(member: &Member) -> Value {
    let info = member.email_suppression.map(|suppression| {
        let reason = match suppression.reason {
            SuppressionReason::Fail => "fail",
            SuppressionReason::Spam => "spam",
        };
        json!({ "reason": reason, "timestamp": written_time(suppression.at) })
    });
    json!({ "suppressed": info.is_some(), "info": info })
}

/// Returns the attribution of a member: the creator of a member who did not sign up on the site. The
/// page of a sign-up is not recorded.
fn attribution(origin: Option<&MemberOrigin>) -> Value {
    let (source, medium) = match origin {
        None => (None, None),
        Some(MemberOrigin::Staff) => (Some("Created manually".to_owned()), Some("Ghost Admin")),
        Some(MemberOrigin::Integration(name)) => {
            (Some(format!("Integration: {name}")), Some("Admin API"))
        }
        Some(MemberOrigin::Import) => (Some("Imported".to_owned()), Some("Member Importer")),
    };
    attributed_to(source.as_deref(), medium)
}

/// Returns an attribution with this source and medium, and without a referring page.
pub fn attributed_to(source: Option<&str>, medium: Option<&str>) -> Value {
    json!({
        "id": null,
        "type": null,
        "url": null,
        "title": null,
        "referrer_source": source,
        "referrer_medium": medium,
        "referrer_url": null,
    })
}
