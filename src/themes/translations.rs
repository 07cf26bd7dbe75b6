//! Translation files: JSON objects with strings (Ghost 6.65).

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor},
};

/// Returns whether a path in a theme is that of a translation file.
pub(super) fn is_translation(path: &str) -> bool {
    path.starts_with("locales/") && path.ends_with(".json")
}

/// Returns whether a path is checked as a translation file. Like Ghost's check, this includes a folder `locales` anywhere in the
/// theme.
pub(super) fn is_checked(path: &str) -> bool {
    path.contains("locales/") && path.ends_with(".json")
}

/// Parses the texts of a file by their keys. Values that are not strings, at any depth, and files that are not objects are
/// ignored.
///
/// # Errors
///
/// If the file is not JSON.
pub fn parse(json: &str) -> Result<BTreeMap<String, String>, serde_json::Error> {
    let Texts(texts) = serde_json::from_str(json)?;
    Ok(texts)
}

struct Texts(BTreeMap<String, String>);

/// A string, or another value, which is skipped without recursion.
struct Text(Option<String>);

struct TextsVisitor;

struct TextVisitor;

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextsVisitor)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

/// The visitor methods for the types of values that are skipped.
macro_rules! skip {
    ($value:ty, $skipped:expr) => {
        fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
            formatter.write_str("JSON")
        }

        fn visit_bool<E: Error>(self, _: bool) -> Result<$value, E> {
            Ok($skipped)
        }

        fn visit_i64<E: Error>(self, _: i64) -> Result<$value, E> {
            Ok($skipped)
        }

        fn visit_u64<E: Error>(self, _: u64) -> Result<$value, E> {
            Ok($skipped)
        }

        fn visit_f64<E: Error>(self, _: f64) -> Result<$value, E> {
            Ok($skipped)
        }

        fn visit_unit<E: Error>(self) -> Result<$value, E> {
            Ok($skipped)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<$value, A::Error> {
            // The list must be read to its end: serde reports trailing items as an error otherwise.
            while items.next_element::<IgnoredAny>()?.is_some() {}
            Ok($skipped)
        }
    };
}

impl<'de> Visitor<'de> for TextsVisitor {
    type Value = Texts;

    skip!(Texts, Texts(BTreeMap::new()));

    fn visit_str<E: Error>(self, _: &str) -> Result<Texts, E> {
        Ok(Texts(BTreeMap::new()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Texts, A::Error> {
        let mut texts = BTreeMap::new();
        while let Some((key, Text(text))) = entries.next_entry::<String, Text>()? {
            match text {
                Some(text) => texts.insert(key, text),
                // The last value of a key applies, even if it is not a string.
                None => texts.remove(&key),
            };
        }
        Ok(Texts(texts))
    }
}

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text;

    skip!(Text, Text(None));

    fn visit_str<E: Error>(self, text: &str) -> Result<Text, E> {
        Ok(Text(Some(text.to_owned())))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Text, A::Error> {
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Text(None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_among_other_values_of_any_depth() {
        let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
        let nested = format!("{}1{}", "{\"a\":".repeat(10_000), "}".repeat(10_000));
        let json =
            format!("{{\"deep\": {deep}, \"nested\": {nested}, \"n\": 1, \"More\": \"Mehr\"}}");
        let texts = parse(&json).unwrap();
        assert_eq!(
            texts,
            BTreeMap::from([("More".to_owned(), "Mehr".to_owned())])
        );
    }

    #[test]
    fn file_that_is_not_an_object_has_no_texts() {
        for json in ["[]", "1", "\"a\"", "null"] {
            assert!(parse(json).unwrap().is_empty(), "{json}");
        }
        for broken in ["", "{", "{\"a\": [1}", "{\"a\": {\"b\": }}", "a"] {
            assert!(parse(broken).is_err(), "{broken}");
        }
    }
}
