//! The table of all types of cards.

use super::{
    audio, bookmark, button, call_to_action, callout,
    card::{CardType, parsed_cost},
    code, email, embed, file, from_html,
    from_html::HtmlForm,
    gallery, header, html, image, markdown, product, signup, toggle, video,
};
use crate::render::{html_to_lexical::text::Lines, html_tree::Node, mail::body::Push};

/// All types of cards. If an element can be converted to several types, the first of them is used.
static CARDS: [&CardType; 21] = [
    // An image card takes any figure with an image, so the types whose figures may contain images
    // (code, video, gallery, bookmark, embed) precede it.
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

/// The end of the public part. In HTML, a comment represents it.
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
    pub(in crate::render) fn named(name: &str) -> Option<&'static Self> {
        CARDS.iter().copied().find(|card| card.name == name)
    }
}

/// Converts elements and comments of HTML to cards.
#[derive(Default)]
pub(in crate::render) struct CardReader {
    html: html::HtmlCardReader,
}

impl CardReader {
    /// Returns the card of an element. Sibling elements that belong to it are removed from `lines`.
    pub(in crate::render) fn element(
        &self,
        element: Node<'_>,
        name: &str,
        lines: &mut Lines,
    ) -> Option<serde_json::Value> {
        let mut forms = CARDS.iter().flat_map(|card| card.html);
        // The first form decides, even if it returns no card: later forms are not tried.
        let form = forms.find(|form| form.matches(element, name))?;
        form.card(element, lines)
    }

    /// Returns the card that a comment represents or begins.
    pub(in crate::render) fn comment(
        &mut self,
        comment: Node<'_>,
        text: &str,
        lines: &mut Lines,
    ) -> Option<serde_json::Value> {
        // White space around the word is ignored (recorded: `comment/members-only-spaces`).
        if text.trim() == "members-only" {
            return Some(from_html::without_properties("paywall"));
        }
        self.html.card(comment, text, lines)
    }
}

/// Returns the function that writes this element for mail clients, if it is a card with such a function.
pub(in crate::render) fn mail_form(element: Node<'_>) -> Option<Push> {
    let forms = CARDS.iter().filter_map(|card| card.mail);
    let mut forms = forms.filter(|(class, _)| element.has_class(class));
    forms.next().map(|(_, push)| push)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::card::UrlContent, *};
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
