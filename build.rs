//! Writes the transliteration table that `render::slug` reads, exports the build target, and sets linker options.
//!
//! The crate with the transliterations stores them as 65,536 string references, which would add almost three megabytes to the
//! program. The table written here contains each text once, preceded by its length, and an index from characters to the byte
//! offsets of their texts.

use std::{collections::HashMap, env, error::Error, fs, path::Path, process::Command};

/// Number of characters in the table: those of the first plane of Unicode.
const CHARACTERS: u32 = 0x1_0000;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    // Shown by `galley version`. Its name lacks the prefix of options, because Cargo also sets it for `cargo run` and
    // `cargo test`, where it would be taken for an option.
    println!("cargo::rustc-env=BUILD_TARGET={}", env::var("TARGET")?);
    if compressed_relocations_can_be_loaded() {
        // Compresses the relocations, which makes the program a megabyte smaller.
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
    if env::var_os("CARGO_FEATURE_JEMALLOC").is_some() {
        configure_allocator();
    }
    write_transliterations()
}

/// Links the options of jemalloc into the program.
fn configure_allocator() {
    const OPTIONS: &str = "src/allocator.c";
    println!("cargo::rerun-if-changed={OPTIONS}");
    // Linked as an object: from a library, the linker only takes symbols that are still undefined, and jemalloc already defines
    // this one, without options.
    for object in cc::Build::new().file(OPTIONS).compile_intermediates() {
        println!("cargo::rustc-link-arg-bins={}", object.display());
    }
}

/// Returns whether the program is built for this machine and its C library, glibc 2.36 or later, can load compressed
/// relocations.
fn compressed_relocations_can_be_loaded() -> bool {
    let is = |variable: &str, value: &str| env::var(variable).is_ok_and(|own| own == value);
    let is_native = env::var("HOST").ok() == env::var("TARGET").ok();
    if !is_native || !is("CARGO_CFG_TARGET_OS", "linux") || !is("CARGO_CFG_TARGET_ENV", "gnu") {
        return false;
    }
    let reported = Command::new("getconf").arg("GNU_LIBC_VERSION").output();
    let reported = reported.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let version = reported.ok().and_then(|reported| {
        let (major, minor) = reported.trim().strip_prefix("glibc ")?.split_once('.')?;
        Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?))
    });
    version.is_some_and(|version| version >= (2, 36))
}

fn write_transliterations() -> Result<(), Box<dyn Error>> {
    let mut offsets = Vec::new();
    let mut texts = Vec::new();
    let mut known = HashMap::new();
    for code in 0..CHARACTERS {
        let text = char::from_u32(code).map_or("", unidecode::unidecode_char);
        let offset = match known.get(text) {
            Some(offset) => *offset,
            None => {
                let offset = u32::try_from(texts.len())?;
                texts.push(u8::try_from(text.len())?);
                texts.extend_from_slice(text.as_bytes());
                known.insert(text, offset);
                offset
            }
        };
        offsets.extend_from_slice(&offset.to_le_bytes());
    }
    let folder = env::var("OUT_DIR")?;
    fs::write(
        Path::new(&folder).join("transliterations"),
        [offsets, texts].concat(),
    )?;
    Ok(())
}
