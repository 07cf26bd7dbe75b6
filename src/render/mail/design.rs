//! The design of a mail, from a newsletter's design options, as values for styles.

/// The alignment of titles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alignment {
    /// Centred.
    #[default]
    Center,
    /// Left.
    Left,
}

/// The corners of buttons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Corners {
    /// Slightly rounded.
    #[default]
    Rounded,
    /// Square.
    Square,
    /// Fully rounded.
    Pill,
}

/// The style of links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkStyle {
    /// Underlined.
    #[default]
    Underline,
    /// Colour only.
    Regular,
    /// Bold.
    Bold,
}

/// The design of a mail. Values that are not colours are ignored, so that only colours are inserted into styles.
#[derive(Clone, Debug, Default)]
pub struct Design<'a> {
    /// The site's accent colour.
    pub accent: Option<&'a str>,
    /// `light`, `dark`, or a colour.
    pub background: Option<&'a str>,
    /// Colour of the header's background; `None` for that of the mail.
    pub header_background: Option<&'a str>,
    /// Colour of the title: `accent` or a colour; `None` for that of the text.
    pub title_color: Option<&'a str>,
    /// Colour of headings: `accent` or a colour; `None` for that of the text.
    pub heading_color: Option<&'a str>,
    /// Colour of dividers: `accent` or a colour.
    pub divider_color: Option<&'a str>,
    /// Colour of buttons: `accent` or a colour.
    pub button_color: Option<&'a str>,
    /// Colour of links: `accent` or a colour.
    pub link_color: Option<&'a str>,
    /// The style of links.
    pub links: LinkStyle,
    /// The corners of buttons.
    pub buttons: Corners,
    /// True if buttons are outlined.
    pub has_outlined_buttons: bool,
    /// True if images have rounded corners.
    pub has_rounded_images: bool,
    /// True if titles are in a serif font.
    pub has_serif_titles: bool,
    /// True if the text is in a serif font.
    pub has_serif_text: bool,
    /// Font weight of titles, as in CSS, such as `700`.
    pub title_weight: &'a str,
    /// The alignment of titles.
    pub alignment: Alignment,
    /// URL of a header image.
    pub header_image: Option<&'a str>,
    /// True if the site's icon is shown.
    pub shows_icon: bool,
    /// True if the site's title is shown.
    pub shows_site: bool,
    /// True if the newsletter's name is shown.
    pub shows_newsletter: bool,
    /// True if the title of the post is shown, with authors and date.
    pub shows_title: bool,
    /// True if the excerpt is shown below the title.
    pub shows_excerpt: bool,
    /// True if the feature image is shown.
    pub shows_feature_image: bool,
    /// True if there is a button to share the post.
    pub shows_share: bool,
    /// True if other posts are listed.
    pub shows_others: bool,
    /// True if the recipient's subscription is described.
    pub shows_subscription: bool,
    /// True if the mail names the program that sent it.
    pub shows_badge: bool,
    /// HTML of the footer.
    pub footer: Option<&'a str>,
}

/// The default accent colour.
const ACCENT: &str = "#15212a";

/// Minimum contrast (WCAG 2.2) of the accent colour as text on a dark background, for which it was not chosen.
const CONTRAST_ON_DARK: f64 = 3.0;

/// Minimum contrast of the accent colour as text on a light background.
const CONTRAST_ON_LIGHT: f64 = 1.8;

/// Minimum contrast between a box in the accent colour and the background. Text in the box contrasts with the box
/// itself.
const CONTRAST_OF_BOX: f64 = 1.3;

impl<'a> Design<'a> {
    /// Returns the font of the text.
    pub(super) fn text_font(&self) -> &'static str {
        font(self.has_serif_text)
    }

    /// Returns the font of titles and headings.
    pub(super) fn title_font(&self) -> &'static str {
        font(self.has_serif_titles)
    }

    /// Returns the font weight of titles.
    pub(super) fn weight(&self) -> &'a str {
        match self.title_weight {
            "" => "700",
            weight => weight,
        }
    }

    /// Returns the alignment of titles, as in CSS.
    pub(super) fn title_alignment(&self) -> &'static str {
        match self.alignment {
            Alignment::Center => "center",
            Alignment::Left => "left",
        }
    }

    pub(super) fn background(&self) -> &'a str {
        match self.background {
            Some("dark") => "#151719",
            other => other.filter(|other| is_colour(other)).unwrap_or("#ffffff"),
        }
    }

    pub(super) fn header_background(&self) -> &'a str {
        let own = self.header_background.filter(|own| is_colour(own));
        own.unwrap_or_else(|| self.background())
    }

    /// Returns whether the header has a background that differs from that of the mail.
    pub(super) fn has_header_band(&self) -> bool {
        !self
            .header_background()
            .eq_ignore_ascii_case(self.background())
    }

    /// Returns the text colour of the header, readable on its background.
    pub(super) fn header_text(&self) -> &'static str {
        text_colour_on(self.header_background())
    }

    /// Returns the colour of secondary text in the header.
    pub(super) fn faint_header_text(&self) -> &'static str {
        secondary_colour_on(self.header_background())
    }

    /// Returns the text colour, readable on the background.
    pub(in crate::render) fn text(&self) -> &'static str {
        text_colour_on(self.background())
    }

    /// Returns the colour of secondary text.
    pub(in crate::render) fn faint_text(&self) -> &'static str {
        secondary_colour_on(self.background())
    }

    /// Returns the colour of the borders of cards, which mixes a little of the text colour into the background.
    pub(in crate::render) fn border(&self) -> String {
        mixed(self.background(), self.text(), 0.13)
    }

    /// Returns the background colour of code, which mixes even less of the text colour into the background.
    pub(in crate::render) fn code_background(&self) -> String {
        mixed(self.background(), self.text(), 0.06)
    }

    pub(super) fn title(&self) -> &'a str {
        let header = self.header_background();
        self.chosen_on(header, self.title_color, None)
            .unwrap_or_else(|| self.header_text())
    }

    pub(super) fn heading(&self) -> &'a str {
        self.chosen(self.heading_color)
            .unwrap_or_else(|| self.text())
    }

    /// Returns the colour of lines between parts.
    pub(in crate::render) fn divider(&self) -> String {
        let chosen = self.chosen(self.divider_color);
        chosen.map_or_else(|| self.border(), str::to_owned)
    }

    /// Returns the colour of the line beside a quotation: the accent colour if it is visible, otherwise that of
    /// dividers.
    pub(super) fn quote_line(&self) -> String {
        let accent = self.chosen(Some("accent"));
        accent.map_or_else(|| self.divider(), str::to_owned)
    }

    pub(super) fn button(&self) -> &'a str {
        // The label of an outlined button has this colour, so it needs the contrast of text.
        let chosen = if self.has_outlined_buttons {
            self.chosen(self.button_color)
        } else {
            self.chosen_fill(self.button_color)
        };
        chosen.unwrap_or_else(|| self.text())
    }

    /// Returns the style of a button, including its text.
    pub(super) fn button_style(&self) -> String {
        self.button_style_in(self.button())
    }

    /// Returns the style of a button in this colour.
    pub(super) fn button_style_in(&self, colour: &str) -> String {
        let radius = match self.buttons {
            Corners::Rounded => "6px",
            Corners::Square => "0",
            Corners::Pill => "999px",
        };
        let (fill, text) = if self.has_outlined_buttons {
            ("transparent", colour)
        } else {
            (colour, text_colour_on(colour))
        };
        format!(
            "display: inline-block; padding: 10px 20px; border: 1px solid {colour}; border-radius: {radius}; \
             background: {fill}; color: {text}; font: 600 16px/1.4 {}; text-decoration: none",
            font(false)
        )
    }

    /// Returns the accent colour for a button on the background of the mail. If buttons are outlined and the accent
    /// colour would be unreadable, the text colour is used.
    pub(in crate::render) fn accent_of_button(&self) -> &'a str {
        if self.has_outlined_buttons {
            self.chosen(Some("accent")).unwrap_or_else(|| self.text())
        } else {
            self.accent()
        }
    }

    /// Returns the style of a filled button in this colour.
    pub(super) fn filled_button_style_in(&self, colour: &str) -> String {
        let filled = Self {
            has_outlined_buttons: false,
            ..self.clone()
        };
        filled.button_style_in(colour)
    }

    /// Returns the style of a button for a secondary action of the mail, which is outlined in the text colour.
    pub(super) fn secondary_button_style(&self) -> String {
        let outlined = Self {
            has_outlined_buttons: true,
            ..self.clone()
        };
        outlined.button_style_in(self.text())
    }

    /// Returns the style of a link.
    pub(super) fn link_style(&self) -> String {
        let colour = self.chosen(self.link_color).unwrap_or_else(|| self.text());
        let rest = match self.links {
            LinkStyle::Underline => "text-decoration: underline",
            LinkStyle::Regular => "text-decoration: none",
            LinkStyle::Bold => "text-decoration: none; font-weight: 700",
        };
        format!("color: {colour}; {rest}")
    }

    /// Returns the radius of the corners of images, as in CSS.
    pub(in crate::render) fn image_radius(&self) -> &'static str {
        if self.has_rounded_images { "6px" } else { "0" }
    }

    /// Returns the accent colour, or the default one if it is invalid.
    pub(in crate::render) fn accent(&self) -> &'a str {
        ButtonColors::of_accent(self.accent).fill
    }

    /// Returns the style of an image.
    pub(in crate::render) fn image_style(&self) -> &'static str {
        if self.has_rounded_images {
            "display: block; margin: 0 auto; max-width: 100%; height: auto; border: 0; border-radius: 6px"
        } else {
            "display: block; margin: 0 auto; max-width: 100%; height: auto; border: 0"
        }
    }

    /// Returns the text colour that an option specifies; `None` if it is invalid. The accent colour is ignored where it
    /// would be invisible, since it may not have been chosen for this background.
    pub(in crate::render) fn chosen(&self, word: Option<&'a str>) -> Option<&'a str> {
        self.chosen_on(self.background(), word, None)
    }

    /// Returns the colour that an option specifies for a box with text, under the same conditions.
    pub(in crate::render) fn chosen_fill(&self, word: Option<&'a str>) -> Option<&'a str> {
        self.chosen_on(self.background(), word, Some(CONTRAST_OF_BOX))
    }

    /// Returns the colour that an option specifies, for use on `background`. `least` is the contrast that the accent
    /// colour needs; by default, that of text.
    fn chosen_on(
        &self,
        background: &str,
        word: Option<&'a str>,
        least: Option<f64>,
    ) -> Option<&'a str> {
        match word? {
            "accent" => {
                let accent = self.accent.filter(|accent| is_colour(accent));
                let accent = accent.unwrap_or(ACCENT);
                let least = least.unwrap_or_else(|| match text_colour_on(background) {
                    "#ffffff" => CONTRAST_ON_DARK,
                    _ => CONTRAST_ON_LIGHT,
                });
                Some(accent).filter(|_| contrast(accent, background) >= least)
            }
            other => Some(other).filter(|other| is_colour(other)),
        }
    }
}

/// The colours of a button.
#[derive(Clone, Copy, Debug)]
pub struct ButtonColors<'a> {
    /// The colour of the box.
    pub fill: &'a str,
    /// The colour of the text, readable on the box.
    pub text: &'static str,
}

impl<'a> ButtonColors<'a> {
    /// Returns the colours of a button in the site's accent colour, or in the default one if that is invalid.
    pub fn of_accent(accent: Option<&'a str>) -> Self {
        let fill = accent.filter(|accent| is_colour(accent)).unwrap_or(ACCENT);
        let text = text_colour_on(fill);
        Self { fill, text }
    }
}

fn font(is_serif: bool) -> &'static str {
    if is_serif {
        "Georgia, 'Times New Roman', serif"
    } else {
        "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"
    }
}

/// Returns whether the text is a colour of three or six hexadecimal digits after `#`.
pub(in crate::render) fn is_colour(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|digits| {
        matches!(digits.len(), 3 | 6) && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    })
}

/// Returns a readable text colour on `colour`: black or white.
pub(in crate::render) fn text_colour_on(colour: &str) -> &'static str {
    if brightness(colour) > 150 {
        "#15171a"
    } else {
        "#ffffff"
    }
}

/// Returns the colour of secondary text on `colour`.
fn secondary_colour_on(colour: &str) -> &'static str {
    match text_colour_on(colour) {
        "#ffffff" => "#b8bec3",
        _ => "#626d79",
    }
}

/// Returns the brightness of a colour, from 0 to 255.
fn brightness(colour: &str) -> u32 {
    let [red, green, blue] = channels(colour);
    // The weights of the channels in perceived brightness (ITU-R BT.601).
    (299 * red + 587 * green + 114 * blue) / 1000
}

/// Returns the contrast of two colours, from 1 to 21 (WCAG 2.2).
pub(in crate::render) fn contrast(one: &str, other: &str) -> f64 {
    let luminance = |colour: &str| {
        let linear = channels(colour).map(|channel| {
            let part = f64::from(channel) / 255.0;
            if part <= 0.04045 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05
    };
    let (one, other) = (luminance(one), luminance(other));
    one.max(other) / one.min(other)
}

/// Returns `colour`, mixed with the share `part` of another colour.
fn mixed(colour: &str, other: &str, part: f64) -> String {
    let (ours, theirs) = (channels(colour), channels(other));
    let mix = |index: usize| {
        let mixed = f64::from(ours[index]) * (1.0 - part) + f64::from(theirs[index]) * part;
        // The result is between 0 and 255.
        mixed.round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}

/// Returns the red, green and blue channel of a colour, each from 0 to 255.
fn channels(colour: &str) -> [u32; 3] {
    let digits = colour.trim_start_matches('#');
    let step = digits.len() / 3;
    [0, 1, 2].map(|index| {
        // Callers pass checked colours; any other text counts as white.
        let part = digits.get(index * step..(index + 1) * step).unwrap_or("f");
        let value = u32::from_str_radix(part, 16).unwrap_or(0xff);
        if step == 1 { value * 17 } else { value }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_colours_are_ignored() {
        let design = Design {
            background: Some("red; background: url(x)"),
            button_color: Some("accent"),
            accent: Some("#ff00"),
            ..Design::default()
        };
        assert_eq!(design.background(), "#ffffff");
        assert_eq!(design.button(), ACCENT);
    }

    #[test]
    fn accent_colour_is_dropped_where_it_is_not_visible() {
        let link_on = |background| {
            let design = Design {
                background: Some(background),
                link_color: Some("accent"),
                accent: Some("#15212a"),
                ..Design::default()
            };
            design.link_style()
        };
        assert!(link_on("light").contains("color: #15212a"));
        assert!(link_on("dark").contains("color: #ffffff"));
    }

    #[test]
    fn accent_colour_of_a_box_needs_less_contrast_than_that_of_text() {
        let button = |has_outlined_buttons| {
            let design = Design {
                background: Some("dark"),
                button_color: Some("accent"),
                accent: Some("#1f5f6b"),
                has_outlined_buttons,
                ..Design::default()
            };
            design.button().to_owned()
        };
        assert_eq!(button(false), "#1f5f6b");
        assert_eq!(button(true), "#ffffff");
    }

    #[test]
    fn text_of_the_header_is_readable_on_its_background() {
        let design = Design {
            header_background: Some("#0b2f38"),
            title_color: Some("accent"),
            accent: Some("#1f5f6b"),
            ..Design::default()
        };
        assert!(design.has_header_band());
        assert_eq!(design.title(), "#ffffff");
        assert_eq!(design.header_text(), "#ffffff");
        assert_eq!(design.text(), "#15171a");
    }

    #[test]
    fn text_is_readable_on_its_background() {
        for (background, text) in [
            ("light", "#15171a"),
            ("dark", "#ffffff"),
            ("#ff0", "#15171a"),
            ("#003366", "#ffffff"),
        ] {
            let design = Design {
                background: Some(background),
                ..Design::default()
            };
            assert_eq!(design.text(), text, "{background}");
        }
    }
}
