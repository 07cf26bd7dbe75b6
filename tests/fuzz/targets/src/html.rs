//! Properties of HTML from authors and other sites: conversions are deterministic and idempotent, content after a
//! paywall remains hidden, and e-mails contain no active content.

use std::{borrow::Cow, sync::LazyLock};

use galley::render::{
    html_to_lexical::{to_lexical, to_lexical_faithfully},
    lexical::{Context, DocumentError, Loss, to_html},
    mail::{Article, Design, Masthead, render},
    markdown, outbound_links,
    page_metadata::PageMetadata,
    paywall::{PublicForm, Reader, member_form, public_form},
    plaintext, reading_time, urls,
};
use url::Url;

use super::{small_site::URL, tags};

/// The comment that ends the public part of a post.
const PAYWALL: &str = "<!--members-only-->";

/// Prefix of the reason for a lost node whose type the editor does not have.
const UNKNOWN: &str = "unknown node type";

static SITE: LazyLock<Url> = LazyLock::new(|| URL.parse().unwrap());

/// Panics unless these properties hold for HTML.
pub fn check(input: &[u8]) {
    let html = String::from_utf8_lossy(input);
    check_conversions(&html);
    check_urls(&html);
    check_paywall(&html);
    check_mail(&html);
    PageMetadata::of(&html);
    reading_time::minutes(&html, true);
    let text = plaintext::from_html(&html);
    assert!(text.starts_with(plaintext::excerpt(&text)));
}

/// Checks the conversions of HTML to documents of the editor: the faithful conversion loses nothing, and its HTML
/// converts to a document that shows the same words.
pub fn check_conversions(html: &str) {
    let (_, losses) = rendered(&to_lexical(html));
    // Images in links and in quotes are lost (Ghost 6.65, recorded), as are cards whose markup is broken.
    let is_known = |loss: &Loss| !loss.reason.starts_with(UNKNOWN);
    assert!(losses.iter().all(is_known), "{losses:?}");
    let (shown, losses) = rendered(&to_lexical_faithfully(html, &SITE));
    assert_eq!(losses, [], "{html:?}");
    let (again, losses) = rendered(&to_lexical_faithfully(&shown, &SITE));
    assert_eq!(losses, [], "{shown:?}");
    // Everything after this start tag is part of the element (HTML, section 13.2.6.4.7), including the end of a card.
    if !html.to_ascii_lowercase().contains("<plaintext") {
        assert_eq!(words(&shown), words(&again), "{html:?}");
    }
}

/// Returns the HTML of a document, which must be valid, and the nodes that cannot be rendered.
fn rendered(document: &str) -> (String, Vec<Loss>) {
    match to_html(document, Context { site: &SITE }) {
        Ok(rendering) => (rendering.html, rendering.losses),
        Err(DocumentError::Empty) => Default::default(),
        Err(error) => panic!("{error}: {document}"),
    }
}

/// Returns the words that a browser shows for HTML. Browsers ignore NUL (HTML, section 13.2.5.1).
fn words(html: &str) -> Vec<String> {
    let text = plaintext::from_html(html).replace('\0', "");
    text.split_whitespace().map(str::to_owned).collect()
}

fn check_urls(html: &str) {
    assert_eq!(markdown::resolve_html(html, |_| None), html);
    let tagged = outbound_links::tag(html, &SITE);
    // A question mark at the end gets a second one, after which no parameter is found (Ghost 6.65, recorded).
    if !tagged.contains("??ref=") {
        assert_eq!(outbound_links::tag(&tagged, &SITE), tagged);
    }
    let stored = urls::html_to_stored(html, &SITE);
    assert_eq!(urls::html_to_stored(&stored, &SITE), stored);
    urls::to_served(&stored, &SITE);
}

/// Checks that content after a paywall does not change the page of readers without access.
fn check_paywall(html: &str) {
    let middle = (0..=html.len() / 2)
        .rev()
        .find(|offset| html.is_char_boundary(*offset));
    let (before, behind) = html.split_at(middle.unwrap_or_default());
    let without = format!("{before}{PAYWALL}");
    let with = format!("{without}{behind}");
    assert_eq!(public_form(&with, true), public_form(&without, true));
    let for_free = |html: &str| member_form(html, Reader::Free, true).0.into_owned();
    assert_eq!(for_free(&with), for_free(&without));
    if let PublicForm::Part(Cow::Owned(part)) = public_form(html, false) {
        assert!(part.len() < html.len());
    }
}

/// Panics unless the e-mail of a post with this HTML is deterministic and contains no active content.
pub fn check_mail(html: &str) {
    let article = Article {
        title: "A title",
        url: "https://harbour.example/a/",
        html,
        ..Article::default()
    };
    let page = || render(&article, &Masthead::default(), &Design::default()).html;
    let written = page();
    assert_eq!(page().written(), written.written());
    tags::assert_harmless(written.written());
}
