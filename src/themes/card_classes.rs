//! The classes of the editor's cards that a theme's style sheets must contain, unless the style sheet of cards that Ghost or
//! Galley serves contains them (Ghost 6.65).

use serde_json::Value;

use super::{Level, rules::Rules};

/// The classes of a card.
struct Card {
    /// The name in `config.card_assets`; `None` if no served style sheet contains the card.
    name: Option<&'static str>,
    level: Level,
    /// The codes of the rules, with the classes that they require.
    classes: &'static [(&'static str, &'static str)],
}

const fn error(
    name: Option<&'static str>,
    classes: &'static [(&'static str, &'static str)],
) -> Card {
    Card {
        name,
        level: Level::Error,
        classes,
    }
}

const fn warning(name: &'static str, classes: &'static [(&'static str, &'static str)]) -> Card {
    Card {
        name: Some(name),
        level: Level::Warning,
        classes,
    }
}

const CARDS: &[Card] = &[
    error(
        None,
        &[
            ("GS050-CSS-KGWW", ".kg-width-wide"),
            ("GS050-CSS-KGWF", ".kg-width-full"),
        ],
    ),
    error(
        Some("gallery"),
        &[
            ("GS050-CSS-KGGC", ".kg-gallery-container"),
            ("GS050-CSS-KGGR", ".kg-gallery-row"),
            ("GS050-CSS-KGGI", ".kg-gallery-image"),
        ],
    ),
    error(
        Some("bookmark"),
        &[
            ("GS050-CSS-KGBM", ".kg-bookmark-card"),
            ("GS050-CSS-KGBMCO", ".kg-bookmark-container"),
            ("GS050-CSS-KGBMCON", ".kg-bookmark-content"),
            ("GS050-CSS-KGBMTI", ".kg-bookmark-title"),
            ("GS050-CSS-KGBMDE", ".kg-bookmark-description"),
            ("GS050-CSS-KGBMME", ".kg-bookmark-metadata"),
            ("GS050-CSS-KGBMIC", ".kg-bookmark-icon"),
            ("GS050-CSS-KGBMAU", ".kg-bookmark-author"),
            ("GS050-CSS-KGBMPU", ".kg-bookmark-publisher"),
            ("GS050-CSS-KGBMTH", ".kg-bookmark-thumbnail"),
        ],
    ),
    warning(
        "callout",
        &[
            ("GS050-CSS-KGCO", ".kg-callout-card"),
            ("GS050-CSS-KGCOE", ".kg-callout-emoji"),
            ("GS050-CSS-KGCOT", ".kg-callout-text"),
            ("GS050-CSS-KGCOBGGY", ".kg-callout-card-grey"),
            ("GS050-CSS-KGCOBGW", ".kg-callout-card-white"),
            ("GS050-CSS-KGCOBGB", ".kg-callout-card-blue"),
            ("GS050-CSS-KGCOBGGN", ".kg-callout-card-green"),
            ("GS050-CSS-KGCOBGY", ".kg-callout-card-yellow"),
            ("GS050-CSS-KGCOBGR", ".kg-callout-card-red"),
            ("GS050-CSS-KGCOBGPK", ".kg-callout-card-pink"),
            ("GS050-CSS-KGCOBGPE", ".kg-callout-card-purple"),
            ("GS050-CSS-KGCOBGA", ".kg-callout-card-accent"),
        ],
    ),
    warning(
        "nft",
        &[
            ("GS050-CSS-KG-NFT", ".kg-nft-card"),
            ("GS050-CSS-KG-NFTCO", ".kg-nft-card-container"),
            ("GS050-CSS-KG-NFTMD", ".kg-nft-metadata"),
            ("GS050-CSS-KG-NFTIMG", ".kg-nft-image"),
            ("GS050-CSS-KG-NFTHD", ".kg-nft-header"),
            ("GS050-CSS-KG-NFTTIT", ".kg-nft-title"),
            ("GS050-CSS-KG-NFTLG", ".kg-nft-opensea-logo"),
            ("GS050-CSS-KG-NFTCTR", ".kg-nft-creator"),
            ("GS050-CSS-KG-NFTDSC", ".kg-nft-description"),
        ],
    ),
    warning(
        "toggle",
        &[
            ("GS050-CSS-KGTGL", ".kg-toggle-card"),
            ("GS050-CSS-KGTGLH", ".kg-toggle-heading"),
            ("GS050-CSS-KGTGLHT", ".kg-toggle-heading-text"),
            ("GS050-CSS-KGTGLIC", ".kg-toggle-card-icon"),
            ("GS050-CSS-KGTGLC", ".kg-toggle-content"),
        ],
    ),
    warning(
        "audio",
        &[
            ("GS050-CSS-KGAUD", ".kg-audio-card"),
            ("GS050-CSS-KGAUDTHUMB", ".kg-audio-thumbnail"),
            ("GS050-CSS-KGAUDTHUMBPL", ".kg-audio-thumbnail.placeholder"),
            ("GS050-CSS-KGAUDPLCNT", ".kg-audio-player-container"),
            ("GS050-CSS-KGAUDTI", ".kg-audio-title"),
            ("GS050-CSS-KGAUDPL", ".kg-audio-player"),
            ("GS050-CSS-KGAUDCURRTM", ".kg-audio-current-time"),
            ("GS050-CSS-KGAUDTM", ".kg-audio-time"),
            ("GS050-CSS-KGAUDDUR", ".kg-audio-duration"),
            ("GS050-CSS-KGAUDPLICO", ".kg-audio-play-icon"),
            ("GS050-CSS-KGAUDPAUICO", ".kg-audio-pause-icon"),
            ("GS050-CSS-KGAUDSKSL", ".kg-audio-seek-slider"),
            ("GS050-CSS-KGAUDPLRT", ".kg-audio-playback-rate"),
            ("GS050-CSS-KGAUDMTICO", ".kg-audio-mute-icon"),
            ("GS050-CSS-KGAUDUNMTICO", ".kg-audio-unmute-icon"),
            ("GS050-CSS-KGAUDVOLSL", ".kg-audio-volume-slider"),
        ],
    ),
    warning(
        "video",
        &[
            ("GS050-CSS-KGVID", ".kg-video-card"),
            ("GS050-CSS-KGVIDHD", ".kg-video-hide"),
            ("GS050-CSS-KGVIDCNT", ".kg-video-container"),
            ("GS050-CSS-KGVIDOVL", ".kg-video-overlay"),
            ("GS050-CSS-KGVIDLGPLICO", ".kg-video-large-play-icon"),
            ("GS050-CSS-KGVIDPLCNT", ".kg-video-player-container"),
            ("GS050-CSS-KGVIDPL", ".kg-video-player"),
            ("GS050-CSS-KGVIDCURRTM", ".kg-video-current-time"),
            ("GS050-CSS-KGVIDTM", ".kg-video-time"),
            ("GS050-CSS-KGVIDDUR", ".kg-video-duration"),
            ("GS050-CSS-KGVIDPLICO", ".kg-video-play-icon"),
            ("GS050-CSS-KGVIDPAUICO", ".kg-video-pause-icon"),
            ("GS050-CSS-KGVIDSKSL", ".kg-video-seek-slider"),
            ("GS050-CSS-KGVIDPLRT", ".kg-video-playback-rate"),
            ("GS050-CSS-KGVIDMTICO", ".kg-video-mute-icon"),
            ("GS050-CSS-KGVIDUNMTICO", ".kg-video-unmute-icon"),
            ("GS050-CSS-KGVIDVOLSL", ".kg-video-volume-slider"),
        ],
    ),
    warning(
        "button",
        &[
            ("GS050-CSS-KGBTN", ".kg-button-card"),
            ("GS050-CSS-KGBTNL", ".kg-button-card.kg-align-left"),
            ("GS050-CSS-KGBTNC", ".kg-button-card.kg-align-center"),
            ("GS050-CSS-KGBTNBTN", ".kg-btn"),
            ("GS050-CSS-KGBTNBTNA", ".kg-btn-accent"),
        ],
    ),
    warning(
        "product",
        &[
            ("GS050-CSS-KGPR", ".kg-product-card"),
            ("GS050-CSS-KGPRBTNA", ".kg-product-card-btn-accent"),
            ("GS050-CSS-KGPRBTN", ".kg-product-card-button"),
            ("GS050-CSS-KGPRCO", ".kg-product-card-container"),
            ("GS050-CSS-KGPRDE", ".kg-product-card-description"),
            ("GS050-CSS-KGPRIM", ".kg-product-card-image"),
            ("GS050-CSS-KGPRRA", ".kg-product-card-rating"),
            ("GS050-CSS-KGPRRAA", ".kg-product-card-rating-active"),
            ("GS050-CSS-KGPRRAS", ".kg-product-card-rating-star"),
            ("GS050-CSS-KGPRTI", ".kg-product-card-title"),
            ("GS050-CSS-KGPRTICO", ".kg-product-card-title-container"),
        ],
    ),
    warning(
        "before-after",
        &[
            ("GS050-CSS-KGBA", ".kg-before-after-card"),
            ("GS050-CSS-KGBAIA", ".kg-before-after-card-image-before"),
            ("GS050-CSS-KGBAIB", ".kg-before-after-card-image-after"),
        ],
    ),
    warning(
        "file",
        &[
            ("GS050-CSS-KGFL", ".kg-file-card"),
            ("GS050-CSS-KGFLCON", ".kg-file-card-container"),
            ("GS050-CSS-KGFLCNT", ".kg-file-card-contents"),
            ("GS050-CSS-KGFLTTL", ".kg-file-card-title"),
            ("GS050-CSS-KGFLCAP", ".kg-file-card-caption"),
            ("GS050-CSS-KGFLNM", ".kg-file-card-filename"),
            ("GS050-CSS-KGFLSZ", ".kg-file-card-filesize"),
            ("GS050-CSS-KGFLMD", ".kg-file-card-medium"),
            ("GS050-CSS-KGFLSM", ".kg-file-card-small"),
        ],
    ),
    warning("blockquote", &[("GS050-CSS-KGBQALT", ".kg-blockquote-alt")]),
];

/// Collects the classes in the files of a theme.
#[derive(Default)]
pub struct CardClasses {
    found: Vec<&'static str>,
}

impl CardClasses {
    /// Reads the classes in a style sheet or a template.
    pub fn read(&mut self, text: &str) {
        for card in CARDS {
            for (code, class) in card.classes {
                if !self.found.contains(code) && text.contains(class) {
                    self.found.push(code);
                }
            }
        }
    }

    /// Reports the classes that are missing in a theme with this package.
    pub fn check(&self, rules: &mut Rules, package: &Value) {
        let assets = package.pointer("/config/card_assets");
        let needed = CARDS.iter().filter(|card| {
            let has_style_sheet = card.name.is_some_and(|name| is_included(assets, name));
            !has_style_sheet
        });
        for card in needed {
            for (code, class) in card
                .classes
                .iter()
                .filter(|(code, _)| !self.found.contains(code))
            {
                rules.report_where(
                    code,
                    card.level,
                    &format!("Style sheets should have the class {class}"),
                    "The editor's cards use it, and \"config.card_assets\" of the package does not include its styles.",
                    vec![("styles".to_owned(), None)],
                );
            }
        }
    }
}

/// Returns whether `config.card_assets` of a package includes the styles of a card. By default, it includes all cards.
fn is_included(assets: Option<&Value>, name: &str) -> bool {
    let lists = |key: &str| {
        let names = assets?.get(key)?.as_array()?;
        Some(names.iter().any(|own| own == name))
    };
    match assets {
        None | Some(Value::Bool(true)) => true,
        Some(_) => lists("include").unwrap_or_else(|| lists("exclude") == Some(false)),
    }
}
