//! Tiers in templates; their properties depend on where they are used.

use super::context::ModelContext;
use crate::{
    domain::tier::Tier,
    templates::{PlainObject, Value},
};

/// Returns a tier of a post or a member. If `is_own`, the tier was selected for that record: its currency is in upper case, and
/// `updated_at` is the creation time until the first change (Ghost 6.65, recorded).
pub(super) fn tier_of_record(context: &ModelContext, tier: &Tier, is_own: bool) -> PlainObject {
    let tier = tier.dated(context.catalog().beginning());
    let price = tier.price.as_ref();
    let currency = price.map(|price| {
        if is_own {
            price.currency.to_uppercase()
        } else {
            price.currency.to_lowercase()
        }
    });
    let first_change = is_own.then_some(tier.created_at);
    PlainObject::new()
        .with("id", tier.id.to_string())
        .with("name", &*tier.name)
        .with("slug", &*tier.slug)
        .with("active", tier.active)
        .with("welcome_page_url", welcome_page(context, &tier))
        .with("visibility", tier.visibility())
        .with("trial_days", tier.trial_days)
        .with("description", tier.description.as_deref())
        .with("type", tier.type_name())
        .with("currency", currency)
        .with("monthly_price", price.map(|price| price.monthly as f64))
        .with("yearly_price", price.map(|price| price.yearly as f64))
        .with("created_at", tier.created_at)
        .with("updated_at", tier.updated_at.or(first_change))
        .with("monthly_price_id", Value::Null)
        .with("yearly_price_id", Value::Null)
}

/// Returns a tier of a list. A free tier has no price.
pub(super) fn listed_tier(context: &ModelContext, tier: &Tier) -> PlainObject {
    let tier = tier.dated(context.catalog().beginning());
    let benefits = tier.benefits.iter().map(|benefit| Value::from(&**benefit));
    let mut record = PlainObject::new()
        .with("id", tier.id.to_string())
        .with("name", &*tier.name)
        .with("description", tier.description.as_deref())
        .with("slug", &*tier.slug)
        .with("active", tier.active)
        .with("type", tier.type_name())
        .with("welcome_page_url", welcome_page(context, &tier))
        .with("created_at", tier.created_at)
        .with("updated_at", tier.updated_at)
        .with("visibility", tier.visibility())
        .with("benefits", benefits.collect::<Vec<_>>());
    if let Some(price) = &tier.price {
        record.set("currency", price.currency.to_uppercase());
        record.set("monthly_price", price.monthly as f64);
        record.set("yearly_price", price.yearly as f64);
    }
    record.with("trial_days", tier.trial_days)
}

fn welcome_page(context: &ModelContext, tier: &Tier) -> Value {
    let url = tier.welcome_page_url.as_deref();
    url.map(|url| context.site_urls.absolute(url)).into()
}
