//! The ASCII form of one character by the table of Text::Unidecode, on which Ghost's slugs rest.
//!
//! `build.rs` makes the table when the program is built: the place of each character's text, four bytes each, and then
//! the texts, each behind its length.

const TABLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/transliterations"));

/// Where the texts begin.
const TEXTS: usize = 4 * 0x1_0000;

/// The text for `character`, which may be empty; `[?]` where the table has a page and no entry.
pub fn transliteration(character: char) -> &'static str {
    find(character).unwrap_or_default()
}

fn find(character: char) -> Option<&'static str> {
    let (places, texts) = TABLE.split_at_checked(TEXTS)?;
    let place = places.get(4 * character as usize..)?.first_chunk()?;
    let (length, text) = texts
        .get(u32::from_le_bytes(*place) as usize..)?
        .split_first()?;
    str::from_utf8(text.get(..usize::from(*length))?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_has_the_text_that_it_has_in_the_table() {
        for character in '\0'..='\u{ffff}' {
            let text = transliteration(character);
            assert_eq!(text, unidecode::unidecode_char(character), "{character:?}");
        }
        assert_eq!(transliteration('æ'), "ae");
        assert_eq!(transliteration('北'), "Bei ");
    }

    #[test]
    fn characters_beyond_the_table_have_none() {
        assert_eq!(transliteration('𝒳'), "");
    }
}
