//! Tests of email previews and test mails: segments, cards and newsletter design.

use galley_tests::{
    TestSite, http_client::HttpResponse, request::ADMIN, staff::OWNER, staff::text,
};
use serde_json::{Value, json};

fn text_node(text: &str) -> Value {
    json!({"type": "extended-text", "text": text, "detail": 0, "format": 0, "mode": "normal", "style": "", "version": 1})
}

pub(super) fn paragraph(text: &str) -> Value {
    json!({"type": "paragraph", "children": [text_node(text)], "direction": "ltr", "format": "", "indent": 0, "version": 1})
}

/// Adds a post with these blocks and fields, and returns its id.
pub(super) fn add_post(site: &TestSite, blocks: &[Value], fields: &Value) -> String {
    let document = json!({"root": {"type": "root", "children": blocks, "direction": "ltr", "format": "", "indent": 0, "version": 1}});
    let mut post = json!({"title": "A letter", "lexical": document.to_string()});
    for (name, value) in fields.as_object().unwrap() {
        post[name] = value.clone();
    }
    text(&site.add("posts", post)["id"])
}

/// Returns the HTML and the plain text of a preview.
pub(super) fn preview(site: &TestSite, post: &str, query: &str) -> (String, String) {
    let shown = site.read(&format!("email_previews/posts/{post}/?{query}"));
    let part = |name: &str| {
        shown["email_previews"][0][name]
            .as_str()
            .unwrap()
            .to_owned()
    };
    (part("html"), part("plaintext"))
}

fn has(html: &str, texts: &[&str]) -> Vec<bool> {
    texts.iter().map(|text| html.contains(text)).collect()
}

#[test]
fn preview_has_the_style_element_that_the_admin_app_extends() {
    let site = TestSite::staffed();
    let post = add_post(&site, &[paragraph("for everybody")], &json!({}));
    let (html, _) = preview(&site, &post, "");
    let head = html.split_once("</head>").unwrap().0;
    assert!(head.contains("<style>"), "{head}");
}

#[test]
fn each_segment_gets_its_own_content() {
    let site = TestSite::staffed();
    let gated = |segment: &str, html: &str| {
        json!({"type": "html", "html": html, "visibility": {
            "web": {"nonMember": true, "memberSegment": "status:free,status:-free"},
            "email": {"memberSegment": segment},
        }})
    };
    let blocks = [
        paragraph("for everybody"),
        gated("status:free", "<p>for the free</p>"),
        gated("status:-free", "<p>for those who pay</p>"),
        gated("", "<p>on the web alone</p>"),
        json!({"type": "email", "html": "<p>Hi {first_name, \"you\"}!</p>"}),
        json!({"type": "email-cta", "segment": "status:free", "html": "<p>Pay!</p>", "showButton": true,
            "buttonText": "Join", "buttonUrl": "https://join.example/", "showDividers": true, "alignment": "left"}),
        json!({"type": "paywall", "version": 1}),
        paragraph("behind the wall"),
    ];
    let post = add_post(&site, &blocks, &json!({"visibility": "paid"}));
    let texts = [
        "for everybody",
        "for the free",
        "for those who pay",
        "on the web alone",
        "https://join.example/",
        "behind the wall",
        "Read on",
        "Hi Jamie!",
    ];

    let (free, free_text) = preview(&site, &post, "memberSegment=status:free");
    let expected = [true, true, false, false, true, false, true, true];
    assert_eq!(has(&free, &texts), expected, "{free}");
    assert_eq!(has(&free_text, &texts), expected, "{free_text}");

    for query in ["memberSegment=status:-free", ""] {
        let (paying, paying_text) = preview(&site, &post, query);
        let expected = [true, false, true, false, false, true, false, true];
        assert_eq!(has(&paying, &texts), expected, "{paying}");
        assert_eq!(has(&paying_text, &texts), expected, "{paying_text}");
    }
    let refused = site.ask(
        "GET",
        &format!("email_previews/posts/{post}/?memberSegment=status:paid"),
        None,
    );
    assert_eq!(refused.status, 422, "{}", refused.text());
}

#[test]
fn gated_post_without_a_paywall_shows_nothing_to_free_members() {
    let site = TestSite::staffed();
    let post = add_post(
        &site,
        &[paragraph("secret")],
        &json!({"visibility": "paid"}),
    );
    let (free, text) = preview(&site, &post, "memberSegment=status:free");
    assert!(
        !free.contains("secret") && !text.contains("secret"),
        "{free}"
    );
    assert!(preview(&site, &post, "").0.contains("secret"));
}

#[test]
fn cards_are_rendered_for_mail_clients() {
    let site = TestSite::staffed();
    let blocks = [
        json!({"type": "image", "src": "https://p.example/a.png", "width": 1200, "height": 600, "alt": "A boat",
            "caption": "At sea", "cardWidth": "wide", "title": "", "href": ""}),
        json!({"type": "button", "buttonText": "Go", "buttonUrl": "https://go.example/", "alignment": "center"}),
        json!({"type": "bookmark", "url": "https://b.example/", "caption": "", "metadata":
            {"title": "A page", "description": "About it", "author": "Ann", "publisher": "Pub", "icon": null, "thumbnail": "https://b.example/t.png"}}),
        json!({"type": "embed", "url": "https://v.example/1", "embedType": "video", "caption": "",
            "html": "<iframe src=\"https://v.example/embed/1\"></iframe><script src=\"https://v.example/x.js\"></script>", "metadata": {}}),
        json!({"type": "toggle", "heading": "<span>More</span>", "content": "<p>Hidden on the web</p>"}),
        json!({"type": "html", "html": "<script>alert(1)</script><b onclick=\"x()\">raw</b>"}),
    ];
    let post = add_post(&site, &blocks, &json!({}));

    let (html, text) = preview(&site, &post, "");

    for part in [
        "src=\"https://p.example/a.png\" alt=\"A boat\" width=\"600\"",
        "At sea",
        "href=\"https://go.example/\"",
        "href=\"https://b.example/\"",
        "src=\"https://b.example/t.png\"",
        "href=\"https://v.example/embed/1\"",
        "Hidden on the web",
        "<b>raw</b>",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    // The only class is for the style of narrow screens.
    let html = html.replace(" class=\"thumbnail\"", "");
    for part in [
        "<script", "<iframe", "onclick", "onerror", "srcset", "class=\"",
    ] {
        assert!(!html.contains(part), "{part}: {html}");
    }
    for part in [
        "[A boat]",
        "Go [https://go.example/]",
        "A page [https://b.example/]",
        "Open this on the web [https://v.example/embed/1]",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn header_with_a_background_colour_is_full_width_and_readable() {
    let site = TestSite::staffed();
    let design = json!({"name": "Tides", "header_background_color": "#0b2f38", "post_title_color": "accent",
        "show_excerpt": true});
    let made = site.add("newsletters", design);
    let slug = made["slug"].as_str().unwrap().to_owned();
    let fields =
        json!({"custom_excerpt": "In short", "feature_image": "https://p.example/top.png"});
    let post = add_post(&site, &[paragraph("Words")], &fields);

    let (html, _) = preview(&site, &post, &format!("newsletter={slug}"));

    let band = "<td align=\"center\" bgcolor=\"#0b2f38\" style=\"padding: 0 16px 8px; background: #0b2f38;";
    let (_, band) = html.split_once(band).expect("the header is missing");
    let (band, body) = band
        .split_once("</table>")
        .expect("the header is not closed");
    for part in ["Tides", "A letter", "In short", "https://p.example/top.png"] {
        assert!(band.contains(part), "{part}: {band}");
    }
    assert!(
        !band.contains("#15171a") && !band.contains("#626d79"),
        "{band}"
    );
    assert!(body.contains("color: #15171a"), "{body}");
}

#[test]
fn newsletter_design_is_applied() {
    let site = TestSite::staffed();
    let design = json!({"name": "Tides", "title_alignment": "left", "background_color": "#102030",
        "button_color": "#ff0000", "button_corners": "pill", "show_excerpt": true, "show_badge": false,
        "show_subscription_details": true, "footer_content": "<p>Harbour Street 1</p>", "body_font_category": "serif"});
    let made = site.add("newsletters", design);
    let slug = made["slug"].as_str().unwrap().to_owned();
    let button = json!({"type": "button", "buttonText": "Go", "buttonUrl": "https://go.example/", "alignment": "center"});
    let fields = json!({"custom_excerpt": "In short", "email_subject": "Read this",
        "feature_image": "https://p.example/top.png", "feature_image_alt": "The top", "feature_image_caption": "A <b>caption</b>"});
    let post = add_post(&site, &[button], &fields);

    let (html, _) = preview(&site, &post, &format!("newsletter={slug}"));

    for part in [
        "background: #102030",
        "color: #ffffff",
        "border-radius: 999px",
        "background: #ff0000",
        "text-align: left",
        "Georgia",
        "Tides",
        "Harbour Street 1",
        "Your subscription: <strong>paid</strong>.",
        "Name: Jamie Example",
        "E-mail address: jamie@example.com",
        "Member since: ",
        "/#/portal/account\"",
        "src=\"https://p.example/top.png\" alt=\"The top\"",
        "A <b>caption</b>",
        "/unsubscribe/?preview=1",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert_eq!(html.matches("In short").count(), 2, "{html}");
    assert!(!html.contains("Published with"), "{html}");
    let shown = site.read(&format!("email_previews/posts/{post}/"));
    assert_eq!(shown["email_previews"][0]["subject"], "Read this");
}

fn send(site: &TestSite, post: &str, body: &Value) -> HttpResponse {
    site.ask("POST", &format!("email_previews/posts/{post}/"), Some(body))
}

#[test]
fn test_email_is_sent_to_one_address() {
    let site = TestSite::staffed();
    let post = add_post(&site, &[paragraph("Dear reader")], &json!({}));
    site.mail().clear();

    let body = json!({"emails": ["ana@example.com"]});
    let response = send(&site, &post, &body);

    assert_eq!(response.status, 204, "{}", response.text());
    let mail = site.mail().mail_to("ana@example.com");
    assert_eq!(mail.message.subject(), "[TEST] A letter");
    assert!(mail.everything().contains("Dear reader"), "{mail:?}");
    let other = json!({"emails": ["ana@example.com"], "subject": "Another"});
    assert_eq!(send(&site, &post, &other).status, 204);
    let mail = site.mail().mail_to("ana@example.com");
    assert_eq!(mail.message.subject(), "[TEST] Another");
    for body in [
        json!({}),
        json!({"emails": []}),
        json!({"emails": "ana@example.com"}),
        json!({"emails": ["a@example.com", "b@example.com"]}),
        json!({"emails": ["no-address"]}),
        json!({"emails": [5]}),
        json!({"emails": ["a@example.com"], "memberSegment": "x"}),
        json!({"emails": ["a@example.com"], "subject": "s".repeat(301)}),
    ] {
        let refused = send(&site, &post, &body);
        assert_eq!(refused.status, 422, "{body}: {}", refused.text());
    }
    let named = json!({"emails": ["a@example.com"], "newsletter": "none"});
    assert_eq!(send(&site, &post, &named).status, 404);
    assert_eq!(send(&site, "000000000000000000000001", &body).status, 404);
}

#[test]
fn test_email_has_the_header_and_footer_of_the_newsletter() {
    let site = TestSite::staffed();
    let tides = json!({"name": "Tides", "sender_name": "Ana of Tides", "sender_email": "tides@example.com",
        "sender_reply_to": "desk@example.com"});
    site.add("newsletters", tides);
    let post = add_post(&site, &[paragraph("Dear reader")], &json!({}));
    site.mail().clear();

    let body = json!({"emails": ["ana@example.com"], "newsletter": "tides"});
    assert_eq!(send(&site, &post, &body).status, 204);

    let mail = site.mail().mail_to("ana@example.com").message;
    let unsubscribe = format!("<{}/unsubscribe/?preview=1>", site.base());
    for (name, value) in [
        ("From", "\"Ana of Tides\" <tides@example.com>"),
        ("Reply-To", "desk@example.com"),
        ("List-Unsubscribe", &unsubscribe),
        ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
    ] {
        assert_eq!(mail.header(name), Some(value), "{name}");
    }
    assert!(mail.header("List-Id").unwrap().starts_with("<tides."));
    assert_eq!(mail.header("Auto-Submitted"), None);
}

#[test]
fn test_email_needs_a_mail_server() {
    let app = TestSite::builder()
        .without_content()
        .option("staff.device_verification", "false")
        .start();
    let (name, email, password) = OWNER;
    let origin = format!(
        "origin: {}\r\ncontent-type: application/json\r\n",
        app.base()
    );
    let post = |endpoint: &str, headers: &str, body: &Value| {
        let target = format!("{ADMIN}/{endpoint}");
        app.send("POST", &target, headers, &body.to_string())
    };
    let setup =
        json!({"setup": [{"name": name, "email": email, "password": password, "blogTitle": "S"}]});
    let local = "content-type: application/json\r\n";
    post("authentication/setup/", local, &setup);
    let session = json!({"username": email, "password": password});
    let cookie = post("session/", &origin, &session).cookies.swap_remove(0);
    let signed_in = format!("{origin}cookie: {}\r\n", cookie.split(';').next().unwrap());
    let draft = json!({"posts": [{"title": "A letter"}]});
    let draft = post("posts/", &signed_in, &draft).json()["posts"][0]["id"].clone();

    let test = json!({"emails": ["ana@example.com"]});
    let endpoint = format!("email_previews/posts/{}/", draft.as_str().unwrap());
    let refused = post(&endpoint, &signed_in, &test);

    assert_eq!(refused.status, 422, "{}", refused.text());
    assert!(refused.text().contains("mail.url"), "{}", refused.text());
}

#[test]
fn texts_around_the_post_are_in_the_sites_language() {
    let site = TestSite::staffed();
    let settings = json!({"settings": [{"key": "locale", "value": "ja"}]});
    site.put_as(&galley_tests::owner(), "/settings/", &settings);
    let blocks = [
        paragraph("みんな"),
        json!({"type": "paywall", "version": 1}),
        paragraph("続き"),
    ];
    let fields = json!({"visibility": "paid", "status": "published", "published_at": "2026-10-03T08:00:00.000Z"});
    let post = add_post(&site, &blocks, &fields);

    let (html, text) = preview(&site, &post, "memberSegment=status:free");

    for part in [
        "ブラウザーで見る",
        "有料メンバー向けです。",
        "2026年10月3日",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert!(html.contains("<html lang=\"ja\" dir=\"ltr\">"), "{html}");
    assert!(text.contains("購読を解除: "), "{text}");
}

#[test]
fn latest_posts_have_small_images_and_readers_can_share_the_post() {
    let site = TestSite::staffed();
    let base = site.base();
    let own_image = format!("{base}/content/images/2026/10/ferry.jpg");
    for (title, image) in [
        ("Old rope", own_image.as_str()),
        ("New sail", "https://p.example/sail.png"),
    ] {
        let post = json!({"title": title, "status": "published", "feature_image": image, "custom_excerpt": "wind ".repeat(40)});
        site.add("posts", post);
    }
    let newsletter = json!({"name": "Tides", "show_latest_posts": true, "show_share_button": true});
    let slug = text(&site.add("newsletters", newsletter)["slug"]);
    let fields = json!({"feature_image": own_image, "status": "published", "slug": "letter"});
    let post = add_post(&site, &[paragraph("Dear reader")], &fields);

    let (html, _) = preview(&site, &post, &format!("newsletter={slug}"));

    for part in [
        // Twice the displayed width.
        format!("{base}/content/images/size/w1200/2026/10/ferry.jpg"),
        format!("{base}/content/images/size/w200/2026/10/ferry.jpg"),
        "https://p.example/sail.png".to_owned(),
        "wind wind…".to_owned(),
        format!("href=\"{base}/letter/#/share\""),
    ] {
        assert!(html.contains(&part), "{part}: {html}");
    }
    let other = text(&site.add("newsletters", json!({"name": "Winds"}))["slug"]);
    let (plain, _) = preview(&site, &post, &format!("newsletter={other}"));
    assert!(
        !plain.contains("Keep reading") && !plain.contains("#/share"),
        "{plain}"
    );
}
