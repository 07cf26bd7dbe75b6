//! The common properties of header and signup cards: width and background.

use std::borrow::Cow;

use super::Card;

/// The layout of a card and its background.
pub(super) struct Backdrop<'a> {
    layout: Cow<'a, str>,
    is_swapped: bool,
    /// True if the image is shown in full.
    is_contained: bool,
    pub(super) color: Cow<'a, str>,
    /// The URL of the image; empty without one.
    pub(super) image: Cow<'a, str>,
    is_centered: bool,
}

/// The defaults of a card's properties.
pub(super) struct Defaults {
    pub(super) layout: &'static str,
    pub(super) color: &'static str,
    pub(super) alignment: &'static str,
}

impl<'a> Backdrop<'a> {
    pub(super) fn read(card: Card<'a>, defaults: &Defaults) -> Self {
        let properties = card.properties;
        Self {
            layout: properties.text_or("layout", defaults.layout),
            is_swapped: properties.is_on("swapped", false),
            is_contained: properties.get("backgroundSize") == "contain",
            color: properties.text_or("backgroundColor", defaults.color),
            image: properties.text("backgroundImageSrc"),
            is_centered: properties.text_or("alignment", defaults.alignment) == "center",
        }
    }

    /// Returns whether text and image are side by side.
    pub(super) fn is_split(&self) -> bool {
        self.layout == "split"
    }

    /// Returns whether the image covers the background.
    pub(super) fn is_covered(&self) -> bool {
        !self.image.is_empty() && !self.is_split()
    }

    /// Returns whether the background has the accent colour of the site.
    pub(super) fn is_accent(&self) -> bool {
        self.color == "accent"
    }

    /// Returns a style with the background colour, if the colour is visible and not set by the
    /// theme.
    pub(super) fn style(&self) -> Option<String> {
        let is_visible = !self.is_accent() && !self.is_covered();
        is_visible.then(|| format!("background-color: {}", self.color))
    }

    /// Returns the classes of the layout.
    pub(super) fn classes(&self) -> String {
        // Order and size of the image matter only next to the text (recorded:
        // `header-v2/swapped-not-split`).
        if !self.is_split() {
            let content_width = match &*self.layout {
                "full" => " kg-content-wide",
                _ => "",
            };
            return format!("kg-width-{}{content_width}", self.layout);
        }
        let mut classes = "kg-layout-split kg-width-full".to_owned();
        if self.is_swapped {
            classes.push_str(" kg-swapped");
        }
        // Ghost reuses the class of wide content for a contained image (recorded:
        // `header-v2/split-contain`).
        if self.is_contained {
            classes.push_str(" kg-content-wide");
        }
        classes
    }

    /// Returns the class for the alignment of the text.
    pub(super) fn text_class(&self) -> &'static str {
        if self.is_centered {
            "kg-align-center"
        } else {
            ""
        }
    }

    /// Returns the image `element` as a pair: the layer behind the card, and the layer next to the
    /// text. One of them is empty.
    pub(super) fn layers<'b>(&self, element: &'b str) -> (&'b str, &'b str) {
        if self.is_split() {
            ("", element)
        } else {
            (element, "")
        }
    }
}

/// Returns the class for the accent colour of the site.
pub(super) fn accent_class(is_accent: bool) -> &'static str {
    if is_accent { "kg-style-accent" } else { "" }
}

/// Returns the class and the style of a button's colours.
pub(super) fn button_colors(color: &str, text_color: &str) -> (&'static str, String) {
    let is_accent = color == "accent";
    let style = if is_accent {
        format!("color: {text_color};")
    } else {
        format!("background-color: {color};color: {text_color};")
    };
    (accent_class(is_accent), style)
}
