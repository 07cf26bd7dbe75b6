//! What a mail looks like, as a newsletter's design says, in words that a style can hold.

/// Where titles stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alignment {
    /// In the middle.
    #[default]
    Center,
    /// At the left.
    Left,
}

/// The corners of buttons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Corners {
    /// A little round.
    #[default]
    Rounded,
    /// Not round.
    Square,
    /// Half a circle.
    Pill,
}

/// How links look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkStyle {
    /// With a line below.
    #[default]
    Underline,
    /// In their colour alone.
    Regular,
    /// In bold.
    Bold,
}

/// What a mail looks like. Colours that are none are passed over, so that nothing gets into a style but colours.
#[derive(Clone, Debug, Default)]
pub struct Design<'a> {
    /// The site's own colour.
    pub accent: Option<&'a str>,
    /// `light`, `dark`, or a colour.
    pub background: Option<&'a str>,
    /// Behind the head: a colour; none is the background.
    pub header_background: Option<&'a str>,
    /// Of the title: `accent` or a colour; none is that of the text.
    pub title_color: Option<&'a str>,
    /// Of headings, likewise.
    pub heading_color: Option<&'a str>,
    /// Of rules: `accent` or a colour.
    pub divider_color: Option<&'a str>,
    /// Of buttons: `accent` or a colour.
    pub button_color: Option<&'a str>,
    /// Of links, likewise.
    pub link_color: Option<&'a str>,
    /// How links look.
    pub links: LinkStyle,
    /// The corners of buttons.
    pub buttons: Corners,
    /// Whether buttons are a line around a text.
    pub has_outlined_buttons: bool,
    /// Whether pictures have round corners.
    pub has_round_pictures: bool,
    /// Whether titles are set in letters with serifs.
    pub has_serif_titles: bool,
    /// Whether the text is.
    pub has_serif_text: bool,
    /// How heavy titles are, as a style says it: `700`.
    pub title_weight: &'a str,
    /// Where titles stand.
    pub alignment: Alignment,
    /// The address of a picture at the head.
    pub header_image: Option<&'a str>,
    /// Whether the site's picture is shown.
    pub shows_icon: bool,
    /// Whether the site's name is.
    pub shows_site: bool,
    /// Whether the newsletter's name is.
    pub shows_newsletter: bool,
    /// Whether the title of the post is, with who wrote it and when.
    pub shows_title: bool,
    /// Whether the excerpt is shown below the title.
    pub shows_excerpt: bool,
    /// Whether the picture of the post is.
    pub shows_picture: bool,
    /// Whether other posts are named.
    pub shows_others: bool,
    /// Whether it is told what the recipient gets this for.
    pub shows_subscription: bool,
    /// Whether it is told what made the mail.
    pub shows_badge: bool,
    /// HTML at the foot.
    pub footer: Option<&'a str>,
}

/// The colour of a site that has none of its own.
const ACCENT: &str = "#15212a";

/// How much brighter or darker than its background a colour has to be to be seen, of 255.
const SEEN: u32 = 40;

impl<'a> Design<'a> {
    /// The font of the text.
    pub(super) fn text_font(&self) -> &'static str {
        font(self.has_serif_text)
    }

    /// The font of titles and headings.
    pub(super) fn title_font(&self) -> &'static str {
        font(self.has_serif_titles)
    }

    /// How heavy titles are.
    pub(super) fn weight(&self) -> &'a str {
        match self.title_weight {
            "" => "700",
            weight => weight,
        }
    }

    /// Where titles stand, in the word of a style.
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

    /// The colour of the text: what can be read on the background.
    pub(super) fn text(&self) -> &'static str {
        on(self.background())
    }

    /// The colour of what is less important.
    pub(super) fn faint_text(&self) -> &'static str {
        match self.text() {
            "#ffffff" => "#b8bec3",
            _ => "#626d79",
        }
    }

    pub(super) fn title(&self) -> &'a str {
        self.chosen(self.title_color)
            .unwrap_or_else(|| on(self.header_background()))
    }

    pub(super) fn heading(&self) -> &'a str {
        self.chosen(self.heading_color)
            .unwrap_or_else(|| self.text())
    }

    pub(super) fn divider(&self) -> &'a str {
        self.chosen(self.divider_color).unwrap_or("#e0e7eb")
    }

    pub(super) fn button(&self) -> &'a str {
        self.chosen(self.button_color)
            .unwrap_or_else(|| self.text())
    }

    /// The style of a button: the box and the text in it.
    pub(super) fn button_style(&self) -> String {
        let radius = match self.buttons {
            Corners::Rounded => "6px",
            Corners::Square => "0",
            Corners::Pill => "999px",
        };
        let colour = self.button();
        let (fill, text) = if self.has_outlined_buttons {
            ("transparent", colour)
        } else {
            (colour, on(colour))
        };
        format!(
            "display: inline-block; padding: 10px 20px; border: 1px solid {colour}; border-radius: {radius}; \
             background: {fill}; color: {text}; font: 600 16px/1.4 {}; text-decoration: none",
            font(false)
        )
    }

    /// The style of a link.
    pub(super) fn link_style(&self) -> String {
        let colour = self.chosen(self.link_color).unwrap_or_else(|| self.text());
        let rest = match self.links {
            LinkStyle::Underline => "text-decoration: underline",
            LinkStyle::Regular => "text-decoration: none",
            LinkStyle::Bold => "text-decoration: none; font-weight: 700",
        };
        format!("color: {colour}; {rest}")
    }

    /// The style of a picture.
    pub(super) fn picture_style(&self) -> &'static str {
        if self.has_round_pictures {
            "display: block; max-width: 100%; height: auto; border: 0; border-radius: 6px"
        } else {
            "display: block; max-width: 100%; height: auto; border: 0"
        }
    }

    /// The colour that a word names, if it names one. The site's own colour gives way where it cannot be seen: whoever
    /// chose a dark background did not think of it.
    pub(super) fn chosen(&self, word: Option<&'a str>) -> Option<&'a str> {
        match word? {
            "accent" => {
                let accent = self.accent.filter(|accent| is_colour(accent));
                let accent = accent.unwrap_or(ACCENT);
                let difference = brightness(accent).abs_diff(brightness(self.background()));
                Some(accent).filter(|_| difference >= SEEN)
            }
            other => Some(other).filter(|other| is_colour(other)),
        }
    }
}

fn font(is_serif: bool) -> &'static str {
    if is_serif {
        "Georgia, 'Times New Roman', serif"
    } else {
        "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"
    }
}

/// Whether the text is a colour in hexadecimal digits: three or six.
fn is_colour(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|digits| {
        matches!(digits.len(), 3 | 6) && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    })
}

/// The colour of text that can be read on `colour`: black or white.
fn on(colour: &str) -> &'static str {
    if brightness(colour) > 150 {
        "#15171a"
    } else {
        "#ffffff"
    }
}

/// How bright a colour is, up to 255.
fn brightness(colour: &str) -> u32 {
    let digits = colour.trim_start_matches('#');
    let step = digits.len() / 3;
    let part = |place: usize| -> u32 {
        let part = digits.get(place * step..(place + 1) * step).unwrap_or("f");
        let value = u32::from_str_radix(part, 16).unwrap_or(0xff);
        if step == 1 { value * 17 } else { value }
    };
    // The weights of the three in what the eye sees as bright (ITU-R BT.601).
    (299 * part(0) + 587 * part(1) + 114 * part(2)) / 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_colour_is_passed_over() {
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
    fn the_sites_colour_gives_way_where_it_cannot_be_seen() {
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
    fn text_can_be_read_on_its_background() {
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
