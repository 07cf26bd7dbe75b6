//! The properties that must hold for every input, however invalid. Each kind of input has a module with a function that
//! panics if a property is violated.
//!
//! libFuzzer calls these functions with generated inputs (`tests/fuzz/bad_input`). Galley's own tests call them with
//! the corpus (`tests/fuzz/corpus`) and small mutations of it (`tests/it/bad_input.rs`). This crate therefore depends
//! neither on libFuzzer nor on the tests.

mod admin_app;
mod archives;
mod backup;
mod bucket_list;
mod certificate;
mod content_file;
mod credential;
mod framing;
mod front_matter;
mod ghost_export;
mod html;
mod http1;
mod image;
mod incremental_backup;
mod jwt;
mod lexical;
mod markdown;
mod member_list;
mod mobiledoc;
mod multipart;
mod nql;
mod push_webhook;
mod request_line;
mod site_file;
mod small_site;
mod tags;
mod template;
mod theme;
mod theme_template;
mod zip_archive;

/// A function that panics unless all properties of its kind hold for an input.
pub type PropertyCheck = fn(&[u8]);

/// Every kind of input: its name, which is also the name of its corpus, and the function that checks its properties.
/// `tests/fuzz/bad_input` and the documentation contain the same list.
pub const TARGETS: [(&str, PropertyCheck); 28] = [
    ("admin_app", admin_app::check),
    ("backup", backup::check),
    ("bucket_list", bucket_list::check),
    ("certificate", certificate::check),
    ("content_file", content_file::check),
    ("credential", credential::check),
    ("framing", framing::check),
    ("front_matter", front_matter::check),
    ("ghost_export", ghost_export::check),
    ("html", html::check),
    ("image", image::check),
    ("incremental_backup", incremental_backup::check),
    ("jwt", jwt::check),
    ("lexical", lexical::check),
    ("liquid", template::check_liquid),
    ("markdown", markdown::check),
    ("mdx", template::check_mdx),
    ("member_list", member_list::check),
    ("mobiledoc", mobiledoc::check),
    ("multipart", multipart::check),
    ("nql", nql::check),
    ("push_webhook", push_webhook::check),
    ("request_line", request_line::check),
    ("shortcode", template::check_others),
    ("site_file", site_file::check),
    ("theme", theme::check),
    ("theme_template", theme_template::check),
    ("zip_archive", zip_archive::check),
];
