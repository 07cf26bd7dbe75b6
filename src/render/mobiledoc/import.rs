//! Normalisation of imported Mobiledocs.

use serde_json::Value;

use super::parse;
use crate::render::lexical::DocumentError;

/// A document with one empty paragraph.
const BLANK: &str = r#"{"version":"0.3.1","ghostVersion":"4.0","markups":[],"atoms":[],"cards":[],"sections":[[1,"p",[[0,[],0,""]]]]}"#;

/// Returns the Mobiledoc of an export file with the card names used since Ghost 2: `card-markdown`
/// becomes `markdown`, and the property `imageStyle` of an image becomes `cardWidth`.
///
/// A document without a list of cards is replaced by a blank one, even if it has content (Ghost
/// 6.65, recorded). Ghost never wrote such a document.
///
/// # Errors
///
/// If it is not a Mobiledoc.
pub fn clean_for_import(mobiledoc: &str) -> Result<String, DocumentError> {
    let mut document = parse(mobiledoc)?;
    let Some(Value::Array(cards)) = document.get_mut("cards") else {
        return Ok(BLANK.to_owned());
    };
    for card in cards {
        clean_card(card);
    }
    Ok(Value::Object(document).to_string())
}

fn clean_card(card: &mut Value) {
    let Some([name, payload @ ..]) = card.as_array_mut().map(Vec::as_mut_slice) else {
        return;
    };
    match name.as_str() {
        Some("card-markdown") => *name = Value::from("markdown"),
        Some("image") => {
            if let Some(Value::Object(payload)) = payload.first_mut()
                // `shift_remove` preserves the order of the other properties.
                && let Some(width) = payload.shift_remove("imageStyle")
            {
                payload.insert("cardWidth".to_owned(), width);
            }
        }
        _ => {}
    }
}
