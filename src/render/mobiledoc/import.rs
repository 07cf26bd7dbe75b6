//! What an importer does to a Mobiledoc before anything else.

use serde_json::Value;

use super::parse;
use crate::render::lexical::DocumentError;

/// A document of one empty paragraph.
const BLANK: &str = r#"{"version":"0.3.1","ghostVersion":"4.0","markups":[],"atoms":[],"cards":[],"sections":[[1,"p",[[0,[],0,""]]]]}"#;

/// The Mobiledoc of an export file with cards under the names that they have had since Ghost 2:
/// `card-markdown` is `markdown`, and the width of a picture is `cardWidth`, no longer `imageStyle`.
///
/// A document without a list of cards becomes a blank one, whatever it says (Ghost 6.65, recorded);
/// Ghost never wrote such a document.
///
/// # Errors
///
/// When it is no Mobiledoc.
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
                && let Some(width) = payload.shift_remove("imageStyle")
            {
                payload.insert("cardWidth".to_owned(), width);
            }
        }
        _ => {}
    }
}
