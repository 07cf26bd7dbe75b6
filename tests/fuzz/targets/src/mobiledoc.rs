//! Properties of documents of Ghost 1 to 4: each is converted to a Lexical document or rejected
//! with a reason.

use std::sync::LazyLock;

use galley::render::{
    lexical::{Context, DocumentError, to_html},
    mobiledoc::{clean_for_import, to_lexical},
};
use serde_json::Value;
use url::Url;

use super::small_site::URL;

/// The number of brackets above which a document may be nested too deeply to be converted.
const DEEP: usize = 100;

static SITE: LazyLock<Url> = LazyLock::new(|| URL.parse().unwrap());

/// Panics unless these properties hold for a document.
pub fn check(input: &[u8]) {
    let document = String::from_utf8_lossy(input);
    let cleaned = clean_for_import(&document);
    if let Ok(cleaned) = &cleaned {
        assert_eq!(clean_for_import(cleaned).as_ref(), Ok(cleaned));
        check_conversion(cleaned);
    }
    let is_document = check_conversion(&document);
    assert!(cleaned.is_ok() || !is_document, "{cleaned:?}");
}

/// Panics unless the conversion results in a valid document. Returns whether the document can be
/// converted.
fn check_conversion(document: &str) -> bool {
    let converted = to_lexical(document);
    assert_eq!(converted, to_lexical(document));
    let Ok(lexical) = converted else { return false };
    let opening = |character: char| matches!(character, '[' | '{');
    match to_html(&lexical, Context { site: &SITE }) {
        Ok(_) | Err(DocumentError::Empty) => {
            assert!(serde_json::from_str::<Value>(&lexical).is_ok(), "{lexical}");
        }
        Err(DocumentError::NotJson(_)) if document.matches(opening).count() > DEEP => {}
        Err(error) => panic!("{error}: {lexical}"),
    }
    true
}
