//! Membership tiers: the files in `tiers/`.

use serde::Serialize;

use crate::{
    catalog::fields::TIER_TEXTS,
    content_files::{
        keys::{
            Date, Entries, Id, Integer, Key, KeySet, List, Reader, Slug, Text, Word, choices,
            fields, keys_of,
        },
        parts::Parts,
    },
    domain::tier::{BENEFIT_CHARACTERS_MAX, BENEFITS_MAX, Tier},
};

choices! {
    /// Whether members pay for a tier.
    TierType { Free = "free", Paid = "paid" }

    /// Whether readers are offered a tier.
    TierVisibility { Public = "public", None = "none" }
}

/// Maximum price, in the smallest unit of its currency.
const PRICE_MAX: i64 = 99_999_999;

/// The code of a currency.
pub struct Currency;

impl Word for Currency {
    const WANTED: &'static str = "the code of a currency";
    const EXAMPLE: &'static str = "\"eur\"";
    const ADVICE: &'static str = "write the three letters of ISO 4217, for instance eur or usd";

    fn accept(text: &str) -> Option<String> {
        let fits = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
        fits.then(|| text.to_ascii_lowercase())
    }

    fn pattern() -> serde_json::Value {
        serde_json::json!({ "pattern": "^[A-Za-z]{3}$" })
    }
}

fields! {
    /// The fields of a tier.
    pub struct TierFields with texts of TIER_TEXTS {
        /// The name that readers see.
        name: Text<191>;
        /// The tier's slug; made from the file's name if absent.
        slug: Slug;
        /// Identifier of the record, 24 hexadecimal digits; made from the slug if absent.
        id: Id;
        /// Members pay for it; by default if it has a price.
        r#type: TierType;
        /// Active; true if absent.
        active: bool;
        /// Readers can subscribe to it.
        visibility: TierVisibility;
        /// The code of the currency of its prices.
        currency: Currency;
        /// Price of a month in the smallest unit of the currency: 500 is 5.00.
        monthly_price: Integer<PRICE_MAX>;
        /// Price of a year in the smallest unit of the currency: 5000 is 50.00.
        yearly_price: Integer<PRICE_MAX>;
        /// Days that a new member may try it for nothing.
        trial_days: Integer<2147483647>;
        /// Benefits of members, a few words each.
        benefits: List<Text<BENEFIT_CHARACTERS_MAX>, BENEFITS_MAX>;
        /// Time of creation.
        created_at: Date;
        /// Time of the last change.
        updated_at: Date;
    }
}

const TEXT_KEYS: &[Key] = &keys_of::<Tier, { TIER_TEXTS.len() }>(TIER_TEXTS);

impl TierFields {
    pub(crate) const SET: KeySet = KeySet::of(&[TierFields::KEYS, TEXT_KEYS], &["name"]);
}

/// A file in `tiers/`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TierFile {
    /// The file name without its extension; the default of the slug.
    pub stem: String,
    /// The fields of the tier. Name and type are always present.
    pub fields: TierFields,
}

pub(super) fn read(parts: &Parts<'_>, reader: &mut Reader<'_>) -> TierFile {
    let entries = Entries::collect(&parts.table, &TierFields::SET, parts.opening, reader);
    let mut fields = TierFields::from_entries(&entries, reader);
    // The key counts, not its value: an invalid price has been reported, and is not missing.
    let price = entries
        .key_span("monthly_price")
        .or(entries.key_span("yearly_price"));
    let tier_type = fields.r#type.unwrap_or(if price.is_some() {
        TierType::Paid
    } else {
        TierType::Free
    });
    fields.r#type = Some(tier_type);
    match (tier_type, price) {
        (TierType::Free, Some(price)) => {
            reader.error(
                price,
                "a free tier has no price",
                "remove the price, or set the type to paid",
            );
        }
        (TierType::Paid, None) => {
            let span = entries.key_span("type").unwrap_or(parts.opening);
            reader.error(
                span,
                "a paid tier needs a price",
                "set monthly_price, yearly_price or both",
            );
        }
        (TierType::Paid, Some(price)) if entries.key_span("currency").is_none() => {
            reader.error(
                price,
                "a price needs a currency",
                "set currency, for instance to eur",
            );
        }
        _ => {}
    }
    TierFile {
        stem: parts.stem.to_owned(),
        fields,
    }
}
