//! Templates: texts with slots for values of the recipient, parsed once and filled often.
//!
//! A slot has the form `%%{word}%%` or `%%{word, "fallback"}%%`.

use std::ops::Range;

use crate::{
    reader_texts::ReaderTexts,
    render::html_escape::{push_attribute_value, push_text},
};

/// The start of a slot.
const OPEN: &str = "%%{";

/// The end of a slot.
const CLOSE: &str = "}%%";

/// Maximum length of a slot with its fallback, in bytes. Longer ones are text.
const SLOT_BYTES_MAX: usize = 2_000;

/// The slot for the unsubscribe URL.
pub(super) const UNSUBSCRIBE_URL: &str = "%%{unsubscribe_url}%%";

/// The slot for the URL of the account.
pub(super) const ACCOUNT_URL: &str = "%%{manage_account_url}%%";

/// The English sentence about the recipient's subscription.
pub(super) const SUBSCRIPTION: &str = "You get this mail from {site}. Your subscription: {status}.";

/// Returns the details of the recipient that are shown with the subscription: names, and values
/// that contain slots.
pub(super) fn details(texts: ReaderTexts) -> [(&'static str, &'static str); 3] {
    [
        (texts.text("Name"), "%%{name, \"–\"}%%"),
        (texts.text("E-mail address"), "%%{email}%%"),
        (texts.text("Member since"), "%%{created_at}%%"),
    ]
}

/// The value of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The full name.
    Name,
    /// The name up to its first space.
    FirstName,
    /// The e-mail address.
    Email,
    /// The member's UUID.
    Uuid,
    /// The kind of the subscription, in the language of the site.
    Status,
    /// The sentence about the end of the subscription, if it ends.
    StatusText,
    /// The date of signing up, formatted.
    CreatedAt,
    /// The unsubscribe URL.
    UnsubscribeUrl,
    /// The URL of the account.
    ManageAccountUrl,
    /// The key in the unsubscribe URL.
    Key,
    /// An identifier of this mail to this recipient.
    UniqueId,
}

impl Slot {
    /// Returns the slot for one of Ghost's words.
    fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "name" => Self::Name,
            "first_name" => Self::FirstName,
            "email" => Self::Email,
            "uuid" => Self::Uuid,
            "status" => Self::Status,
            "status_text" => Self::StatusText,
            "created_at" => Self::CreatedAt,
            "unsubscribe_url" | "list_unsubscribe" => Self::UnsubscribeUrl,
            "manage_account_url" => Self::ManageAccountUrl,
            "key" => Self::Key,
            "uniqueid" => Self::UniqueId,
            _ => return None,
        })
    }
}

/// The recipient of a mail.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recipient<'a> {
    /// The name; empty if unknown.
    pub name: &'a str,
    /// The e-mail address.
    pub email: &'a str,
    /// The member's UUID.
    pub uuid: &'a str,
    /// The kind of the subscription, in the language of the site.
    pub status: &'a str,
    /// The sentence about the end of the subscription; empty if it does not end.
    pub status_text: &'a str,
    /// The date of signing up, formatted.
    pub created_at: &'a str,
    /// The unsubscribe URL.
    pub unsubscribe_url: &'a str,
    /// The URL of the account.
    pub manage_account_url: &'a str,
    /// The key in the unsubscribe URL.
    pub key: &'a str,
    /// An identifier of this mail to this recipient.
    pub unique_id: &'a str,
}

impl<'a> Recipient<'a> {
    fn value(&self, slot: Slot) -> &'a str {
        match slot {
            Slot::Name => self.name.trim(),
            Slot::FirstName => self.name.split_whitespace().next().unwrap_or_default(),
            Slot::Email => self.email,
            Slot::Uuid => self.uuid,
            Slot::Status => self.status,
            Slot::StatusText => self.status_text,
            Slot::CreatedAt => self.created_at,
            Slot::UnsubscribeUrl => self.unsubscribe_url,
            Slot::ManageAccountUrl => self.manage_account_url,
            Slot::Key => self.key,
            Slot::UniqueId => self.unique_id,
        }
    }
}

/// A text with slots.
#[derive(Clone, Debug)]
pub struct Template {
    text: String,
    gaps: Vec<TemplateSlot>,
    is_html: bool,
}

/// A slot and its range in the text.
#[derive(Clone, Debug)]
struct TemplateSlot {
    range: Range<usize>,
    slot: Slot,
    /// The text that replaces an empty value.
    fallback: String,
}

impl Template {
    /// Parses an HTML document, in which values are escaped.
    pub fn of_html(text: String) -> Self {
        Self::new(text, true)
    }

    /// Parses plain text, in which values are inserted unchanged.
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

    /// Returns the text with its slots unfilled.
    pub fn written(&self) -> &str {
        &self.text
    }

    /// Returns the text with the values of `recipient`.
    pub fn filled(&self, recipient: &Recipient) -> String {
        // A mail is filled once per recipient: one allocation is enough for usual values.
        let mut filled = String::with_capacity(self.text.len() + 64 * self.gaps.len());
        let mut copied = 0;
        for gap in &self.gaps {
            filled.push_str(&self.text[copied..gap.range.start]);
            let value = match recipient.value(gap.slot) {
                "" => &gap.fallback,
                value => value,
            };
            match (self.is_html, gap.slot) {
                // The unsubscribe URL is the value of an attribute.
                (true, Slot::UnsubscribeUrl) => push_attribute_value(&mut filled, value),
                (true, _) => push_text(&mut filled, value),
                (false, _) => filled.push_str(value),
            }
            copied = gap.range.end;
        }
        filled.push_str(&self.text[copied..]);
        filled
    }
}

/// Returns the slots of a text, in order. Unknown slots remain in the text.
fn gaps(text: &str) -> Vec<TemplateSlot> {
    let mut gaps = Vec::new();
    let mut position = 0;
    while let Some(offset) = text[position..].find(OPEN) {
        let start = position + offset;
        let inside = start + OPEN.len();
        let Some(length) = slot_text(text, inside).find(CLOSE) else {
            position = inside;
            continue;
        };
        let end = inside + length + CLOSE.len();
        match slot(&text[inside..inside + length]) {
            Some((slot, fallback)) => {
                gaps.push(TemplateSlot {
                    range: start..end,
                    slot,
                    fallback,
                });
                position = end;
            }
            // An unknown slot remains, and a known one may begin inside it.
            None => position = inside,
        }
    }
    gaps
}

/// Returns the text at a byte offset in which the end of a slot is searched. It is bounded, because a text may begin many slots
/// that never end.
fn slot_text(text: &str, start: usize) -> &str {
    &text[start..text.floor_char_boundary(start + SLOT_BYTES_MAX)]
}

fn slot(inside: &str) -> Option<(Slot, String)> {
    let (word, fallback) = inside.split_once(',').unwrap_or((inside, ""));
    // In HTML the quotation marks are escaped, and typographic ones come from the editor.
    let fallback = fallback.trim().replace("&quot;", "\"");
    let fallback = fallback.trim_matches(['"', '\u{201c}', '\u{201d}']);
    Some((Slot::from_word(word.trim())?, fallback.to_owned()))
}

/// Returns the HTML of an email card in which placeholders such as `{first_name, "reader"}` are
/// converted to slots.
pub(in crate::render) fn with_slots(html: &str) -> String {
    let mut marked = String::with_capacity(html.len());
    let mut copied = 0;
    for (start, _) in html.match_indices('{') {
        let Some(length) = slot_text(html, start).find('}') else {
            continue;
        };
        let end = start + length + 1;
        // A complete slot stays as it is: marking it once more would leave percent signs in the
        // text.
        let is_marked = html[..start].ends_with("%%");
        // Braces in other text, such as code, are not placeholders.
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
        status_text: "",
        created_at: "1 March 2026",
        unsubscribe_url: "https://example.com/u/?a=1&b=2",
        manage_account_url: "https://example.com/#/portal/account",
        key: "k-1",
        unique_id: "m-1",
    };

    #[test]
    fn slots_are_filled_and_values_escaped_in_html() {
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
    fn missing_name_is_replaced_by_the_fallback() {
        let unnamed = Recipient::default();
        let greeting = |text: &str| Template::of_html(text.to_owned()).filled(&unnamed);
        assert_eq!(greeting("Hi %%{first_name, \"there\"}%%!"), "Hi there!");
        assert_eq!(
            greeting("Hi %%{first_name,&quot;a &amp; b&quot;}%%!"),
            "Hi a &amp;amp; b!"
        );
        assert_eq!(greeting("Hi %%{first_name}%%! %%{name"), "Hi ! %%{name");
    }

    #[test]
    fn placeholders_become_slots_if_their_word_is_known() {
        assert_eq!(
            with_slots("<p>{first_name, \"you\"} {x} {name} {"),
            "<p>%%{first_name, \"you\"}%% {x} %%{name}%% {"
        );
        assert_eq!(with_slots("%%{name}%%"), "%%{name}%%");
    }
}
