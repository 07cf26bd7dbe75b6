//! Offers and recommendations of an export. Ghost's own exports have neither; Galley's have both.

use super::{
    importer::{Importer, Standing, subject},
    keys::record_id,
    rows::Reading,
};
use crate::{
    domain::{UNDATED, offer::Offer, recommendation::Recommendation},
    error::Result,
    import::Outcome,
};

/// What offers are called in the report.
const OFFERS: &str = "offers";

/// What recommendations are called in the report.
const RECOMMENDATIONS: &str = "recommendations";

impl Importer<'_> {
    /// Brings in the offers, after the tiers that they are about.
    pub fn offers(&mut self) -> Result<()> {
        let tables = self.tables;
        for row in &tables.offers {
            self.offer(&row.read())?;
        }
        Ok(())
    }

    fn offer(&mut self, row: &Reading<'_>) -> Result<()> {
        let Some(code) = row.boxed("code") else {
            self.report
                .leave_out("a row of the table offers", "it has no code");
            return Ok(());
        };
        let subject = subject("offer", &code);
        let offer = match self.read_offer(row, code) {
            Ok(offer) => offer,
            Err(why) => {
                self.report.leave_out(subject, why);
                return Ok(());
            }
        };
        self.tell_misfits(&subject, row);
        let offers = &self.transaction.catalog().offers;
        // What an offer is about never changes, so one that is there stays.
        if offers.get(offer.id).is_some() {
            self.report.count(OFFERS, Outcome::Unchanged);
            return Ok(());
        }
        let is_taken = |known: &Offer| known.code == offer.code || known.name == offer.name;
        if offers.iter().any(|known| is_taken(known)) {
            self.report.count(OFFERS, Outcome::Unchanged);
            self.report
                .leave_out(subject, "its name or its code is another offer's");
            return Ok(());
        }
        self.report.count(OFFERS, Outcome::Added);
        self.transaction.save(offer)
    }

    /// The offer in a row, or why there is none.
    fn read_offer(&self, row: &Reading<'_>, code: Box<str>) -> Result<Offer, &'static str> {
        let tier = row
            .key("product_id")
            .and_then(|key| self.records.tiers.get(&key).copied())
            .ok_or("the tier that it is about is not in the file")?;
        let word = |column, words: &[&'static str]| {
            let word = row.text(column)?;
            words.iter().copied().find(|known| *known == &*word)
        };
        let kind = match word("discount_type", &["percent", "amount", "trial"]) {
            Some("amount") => "fixed",
            Some(kind) => kind,
            None => return Err("it takes off what Galley does not know"),
        };
        let cadence = word("interval", &["month", "year"]);
        let duration = word("duration", &["once", "repeating", "forever", "trial"]);
        let (Some(cadence), Some(duration)) = (cadence, duration) else {
            return Err("it holds for a time that Galley does not know");
        };
        Ok(Offer {
            id: record_id("offer", row.key("id").as_ref(), &code),
            name: row.boxed("name").unwrap_or_else(|| code.clone()),
            code,
            display_title: row.boxed("portal_title"),
            display_description: row.boxed("portal_description"),
            kind: kind.into(),
            cadence: cadence.into(),
            amount: row
                .count("discount_amount")
                .ok_or("it does not say how much it takes off")?,
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
        })
    }

    /// Brings in the recommendations.
    pub fn recommendations(&mut self) -> Result<()> {
        let tables = self.tables;
        for row in &tables.recommendations {
            self.recommendation(&row.read())?;
        }
        Ok(())
    }

    fn recommendation(&mut self, row: &Reading<'_>) -> Result<()> {
        let (Some(url), Some(title)) = (row.boxed("url"), row.boxed("title")) else {
            let what = "a row of the table recommendations";
            self.report.leave_out(what, "it has no address or no title");
            return Ok(());
        };
        let subject = subject("recommendation", &title);
        if !is_of_the_web(&url) {
            self.report
                .leave_out(subject, "its address is not the address of a site");
            return Ok(());
        }
        let created_at = row.date("created_at").unwrap_or(UNDATED);
        let new = Recommendation {
            id: record_id("recommendation", row.key("id").as_ref(), &url),
            title,
            description: row.boxed("description"),
            excerpt: row.boxed("excerpt"),
            featured_image: self.address(row, &["featured_image"]),
            favicon: self.address(row, &["favicon"]),
            url,
            one_click_subscribe: row.switch("one_click_subscribe").unwrap_or(false),
            created_at,
            updated_at: row.date("updated_at").unwrap_or(created_at),
        };
        self.tell_misfits(&subject, row);
        let known = &self.transaction.catalog().recommendations;
        let other = known.by_slug(new.site()).filter(|other| other.id != new.id);
        let is_taken = other.is_some();
        let standing = Standing::of(
            known.get(new.id).map(|known| (known.updated_at, &None)),
            new.updated_at,
        );
        let outcome = match is_taken {
            true => Outcome::Unchanged,
            false => standing.outcome(),
        };
        self.report.count(RECOMMENDATIONS, outcome);
        match standing {
            _ if is_taken => {
                self.report
                    .leave_out(subject, "its address is recommended already");
                Ok(())
            }
            Standing::Same => Ok(()),
            Standing::Kept(why) => {
                self.report.leave_out(subject, why);
                Ok(())
            }
            Standing::New | Standing::Newer => self.transaction.save(new),
        }
    }
}

fn is_of_the_web(address: &str) -> bool {
    let parsed = url::Url::parse(address);
    parsed.is_ok_and(|address| matches!(address.scheme(), "http" | "https"))
}
