//! Tests of cards in mails, of the preview text that mail programs list next to the subject, and of
//! words wider than a phone's screen.

use fancy_regex::Regex;
use galley_tests::TestSite;
use serde_json::{Value, json};

use super::email_previews::{add_post, paragraph, preview};

/// Returns the HTML of a mail with one card.
fn mail_with(card: Value) -> String {
    let site = TestSite::staffed();
    let post = add_post(&site, &[card], &json!({}));
    preview(&site, &post, "").0
}

/// Returns the hidden preview text at the start of the mail.
fn preview_text(html: &str) -> String {
    let hidden = Regex::new("(?s)<div style=\"display: none[^>]*>(.*?)(&#847; )").unwrap();
    let hidden = hidden.captures(html).unwrap().unwrap();
    hidden[1].to_owned()
}

fn call_to_action(fields: Value) -> Value {
    let mut card = json!({"type": "call-to-action", "layout": "minimal", "alignment": "left",
        "textValue": "<p>Come <a href=\"https://a.example/\">along</a>.</p>", "showButton": true,
        "buttonText": "Go", "buttonUrl": "https://go.example/", "buttonColor": "#d11a2a",
        "buttonTextColor": "#ffffff", "hasSponsorLabel": true, "sponsorLabel": "<p>SPONSORED</p>",
        "backgroundColor": "green", "linkColor": "text", "showDividers": true, "imageUrl": ""});
    let entries = card.as_object_mut().unwrap();
    entries.extend(fields.as_object().unwrap().clone());
    card
}

#[test]
fn preview_text_is_the_excerpt_or_the_beginning_of_the_body() {
    let site = TestSite::staffed();
    let long = "The water comes in. ".repeat(60);
    let blocks = [paragraph("Tides & winds"), paragraph(&long)];
    let plain = add_post(&site, &blocks, &json!({}));
    let shown = preview_text(&preview(&site, &plain, "").0);
    assert!(
        shown.starts_with("Tides &amp; winds The water comes in."),
        "{shown}"
    );
    assert_eq!(shown.replace("&amp;", "&").chars().count(), 500);

    let with_excerpt = add_post(&site, &blocks, &json!({"custom_excerpt": "In short"}));
    assert_eq!(
        preview_text(&preview(&site, &with_excerpt, "").0),
        "In short"
    );

    let line = json!({"type": "horizontalrule", "version": 1});
    let without_text = add_post(&site, &[line], &json!({}));
    assert_eq!(
        preview_text(&preview(&site, &without_text, "").0),
        "A letter"
    );
}

#[test]
fn preview_text_omits_gated_parts() {
    let site = TestSite::staffed();
    let blocks = [
        paragraph("For all"),
        json!({"type": "paywall"}),
        paragraph("For some"),
    ];
    let post = add_post(&site, &blocks, &json!({"visibility": "paid"}));
    let free = preview(&site, &post, "memberSegment=status%3Afree").0;
    assert_eq!(preview_text(&free), "For all");
    let paid = preview(&site, &post, "memberSegment=status%3A-free").0;
    assert_eq!(preview_text(&paid), "For all For some");
}

#[test]
fn words_wider_than_the_mail_break() {
    let html = mail_with(paragraph(&"long".repeat(200)));
    // Once in the body's style, and in the header and text cells for mail programs that drop the body's style.
    assert_eq!(html.matches("word-break: break-word").count(), 3, "{html}");
}

#[test]
fn header_has_its_image_behind_its_text_or_above_it() {
    let card = |fields: Value| {
        let mut card = json!({"type": "header", "version": 2, "header": "<span>The gathering</span>",
            "subheader": "<span>In April</span>", "backgroundImageSrc": "https://p.example/a.png",
            "backgroundColor": "#ffffff", "textColor": "#FFFFFF", "buttonEnabled": true,
            "buttonText": "Join", "buttonUrl": "https://go.example/", "buttonColor": "#ffffff"});
        for (key, value) in fields.as_object().unwrap() {
            card[key] = value.clone();
        }
        mail_with(card)
    };
    let behind = card(json!({"layout": "full", "alignment": "center"}));
    // A dark background keeps white text readable in mail programs that block images.
    assert!(
        behind.contains(
            "background: #000000 url('https://p.example/a.png') center / cover no-repeat"
        ),
        "{behind}"
    );
    assert!(
        !behind.contains("src=\"https://p.example/a.png\""),
        "{behind}"
    );
    assert!(behind.contains("padding: 72px 32px; text-align: center"));

    let colors = json!({"layout": "split", "alignment": "left", "backgroundColor": "#f0f0f0", "textColor": "#000000"});
    let above = card(colors);
    assert!(above.contains("background: #f0f0f0"), "{above}");
    assert!(above.contains("src=\"https://p.example/a.png\""), "{above}");
    assert!(above.contains("padding: 40px 32px; text-align: left"));
}

#[test]
fn aside_differs_from_a_quotation() {
    let quote = |kind: &str| {
        let text = json!({"type": "extended-text", "text": "A boat", "format": 0, "version": 1});
        mail_with(json!({"type": kind, "children": [text], "version": 1}))
    };
    assert!(quote("aside").contains(
        "<blockquote style=\"margin: 32px 0; padding: 0 32px; font-size: 21px; font-style: italic"
    ));
    assert!(quote("extended-quote").contains(
        "<blockquote style=\"margin: 0 0 24px; padding: 0 0 0 20px; border-left: 2px solid"
    ));
}

#[test]
fn name_in_an_email_card_is_text() {
    let card = json!({"type": "email", "html": "<p><span>Hey </span><code spellcheck=\"false\">\
        <span>{first_name, \"there\"}</span></code><span>,</span></p>"});
    let html = mail_with(card);
    assert!(
        html.contains("<span>Hey </span><span>Jamie</span><span>,</span>"),
        "{html}"
    );
    assert!(!html.contains("<code"), "{html}");
}

#[test]
fn call_to_action_has_its_background_label_and_button() {
    let html = mail_with(call_to_action(json!({})));
    for part in [
        "background: #e8f8ea",
        "text-transform: uppercase",
        "SPONSORED",
        "href=\"https://go.example/\" style=\"display: inline-block",
        "background: #d11a2a",
        "href=\"https://a.example/\" style=\"color: #15171a; text-decoration: underline\"",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    let plain = mail_with(call_to_action(
        json!({"backgroundColor": "none", "hasSponsorLabel": false}),
    ));
    for part in [
        "border-bottom: 1px solid #e1e1e1",
        "border-top: 1px solid #e1e1e1",
    ] {
        assert!(plain.contains(part), "{part}: {plain}");
    }
    assert!(!plain.contains("SPONSORED"), "{plain}");
    let image =
        json!({"imageUrl": "https://p.example/a.png", "imageWidth": 900, "imageHeight": 300});
    let small = mail_with(call_to_action(image.clone()));
    assert!(
        small.contains("src=\"https://p.example/a.png\" alt=\"CTA Image\" width=\"64\""),
        "{small}"
    );
    let mut immersive = image;
    immersive["layout"] = json!("immersive");
    let large = mail_with(call_to_action(immersive));
    assert!(large.contains("alt=\"CTA Image\" width=\"600\""), "{large}");
}

#[test]
fn video_image_has_a_play_button() {
    let video = json!({"type": "video", "src": "https://p.example/v.mp4", "width": 640, "height": 480,
        "duration": 65, "thumbnailSrc": "https://p.example/t'.png", "customThumbnailSrc": "", "caption": "A video"});
    let player = json!({"type": "embed", "url": "https://v.example/1", "embedType": "video", "caption": "",
        "html": "<iframe src=\"https://v.example/embed/1\"></iframe>",
        "metadata": {"thumbnail_url": "https://v.example/t.png", "thumbnail_width": 480, "thumbnail_height": 360}});
    let html = mail_with(video);
    for part in [
        "&#9654;",
        "url(&#39;https://p.example/t%27.png&#39;)",
        "aria-label=\"Play the video\"",
        "A video",
    ] {
        assert!(
            html.replace("url('", "url(&#39;")
                .replace("')", "&#39;)")
                .contains(part),
            "{part}: {html}"
        );
    }
    let html = mail_with(player);
    for part in [
        "&#9654;",
        "href=\"https://v.example/1\"",
        "https://v.example/t.png",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert!(!html.contains("data-"), "{html}");
}

#[test]
fn images_of_a_gallery_are_equally_wide() {
    let image = |name: &str, width: u32| {
        json!({"row": 0, "fileName": name, "width": width, "height": 200,
        "src": format!("https://p.example/{name}")})
    };
    let card = json!({"type": "gallery", "images": [image("a.png", 1200), image("b.png", 200)], "caption": ""});
    let html = mail_with(card);
    assert_eq!(html.matches("width=\"600\" style=\"display: block; margin: 0 auto; max-width: 100%; height: auto; border: 0; width: 100%\"").count(), 2, "{html}");
}

#[test]
fn callout_has_its_colour_and_readable_text() {
    for (name, fill, text) in [
        ("blue", "#e9f6fb", "#15171a"),
        ("red", "#fbe9e9", "#15171a"),
        ("white", "#ffffff; border: 1px solid #dddedf", "#15171a"),
        ("accent", "#15171a", "#ffffff"),
    ] {
        let card = json!({"type": "callout", "calloutText": "<p>Mind the gap</p>", "calloutEmoji": "💡", "backgroundColor": name});
        let html = mail_with(card);
        let style = format!("background: {fill}; color: {text}");
        assert!(html.contains(&style), "{style}: {html}");
    }
}
