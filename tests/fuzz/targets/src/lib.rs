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
pub type Hold = fn(&[u8]);

/// Every kind of input: its name, which is also the name of its corpus, and the function that checks its properties.
/// `tests/fuzz/bad_input` and the documentation contain the same list.
pub const TARGETS: [(&str, Hold); 28] = [
    ("admin_app", admin_app::hold),
    ("backup", backup::hold),
    ("bucket_list", bucket_list::hold),
    ("certificate", certificate::hold),
    ("content_file", content_file::hold),
    ("credential", credential::hold),
    ("framing", framing::hold),
    ("front_matter", front_matter::hold),
    ("ghost_export", ghost_export::hold),
    ("html", html::hold),
    ("image", image::hold),
    ("incremental_backup", incremental_backup::hold),
    ("jwt", jwt::hold),
    ("lexical", lexical::hold),
    ("liquid", template::hold_liquid),
    ("markdown", markdown::hold),
    ("mdx", template::hold_mdx),
    ("member_list", member_list::hold),
    ("mobiledoc", mobiledoc::hold),
    ("multipart", multipart::hold),
    ("nql", nql::hold),
    ("push_webhook", push_webhook::hold),
    ("request_line", request_line::hold),
    ("shortcode", template::hold_others),
    ("site_file", site_file::hold),
    ("theme", theme::hold),
    ("theme_template", theme_template::hold),
    ("zip_archive", zip_archive::hold),
];
