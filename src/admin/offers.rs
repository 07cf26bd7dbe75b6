//! Offers: discounts and trials of tiers (rules and error names as recorded from Ghost 6.65).

use std::sync::Arc;

use url::Url;

use super::{
    collection::{self, Collection},
    texts::{self, TextChanges},
};
use crate::{
    domain::{OptionalText, action::ActionEvent, actor::Actor, offer::Offer},
    error::{Error, Kind, Result},
    id::Id,
    render::slug,
    site::{Site, Transaction},
};

/// A new offer.
#[derive(Debug)]
pub struct NewOffer {
    /// The fields that can also be changed later.
    pub changes: OfferChanges,
    /// The discount type: `percent`, `fixed` or `trial`.
    pub kind: Box<str>,
    /// `month` or `year`.
    pub cadence: Box<str>,
    /// The amount; `None` if the value is not a non-negative integer.
    pub amount: Option<u64>,
    /// `once`, `repeating`, `forever` or `trial`.
    pub duration: Box<str>,
    /// The number of months, if the discount repeats.
    pub duration_in_months: Option<u32>,
    /// The currency of a fixed amount.
    pub currency: OptionalText,
    /// `signup` or `retention`.
    pub redemption_type: OptionalText,
    /// The tier.
    pub tier: Option<Id>,
}

/// New values for an offer; `None` leaves a value unchanged.
#[derive(Clone, Debug, Default)]
pub struct OfferChanges {
    /// The internal name.
    pub name: Option<Box<str>>,
    /// The code in its URL, which is converted to a slug.
    pub code: Option<Box<str>>,
    /// The texts.
    pub texts: TextChanges<Offer>,
    /// `active` or `archived`.
    pub status: Option<Box<str>>,
}

/// Adds an offer.
///
/// # Errors
///
/// `BadRequest` with a separate name for each invalid field, `NotFound` if there is no such tier.
pub fn add(site: &Site, actor: &Actor, new: NewOffer, site_url: &Url) -> Result<Arc<Offer>> {
    check(&new)?;
    site.write(|transaction| {
        let catalog = transaction.catalog();
        let tier = new.tier.and_then(|id| catalog.tiers.get(id));
        let tier = tier.ok_or_else(|| Error::not_found("tier"))?;
        let is_fixed = &*new.kind == "fixed";
        let is_repeating = &*new.duration == "repeating";
        let offer = Offer {
            id: Id::generate(transaction.now()).map_err(Error::internal)?,
            // The name and the code are set and checked by `changed`, as in an edit.
            name: "".into(),
            code: "".into(),
            display_title: None,
            display_description: None,
            kind: new.kind.clone(),
            cadence: new.cadence.clone(),
            amount: new.amount.unwrap_or_default(),
            duration: new.duration.clone(),
            duration_in_months: new.duration_in_months.filter(|_| is_repeating),
            currency: new.currency.clone().filter(|_| is_fixed),
            active: true,
            redemption_type: new
                .redemption_type
                .clone()
                .unwrap_or_else(|| "signup".into()),
            tier: tier.id,
            created_at: transaction.now(),
        };
        let offer = changed(transaction, offer, new.changes.clone(), site_url)?;
        collection::save(transaction, actor, ActionEvent::Added, offer)
    })
}

/// Updates an offer: its names, its code and its status.
///
/// # Errors
///
/// `NotFound` if it does not exist; otherwise as [`add`].
pub fn edit(
    site: &Site,
    actor: &Actor,
    id: Option<Id>,
    changes: OfferChanges,
    site_url: &Url,
) -> Result<Arc<Offer>> {
    site.write(|transaction| {
        let existing: Arc<Offer> = collection::found(transaction, actor, id)?;
        let offer = changed(
            transaction,
            Offer::clone(&existing),
            changes.clone(),
            site_url,
        )?;
        if offer == *existing {
            Ok(existing)
        } else {
            collection::save(transaction, actor, ActionEvent::Edited, offer)
        }
    })
}

impl Collection for Offer {}

fn check(new: &NewOffer) -> Result<()> {
    if !matches!(&*new.kind, "percent" | "fixed" | "trial") {
        return Err(wrong(
            "type",
            "An offer is a discount in percent, a fixed amount, or a number of trial days: percent, fixed, trial.",
        ));
    }
    if !matches!(&*new.cadence, "month" | "year") {
        return Err(wrong(
            "cadence",
            "The \"cadence\" of an offer must be month or year.",
        ));
    }
    let amounts = match &*new.kind {
        "percent" => 0..=100,
        "trial" => 0..=u64::from(u16::MAX),
        // Larger numbers lose precision in clients that parse them as floating point.
        _ => 0..=1 << 53,
    };
    if !new.amount.is_some_and(|amount| amounts.contains(&amount)) {
        return Err(wrong(
            "amount",
            "An amount is a whole number: 0 to 100 percent, days, or the smallest unit of a currency.",
        ));
    }
    check_duration(new)?;
    let is_code = |currency: &str| {
        currency.len() == 3 && currency.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    if &*new.kind == "fixed" && !new.currency.as_deref().is_some_and(is_code) {
        return Err(wrong(
            "currency",
            "A fixed amount needs a currency: a three-letter code.",
        ));
    }
    let is_known = |kind: &str| matches!(kind, "signup" | "retention");
    if new.redemption_type.as_deref().is_none_or(is_known) {
        Ok(())
    } else {
        Err(wrong(
            "redemption_type",
            "The \"redemption_type\" of an offer must be signup or retention.",
        ))
    }
}

fn check_duration(new: &NewOffer) -> Result<()> {
    let has_months = new.duration_in_months.is_some_and(|months| months > 0);
    let is_duration = match (&*new.kind, &*new.duration) {
        ("trial", duration) => duration == "trial",
        (_, "repeating") => has_months,
        (_, duration) => matches!(duration, "once" | "forever" | "trial"),
    };
    if !is_duration {
        return Err(wrong(
            "duration",
            "An offer applies once, forever, or repeating with duration_in_months; trial days require the duration trial.",
        ));
    }
    match (&*new.cadence, &*new.duration) {
        ("year", "repeating") => Err(wrong(
            "duration",
            "A yearly plan allows discounts once or forever, not for a number of months.",
        )
        .code("INVALID_YEARLY_DURATION")),
        _ => Ok(()),
    }
}

fn changed(
    transaction: &Transaction,
    mut offer: Offer,
    changes: OfferChanges,
    site_url: &Url,
) -> Result<Offer> {
    let offers = &transaction.catalog().offers;
    if let Some(name) = changes.name {
        offer.name = name.trim().into();
    }
    if offer.name.is_empty() || offers.is_name_taken(&offer) {
        return Err(wrong(
            "name",
            "An offer needs a name that no other offer has.",
        ));
    }
    // Offers of earlier versions may have codes that differ only in case. A code that does not
    // change is not checked, so these offers remain editable.
    let new_code = changes.code.filter(|code| *code != offer.code);
    if let Some(code) = &new_code {
        offer.code = if code.is_empty() {
            code.clone()
        } else {
            slug::from_text(slug::Kind::Post, code, "").into()
        };
    }
    let is_taken = new_code.is_some()
        && offers
            .with_slug(&offer.code)
            .any(|other| other.id != offer.id);
    if offer.code.is_empty() || is_taken {
        return Err(wrong(
            "code",
            "An offer needs a code that no other offer has.",
        ));
    }
    texts::apply(&mut offer, &changes.texts, site_url);
    offer.active = match changes.status.as_deref() {
        None => offer.active,
        Some("active") => true,
        Some("archived") => false,
        Some(_) => {
            return Err(wrong(
                "status",
                "The \"status\" of an offer must be active or archived.",
            ));
        }
    };
    Ok(offer)
}

/// Returns the name of the error for a field; `None` for a field without a separate error (Ghost
/// 6.65, recorded and observed).
pub fn error_name(field: &str) -> Option<&'static str> {
    Some(match field {
        "name" => "InvalidOfferName",
        "code" => "InvalidOfferCode",
        "display_title" => "InvalidOfferTitle",
        "display_description" => "InvalidOfferDescription",
        "status" => "InvalidOfferStatus",
        "type" => "InvalidOfferType",
        "cadence" => "InvalidOfferCadence",
        "amount" => "InvalidOfferAmount",
        "duration" => "InvalidOfferDuration",
        "currency" => "InvalidOfferCurrency",
        "redemption_type" => "InvalidOfferRedemptionType",
        _ => return None,
    })
}

fn wrong(field: &str, message: &str) -> Error {
    let error = Error::new(Kind::BadRequest, message);
    match error_name(field) {
        Some(name) => error.named(name),
        None => error,
    }
}
