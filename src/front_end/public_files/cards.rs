//! The styles and scripts of cards, of which a theme may leave out those that it brings itself.

use std::sync::LazyLock;

use serde_json::Value as Json;

use super::compact;

/// The part of the styles or the scripts for one card: its name in `card_assets`, and the text without comments.
type Part = (&'static str, String);

/// Returns the styles of each card, by the names of their files.
macro_rules! styles {
    ($($name:literal)*) => {
        vec![$(($name, compact(include_str!(concat!("cards/", $name, ".css"))))),*]
    };
}

static STYLES: LazyLock<Vec<Part>> = LazyLock::new(|| {
    styles!(
        "audio" "blockquote" "bookmark" "button" "callout" "collection" "cta" "file" "gallery"
        "header" "header_v2" "nft" "product" "signup" "toggle" "transistor" "video"
    )
});

static SCRIPTS: LazyLock<Vec<Part>> = LazyLock::new(|| {
    let player = compact(include_str!("cards/player.js"));
    vec![
        ("audio", player.replace("KIND", "audio")),
        ("gallery", compact(include_str!("cards/gallery.js"))),
        ("toggle", compact(include_str!("cards/toggle.js"))),
        ("video", player.replace("KIND", "video")),
    ]
});

/// Returns the styles; `None` if the theme wants none.
pub(super) fn styles(package: &Json) -> Option<String> {
    joined(&STYLES, package)
}

/// Returns the scripts; `None` if the theme wants none.
pub(super) fn scripts(package: &Json) -> Option<String> {
    joined(&SCRIPTS, package)
}

fn joined(parts: &'static [Part], package: &Json) -> Option<String> {
    let joined: String = chosen(parts, package)
        .map(|(_, text)| text.as_str())
        .collect();
    Some(joined).filter(|joined| !joined.is_empty())
}

/// Returns the parts that the theme wants: all by default, those of `include`, or all without those of `exclude`.
fn chosen<'p>(
    parts: &'static [Part],
    package: &'p Json,
) -> impl Iterator<Item = &'static Part> + use<'p> {
    let assets = package.pointer("/config/card_assets");
    parts.iter().filter(move |(name, _)| {
        let is_listed = |list: &Json| {
            list.as_array()
                .is_some_and(|list| list.iter().any(|item| item == name))
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
