//! The properties that hold for every input, however invalid: one module for each kind, with a function that panics if a
//! property is violated.
//!
//! libFuzzer calls these functions with generated inputs (`tests/fuzz/bad_input`). Galley's own tests call them with the
//! corpus (`tests/fuzz/corpus`) and small mutations of it (`tests/it/bad_input.rs`). So this crate depends on neither.

pub mod ghost_export;
pub mod html;
pub mod jwt;
pub mod lexical;
pub mod markdown;
pub mod mobiledoc;
pub mod multipart;
pub mod nql;
pub mod request_line;
mod small_site;
mod tags;
pub mod theme;

/// Panics unless all that is promised of an input holds.
pub type Hold = fn(&[u8]);

/// Every kind of input: its name, which its folder of the corpus has too, and what holds of it.
pub const TARGETS: [(&str, Hold); 10] = [
    ("ghost_export", ghost_export::hold),
    ("html", html::hold),
    ("jwt", jwt::hold),
    ("lexical", lexical::hold),
    ("markdown", markdown::hold),
    ("mobiledoc", mobiledoc::hold),
    ("multipart", multipart::hold),
    ("nql", nql::hold),
    ("request_line", request_line::hold),
    ("theme", theme::hold),
];
