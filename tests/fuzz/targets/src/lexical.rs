//! Properties of Lexical documents: rendering is deterministic; the length of the HTML is limited by that of the
//! document; the HTML can be converted back to a document; e-mails contain no active content.

use std::sync::LazyLock;

use galley::render::{
    lexical::{Context, DocumentError, accepted, to_html, to_mail_html},
    urls,
};
use serde_json::Value;
use url::Url;

use super::{html, small_site::URL};

/// The maximum ratio of the length of the HTML to that of the document. Some cards add much markup.
const GROWTH_MAX: usize = 512;

static SITE: LazyLock<Url> = LazyLock::new(|| URL.parse().unwrap());

/// Panics unless these properties hold for a document.
pub fn check(input: &[u8]) {
    let document = String::from_utf8_lossy(input);
    let context = Context { site: &SITE };
    let rendering = to_html(&document, context);
    assert_eq!(rendering, to_html(&document, context));
    let mail = to_mail_html(&document, context);
    assert_eq!(rendering.is_ok(), mail.is_ok());
    if let Ok(mail) = mail {
        html::check_mail(&mail.html);
    }

    let stored = urls::lexical_to_stored(&document, &SITE);
    assert_eq!(urls::lexical_to_stored(&stored, &SITE), stored);
    if serde_json::from_str::<Value>(&document).is_ok() {
        assert!(serde_json::from_str::<Value>(&stored).is_ok(), "{stored}");
        let served = urls::lexical_to_served(&stored, &SITE);
        assert!(serde_json::from_str::<Value>(&served).is_ok(), "{served}");
    }

    if let Ok(accepted_text) = accepted(&document) {
        assert_eq!(accepted(&accepted_text).as_ref(), Ok(&accepted_text));
        assert_eq!(
            to_html(&accepted_text, context),
            rendering,
            "{accepted_text}"
        );
    }
    match rendering {
        Ok(rendering) => {
            assert!(rendering.html.len() <= document.len() * GROWTH_MAX);
            for loss in &rendering.losses {
                assert!(
                    loss.position.starts_with("root.children["),
                    "{}",
                    loss.position
                );
            }
            html::check_conversions(&rendering.html);
        }
        Err(DocumentError::NotJson(why)) => assert!(!why.is_empty()),
        Err(_) => {}
    }
}
