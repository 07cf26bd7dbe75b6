//! Imports tiers and newsletters.
//!
//! They replace the default ones of a new site, unless those were changed or used. So a migrated site has the tiers and
//! newsletters of the old site and no others.

use serde_json::Value;
use uuid::Uuid;

use super::{
    importer::{Importer, insert_first, linked, subject},
    keys::record_id,
    rows::RowReader,
    tables::StripePrice,
};
use crate::{
    catalog::fields::{NEWSLETTER_TEXTS, TIER_TEXTS},
    domain::{
        UNDATED,
        newsletter::Newsletter,
        newsletter_design::{DESIGN, DesignType},
        tier::{Price, Tier},
    },
    error::Result,
    id::Id,
    render::slug::{self, Kind},
};

/// The price of a paid tier without one, in the smallest unit: per month and per year (Ghost 6.65, recorded).
const DEFAULT_PRICES: (u64, u64) = (500, 5000);

/// The currency of a tier without one.
const DEFAULT_CURRENCY: &str = "usd";

impl Importer<'_> {
    /// Imports the tiers.
    pub fn tiers(&mut self) -> Result<()> {
        let tables = self.tables;
        for row in &tables.tiers {
            self.tier(&row.read())?;
        }
        Ok(())
    }

    fn tier(&mut self, row: &RowReader<'_>) -> Result<()> {
        let Some(name) = row.first_text(&["name", "slug"]) else {
            self.report
                .leave_out("a row of the table products", "it has no name");
            return Ok(());
        };
        let slug_text = row.text("slug").unwrap_or_else(|| name.clone());
        let slug = slug::from_text(Kind::Tier, &slug_text, self.site.path());
        let subject = subject("tier", &slug);
        let key = row.key("id");
        let id = record_id("tier", key.as_ref(), &slug);
        let price = self.price(row, &subject);
        let id = match price {
            Some(_) => {
                self.clear_default(Tier::default_paid("").id, id)?;
                id
            }
            None => self.free_tier(id, &subject)?,
        };
        let benefits = linked(&self.tables.benefits_of_tiers, key.as_ref());
        if let Some(key) = &key
            && !insert_first(&mut self.records.tiers, key, id)
        {
            self.report
                .leave_out(subject, "its identifier is in the file twice");
            return Ok(());
        }
        let mut tier = Tier {
            id,
            active: row.switch("active").unwrap_or(true),
            public: row.text("visibility").as_deref() != Some("none"),
            price,
            benefits: benefits
                .into_iter()
                .filter_map(|benefit| self.tables.benefits.get(benefit).cloned())
                .collect(),
            trial_days: row
                .count("trial_days")
                .and_then(|days| u32::try_from(days).ok())
                .unwrap_or(0),
            created_at: row.date("created_at").unwrap_or(UNDATED),
            updated_at: row.date("updated_at"),
            ..Tier::new(&slug, &name)
        };
        self.set_texts(&mut tier, row, TIER_TEXTS);
        self.report_columns(&subject, row, "products", &[]);
        let known = self.transaction.catalog().tiers.get(id);
        // A default tier has no modification time, so the row would count as unchanged.
        if known.is_some_and(|known| known.is_untouched_default() && **known != tier) {
            self.transaction.remove::<Tier>(id)?;
        }
        self.save_record(tier)?;
        Ok(())
    }

    /// Returns the price of the tier; `None` if it is free.
    fn price(&mut self, row: &RowReader<'_>, subject: &str) -> Option<Price> {
        // Exports of Ghost 4 have a separate table for prices.
        let stripe = |column| self.tables.stripe_prices.get(&row.key(column)?);
        let (monthly_stripe, yearly_stripe) =
            (stripe("monthly_price_id"), stripe("yearly_price_id"));
        let amount_of = |column, stripe: Option<&StripePrice>| {
            row.count(column).or(stripe.map(|price| price.amount))
        };
        let monthly = amount_of("monthly_price", monthly_stripe);
        let yearly = amount_of("yearly_price", yearly_stripe);
        let currency = row.text("currency");
        let is_free = match row.text("type").as_deref() {
            Some("free") => true,
            Some("paid") => false,
            _ => {
                monthly.is_none() && yearly.is_none() && row.text("slug").as_deref() == Some("free")
            }
        };
        if is_free {
            return None;
        }
        let stripe_currency = monthly_stripe.and_then(|price| price.currency.as_deref());
        let currency = currency
            .as_deref()
            .or(stripe_currency)
            .unwrap_or(DEFAULT_CURRENCY);
        if monthly.is_none() || yearly.is_none() {
            self.report.change(
                subject,
                format!(
                    "a price is missing in the file; here it costs {} a month and {} a year",
                    monthly.unwrap_or(DEFAULT_PRICES.0),
                    yearly.unwrap_or(DEFAULT_PRICES.1)
                ),
            );
        }
        Some(Price {
            currency: currency.to_lowercase().into(),
            monthly: monthly.unwrap_or(DEFAULT_PRICES.0),
            yearly: yearly.unwrap_or(DEFAULT_PRICES.1),
        })
    }

    /// Returns the identifier of the free tier. A site has only one: the existing one is used, unless it is the default
    /// tier.
    fn free_tier(&mut self, id: Id, subject: &str) -> Result<Id> {
        self.clear_default(Tier::free().id, id)?;
        let tiers = &self.transaction.catalog().tiers;
        let known = tiers
            .iter()
            .find(|tier| tier.price.is_none())
            .map(|tier| tier.id);
        match known {
            Some(known) if known != id => {
                self.report.change(
                    subject,
                    "this site already has a free tier; its identifier is used",
                );
                Ok(known)
            }
            _ => Ok(id),
        }
    }

    /// Removes a default tier, unless it was changed, is used by a post or a member, or is the imported tier itself.
    fn clear_default(&mut self, id: Id, imported: Id) -> Result<()> {
        let catalog = self.transaction.catalog();
        let is_untouched = catalog
            .tiers
            .get(id)
            .is_some_and(|tier| tier.is_untouched_default());
        let is_used = || {
            catalog.posts.iter().any(|post| post.tiers.contains(&id))
                || catalog.members.is_tier_granted(id)
        };
        if id != imported && is_untouched && !is_used() {
            self.transaction.remove::<Tier>(id)
        } else {
            Ok(())
        }
    }

    /// Imports the newsletters.
    pub fn newsletters(&mut self) -> Result<()> {
        let tables = self.tables;
        for row in &tables.newsletters {
            self.newsletter(&row.read())?;
        }
        Ok(())
    }

    fn newsletter(&mut self, row: &RowReader<'_>) -> Result<()> {
        let Some(name) = row.first_text(&["name", "slug"]) else {
            self.report
                .leave_out("a row of the table newsletters", "it has no name");
            return Ok(());
        };
        let slug_text = row.text("slug").unwrap_or_else(|| name.clone());
        let slug = slug::from_text(Kind::Newsletter, &slug_text, self.site.path());
        let subject = subject("newsletter", &slug);
        let key = row.key("id");
        let id = record_id("newsletter", key.as_ref(), &slug);
        if let Some(key) = &key
            && !insert_first(&mut self.records.newsletters, key, id)
        {
            self.report
                .leave_out(subject, "its identifier is in the file twice");
            return Ok(());
        }
        self.clear_default_newsletter(id)?;
        let default = Newsletter::new(&slug, &name);
        let uuid = row
            .text("uuid")
            .and_then(|uuid| Uuid::parse_str(&uuid).ok());
        let updated_at = row.first_date(&["updated_at", "created_at"]);
        let mut newsletter = Newsletter {
            id,
            uuid: uuid.unwrap_or(default.uuid),
            sender_email: row.boxed("sender_email"),
            active: row.text("status").as_deref() != Some("archived"),
            visibility: match row.text("visibility").as_deref() {
                Some("paid") => "paid".into(),
                _ => "members".into(),
            },
            subscribe_on_signup: row.switch("subscribe_on_signup").unwrap_or(true),
            sort_order: row
                .count("sort_order")
                .and_then(|index| u32::try_from(index).ok())
                .unwrap_or(0),
            created_at: row.date("created_at").or(updated_at).unwrap_or(UNDATED),
            updated_at: updated_at.unwrap_or(UNDATED),
            ..default
        };
        self.set_texts(&mut newsletter, row, NEWSLETTER_TEXTS);
        for choice in DESIGN {
            let value = match choice.kind {
                DesignType::Switch(_) => row.switch(choice.name).map(Value::from),
                DesignType::Image(_) => row.first_image([choice.name]).map(Value::from),
                _ => row.text(choice.name).map(Value::from),
            };
            if let Some(value) = value.filter(|value| choice.takes(value)) {
                newsletter.choose(choice, value);
            }
        }
        self.report_columns(&subject, row, "newsletters", &[]);
        let known = self.transaction.catalog().newsletters.get(id);
        // The default newsletter may be newer than the file, and would then not be updated.
        if known.is_some_and(|known| known.is_untouched_default() && **known != newsletter) {
            self.transaction.remove::<Newsletter>(id)?;
        }
        self.save_record(newsletter)?;
        Ok(())
    }

    /// Removes the default newsletter, unless it was changed, a member receives it, or it is the imported newsletter itself.
    fn clear_default_newsletter(&mut self, imported: Id) -> Result<()> {
        let catalog = self.transaction.catalog();
        let default = catalog
            .newsletters
            .iter()
            .find(|known| known.is_untouched_default() && known.id != imported);
        match default.map(|newsletter| newsletter.id) {
            Some(id) if catalog.members.uses_of_newsletter(id) == 0 => {
                self.transaction.remove::<Newsletter>(id)
            }
            _ => Ok(()),
        }
    }
}
