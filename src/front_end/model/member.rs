//! `@member`: the member who requests the page.

use std::{rc::Rc, sync::Arc};

use super::{context::ModelContext, tier::tier_of_record};
use crate::{
    clock::written_time,
    domain::member::{Member, Status, TierGrant},
    templates::{Object, PlainObject, Value},
};

/// The properties that are the same for members with the same access.
const SHARED: [&str; 2] = ["paid", "status"];

/// Returns `@member`; null for anonymous readers.
pub(super) fn member(context: &Rc<ModelContext>) -> Value {
    match &context.reader {
        None => Value::Null,
        Some(reader) => Value::object(MemberObject {
            context: Rc::clone(context),
            record: record(context, reader.member()),
        }),
    }
}

/// The member who requests the page. A page that reads more than the shared properties is personal.
struct MemberObject {
    context: Rc<ModelContext>,
    record: PlainObject,
}

impl Object for MemberObject {
    fn get(&self, name: &str) -> Option<Value> {
        if !SHARED.contains(&name) {
            self.context.mark_personal();
        }
        self.record.get(name)
    }

    fn names(&self) -> Vec<Arc<str>> {
        self.context.mark_personal();
        self.record.names()
    }

    fn has(&self, name: &str) -> bool {
        // By way of `get`, because even whether a property exists is personal.
        self.get(name).is_some()
    }
}

fn record(context: &ModelContext, member: &Member) -> PlainObject {
    let first_name = member.name.as_deref().map(|name| {
        let first = name.split(' ').next();
        first.unwrap_or_default()
    });
    let status = member.status();
    let grants = member.tiers.iter().filter(|_| status == Status::Comped);
    let subscriptions = grants.filter_map(|grant| subscription(context, member, grant));
    PlainObject::new()
        .with("uuid", member.uuid.to_string())
        .with("email", &*member.email)
        .with("name", member.name.as_deref())
        .with("firstname", first_name)
        .with("avatar_image", Value::Null)
        .with("subscriptions", subscriptions.collect::<Vec<_>>())
        .with("paid", status != Status::Free)
        .with("status", status.name())
}

/// Returns a complimentary tier in the form of a paid subscription (Ghost 6.65, recorded).
fn subscription(context: &ModelContext, member: &Member, grant: &TierGrant) -> Option<Value> {
    let tier = context.catalog().tiers.get(grant.tier)?;
    let price = tier.price.as_ref();
    let currency: Value = price.map(|price| price.currency.to_uppercase()).into();
    let expires_at = grant.expires_at.map(written_time);
    let customer = PlainObject::new()
        .with("id", "")
        .with("name", member.name.as_deref())
        .with("email", &*member.email);
    let plan = PlainObject::new()
        .with("id", "")
        .with("nickname", "Complimentary")
        .with("interval", "year")
        .with("currency", currency.clone())
        .with("amount", 0_u32);
    let product = PlainObject::new()
        .with("id", "")
        .with("product_id", tier.id.to_string());
    let price = PlainObject::new()
        .with("id", "")
        .with("price_id", "")
        .with("nickname", "Complimentary")
        .with("amount", 0_u32)
        .with("interval", "year")
        .with("type", "recurring")
        .with("currency", currency.clone())
        .with("product", product);
    let next_payment = PlainObject::new()
        .with("original_amount", 0_u32)
        .with("amount", 0_u32)
        .with("interval", "year")
        .with("currency", currency)
        .with("discount", Value::Null);
    let tier = tier_of_record(context, tier, true).with("expiry_at", expires_at.clone());
    let subscription = PlainObject::new()
        .with("id", "")
        .with("tier", tier)
        .with("customer", customer)
        .with("plan", plan)
        .with("status", "active")
        .with("start_date", written_time(member.created_at))
        .with("default_payment_card_last4", "****")
        .with("cancel_at_period_end", false)
        .with("cancellation_reason", Value::Null)
        .with("current_period_end", expires_at)
        .with("price", price)
        .with("offer", Value::Null)
        .with("offer_redemptions", Vec::new())
        .with("next_payment", next_payment);
    Some(subscription.into())
}
