//! Imports offers and recommendations. Ghost's own exports have neither; Galley's have both.

use super::{
    importer::{Importer, UpsertDecision, subject},
    keys::record_id,
    rows::RowReader,
};
use crate::{
    catalog::fields::OFFER_TEXTS,
    domain::{UNDATED, offer::Offer, origin::RecordOrigin, recommendation::Recommendation},
    error::Result,
    import::Outcome,
};

/// The name of offers in the report.
const OFFERS: &str = "offers";

/// The name of recommendations in the report.
const RECOMMENDATIONS: &str = "recommendations";

impl Importer<'_> {
    /// Imports the offers, after the tiers that they refer to.
    pub fn offers(&mut self) -> Result<()> {
        let tables = self.tables;
        for row in &tables.offers {
            self.offer(&row.read())?;
        }
        Ok(())
    }

    fn offer(&mut self, row: &RowReader<'_>) -> Result<()> {
        let Some(code) = row.boxed("code") else {
            self.report
                .leave_out("a row of the table offers", "it has no code");
            return Ok(());
        };
        let subject = subject("offer", &code);
        let offer = match self.read_offer(row, code) {
            Ok(offer) => offer,
            Err(reason) => {
                self.report.leave_out(subject, reason);
                return Ok(());
            }
        };
        let skipped = &["stripe_coupon_id", "updated_at"];
        self.report_columns(&subject, row, OFFERS, skipped);
        let offers = &self.transaction.catalog().offers;
        // The terms of an offer never change, so an existing offer is not updated.
        if offers.get(offer.id).is_some() {
            self.report.count(OFFERS, Outcome::Unchanged);
            return Ok(());
        }
        let is_code_taken = offers.with_slug(&offer.code).next().is_some();
        if is_code_taken || offers.is_name_taken(&offer) {
            self.report.count(OFFERS, Outcome::Unchanged);
            self.report
                .leave_out(subject, "another offer has its name or its code");
            return Ok(());
        }
        self.report.count(OFFERS, Outcome::Added);
        self.transaction.save(offer)
    }

    /// Reads the offer in a row, or returns why it cannot be read.
    fn read_offer(&self, row: &RowReader<'_>, code: Box<str>) -> Result<Offer, &'static str> {
        let tier = row
            .key("product_id")
            .and_then(|key| self.records.tiers.get(&key).copied())
            .ok_or("its tier is not in the file")?;
        let word = |column, words: &[&'static str]| {
            let word = row.text(column)?;
            words.iter().copied().find(|known| *known == &*word)
        };
        let kind = match word("discount_type", &["percent", "amount", "trial"]) {
            // Ghost uses different words in its table and in its API.
            Some("amount") => "fixed",
            Some(kind) => kind,
            None => return Err("its type of discount is unknown"),
        };
        let cadence = word("interval", &["month", "year"]);
        let duration = word("duration", &["once", "repeating", "forever", "trial"]);
        let (Some(cadence), Some(duration)) = (cadence, duration) else {
            return Err("its interval or duration is unknown");
        };
        let mut offer = Offer {
            id: record_id("offer", row.key("id").as_ref(), &code),
            name: row.boxed("name").unwrap_or_else(|| code.clone()),
            code,
            display_title: None,
            display_description: None,
            kind: kind.into(),
            cadence: cadence.into(),
            amount: row
                .count("discount_amount")
                .ok_or("it has no amount of discount")?,
            duration: duration.into(),
            duration_in_months: row
                .count("duration_in_months")
                .and_then(|months| u32::try_from(months).ok()),
            currency: row.boxed("currency"),
            active: row.switch("active").unwrap_or(true),
            redemption_type: word("redemption_type", &["signup", "retention"])
                .unwrap_or("signup")
                .into(),
            tier,
            created_at: row.date("created_at").unwrap_or(UNDATED),
        };
        self.set_texts(&mut offer, row, OFFER_TEXTS);
        Ok(offer)
    }

    /// Imports the recommendations.
    pub fn recommendations(&mut self) -> Result<()> {
        let tables = self.tables;
        for row in &tables.recommendations {
            self.recommendation(&row.read())?;
        }
        Ok(())
    }

    fn recommendation(&mut self, row: &RowReader<'_>) -> Result<()> {
        let (Some(url), Some(title)) = (row.boxed("url"), row.boxed("title")) else {
            self.report.leave_out(
                "a row of the table recommendations",
                "it has no URL or no title",
            );
            return Ok(());
        };
        let subject = subject("recommendation", &title);
        if !is_web_url(&url) {
            self.report
                .leave_out(subject, "its URL is not an http or https URL");
            return Ok(());
        }
        let created_at = row.date("created_at").unwrap_or(UNDATED);
        let new = Recommendation {
            id: record_id("recommendation", row.key("id").as_ref(), &url),
            title,
            description: row.boxed("description"),
            excerpt: row.boxed("excerpt"),
            featured_image: self.image_url(row, ["featured_image"]),
            favicon: self.image_url(row, ["favicon"]),
            url,
            one_click_subscribe: row.switch("one_click_subscribe").unwrap_or(false),
            created_at,
            updated_at: row.date("updated_at").unwrap_or(created_at),
        };
        self.report_columns(&subject, row, RECOMMENDATIONS, &[]);
        let known = &self.transaction.catalog().recommendations;
        let other = known.by_slug(new.site()).filter(|other| other.id != new.id);
        if other.is_some() {
            self.report.count(RECOMMENDATIONS, Outcome::Unchanged);
            self.report
                .leave_out(subject, "its URL is already recommended");
            return Ok(());
        }
        let known = known.get(new.id);
        let known = known.map(|known| (known.updated_at, &RecordOrigin::Store));
        let decision = UpsertDecision::of(known, new.updated_at);
        self.report.count(RECOMMENDATIONS, decision.outcome());
        match decision {
            UpsertDecision::Unchanged => Ok(()),
            UpsertDecision::Skip(reason) => {
                self.report.leave_out(subject, reason);
                Ok(())
            }
            UpsertDecision::Insert | UpsertDecision::Update => self.transaction.save(new),
        }
    }
}

fn is_web_url(url: &str) -> bool {
    let parsed = url::Url::parse(url);
    parsed.is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}
