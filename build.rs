//! Writes the table of transliterations that `render::slug` reads, says what the program is built for, and keeps it small.
//!
//! The crate that has the table keeps it as 65,536 references to texts, which would make the program almost three megabytes
//! larger than the texts are. Here each text stands once, behind its length, and each character has the place of its own.

use std::{collections::HashMap, env, error::Error, fs, path::Path, process::Command};

/// How many characters the table knows: those of the first plane of Unicode.
const CHARACTERS: u32 = 0x1_0000;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    // What `galley version` shows. Cargo passes it to `cargo run` and `cargo test` too, so it does not have the prefix of options.
    println!("cargo::rustc-env=BUILD_TARGET={}", env::var("TARGET")?);
    if compressed_relocations_can_be_loaded() {
        // A megabyte less of places at which addresses are put in when the program is loaded.
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
    // As an object and not a library: a linker takes nothing from a library that it does not miss, and jemalloc brings empty
    // options of its own.
    for object in cc::Build::new().file(OPTIONS).compile_intermediates() {
        println!("cargo::rustc-link-arg-bins={}", object.display());
    }
}

/// Whether programs that are built here for here are loaded by a C library that unpacks them: glibc 2.36 or later.
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
