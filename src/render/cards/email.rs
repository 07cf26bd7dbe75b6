//! Email cards, which are only shown in mails: a text, and a text with a button for a segment of
//! the members.

use std::fmt::Write;

use super::{
    Card, CardFailure, CardType, Target,
    UrlContent::{Html, Url},
    parsed_cost,
};
use crate::render::{
    html_escape::{push_attribute, push_text},
    html_tree::{Serialization, parse_fragment},
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

/// Renders a text in which placeholders such as `{first_name}` are replaced by values of the
/// recipient.
fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    if card.target == Target::Mail {
        html.push_str(&with_values(&card.properties.text("html")));
    }
    Ok(())
}

/// Returns HTML with slots for its placeholders. The editor writes a placeholder as a `code`
/// element; the slot replaces the element, so that the value is shown as text (Ghost 6.65,
/// observed).
fn with_values(html: &str) -> String {
    let mut written = String::with_capacity(html.len());
    let tree = parse_fragment(html);
    tree.root().push_filtered_html(&mut written, |element| {
        let is_placeholder = || {
            let text = element.text_content();
            // `with_slots` changes a text only if it contains a known placeholder.
            with_slots(&text) != text
        };
        if element.is("code") && is_placeholder() {
            Serialization::Content
        } else {
            Serialization::Element
        }
    });
    with_slots(&written)
}

/// Renders a text with dividers and a button, for the members of the card's segment.
fn render_call(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    if card.target == Target::Web {
        return Ok(());
    }
    let properties = card.properties;
    let text = with_values(&properties.text("html"));
    let url = properties.text("buttonUrl");
    let label = properties.text("buttonText");
    let has_button = properties.is_on("showButton", false) && !url.is_empty() && !label.is_empty();
    if text.is_empty() && !has_button {
        return Ok(());
    }
    let segment = properties.text("segment");
    if !segment.is_empty() {
        // Recipients are members, so the block is never for anonymous readers.
        write!(
            html,
            "<!--kg-gated-block:begin nonMember:false memberSegment:\"{segment}\" -->"
        )
        .expect("writing to a string cannot fail");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_text_and_other_code_is_code() {
        for (written, filled_in) in [
            (
                "<p>Hey <code spellcheck=\"false\"><span>{first_name, \"there\"}</span></code>,</p>",
                "<p>Hey <span>%%{first_name, \"there\"}%%</span>,</p>",
            ),
            (
                "<p><code>{name} {email}</code><strong><code>{uuid}</code></strong></p>",
                "<p>%%{name}%% %%{email}%%<strong>%%{uuid}%%</strong></p>",
            ),
            (
                "<p><code>let a = {};</code> <code>{x}</code></p>",
                "<p><code>let a = {};</code> <code>{x}</code></p>",
            ),
            (
                "Hey {first_name, &quot;a&b&quot;}",
                "Hey %%{first_name, \"a&amp;b\"}%%",
            ),
        ] {
            assert_eq!(with_values(written), filled_in);
        }
    }
}
