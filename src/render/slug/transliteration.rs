//! The ASCII form of characters by the table of Text::Unidecode, which Ghost uses for slugs.
//!
//! `build.rs` generates the table. It contains the offset of each character's text in four bytes,
//! followed by the texts, each of which is preceded by its length.

const TABLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/transliterations"));

/// The byte offset of the texts in the table.
const TEXTS: usize = 4 * 0x1_0000;

/// Returns the text for `character`, which may be empty. It is `[?]` if the table contains the
/// character's page but not the character.
pub fn transliteration(character: char) -> &'static str {
    find(character).unwrap_or_default()
}

fn find(character: char) -> Option<&'static str> {
    let (offsets, texts) = TABLE.split_at_checked(TEXTS)?;
    let offset = offsets.get(4 * character as usize..)?.first_chunk()?;
    let (length, text) = texts
        .get(u32::from_le_bytes(*offset) as usize..)?
        .split_first()?;
    str::from_utf8(text.get(..usize::from(*length))?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_has_the_text_of_the_table() {
        for character in '\0'..='\u{ffff}' {
            let text = transliteration(character);
            assert_eq!(text, unidecode::unidecode_char(character), "{character:?}");
        }
        assert_eq!(transliteration('æ'), "ae");
        assert_eq!(transliteration('北'), "Bei ");
    }

    #[test]
    fn characters_beyond_the_table_have_no_text() {
        assert_eq!(transliteration('𝒳'), "");
    }
}
