//! Tiers and what their members get: `products`, `benefits`, `products_benefits`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{
    super::{ExportError, Report},
    document::{Document, Time},
};
use crate::{
    catalog::Catalog,
    domain::{UNDATED, tier::Tier},
    id::Id,
    render::slug::{self, Kind},
};

/// A row of `products`.
#[derive(Serialize)]
struct TierRow<'a> {
    id: Id,
    name: &'a str,
    slug: &'a str,
    active: bool,
    welcome_page_url: Option<&'a str>,
    visibility: &'a str,
    trial_days: u32,
    description: Option<&'a str>,
    r#type: &'a str,
    currency: Option<String>,
    monthly_price: Option<u64>,
    yearly_price: Option<u64>,
    created_at: Time,
    updated_at: Time,
    monthly_price_id: Option<Id>,
    yearly_price_id: Option<Id>,
}

/// A row of `benefits`, which tiers share.
#[derive(Serialize)]
struct BenefitRow<'a> {
    id: Id,
    name: &'a str,
    slug: String,
    created_at: Time,
    updated_at: Time,
}

#[derive(Serialize)]
struct BenefitOfTier {
    id: Id,
    product_id: Id,
    benefit_id: Id,
    sort_order: usize,
}

/// Writes everything about tiers.
pub fn write(
    catalog: &Catalog,
    document: &mut Document,
    report: &mut Report,
) -> Result<(), ExportError> {
    let mut table = document.table("products")?;
    for tier in catalog.tiers.iter() {
        table.row(&TierRow::of(tier))?;
    }
    report.add("tiers", table.end()?);
    let mut table = document.table("benefits")?;
    for (name, slug) in benefits(catalog) {
        table.row(&BenefitRow {
            id: benefit_id(name),
            name,
            slug,
            created_at: Time(UNDATED),
            updated_at: Time(UNDATED),
        })?;
    }
    table.end()?;
    let mut table = document.table("products_benefits")?;
    for tier in catalog.tiers.iter() {
        for (sort_order, benefit) in tier.benefits.iter().enumerate() {
            table.row(&BenefitOfTier {
                id: Id::derive("products_benefits", &format!("{}/{sort_order}", tier.id)),
                product_id: tier.id,
                benefit_id: benefit_id(benefit),
                sort_order,
            })?;
        }
    }
    table.end()?;
    Ok(())
}

fn benefit_id(name: &str) -> Id {
    Id::derive("benefit", name)
}

/// The benefits of all tiers, each with a slug of its own.
fn benefits(catalog: &Catalog) -> BTreeMap<&str, String> {
    let mut taken = BTreeSet::new();
    let all = catalog.tiers.iter().flat_map(|tier| &tier.benefits);
    let names: BTreeSet<&str> = all.map(AsRef::as_ref).collect();
    names
        .into_iter()
        .filter_map(|name| {
            let wanted = slug::from_text(Kind::Tier, name, "");
            let slug = slug::candidates(wanted).find(|slug| taken.insert(slug.clone()))?;
            Some((name, slug))
        })
        .collect()
}

impl<'a> TierRow<'a> {
    fn of(tier: &'a Tier) -> Self {
        let price = tier.price.as_ref();
        Self {
            id: tier.id,
            name: &tier.name,
            slug: &tier.slug,
            active: tier.active,
            welcome_page_url: tier.welcome_page_url.as_deref(),
            visibility: tier.visibility(),
            trial_days: tier.trial_days,
            description: tier.description.as_deref(),
            r#type: tier.type_name(),
            currency: price.map(|price| price.currency.to_ascii_uppercase()),
            monthly_price: price.map(|price| price.monthly),
            yearly_price: price.map(|price| price.yearly),
            created_at: Time(tier.created_at),
            updated_at: Time(tier.updated_at.unwrap_or(tier.created_at)),
            monthly_price_id: None,
            yearly_price_id: None,
        }
    }
}
