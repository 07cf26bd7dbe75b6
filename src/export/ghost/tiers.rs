//! Tiers and their benefits: `products`, `benefits`, `products_benefits`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{
    super::{ExportError, Report},
    document::{Columns, ExportDocument, Time},
};
use crate::{
    catalog::{Catalog, fields::STAFF_TIERS},
    domain::{UNDATED, tier::Tier},
    id::Id,
    render::slug::{self, Kind},
};

/// A row of `products`.
#[derive(Serialize)]
struct TierRow<'a> {
    currency: Option<String>,
    monthly_price: Option<u64>,
    yearly_price: Option<u64>,
    monthly_price_id: Option<Id>,
    yearly_price_id: Option<Id>,
    #[serde(flatten)]
    columns: Columns<'a, Tier>,
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

/// A row of `stripe_prices`. Ghost imports a tier only if its prices have rows, but drops the rows,
/// since they do not refer to a product of the payment provider (Ghost 6.65, observed).
#[derive(Serialize)]
struct PriceRow<'a> {
    id: Id,
    stripe_price_id: &'a str,
    stripe_product_id: &'a str,
    active: bool,
    nickname: &'a str,
    currency: &'a str,
    amount: u64,
    r#type: &'a str,
    interval: &'a str,
    created_at: Time,
    updated_at: Time,
}

/// The billing intervals with their names.
const INTERVALS: [(&str, &str); 2] = [("month", "Monthly"), ("year", "Yearly")];

/// Writes all tables of tiers.
pub fn write(
    catalog: &Catalog,
    document: &mut ExportDocument,
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
                // By position, because a tier may list a benefit twice.
                id: Id::derive("products_benefits", &format!("{}/{sort_order}", tier.id)),
                product_id: tier.id,
                benefit_id: benefit_id(benefit),
                sort_order,
            })?;
        }
    }
    table.end()?;
    write_prices(catalog, document)
}

fn write_prices(catalog: &Catalog, document: &mut ExportDocument) -> Result<(), ExportError> {
    let mut table = document.table("stripe_prices")?;
    for tier in catalog.tiers.iter() {
        let Some(price) = &tier.price else {
            continue;
        };
        for ((interval, nickname), amount) in
            INTERVALS.into_iter().zip([price.monthly, price.yearly])
        {
            table.row(&PriceRow {
                id: price_id(tier, interval),
                stripe_price_id: "",
                stripe_product_id: "",
                active: true,
                nickname,
                currency: &price.currency,
                amount,
                r#type: "recurring",
                interval,
                created_at: Time(tier.created_at),
                updated_at: Time(tier.created_at),
            })?;
        }
    }
    table.end()?;
    Ok(())
}

fn price_id(tier: &Tier, interval: &str) -> Id {
    Id::derive("stripe_prices", &format!("{}/{interval}", tier.id))
}

fn benefit_id(name: &str) -> Id {
    Id::derive("benefit", name)
}

/// Returns the benefits of all tiers, each with a unique slug.
fn benefits(catalog: &Catalog) -> BTreeMap<&str, String> {
    let mut taken = BTreeSet::new();
    let all = catalog.tiers.iter().flat_map(|tier| &tier.benefits);
    let names: BTreeSet<&str> = all.map(AsRef::as_ref).collect();
    names
        .into_iter()
        .filter_map(|name| {
            // Names that differ only in case or punctuation have the same slug, which must be
            // unique.
            let preferred = slug::from_text(Kind::Tier, name, "");
            let slug = slug::candidates(preferred).find(|slug| taken.insert(slug.clone()))?;
            Some((name, slug))
        })
        .collect()
}

impl<'a> TierRow<'a> {
    fn of(tier: &'a Tier) -> Self {
        let price = tier.price.as_ref();
        Self {
            // In upper case, unlike in the API.
            currency: price.map(|price| price.currency.to_ascii_uppercase()),
            monthly_price: price.map(|price| price.monthly),
            yearly_price: price.map(|price| price.yearly),
            monthly_price_id: price.map(|_| price_id(tier, "month")),
            yearly_price_id: price.map(|_| price_id(tier, "year")),
            columns: Columns(&STAFF_TIERS, tier, |field| field.name != "currency"),
        }
    }
}
