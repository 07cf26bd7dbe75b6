//! Offers: `offers`.

use serde::Serialize;

use super::{
    super::{ExportError, Report},
    document::{ExportDocument, Time},
};
use crate::{catalog::Catalog, id::Id};

/// A row of `offers`.
#[derive(Serialize)]
struct OfferRow<'a> {
    id: Id,
    active: bool,
    name: &'a str,
    code: &'a str,
    product_id: Id,
    stripe_coupon_id: Option<&'a str>,
    interval: &'a str,
    currency: Option<&'a str>,
    discount_type: &'a str,
    discount_amount: u64,
    duration: &'a str,
    duration_in_months: Option<u32>,
    portal_title: Option<&'a str>,
    portal_description: Option<&'a str>,
    redemption_type: &'a str,
    created_at: Time,
    updated_at: Time,
}

/// Writes all offers.
pub fn write(
    catalog: &Catalog,
    document: &mut ExportDocument,
    report: &mut Report,
) -> Result<(), ExportError> {
    let mut table = document.table("offers")?;
    for offer in catalog.offers.iter() {
        table.row(&OfferRow {
            id: offer.id,
            active: offer.active,
            name: &offer.name,
            code: &offer.code,
            product_id: offer.tier,
            stripe_coupon_id: None,
            interval: &offer.cadence,
            currency: offer.currency.as_deref(),
            discount_type: match &*offer.kind {
                // Ghost's table and its API use different words.
                "fixed" => "amount",
                kind => kind,
            },
            discount_amount: offer.amount,
            duration: &offer.duration,
            duration_in_months: offer.duration_in_months,
            portal_title: offer.display_title.as_deref(),
            portal_description: offer.display_description.as_deref(),
            redemption_type: &offer.redemption_type,
            created_at: Time(offer.created_at),
            updated_at: Time(offer.created_at),
        })?;
    }
    report.add("offers", table.end()?);
    Ok(())
}
