//! Rendering of cards: nodes other than text, each rendered from its properties alone.
//!
//! A card is a function from properties to HTML. It writes nothing if there is nothing to show, and
//! fails if its properties are invalid; then its output is discarded, and the document continues
//! without it. Most cards are written tag by tag without white space between tags; some are
//! templates, whose line breaks and indentation are part of the recorded output.

mod audio;
mod backdrop;
mod call_to_action;
mod email;
mod file;
mod gallery;
mod header;
mod image;
mod other_sites;
mod product;
mod signup;
mod simple;
mod template;
mod video;
mod visibility;

use super::Context;
use super::json::Value;
use super::nodes;
use super::properties::{Properties, is_blank};
use crate::render::html_tree::clean_fragment;
use crate::render::limits::{Budget, Excess};
use crate::render::markdown::card;

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

/// Deducts the cost of rendering a card, including all HTML in it, from `budget`.
///
/// # Errors
///
/// As [`Budget::take`].
pub(super) fn take(node: &Value<'_>, budget: &mut Budget) -> Result<(), Excess> {
    let kind = nodes::type_of(node);
    if let ("html", Some(Value::String(html))) = (kind, node.get("html")) {
        // It is written unchanged, and parsed for mails only.
        return budget.take(memchr::memchr_iter(b'<', html.as_bytes()).count(), 0);
    }
    // Code is never parsed.
    if kind == "codeblock" {
        return Ok(());
    }
    let mut open = vec![node];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => budget.take_markup(text)?,
            Value::Array(values) => open.extend(values),
            Value::Object(members) => open.extend(members.values()),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    match node.get("markdown") {
        Some(Value::String(markdown)) if kind == "markdown" => card::take(markdown, budget),
        _ => Ok(()),
    }
}

/// Returns the renderer of cards of this type; `None` if the type is unknown.
pub(super) fn renderer(kind: &str) -> Option<Render> {
    Some(match kind {
        "audio" => audio::render,
        "bookmark" => other_sites::bookmark,
        "button" => simple::button,
        "call-to-action" => call_to_action::render,
        "callout" => simple::callout,
        "codeblock" => simple::code,
        "email" => email::render,
        "email-cta" => email::render_call,
        "embed" => other_sites::embed,
        "file" => file::render,
        "gallery" => gallery::render,
        "header" => header::render,
        "horizontalrule" => |_, html| {
            html.push_str("<hr>");
            Ok(())
        },
        "html" => simple::raw_html,
        "image" => image::render,
        "markdown" => simple::markdown,
        "paywall" => |_, html| {
            html.push_str("<!--members-only-->");
            Ok(())
        },
        "product" => product::render,
        "signup" => signup::render,
        "toggle" => simple::toggle,
        "video" => video::render,
        _ => return None,
    })
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
