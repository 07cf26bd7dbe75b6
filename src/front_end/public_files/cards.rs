//! The styles and scripts of cards. A theme may exclude those that it replaces.

use std::sync::LazyLock;

use serde_json::Value as Json;

use super::content::{compact, sum};

/// The styles or the script of a card.
struct CardAsset {
    /// The name in `card_assets`.
    name: &'static str,
    /// The source without comments.
    text: String,
    sum: String,
}

impl CardAsset {
    fn new(name: &'static str, text: String) -> Self {
        Self {
            name,
            sum: sum(&text),
            text,
        }
    }
}

/// Returns the styles of each card, from the files with these names.
macro_rules! styles {
    ($($name:literal)*) => {
        vec![$(CardAsset::new($name, compact(include_str!(concat!("cards/", $name, ".css"))))),*]
    };
}

static STYLES: LazyLock<Vec<CardAsset>> = LazyLock::new(|| {
    styles!(
        "audio" "blockquote" "bookmark" "button" "callout" "collection" "cta" "file" "gallery"
        "header" "header_v2" "nft" "product" "signup" "toggle" "transistor" "video"
    )
});

static SCRIPTS: LazyLock<Vec<CardAsset>> = LazyLock::new(|| {
    let player = compact(include_str!("cards/player.js"));
    vec![
        CardAsset::new("audio", player.replace("KIND", "audio")),
        CardAsset::new("gallery", compact(include_str!("cards/gallery.js"))),
        CardAsset::new("toggle", compact(include_str!("cards/toggle.js"))),
        CardAsset::new("video", player.replace("KIND", "video")),
    ]
});

/// Returns the styles that the theme uses.
pub(super) fn styles(package: &Json) -> String {
    joined(&STYLES, package)
}

/// Returns the scripts that the theme uses.
pub(super) fn scripts(package: &Json) -> String {
    joined(&SCRIPTS, package)
}

/// Returns the checksum of the styles; `None` if the theme uses none.
pub(super) fn styles_sum(package: &Json) -> Option<String> {
    sum_of(&STYLES, package)
}

/// Returns the checksum of the scripts; `None` if the theme uses none.
pub(super) fn scripts_sum(package: &Json) -> Option<String> {
    sum_of(&SCRIPTS, package)
}

fn joined(parts: &'static [CardAsset], package: &Json) -> String {
    chosen(parts, package)
        .map(|part| part.text.as_str())
        .collect()
}

fn sum_of(parts: &'static [CardAsset], package: &Json) -> Option<String> {
    let sums: String = chosen(parts, package)
        .map(|part| part.sum.as_str())
        .collect();
    (!sums.is_empty()).then(|| sum(&sums))
}

/// Returns the parts that the theme uses: all by default, those in `include`, or all except those in `exclude`.
fn chosen<'p>(
    parts: &'static [CardAsset],
    package: &'p Json,
) -> impl Iterator<Item = &'static CardAsset> + use<'p> {
    let assets = package.pointer("/config/card_assets");
    parts.iter().filter(move |part| {
        let is_listed = |list: &Json| {
            list.as_array()
                .is_some_and(|list| list.iter().any(|item| item == part.name))
        };
        match assets {
            None | Some(Json::Bool(true)) => true,
            Some(assets) => match (assets.get("include"), assets.get("exclude")) {
                (Some(included), _) => is_listed(included),
                (None, Some(excluded)) => !is_listed(excluded),
                (None, None) => false,
            },
        }
    })
}
