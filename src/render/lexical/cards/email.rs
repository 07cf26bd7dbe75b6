//! What shows in mails only: a text to the reader, and one with a button for some of them.

use std::fmt::Write;

use super::{Card, CardFailure, Target};
use crate::render::{
    html_escape::{push_attribute, push_text},
    mail::with_slots,
};

/// A text, with `{first_name}` and the like for what differs from one reader to the next.
pub(super) fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    if card.target == Target::Mail {
        html.push_str(&with_slots(&card.properties.text("html")));
    }
    Ok(())
}

/// The same between rules and with a button, for the members that its segment names.
pub(super) fn render_call(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
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
    let has_rules = properties.is_on("showDividers", true);
    let rule = if has_rules { "<hr>" } else { "" };
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
