//! The settings of MkDocs, from its reference "Configuration", and of the extensions of Python-Markdown and PyMdown, the
//! plugins of Material, and other common plugins.

use crate::generators::settings::reference::{SettingRow, no_effect, read, reported};

const MARKS: &str = "its marks are shown as text";
const GENERATED: &str = "documents and text that it generates are missing";

/// The settings that date documents, make URLs, choose languages or files, or change Markdown.
pub(super) const ROWS: &[SettingRow] = &[
    read("docs_dir"),
    read("draft_docs"),
    read("exclude_docs"),
    read("markdown_extensions.abbr"),
    read("markdown_extensions.admonition"),
    read("markdown_extensions.attr_list"),
    read("markdown_extensions.def_list"),
    read("markdown_extensions.extra"),
    read("markdown_extensions.fenced_code"),
    read("markdown_extensions.footnotes"),
    read("markdown_extensions.md_in_html"),
    read("markdown_extensions.mdx_truly_sane_lists"),
    read("markdown_extensions.meta"),
    read("markdown_extensions.nl2br"),
    read("markdown_extensions.pymdownx.arithmatex"),
    read("markdown_extensions.pymdownx.blocks.*"),
    read("markdown_extensions.pymdownx.details"),
    read("markdown_extensions.pymdownx.emoji"),
    read("markdown_extensions.pymdownx.extra"),
    read("markdown_extensions.pymdownx.highlight"),
    read("markdown_extensions.pymdownx.keys"),
    read("markdown_extensions.pymdownx.magiclink"),
    read("markdown_extensions.pymdownx.mark"),
    read("markdown_extensions.pymdownx.saneheaders"),
    read("markdown_extensions.pymdownx.smartsymbols"),
    read("markdown_extensions.pymdownx.snippets"),
    read("markdown_extensions.pymdownx.superfences"),
    read("markdown_extensions.pymdownx.tabbed"),
    read("markdown_extensions.pymdownx.tasklist"),
    read("markdown_extensions.sane_lists"),
    read("markdown_extensions.smarty"),
    read("markdown_extensions.tables"),
    read("markdown_extensions.toc.slugify"),
    read("nav"),
    read("plugins.blog"),
    read("plugins.callouts"),
    read("plugins.ezlinks"),
    read("plugins.i18n"),
    read("plugins.material/blog"),
    read("plugins.obsidian-bridge"),
    read("plugins.obsidian-support"),
    read("plugins.redirects"),
    read("plugins.roamlinks"),
    read("site_name"),
    read("site_url"),
    read("use_directory_urls"),
    reported("hooks", "", "scripts are not run"),
    reported("markdown_extensions.pymdownx.caret", "", MARKS),
    reported("markdown_extensions.pymdownx.critic", "", MARKS),
    reported("markdown_extensions.pymdownx.progressbar", "", MARKS),
    reported(
        "markdown_extensions.pymdownx.tilde",
        "",
        "text between single tildes is shown as written",
    ),
    reported(
        "markdown_extensions.smarty.smart_dashes",
        "true",
        ALL_TYPOGRAPHY,
    ),
    reported(
        "markdown_extensions.smarty.smart_ellipses",
        "true",
        ALL_TYPOGRAPHY,
    ),
    reported(
        "markdown_extensions.smarty.smart_quotes",
        "true",
        ALL_TYPOGRAPHY,
    ),
    reported(
        "markdown_extensions.smarty.substitutions",
        "",
        ALL_TYPOGRAPHY,
    ),
    reported(
        "markdown_extensions.toc.baselevel",
        "1",
        "heading levels are as written",
    ),
    reported("markdown_extensions.wikilinks", "", MARKS),
    reported("plugins.exclude", "", "the excluded files are still read"),
    reported("plugins.gen-files", "", GENERATED),
    reported("plugins.include-markdown", "", GENERATED),
    reported("plugins.macros", "", GENERATED),
    reported("plugins.mkdocs-jupyter", "", GENERATED),
    reported("plugins.mkdocstrings", "", GENERATED),
    reported("plugins.monorepo", "", GENERATED),
    reported("plugins.table-reader", "", GENERATED),
    no_effect("extra"),
    no_effect("markdown_extensions.codehilite"),
    no_effect("markdown_extensions.legacy_attrs"),
    no_effect("markdown_extensions.legacy_em"),
    no_effect("markdown_extensions.pymdownx.betterem"),
    no_effect("markdown_extensions.pymdownx.inlinehilite"),
    no_effect("markdown_extensions.toc"),
    no_effect("not_in_nav"),
    no_effect("plugins"),
    no_effect("theme"),
    no_effect("validation"),
];

/// The behaviour if only some parts of `smarty` are enabled.
const ALL_TYPOGRAPHY: &str =
    "quotes, dashes and ellipses are all replaced by the default characters";

/// The behaviour for an extension that is not in the table.
pub(super) const UNKNOWN_EXTENSION: &str =
    "the extension is not known, and its syntax stays in the text";
