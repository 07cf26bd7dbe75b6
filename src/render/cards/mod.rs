//! Cards: nodes other than text, each rendered from its properties alone.
//!
//! A file has everything that the program does with one type of card, and [`CARDS`] lists them: the
//! HTML of a card on the web and in mails, which of its properties have URLs, and the HTML from
//! which it is made.
//!
//! A card writes nothing if there is nothing to show, and fails if its properties are invalid; then
//! its output is discarded, and the document continues without it. Most cards are written tag by
//! tag without white space between tags; some are templates, whose line breaks and indentation are
//! part of the recorded output.

mod audio;
mod backdrop;
mod bookmark;
mod button;
mod call_to_action;
mod callout;
mod caption;
mod code;
mod email;
mod embed;
mod file;
mod from_html;
mod gallery;
mod header;
mod html;
mod image;
mod in_mail;
mod markdown;
mod product;
mod responsive;
mod signup;
mod template;
mod toggle;
mod video;
mod visibility;

use url::Url;

use self::from_html::HtmlForm;
use super::{
    html_to_lexical::text::Lines,
    html_tree::{Node, clean_fragment},
    lexical::{
        json::Value,
        properties::{Properties, is_blank},
    },
    limits::{Budget, Excess},
    mail::body::Push,
};

pub(super) use self::html::{from_markup as html_card, is_mark as is_html_card_mark};

/// A type of card.
pub(super) struct CardType {
    /// The `type` of its nodes.
    pub(super) name: &'static str,
    /// Appends its HTML, for the web and for mails.
    pub(super) render: Render,
    /// Deducts the cost of rendering it, including all HTML in it, from a budget.
    pub(super) cost: fn(&Value<'_>, &mut Budget) -> Result<(), Excess>,
    /// The properties with URLs. A dot separates the key of an object, or of each element of a list (Ghost
    /// 6.65, recorded). Other properties are unchanged, even if they contain URLs.
    pub(super) urls: &'static [(&'static str, UrlContent)],
    /// The HTML from which it is made, besides comments.
    html: &'static [HtmlForm],
    /// The class of its element, and the function that writes that element for mail programs. Without it, the
    /// element is written as any other.
    mail: Option<(&'static str, Push)>,
}

/// The content of a property with URLs.
#[derive(Clone, Copy)]
pub(super) enum UrlContent {
    Url,
    Html,
    Markdown,
}

/// All types of cards. Where several may be made from an element, the first is.
static CARDS: [&CardType; 21] = [
    &code::CARD,
    &video::CARD,
    &signup::CARD,
    &gallery::CARD,
    &bookmark::CARD,
    &embed::CARD,
    &image::CARD,
    &audio::CARD,
    &button::CARD,
    &call_to_action::CARD,
    &callout::CARD,
    &email::EMAIL,
    &email::CALL,
    &file::CARD,
    &header::CARD,
    &html::CARD,
    &markdown::CARD,
    &product::CARD,
    &toggle::CARD,
    &HORIZONTAL_RULE,
    &PAYWALL,
];

static HORIZONTAL_RULE: CardType = CardType {
    name: "horizontalrule",
    render: |_, html| {
        html.push_str("<hr>");
        Ok(())
    },
    cost: parsed_cost,
    urls: &[],
    html: &[HtmlForm::of_element("hr", |_| {
        Some(from_html::without_properties("horizontalrule"))
    })],
    mail: None,
};

/// The end of the public part. It is made from a comment.
static PAYWALL: CardType = CardType {
    name: "paywall",
    render: |_, html| {
        html.push_str("<!--members-only-->");
        Ok(())
    },
    cost: parsed_cost,
    urls: &[],
    html: &[],
    mail: None,
};

impl CardType {
    /// Returns the type with this name.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        CARDS.iter().copied().find(|card| card.name == name)
    }
}

/// Reads cards in HTML.
#[derive(Default)]
pub(super) struct CardReader {
    html: html::HtmlCardReader,
}

impl CardReader {
    /// Returns the card of an element. Sibling elements that belong to it are removed from `lines`.
    pub(super) fn element(
        &self,
        element: Node<'_>,
        name: &str,
        lines: &mut Lines,
    ) -> Option<serde_json::Value> {
        let mut forms = CARDS.iter().flat_map(|card| card.html);
        let form = forms.find(|form| form.matches(element, name))?;
        form.card(element, lines)
    }

    /// Returns the card that a comment represents or begins.
    pub(super) fn comment(
        &mut self,
        comment: Node<'_>,
        text: &str,
        lines: &mut Lines,
    ) -> Option<serde_json::Value> {
        if text.trim() == "members-only" {
            return Some(from_html::without_properties("paywall"));
        }
        self.html.card(comment, text, lines)
    }
}

/// Returns what writes this element for mail programs, if it is a card with a form for them.
pub(super) fn mail_form(element: Node<'_>) -> Option<Push> {
    let forms = CARDS.iter().filter_map(|card| card.mail);
    let mut forms = forms.filter(|(class, _)| element.has_class(class));
    forms.next().map(|(_, push)| push)
}

/// The context of a rendering.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The site's public URL: images below it are offered in several sizes.
    pub site: &'a Url,
}

/// A card to be rendered.
#[derive(Clone, Copy)]
pub(super) struct Card<'a> {
    pub(super) properties: Properties<'a>,
    pub(super) context: Context<'a>,
    pub(super) target: Target,
}

/// The medium for which a document is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Web pages.
    Web,
    /// Mails, for which the HTML is rewritten afterwards.
    Mail,
}

/// The reason why a card cannot be rendered, for the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CardFailure(pub(super) String);

/// Appends the HTML of a card.
pub(super) type Render = fn(Card<'_>, &mut String) -> Result<(), CardFailure>;

/// Deducts the cost of parsing all texts of a card as HTML from `budget`.
///
/// # Errors
///
/// As [`Budget::take`].
fn parsed_cost(node: &Value<'_>, budget: &mut Budget) -> Result<(), Excess> {
    let mut open = vec![node];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => budget.take_markup(text)?,
            Value::Array(values) => open.extend(values),
            Value::Object(members) => open.extend(members.values()),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    Ok(())
}

impl<'a> Card<'a> {
    /// Returns a property without which the card has nothing to show; empty if it is blank.
    ///
    /// # Errors
    ///
    /// If the property is not a text.
    pub(super) fn required(self, name: &str) -> Result<&'a str, CardFailure> {
        let text = self
            .properties
            .strict_text(name)
            .ok_or_else(|| CardFailure(format!("its {name} is not a text")))?;
        Ok(if is_blank(text) { "" } else { text })
    }

    /// Returns whether there is a caption.
    fn has_caption(self) -> bool {
        !self.properties.text("caption").is_empty()
    }

    /// Ends a figure with its caption, if there is one.
    fn push_caption(self, html: &mut String) {
        if self.has_caption() {
            html.push_str("<figcaption>");
            clean_fragment(&self.properties.text("caption"), html);
            html.push_str("</figcaption>");
        }
        html.push_str("</figure>");
    }
}

/// Returns the class of a figure with a caption.
fn caption_class(has_caption: bool) -> &'static str {
    if has_caption {
        " kg-card-hascaption"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::render::active_urls::lexical_without_active_urls;

    #[test]
    fn active_urls_are_removed_from_every_property_with_urls() {
        // The HTML of an HTML card is rendered unchanged.
        for card in CARDS.iter().filter(|card| card.name != "html") {
            for (path, content) in card.urls {
                let text = match content {
                    UrlContent::Url => "javascript:x",
                    UrlContent::Html => "<a href=\"javascript:x\">x</a>",
                    // The links of a Markdown card are checked when it is rendered.
                    UrlContent::Markdown => continue,
                };
                let names = path.rsplit('.');
                let mut node = names.fold(json!(text), |value, name| json!({ name: value }));
                node["type"] = json!(card.name);
                let document = json!({ "root": { "type": "root", "children": [node] } });
                let mut removed = Vec::new();
                lexical_without_active_urls(&document.to_string(), &mut removed);
                assert_eq!(removed.len(), 1, "`{path}` of the card `{}`", card.name);
            }
        }
    }
}
