//! Generators without a profile, which are only recognised: their projects are read as plain Markdown, with a warning.

use std::path::Path;

use super::{
    profile::Sign,
    settings::literals::{SCRIPTS, settings_file, text_of},
};
use crate::content_text::Diagnostic;

/// A generator whose projects are recognised but not otherwise supported.
#[derive(Clone, Copy, Debug)]
pub struct NamedGenerator {
    /// Its display name.
    pub title: &'static str,
    /// Signs of its projects: any one is sufficient.
    pub signs: &'static [Sign],
}

/// The generators without a profile, and the signs of their projects.
const NAMED: &[(&str, &[Sign])] = &[
    (
        "Antora",
        &[Sign::Settings("antora-playbook"), Sign::Settings("antora")],
    ),
    (
        "Bridgetown",
        &[
            Sign::Settings("bridgetown.config"),
            Sign::Entry("config/initializers.rb"),
        ],
    ),
    ("Cobalt", &[Sign::Settings("_cobalt")]),
    ("Dendron", &[Sign::Settings("dendron")]),
    ("DocFX", &[Sign::Settings("docfx")]),
    (
        "Docsify",
        &[
            Sign::Mentions("index.html", "$docsify"),
            Sign::All(&[Sign::Entry(".nojekyll"), Sign::Entry("_sidebar.md")]),
        ],
    ),
    (
        "GitBook",
        &[
            Sign::Settings(".gitbook"),
            Sign::All(&[Sign::Settings("book"), Sign::Entry("SUMMARY.md")]),
        ],
    ),
    ("Gridsome", &[Sign::Script("gridsome.config")]),
    ("Hakyll", &[Sign::Entry("site.hs")]),
    ("Jigsaw", &[Sign::Entry("bootstrap.php")]),
    ("Lektor", &[Sign::Entry("content/contents.lr")]),
    ("Logseq", &[Sign::Entry("logseq/config.edn")]),
    ("Lume", &[Sign::Script("_config")]),
    (
        "Metalsmith",
        &[
            Sign::Settings("metalsmith"),
            Sign::Script("metalsmith"),
            Sign::Mentions("package.json", "\"metalsmith\""),
        ],
    ),
    (
        "Middleman",
        &[Sign::All(&[
            Sign::Entry("config.rb"),
            Sign::Entry("source"),
        ])],
    ),
    ("Mintlify", &[Sign::Settings("mint")]),
    ("MyST", &[Sign::Settings("myst")]),
    (
        "Nikola",
        &[Sign::All(&[Sign::Entry("conf.py"), Sign::Entry("posts")])],
    ),
    ("Quarto", &[Sign::Settings("_quarto")]),
    ("Retype", &[Sign::Settings("retype")]),
    ("Rspress", &[Sign::Script("rspress.config")]),
    (
        "Sphinx",
        &[Sign::Entry("conf.py"), Sign::Entry("source/conf.py")],
    ),
    ("SvelteKit", &[Sign::Script("svelte.config")]),
];

/// Generators without a profile whose projects also have the signs of a generator with a profile.
const WITH_SIGNS_OF_OTHERS: &[(&str, &[Sign])] = &[(
    "Jupyter Book",
    &[Sign::All(&[
        Sign::Settings("_toc"),
        Sign::Settings("_config"),
    ])],
)];

impl NamedGenerator {
    /// Returns the generators whose projects also have the signs of a generator with a profile.
    pub fn with_signs_of_others() -> impl Iterator<Item = Self> {
        WITH_SIGNS_OF_OTHERS
            .iter()
            .map(|&(title, signs)| Self { title, signs })
    }

    /// Returns all generators without a profile, in the order of detection.
    pub fn all() -> impl Iterator<Item = Self> {
        let all = WITH_SIGNS_OF_OTHERS.iter().chain(NAMED);
        all.map(|&(title, signs)| Self { title, signs })
    }

    /// Returns the warning that the documents of the generator's project `root` are read as `as_what`. The warning is about
    /// the file by which the project was recognised, and `prefix` is put before the path of that file.
    pub fn warning(&self, root: &Path, prefix: &str, as_what: &str) -> Diagnostic {
        let title = self.title;
        let file = self.signs.iter().find_map(|sign| file_of(sign, root));
        let file = format!("{prefix}{}", file.unwrap_or_default());
        let message = format!(
            "this is a project of {title}, which has no profile: its documents are read as {as_what}, and syntax that is not Markdown stays in their text"
        );
        let advice = "set `posts`, `pages` and `ignore` below `[content_files]` in galley.toml or site.toml, and `generator` if another profile fits or to silence this warning";
        Diagnostic::about_file(file, message, advice).into_warning()
    }
}

/// Returns the path of the file in the project `root` that matches a sign.
fn file_of(sign: &Sign, root: &Path) -> Option<String> {
    match sign {
        Sign::Entry(name) | Sign::Habit(name) => {
            root.join(name).exists().then(|| (*name).to_owned())
        }
        Sign::Mentions(name, text) => text_of(root, name)
            .contains(text)
            .then(|| (*name).to_owned()),
        Sign::LinkedNotes => None,
        Sign::Script(stem) => {
            let mut files = SCRIPTS
                .iter()
                .map(|extension| format!("{stem}.{extension}"));
            files.find(|file| root.join(file).is_file())
        }
        Sign::Settings(stem) | Sign::SettingsWith(stem, _) => {
            settings_file(root, stem).map(|(path, _)| path)
        }
        // The file is only shown in the warning, so one of the signs is enough.
        Sign::All(signs) => signs.iter().find_map(|sign| file_of(sign, root)),
    }
}
