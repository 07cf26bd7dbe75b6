//! What differs from one recipient to the next: slots in a text, found once and filled often.
//!
//! A slot stands in the text as `%%{word}%%` or `%%{word, "what stands there when there is nothing"}%%`.

use std::ops::Range;

use crate::render::html_escape::{push_attribute_value, push_text};

/// Where a slot begins.
const OPEN: &str = "%%{";

/// Where it ends.
const CLOSE: &str = "}%%";

/// The slot for the address that ends a subscription.
pub(super) const UNSUBSCRIBE_URL: &str = "%%{unsubscribe_url}%%";

/// What is filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The whole name.
    Name,
    /// The name up to its first blank.
    FirstName,
    /// The address of the recipient.
    Email,
    /// The recipient's second identifier.
    Uuid,
    /// How the recipient reads: `free`, `paid`, `comped`.
    Status,
    /// When the recipient signed up, as it is shown.
    CreatedAt,
    /// Where the subscription is ended.
    UnsubscribeUrl,
}

impl Slot {
    /// The slot that a word means, in Ghost's words.
    fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "name" => Self::Name,
            "first_name" => Self::FirstName,
            "email" => Self::Email,
            "uuid" => Self::Uuid,
            "status" => Self::Status,
            "created_at" => Self::CreatedAt,
            "unsubscribe_url" => Self::UnsubscribeUrl,
            _ => return None,
        })
    }
}

/// Whom a mail goes to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recipient<'a> {
    /// What to call the recipient; empty when that is not known.
    pub name: &'a str,
    /// The address.
    pub email: &'a str,
    /// The second identifier.
    pub uuid: &'a str,
    /// How the recipient reads.
    pub status: &'a str,
    /// When the recipient signed up, as it is shown.
    pub created_at: &'a str,
    /// Where the subscription is ended.
    pub unsubscribe_url: &'a str,
}

impl<'a> Recipient<'a> {
    fn value(&self, slot: Slot) -> &'a str {
        match slot {
            Slot::Name => self.name.trim(),
            Slot::FirstName => self.name.split_whitespace().next().unwrap_or_default(),
            Slot::Email => self.email,
            Slot::Uuid => self.uuid,
            Slot::Status => self.status,
            Slot::CreatedAt => self.created_at,
            Slot::UnsubscribeUrl => self.unsubscribe_url,
        }
    }
}

/// A text with slots.
#[derive(Clone, Debug)]
pub struct Template {
    text: String,
    gaps: Vec<Gap>,
    is_html: bool,
}

/// A slot and where it stands.
#[derive(Clone, Debug)]
struct Gap {
    place: Range<usize>,
    slot: Slot,
    /// What stands there when there is nothing.
    fallback: String,
}

impl Template {
    /// An HTML document: what is filled in is escaped.
    pub fn of_html(text: String) -> Self {
        Self::new(text, true)
    }

    /// Plain text.
    pub fn of_text(text: String) -> Self {
        Self::new(text, false)
    }

    fn new(text: String, is_html: bool) -> Self {
        Self {
            gaps: gaps(&text),
            text,
            is_html,
        }
    }

    /// The text with its slots as they are written.
    pub fn written(&self) -> &str {
        &self.text
    }

    /// The text with what belongs to `recipient` filled in.
    pub fn filled(&self, recipient: &Recipient) -> String {
        let mut filled = String::with_capacity(self.text.len() + 64 * self.gaps.len());
        let mut copied = 0;
        for gap in &self.gaps {
            filled.push_str(&self.text[copied..gap.place.start]);
            let value = match recipient.value(gap.slot) {
                "" => &gap.fallback,
                value => value,
            };
            match (self.is_html, gap.slot) {
                // It stands in an attribute.
                (true, Slot::UnsubscribeUrl) => push_attribute_value(&mut filled, value),
                (true, _) => push_text(&mut filled, value),
                (false, _) => filled.push_str(value),
            }
            copied = gap.place.end;
        }
        filled.push_str(&self.text[copied..]);
        filled
    }
}

/// The slots of a text, in its order. What only looks like one stays as it is written.
fn gaps(text: &str) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let mut position = 0;
    while let Some(offset) = text[position..].find(OPEN) {
        let start = position + offset;
        let inside = start + OPEN.len();
        let Some(length) = text[inside..].find(CLOSE) else {
            break;
        };
        let end = inside + length + CLOSE.len();
        match slot(&text[inside..inside + length]) {
            Some((slot, fallback)) => {
                gaps.push(Gap {
                    place: start..end,
                    slot,
                    fallback,
                });
                position = end;
            }
            None => position = inside,
        }
    }
    gaps
}

fn slot(inside: &str) -> Option<(Slot, String)> {
    let (word, fallback) = inside.split_once(',').unwrap_or((inside, ""));
    let fallback = fallback.trim().replace("&quot;", "\"");
    let fallback = fallback.trim_matches(['"', '\u{201c}', '\u{201d}']);
    Some((Slot::from_word(word.trim())?, fallback.to_owned()))
}

/// The HTML of what shows in mails only, its `{first_name, "reader"}` made into slots.
pub(in crate::render) fn with_slots(html: &str) -> String {
    let mut marked = String::with_capacity(html.len());
    let mut copied = 0;
    for (start, _) in html.match_indices('{') {
        let Some(length) = html[start..].find('}') else {
            break;
        };
        let end = start + length + 1;
        let is_marked = html[..start].ends_with("%%");
        if start < copied || is_marked || slot(&html[start + 1..end - 1]).is_none() {
            continue;
        }
        marked.push_str(&html[copied..start]);
        marked.extend(["%%", &html[start..end], "%%"]);
        copied = end;
    }
    marked.push_str(&html[copied..]);
    marked
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANA: Recipient = Recipient {
        name: "Ana <Lima>",
        email: "ana@example.com",
        uuid: "u-1",
        status: "free",
        created_at: "1 March 2026",
        unsubscribe_url: "https://example.com/u/?a=1&b=2",
    };

    #[test]
    fn slots_are_filled_and_what_is_filled_in_is_escaped_in_html() {
        let text = "Hi %%{first_name, \"there\"}%%, %%{name}%% %%{nonsense}%% <a href=\"%%{unsubscribe_url}%%\">x</a>";
        assert_eq!(
            Template::of_html(text.to_owned()).filled(&ANA),
            "Hi Ana, Ana &lt;Lima&gt; %%{nonsense}%% <a href=\"https://example.com/u/?a=1&amp;b=2\">x</a>"
        );
        let plain = Template::of_text("%%{name}%%: %%{unsubscribe_url}%%".to_owned());
        assert_eq!(
            plain.filled(&ANA),
            "Ana <Lima>: https://example.com/u/?a=1&b=2"
        );
    }

    #[test]
    fn who_has_no_name_is_called_what_stands_for_it() {
        let nobody = Recipient::default();
        let greeting = |text: &str| Template::of_html(text.to_owned()).filled(&nobody);
        assert_eq!(greeting("Hi %%{first_name, \"there\"}%%!"), "Hi there!");
        assert_eq!(
            greeting("Hi %%{first_name,&quot;a &amp; b&quot;}%%!"),
            "Hi a &amp;amp; b!"
        );
        assert_eq!(greeting("Hi %%{first_name}%%! %%{name"), "Hi ! %%{name");
    }

    #[test]
    fn braces_become_slots_where_they_hold_a_word_for_one() {
        assert_eq!(
            with_slots("<p>{first_name, \"you\"} {x} {name} {"),
            "<p>%%{first_name, \"you\"}%% {x} %%{name}%% {"
        );
        assert_eq!(with_slots("%%{name}%%"), "%%{name}%%");
    }
}
