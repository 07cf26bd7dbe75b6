//! Writes the table of transliterations that `render::slug` reads.
//!
//! The crate that has the table keeps it as 65,536 references to texts, which would make the program almost three megabytes
//! larger than the texts are. Here each text stands once, behind its length, and each character has the place of its own.

use std::{collections::HashMap, env, error::Error, fs, path::Path};

/// How many characters the table knows: those of the first plane of Unicode.
const CHARACTERS: u32 = 0x1_0000;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let mut places = Vec::new();
    let mut texts = Vec::new();
    let mut known = HashMap::new();
    for code in 0..CHARACTERS {
        let text = char::from_u32(code).map_or("", unidecode::unidecode_char);
        let place = match known.get(text) {
            Some(place) => *place,
            None => {
                let place = u32::try_from(texts.len())?;
                texts.push(u8::try_from(text.len())?);
                texts.extend_from_slice(text.as_bytes());
                known.insert(text, place);
                place
            }
        };
        places.extend_from_slice(&place.to_le_bytes());
    }
    let folder = env::var("OUT_DIR")?;
    fs::write(
        Path::new(&folder).join("transliterations"),
        [places, texts].concat(),
    )?;
    Ok(())
}
