//! A card, its type, and the code that all types share.

use url::Url;

use super::from_html::HtmlForm;
use crate::render::{
    html_tree::clean_fragment,
    lexical::{
        json::Value,
        properties::{Properties, is_blank},
    },
    limits::{Budget, Excess},
    mail::body::Push,
};

/// A type of card.
pub(in crate::render) struct CardType {
    /// The `type` of nodes of this type in documents.
    pub(in crate::render) name: &'static str,
    /// Appends the card's HTML, for the web and for mails.
    pub(in crate::render) render: Render,
    /// Deducts the cost of rendering a card, including all HTML in it, from a budget.
    pub(in crate::render) cost: fn(&Value<'_>, &mut Budget) -> Result<(), Excess>,
    /// The properties with URLs. A dot precedes the name of a member of an object, or of each
    /// object of a list (Ghost 6.65, recorded). Other properties are unchanged, even if they
    /// contain URLs.
    pub(in crate::render) urls: &'static [(&'static str, UrlContent)],
    /// The HTML that is converted to such cards, in addition to comments.
    pub(super) html: &'static [HtmlForm],
    /// The class of the card's element, and the function that writes that element for mail
    /// programs. If `None`, the element is written like any other element.
    pub(super) mail: Option<(&'static str, Push)>,
}

/// The content of a property with URLs.
#[derive(Clone, Copy)]
pub(in crate::render) enum UrlContent {
    Url,
    Html,
    Markdown,
}

/// The context of a rendering.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The site's public URL. Images below it are offered in several sizes.
    pub site: &'a Url,
}

/// A card to be rendered.
#[derive(Clone, Copy)]
pub(in crate::render) struct Card<'a> {
    pub(in crate::render) properties: Properties<'a>,
    pub(in crate::render) context: Context<'a>,
    pub(in crate::render) target: Target,
}

/// The medium for which a document is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::render) enum Target {
    /// Web pages.
    Web,
    /// Mails, for which the HTML is rewritten afterwards.
    Mail,
}

/// The reason why a card cannot be rendered, for the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::render) struct CardFailure(pub(in crate::render) String);

/// Appends the HTML of a card.
pub(in crate::render) type Render = fn(Card<'_>, &mut String) -> Result<(), CardFailure>;

/// Deducts the cost of parsing all strings of a card as HTML from `budget`.
///
/// # Errors
///
/// As [`Budget::take`].
pub(super) fn parsed_cost(node: &Value<'_>, budget: &mut Budget) -> Result<(), Excess> {
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
    /// Returns a property that the card cannot be shown without. It is empty if it is blank.
    ///
    /// # Errors
    ///
    /// If the property is not a string.
    pub(in crate::render) fn required(self, name: &str) -> Result<&'a str, CardFailure> {
        let text = self
            .properties
            .strict_text(name)
            .ok_or_else(|| CardFailure(format!("its {name} is not a string")))?;
        Ok(if is_blank(text) { "" } else { text })
    }

    /// Returns whether the card has a caption.
    pub(super) fn has_caption(self) -> bool {
        !self.properties.text("caption").is_empty()
    }

    /// Ends a figure with its caption, if there is one.
    pub(super) fn push_caption(self, html: &mut String) {
        if self.has_caption() {
            html.push_str("<figcaption>");
            // An element that the caption does not close would enclose everything after the card
            // (recorded: `image/caption-malformed`).
            clean_fragment(&self.properties.text("caption"), html);
            html.push_str("</figcaption>");
        }
        html.push_str("</figure>");
    }
}

/// Returns the class of a figure that has a caption; empty if it has none.
pub(super) fn caption_class(has_caption: bool) -> &'static str {
    if has_caption {
        " kg-card-hascaption"
    } else {
        ""
    }
}
