//! Email cards, which are only shown in mails: a text, and a text with a button for a segment.

use std::fmt::Write;

use super::{
    Card, CardFailure, CardType, Target,
    UrlContent::{Html, Url},
    parsed_cost,
};
use crate::render::{
    html_escape::{push_attribute, push_text},
    mail::template::with_slots,
};

pub(super) static EMAIL: CardType = CardType {
    name: "email",
    render,
    cost: parsed_cost,
    urls: &[("html", Html)],
    html: &[],
    mail: None,
};

pub(super) static CALL: CardType = CardType {
    name: "email-cta",
    render: render_call,
    cost: parsed_cost,
    urls: &[("html", Html), ("buttonUrl", Url)],
    html: &[],
    mail: None,
};

/// Renders a text with placeholders such as `{first_name}` for values of the recipient.
fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    if card.target == Target::Mail {
        html.push_str(&with_slots(&card.properties.text("html")));
    }
    Ok(())
}

/// Renders a text with dividers and a button, for the members of its segment.
fn render_call(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    if card.target == Target::Web {
        return Ok(());
    }
    let properties = card.properties;
    let text = with_slots(&properties.text("html"));
    let url = properties.text("buttonUrl");
    let label = properties.text("buttonText");
    let has_button = properties.is_on("showButton", false) && !url.is_empty() && !label.is_empty();
    if text.is_empty() && !has_button {
        return Ok(());
    }
    let segment = properties.text("segment");
    if !segment.is_empty() {
        write!(
            html,
            "<!--kg-gated-block:begin nonMember:false memberSegment:\"{segment}\" -->"
        )
        .expect("a string takes everything");
    }
    let has_dividers = properties.is_on("showDividers", true);
    let rule = if has_dividers { "<hr>" } else { "" };
    let align = match &*properties.text_or("alignment", "left") {
        "center" => "center",
        _ => "left",
    };
    html.extend([rule, "<div style=\"text-align: ", align, "\">", &text]);
    if has_button {
        html.push_str("<p><a class=\"kg-btn kg-btn-accent\"");
        push_attribute(html, "href", &url);
        html.push('>');
        push_text(html, &label);
        html.push_str("</a></p>");
    }
    html.extend(["</div>", rule]);
    if !segment.is_empty() {
        html.push_str("<!--kg-gated-block:end-->");
    }
    Ok(())
}
