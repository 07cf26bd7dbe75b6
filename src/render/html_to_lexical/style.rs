//! The properties of `style` attributes that the conversion uses.

mod font;

use crate::render::html_tree::Node;

use self::font::Font;
use super::numbers::decimal;

/// The `style` attribute of an element.
#[derive(Clone, Copy)]
pub(in crate::render) struct Style<'a>(&'a str);

/// Values of `white-space` that collapse white space, or are not recognised as preserving it.
const OTHER_WHITE_SPACE: [&str; 3] = ["normal", "nowrap", "break-spaces"];

/// Values of `white-space` that preserve white space.
const PRESERVED_WHITE_SPACE: [&str; 6] = [
    "pre",
    "pre-wrap",
    "pre-line",
    "preserve",
    "preserve-breaks",
    "preserve-spaces",
];

/// Values of `display` that make an element inline.
const INLINE: [&str; 6] = [
    "inline",
    "inline-block",
    "inline-flex",
    "inline-grid",
    "inline-table",
    "inline flow-root",
];

/// Values of `display` that do not make an element inline.
const NOT_INLINE: [&str; 17] = [
    "block",
    "none",
    "flex",
    "grid",
    "table",
    "contents",
    "list-item",
    "flow-root",
    "run-in",
    "table-cell",
    "table-row",
    "table-caption",
    "table-column",
    "table-row-group",
    "table-header-group",
    "table-footer-group",
    "table-column-group",
];

impl<'a> Style<'a> {
    pub(in crate::render) fn of(element: Node<'a>) -> Self {
        Self(element.attribute("style").unwrap_or_default())
    }

    /// Returns the last valid value of `property`. Property names must be in lower case (Ghost
    /// 6.65, observed).
    fn last(self, property: &str, is_valid: impl Fn(&str) -> bool) -> Option<&'a str> {
        declarations(self.0)
            .filter(|(name, value)| *name == property && is_valid(value))
            .map(|(_, value)| value)
            .last()
    }

    /// Returns the last valid `font`. It takes precedence over the properties for its parts, even
    /// over those after it (Ghost 6.65, observed).
    fn font(self) -> Option<Font<'a>> {
        declarations(self.0)
            .filter(|(name, _)| *name == "font")
            .filter_map(|(_, value)| Font::read(value))
            .last()
    }

    fn is(self, property: &str, expected: &str) -> bool {
        self.last(property, |value| !value.is_empty())
            .is_some_and(|value| value.eq_ignore_ascii_case(expected))
    }

    /// Returns whether `font-weight` has this value.
    pub(in crate::render) fn has_weight(self, weight: &str) -> bool {
        (self.font().map(|font| font.weight))
            .or_else(|| self.last("font-weight", is_font_weight))
            .is_some_and(|value| value.eq_ignore_ascii_case(weight))
    }

    pub(in crate::render) fn is_italic(self) -> bool {
        self.font().map_or_else(
            || self.is("font-style", "italic"),
            |font| font.style.eq_ignore_ascii_case("italic"),
        )
    }

    pub(in crate::render) fn is_underlined(self) -> bool {
        self.is("text-decoration", "underline")
    }

    pub(in crate::render) fn is_struck_through(self) -> bool {
        self.is("text-decoration", "line-through")
    }

    pub(in crate::render) fn is_lowered(self) -> bool {
        self.is("vertical-align", "sub")
    }

    pub(in crate::render) fn is_raised(self) -> bool {
        self.is("vertical-align", "super")
    }

    /// Returns whether `font-size` is that of document titles in Google Docs.
    pub(in crate::render) fn has_title_size(self) -> bool {
        let size = (self.font().map(|font| font.size))
            .or_else(|| self.last("font-size", |value| !value.is_empty()));
        size.and_then(|size| size.strip_suffix("pt").or(size.strip_suffix("PT")))
            .and_then(decimal)
            == Some(26.0)
    }

    /// Returns whether white space and line ends are preserved.
    pub(in crate::render) fn keeps_blanks(self) -> bool {
        let known = |value: &str| {
            is_one_of(value, &PRESERVED_WHITE_SPACE) || is_one_of(value, &OTHER_WHITE_SPACE)
        };
        self.last("white-space", known)
            .is_some_and(|value| is_one_of(value, &PRESERVED_WHITE_SPACE))
    }

    /// Returns whether `display` makes the element inline; `None` if it is not set.
    pub(in crate::render) fn is_inline(self) -> Option<bool> {
        let known = |value: &str| is_one_of(value, &INLINE) || is_one_of(value, &NOT_INLINE);
        self.last("display", known)
            .map(|value| is_one_of(value, &INLINE))
    }

    /// Returns the indentation of the first line, in the editor's steps of 20 pixels.
    pub(in crate::render) fn indent(self) -> f64 {
        let indent = self.last("text-indent", |value| !value.is_empty());
        let pixels = indent.and_then(super::numbers::leading_integer);
        pixels.map_or(0.0, |pixels| (pixels as f64 / 20.0).max(0.0))
    }

    /// Returns the URL in `background-image` or `background`.
    pub(in crate::render) fn background_image(self) -> Option<&'a str> {
        let value = (self.last("background-image", |value| value.contains("url(")))
            .or_else(|| self.last("background", |value| value.contains("url(")))?;
        let url = &value[value.find("url(")? + "url(".len()..];
        let url = url[..url.find(')')?].trim();
        Some(url.trim_matches(['"', '\'']))
    }

    /// Returns the text colour, as [`hexadecimal`] returns it.
    pub(in crate::render) fn colour(self) -> Option<String> {
        self.last("color", |value| hexadecimal(value).is_some())
            .and_then(hexadecimal)
    }

    /// Returns the background colour, as [`hexadecimal`] returns it.
    pub(in crate::render) fn background_colour(self) -> Option<String> {
        self.last("background-color", |value| hexadecimal(value).is_some())
            .or_else(|| self.last("background", |value| hexadecimal(value).is_some()))
            .and_then(hexadecimal)
    }
}

fn is_one_of(value: &str, values: &[&str]) -> bool {
    values.iter().any(|known| value.eq_ignore_ascii_case(known))
}

fn is_font_weight(value: &str) -> bool {
    is_one_of(value, &["normal", "bold", "bolder", "lighter"])
        || decimal(value).is_some_and(|weight| (1.0..=1000.0).contains(&weight))
}

/// Returns a colour as `#rrggbb`, or `transparent`; `None` if it is invalid. Opacity is ignored.
/// Colour names and other colour functions are not supported.
fn hexadecimal(colour: &str) -> Option<String> {
    let colour = colour.to_ascii_lowercase();
    if colour == "transparent" {
        return Some(colour);
    }
    if let Some(digits) = colour.strip_prefix('#') {
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        return match digits.len() {
            3 | 4 => Some(
                std::iter::once('#')
                    .chain(digits[..3].chars().flat_map(|digit| [digit; 2]))
                    .collect(),
            ),
            6 | 8 => Some(format!("#{}", &digits[..6])),
            _ => None,
        };
    }
    let channels = colour
        .strip_prefix("rgba(")
        .or_else(|| colour.strip_prefix("rgb("))?;
    let mut channels = channels
        .strip_suffix(')')?
        .split([',', ' ', '/'])
        .filter(|channel| !channel.is_empty())
        .map(|channel| match channel.strip_suffix('%') {
            Some(percent) => decimal(percent).map(|percent| percent * 2.55),
            None => decimal(channel),
        });
    let mut written = String::from("#");
    for _ in 0..3 {
        // Clamped to the range of a colour channel.
        let channel = channels.next()??.clamp(0.0, 255.0).round() as u8;
        written.push_str(&format!("{channel:02x}"));
    }
    Some(written)
}

/// Returns the names and values in a `style` attribute.
fn declarations(style: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = style;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = declaration_end(rest);
        let declaration = &rest[..end];
        rest = rest.get(end + 1..).unwrap_or_default();
        Some(declaration)
    })
    .filter_map(|declaration| declaration.split_once(':'))
    .map(|(name, value)| {
        // `!important` makes no difference within a single attribute.
        let value = value.split_once('!').map_or(value, |(value, _)| value);
        (name.trim(), value.trim())
    })
}

/// Returns the byte offset of the end of a declaration: the next semicolon outside of quotes and
/// parentheses.
fn declaration_end(style: &str) -> usize {
    let mut quote = None;
    let mut open = 0_usize;
    for (position, byte) in style.bytes().enumerate() {
        match (quote, byte) {
            (Some(closing), _) if byte == closing => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'(') => open += 1,
            (None, b')') => open = open.saturating_sub(1),
            (None, b';') if open == 0 => return position,
            _ => {}
        }
    }
    style.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_valid_value_wins() {
        assert!(Style("font-weight:400;font-weight: BOLD").has_weight("bold"));
        assert!(Style("color:red;;font-weight:700!important;font-weight:thick").has_weight("700"));
        assert!(Style("white-space: pre-wrap; white-space: pretty").keeps_blanks());
        assert!(!Style("white-space: pre-wrap; white-space: normal").keeps_blanks());
        assert_eq!(Style("display:inline-foo").is_inline(), None);
        assert_eq!(Style("display:INLINE").is_inline(), Some(true));
        assert_eq!(Style("display:none").is_inline(), Some(false));
    }

    #[test]
    fn property_names_must_be_in_lower_case() {
        assert!(!Style("FONT-WEIGHT: bold").has_weight("bold"));
        assert_eq!(Style("Display: inline").is_inline(), None);
    }

    #[test]
    fn font_takes_precedence_over_its_parts() {
        let style = Style("font: italic bold 26pt Georgia; font-weight: normal; font: none");
        assert!(style.is_italic() && style.has_weight("bold") && style.has_title_size());
        let style = Style("font-weight: bold; font-style: italic; font: 12px serif");
        assert!(!style.is_italic() && style.has_weight("normal"));
    }

    #[test]
    fn decorations_match_whole_values() {
        assert!(Style("text-decoration:underline").is_underlined());
        assert!(!Style("text-decoration:underline solid").is_underlined());
    }

    #[test]
    fn urls_may_contain_semicolons() {
        let style = Style("color:#123;background-image: url('a;b.jpg') ; x:y");
        assert_eq!(style.background_image(), Some("a;b.jpg"));
        assert_eq!(
            Style("background: #fff url(x.jpg) 50%").background_image(),
            Some("x.jpg")
        );
        assert_eq!(Style("background-image:url(").background_image(), None);
    }

    #[test]
    fn colours_are_written_with_six_digits() {
        for (colour, written) in [
            ("#ABC", Some("#aabbcc")),
            ("#12345680", Some("#123456")),
            ("rgb(300, -2, 3)", Some("#ff0003")),
            ("rgba(1, 2, 3, .5)", Some("#010203")),
            ("rgb(1 2 3 / 50%)", Some("#010203")),
            ("rgb(10%,20%,30%)", Some("#1a334d")),
            ("Transparent", Some("transparent")),
            ("red", None),
            ("#12345", None),
            ("#é", None),
            ("rgb(1,2)", None),
            ("rgb(1,2,x)", None),
        ] {
            assert_eq!(hexadecimal(colour).as_deref(), written, "{colour}");
        }
    }

    #[test]
    fn titles_of_google_docs_have_a_size() {
        assert!(Style("font-size: 26.0pt").has_title_size());
        assert!(!Style("font-size:26px").has_title_size());
    }

    #[test]
    fn indents_are_measured_in_steps() {
        assert_eq!(Style("text-indent:30px").indent(), 1.5);
        assert_eq!(Style("text-indent:-30px").indent(), 0.0);
    }
}
