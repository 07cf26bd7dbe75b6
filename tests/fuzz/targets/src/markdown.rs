//! Properties of Markdown in each dialect: the HTML is limited in length and correctly nested; no URL in it runs code;
//! the document that an editor shows is written back unchanged, or with the edit as the only change.

use std::sync::LazyLock;

use galley::{
    content_text::{BodyFormat, BodyReader},
    render::{
        lexical::{Context, DocumentError, to_html},
        markdown::{self, Dialect},
    },
};
use serde_json::{Value, json};
use url::Url;

use super::{small_site::URL, tags};

/// The maximum ratio of the length of the HTML to that of the Markdown.
const GROWTH_MAX: usize = 512;

static SITE: LazyLock<Url> = LazyLock::new(|| URL.parse().unwrap());

/// Panics unless these properties hold for Markdown. The first byte of an input chooses the dialect and the format of
/// the body.
pub fn check(input: &[u8]) {
    let Some((number, text)) = input.split_first() else {
        return;
    };
    let name = Dialect::NAMES[usize::from(*number) % Dialect::NAMES.len()];
    let dialect = Dialect::by_name(name).unwrap();
    let text = String::from_utf8_lossy(text);
    let html = markdown::to_html(&text, dialect, |_| None);
    assert_eq!(html, markdown::to_html(&text, dialect, |_| None), "{name}");
    check_html(&text, &html);
    let card = markdown::card::to_html(&text);
    assert_eq!(card, markdown::card::to_html(&text));
    check_html(&text, &card);
    let format = match usize::from(*number) / Dialect::NAMES.len() % 2 {
        0 => BodyFormat::Markdown,
        _ => BodyFormat::Lexical,
    };
    check_document(&text, dialect, format);
}

fn check_html(text: &str, html: &str) {
    assert!(html.len() <= (text.len() + 1) * GROWTH_MAX);
    if !text.contains('<') {
        tags::assert_nested(html);
        tags::assert_passive(html);
    }
}

/// Checks that an unchanged document changes nothing in the file, and that an added paragraph is the only change.
fn check_document(text: &str, dialect: Dialect, format: BodyFormat) {
    let reader = BodyReader {
        format,
        dialect,
        resolve: &|_| None,
        urls: &[],
        expand: None,
    };
    let shown = reader.document(text);
    assert_eq!(shown, reader.document(text));
    for block in &shown.blocks {
        assert!(text.get(block.clone()).is_some(), "{block:?}");
    }
    let html = rendered(&shown.lexical);
    assert!(html.len() <= (text.len() + 1) * GROWTH_MAX);
    let written = reader.write(text, &shown.lexical, &shown.lexical);
    assert_eq!(written.as_deref(), Ok(text));

    let mut document: Value = serde_json::from_str(&shown.lexical).unwrap();
    let paragraph = json!({
        "type": "paragraph", "version": 1, "direction": "ltr", "format": "", "indent": 0,
        "children": [{
            "type": "extended-text", "version": 1, "text": "Added.",
            "detail": 0, "format": 0, "mode": "normal", "style": "",
        }],
    });
    let nodes = document["root"]["children"].as_array_mut().unwrap();
    nodes.insert(0, paragraph);
    let edited = document.to_string();
    if let Ok(written) = reader.write(text, &shown.lexical, &edited) {
        let again = reader.document(&written);
        assert_eq!(rendered(&again.lexical), rendered(&edited), "{written:?}");
    }
}

fn rendered(document: &str) -> String {
    match to_html(document, Context { site: &SITE }) {
        // Empty paragraphs are invisible, so they are ignored.
        Ok(rendering) => rendering.html.replace("<p></p>", ""),
        Err(DocumentError::Empty) => String::new(),
        Err(error) => panic!("{error}: {document}"),
    }
}
