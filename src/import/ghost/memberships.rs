//! Tiers and newsletters of an export.
//!
//! Those that a new site starts with give way to the file's, as far as no one changed or used them: a site that comes over
//! has what it had, and nothing beside it.

use serde_json::Value;
use uuid::Uuid;

use super::{
    importer::{Importer, first_of_its_key, subject, tied},
    keys::record_id,
    rows::Reading,
};
use crate::{
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

/// What a paid tier costs whose price is missing, in the smallest unit: by month and by year (Ghost 6.65, recorded).
const DEFAULT_PRICES: (u64, u64) = (500, 5000);

/// The currency of a tier that names none.
const DEFAULT_CURRENCY: &str = "usd";

impl Importer<'_> {
    /// Brings in the tiers.
    pub fn tiers(&mut self) -> Result<()> {
        let tables = self.tables;
        for row in &tables.tiers {
            self.tier(&row.read())?;
        }
        Ok(())
    }

    fn tier(&mut self, row: &Reading<'_>) -> Result<()> {
        let Some(name) = row.first_text(&["name", "slug"]) else {
            self.report
                .leave_out("a row of the table products", "it has no name");
            return Ok(());
        };
        let written = row.text("slug").unwrap_or_else(|| name.clone());
        let slug = slug::from_text(Kind::Tier, &written, self.site.path());
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
        let benefits = tied(&self.tables.benefits_of_tiers, key.as_ref());
        if let Some(key) = &key
            && !first_of_its_key(&mut self.records.tiers, key, id)
        {
            self.report
                .leave_out(subject, "its identifier stands in the file twice");
            return Ok(());
        }
        let tier = Tier {
            id,
            description: row.boxed("description"),
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
            welcome_page_url: row.boxed_link("welcome_page_url"),
            created_at: row.date("created_at").unwrap_or(UNDATED),
            updated_at: row.date("updated_at"),
            ..Tier::new(&slug, &name)
        };
        self.tell_misfits(&subject, row);
        let known = self.transaction.catalog().tiers.get(id);
        // What a site starts with is of no date, and so would pass for what comes in.
        if known.is_some_and(|known| known.is_untouched_default() && **known != tier) {
            self.transaction.remove::<Tier>(id)?;
        }
        self.place(tier)?;
        Ok(())
    }

    /// What the tier costs; `None` when it is free.
    fn price(&mut self, row: &Reading<'_>, subject: &str) -> Option<Price> {
        let stripe = |column| self.tables.stripe_prices.get(&row.key(column)?);
        let (monthly_there, yearly_there) = (stripe("monthly_price_id"), stripe("yearly_price_id"));
        let amount_of = |column, there: Option<&super::tables::StripePrice>| {
            row.count(column).or(there.map(|price| price.amount))
        };
        let monthly = amount_of("monthly_price", monthly_there);
        let yearly = amount_of("yearly_price", yearly_there);
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
        let currency_there = monthly_there.and_then(|price| price.currency.as_deref());
        let currency = row.text("currency");
        let currency = currency
            .as_deref()
            .or(currency_there)
            .unwrap_or(DEFAULT_CURRENCY);
        if monthly.is_none() || yearly.is_none() {
            self.report.change(
                subject,
                format!(
                    "a price is not in the file; it costs {} a month and {} a year here",
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

    /// A site has one free tier: the one it has, unless that is the default.
    fn free_tier(&mut self, id: Id, subject: &str) -> Result<Id> {
        self.clear_default(Tier::free().id, id)?;
        let tiers = &self.transaction.catalog().tiers;
        let known = tiers
            .iter()
            .find(|tier| tier.price.is_none())
            .map(|tier| tier.id);
        match known {
            Some(known) if known != id => {
                self.report
                    .change(subject, "this site has a free tier, whose identifier holds");
                Ok(known)
            }
            _ => Ok(id),
        }
    }

    /// Takes away a tier that the site started with, unless it was changed, a post is for its members, or it is the very
    /// one that comes in.
    fn clear_default(&mut self, id: Id, coming: Id) -> Result<()> {
        let catalog = self.transaction.catalog();
        let is_untouched = catalog
            .tiers
            .get(id)
            .is_some_and(|tier| tier.is_untouched_default());
        let is_used = || catalog.posts.iter().any(|post| post.tiers.contains(&id));
        match id != coming && is_untouched && !is_used() {
            true => self.transaction.remove::<Tier>(id),
            false => Ok(()),
        }
    }

    /// Brings in the newsletters.
    pub fn newsletters(&mut self) -> Result<()> {
        let tables = self.tables;
        for row in &tables.newsletters {
            self.newsletter(&row.read())?;
        }
        Ok(())
    }

    fn newsletter(&mut self, row: &Reading<'_>) -> Result<()> {
        let Some(name) = row.first_text(&["name", "slug"]) else {
            self.report
                .leave_out("a row of the table newsletters", "it has no name");
            return Ok(());
        };
        let written = row.text("slug").unwrap_or_else(|| name.clone());
        let slug = slug::from_text(Kind::Newsletter, &written, self.site.path());
        let subject = subject("newsletter", &slug);
        let key = row.key("id");
        let id = record_id("newsletter", key.as_ref(), &slug);
        if let Some(key) = &key
            && !first_of_its_key(&mut self.records.newsletters, key, id)
        {
            self.report
                .leave_out(subject, "its identifier stands in the file twice");
            return Ok(());
        }
        self.clear_default_newsletter(id)?;
        let default = Newsletter::new(&slug, &name);
        let uuid = row
            .text("uuid")
            .and_then(|uuid| Uuid::parse_str(&uuid).ok());
        let updated_at = row.date("updated_at").or_else(|| row.date("created_at"));
        let mut newsletter = Newsletter {
            id,
            uuid: uuid.unwrap_or(default.uuid),
            description: row.boxed("description"),
            sender_email: row.boxed("sender_email"),
            active: row.text("status").as_deref() != Some("archived"),
            visibility: match row.text("visibility").as_deref() {
                Some("paid") => "paid".into(),
                _ => "members".into(),
            },
            subscribe_on_signup: row.switch("subscribe_on_signup").unwrap_or(true),
            sort_order: row
                .count("sort_order")
                .and_then(|place| u32::try_from(place).ok())
                .unwrap_or(0),
            created_at: row.date("created_at").or(updated_at).unwrap_or(UNDATED),
            updated_at: updated_at.unwrap_or(UNDATED),
            ..default
        };
        for choice in DESIGN {
            let value = match choice.kind {
                DesignType::Switch(_) => row.switch(choice.name).map(Value::from),
                _ if choice.name == "header_image" => {
                    row.first_image(&[choice.name]).map(Value::from)
                }
                _ => row.text(choice.name).map(Value::from),
            };
            if let Some(value) = value.filter(|value| choice.takes(value)) {
                newsletter.choose(choice, value);
            }
        }
        self.tell_misfits(&subject, row);
        let known = self.transaction.catalog().newsletters.get(id);
        if known.is_some_and(|known| known.is_untouched_default() && **known != newsletter) {
            self.transaction.remove::<Newsletter>(id)?;
        }
        self.place(newsletter)?;
        Ok(())
    }

    fn clear_default_newsletter(&mut self, coming: Id) -> Result<()> {
        let newsletters = &self.transaction.catalog().newsletters;
        let untouched = newsletters
            .iter()
            .find(|known| known.is_untouched_default() && known.id != coming);
        match untouched.map(|newsletter| newsletter.id) {
            Some(id) => self.transaction.remove::<Newsletter>(id),
            None => Ok(()),
        }
    }
}
