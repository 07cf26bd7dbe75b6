//! Types with a fixed set of values, each a word.

use crate::{
    content_files::keys::{FieldType, Reader},
    content_text::{Span, document::Value},
};

/// Reads a word of a fixed set, ignoring case.
pub fn read_choice<C: FieldType + Copy>(
    value: &Value,
    name: &str,
    words: &[(&str, C)],
    reader: &mut Reader<'_>,
) -> Option<C> {
    let Some(text) = reader.text(value) else {
        reader.wrong_type::<C>(value, name);
        return None;
    };
    choice_of(&text, value.span, name, words.iter().copied(), reader)
}

/// Returns the value of the word `text` among `words`, ignoring case. Reports any other word.
pub(super) fn choice_of<'w, C>(
    text: &str,
    span: Span,
    name: &str,
    words: impl Iterator<Item = (&'w str, C)> + Clone,
    reader: &mut Reader<'_>,
) -> Option<C> {
    let text = text.trim();
    let mut candidates = words.clone();
    let choice = candidates.find(|(word, _)| word.eq_ignore_ascii_case(text));
    if choice.is_none() && !text.is_empty() {
        let known: Vec<&str> = words.map(|(word, _)| word).collect();
        let advice = format!("write one of: {}", known.join(", "));
        if reader.is_lenient() {
            let message = format!("the value of `{name}` is unknown and ignored");
            reader.warning_with_detail(span, message, format!("`{text}`"), advice);
        } else {
            reader.error(span, format!("`{name}` may not be `{text}`"), advice);
        }
    }
    choice.map(|(_, choice)| choice)
}

/// Declares enums of words: `/// Meaning.  Name { Variant = "word", … }`.
macro_rules! choices {
    ($(
        $(#[doc = $doc:literal])+
        $enum:ident { $first:ident = $first_word:literal $(, $variant:ident = $word:literal)* $(,)? }
    )+) => {$(
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
        pub enum $enum {
            #[doc = concat!("`", $first_word, "`")]
            #[serde(rename = $first_word)]
            $first,
            $(
                #[doc = concat!("`", $word, "`")]
                #[serde(rename = $word)]
                $variant,
            )*
        }

        impl $crate::content_files::keys::FieldType for $enum {
            type Value = $enum;
            const WANTED: &'static str = "a word";
            const EXAMPLE: &'static str = concat!("\"", $first_word, "\"");

            fn read(
                value: &$crate::content_text::document::Value,
                name: &str,
                reader: &mut $crate::content_files::keys::Reader<'_>,
            ) -> Option<$enum> {
                let words = [($first_word, $enum::$first) $(, ($word, $enum::$variant))*];
                $crate::content_files::keys::read_choice(value, name, &words, reader)
            }

            fn schema() -> serde_json::Value {
                serde_json::json!({ "enum": [$first_word $(, $word)*] })
            }
        }
    )+};
}
pub(crate) use choices;
