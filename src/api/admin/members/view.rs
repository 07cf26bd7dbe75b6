//! A member as staff and integrations see it (Ghost 6.65, recorded).
//!
//! No payment provider is connected, so there is one kind of subscription, which costs nothing. Which mails somebody got is
//! not told here.

use serde_json::{Map, Value, json};

use super::picture::MemberPictures;
use crate::{
    api::{
        addresses::Addresses, admin::view::View, json::Object, listing::written_time,
        params::Selection,
    },
    catalog::{Catalog, fields::MEMBERS},
    domain::{
        label::Label,
        member::{Member, Origin, Status, SuppressionReason, TierGrant},
        member_link::MemberLinks,
        newsletter::Newsletter,
        tier::Tier,
    },
    site::Edition,
};

/// What comes with a member that is no column of it, unless certain fields are asked for.
const WHOLE_ONLY: &[&str] = &[
    "enable_updates_and_announcements",
    "can_comment",
    "commenting",
];

/// Whether certain fields are asked for and a member has any of them.
pub fn names_any_column(selection: &Selection) -> bool {
    let mut columns = MEMBERS.rows().map(|field| field.name);
    columns.any(|name| selection.names(name)) || WHOLE_ONLY.iter().any(|name| selection.names(name))
}

/// What is served of each member of one answer.
pub struct MemberView<'a> {
    view: View<'a>,
    addresses: &'a Addresses,
    pictures: MemberPictures,
}

impl<'a> MemberView<'a> {
    /// The view of a site's members.
    pub fn of(
        addresses: &'a Addresses,
        edition: &'a Edition,
        selection: &'a Selection,
        pictures: MemberPictures,
    ) -> Self {
        Self {
            view: View {
                edition,
                addresses,
                selection,
            },
            addresses,
            pictures,
        }
    }

    /// What makes the addresses of members; every site that was opened has it.
    pub fn links(&self) -> Option<MemberLinks<'_>> {
        let secret = self.catalog().member_secret.as_ref()?;
        Some(MemberLinks {
            base: self.addresses.base(),
            secret,
        })
    }

    fn catalog(&self) -> &'a Catalog {
        self.view.catalog()
    }

    /// Whether what is related comes with a member. Labels and newsletters are looked up by the identifier, so they come with
    /// that when certain fields are asked for (Ghost 6.65, observed).
    fn includes(&self, name: &str) -> bool {
        let selection = self.view.selection;
        let comes_with_id = matches!(name, "labels" | "newsletters") && selection.names("id");
        comes_with_id || selection.includes(name)
    }

    /// The member: its columns, what is included, and what always comes (Ghost 6.65, recorded: without the newsletters,
    /// `subscribed` is false, and without the status `comped` is).
    pub fn member(&self, member: &Member) -> Map<String, Value> {
        let selection = self.view.selection;
        let mut record = self.columns(member);
        let newsletters = match self.includes("newsletters") {
            true => self.newsletters(member),
            false => Vec::new(),
        };
        let subscriptions = match selection.is_restricted() {
            true => Vec::new(),
            false => self.subscriptions(member),
        };
        let tells_status = !selection.is_restricted() || selection.names("status");
        let is_comped = tells_status && member.status == Status::Comped;
        let mut put = |name: &str, value: Value| record.insert(name.to_owned(), value);
        put("subscribed", json!(!newsletters.is_empty()));
        put("comped", json!(is_comped));
        put("subscriptions", Value::Array(subscriptions));
        put("current_subscription", Value::Null);
        put("avatar_image", self.pictures.of(&member.email));
        put("email_suppression", suppression(member));
        put("unsubscribe_url", json!(self.unsubscribe_address(member)));
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

    /// What the record holds, as far as it was asked for.
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
        serde_json::from_slice(&bytes).expect("invariant: what was written as an object is one")
    }

    /// The newsletters that the member gets: those that were archived are not sent (Ghost 6.65, recorded).
    fn newsletters(&self, member: &Member) -> Vec<Value> {
        let mut newsletters = self.catalog().newsletters.all(&member.newsletters);
        newsletters.retain(|newsletter| newsletter.active);
        newsletters.sort_by_key(|newsletter| (newsletter.sort_order, newsletter.id));
        newsletters.into_iter().map(newsletter).collect()
    }

    fn unsubscribe_address(&self, member: &Member) -> String {
        let selection = self.view.selection;
        let has_uuid = !selection.is_restricted() || selection.names("uuid");
        match self.links() {
            Some(links) if has_uuid => links.unsubscribe(member),
            Some(links) => links.unsubscribe_preview(),
            None => String::new(),
        }
    }

    /// The complimentary plans of a member to whom they were given, in the shape of what is paid for.
    fn subscriptions(&self, member: &Member) -> Vec<Value> {
        let grants = member
            .tiers
            .iter()
            .filter(|_| member.status == Status::Comped);
        grants
            .filter_map(|grant| self.subscription(member, grant))
            .collect()
    }

    fn subscription(&self, member: &Member, grant: &TierGrant) -> Option<Value> {
        let tier = self.catalog().tiers.get(grant.tier)?;
        let currency = tier.price.as_ref().map(|price| &price.currency);
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
        // In milliseconds, where other instants are text (Ghost 6.65, observed).
        let expiry = grant.expires_at.map(|time| time.as_millisecond());
        object.field("expiry_at", expiry);
        object.end();
        serde_json::from_slice(&bytes).ok()
    }
}

/// What is the same for every member: nobody is kept from commenting here.
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

/// A label beside a member.
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

/// Where a member came from: here that is who made it, since nobody signs up.
fn attribution(origin: Option<&Origin>) -> Value {
    let (source, medium) = match origin {
        None => (None, None),
        Some(Origin::Staff) => (Some("Created manually".to_owned()), Some("Ghost Admin")),
        Some(Origin::Integration(name)) => {
            (Some(format!("Integration: {name}")), Some("Admin API"))
        }
        Some(Origin::Import) => (Some("Imported".to_owned()), Some("Member Importer")),
    };
    attributed_to(source.as_deref(), medium)
}

/// Where somebody came from, by this name and this way; no page that led here is known.
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
