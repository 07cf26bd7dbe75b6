//! The table of generators.

use crate::render::markdown::{Dialect, HeadingRule, Typography};

use crate::generators::{
    profile::{
        HtmlTexts, NameTitle, PageTemplates, PathRule, Profile, Role, Rule, Sign, TextKind,
        UploadLinks,
    },
    reading_rules::ReadingRules,
    syntax::Family,
};

const POST: Role = Role::Text(TextKind::Post);
const PAGE: Role = Role::Text(TextKind::Page);
const BY_DATE: Role = Role::Text(TextKind::ByDate);
const TERMS: Role =
    Role::LeftOut("it describes what posts name; their names come in with the posts");

/// Extensions of Eleventy's templates, but for Markdown.
pub const ELEVENTY_TEMPLATES: &[&str] = &[
    "11ty.cjs", "11ty.js", "11ty.mjs", "11ty.ts", "ejs", "haml", "hbs", "htm", "html", "liquid",
    "mustache", "njk", "pug", "webc",
];
/// Extensions of components of React.
const COMPONENTS: &[&str] = &["js", "jsx", "ts", "tsx"];

const fn rule(pattern: &'static str, role: Role) -> Rule {
    Rule { pattern, role }
}

/// Galley itself. The roles of its files are in [`layout`](crate::content_files::layout).
pub static GALLEY: Profile = Profile {
    name: "galley",
    title: "Galley",
    signs: &[
        Sign::Entry("site.toml"),
        Sign::Entry("site.yaml"),
        Sign::Entry("site.yml"),
    ],
    roots: &[""],
    language_folders: &[],
    rules: &[],
    html: HtmlTexts::Everywhere,
    page_templates: PageTemplates::NONE,
    tops: &[""],
    upload_folders: &[""],
    upload_links: UploadLinks::Relative,
    has_bundles: false,
    has_readme_pages: false,
    dialect: Dialect::GALLEY,
    reading: ReadingRules::GALLEY,
    usual_names: &[],
    family: Family::None,
    title_of_name: NameTitle::Sentence,
    paths: PathRule::None,
    author_files: &[],
};

/// A folder of Markdown without a known generator.
pub static PLAIN: Profile = Profile {
    name: "plain",
    title: "plain Markdown",
    signs: &[],
    roots: &[""],
    language_folders: &[],
    rules: &[
        rule(
            "**/*.{htm,html}",
            Role::LeftOut("it is HTML, which is read only where `[content_files]` says so"),
        ),
        rule("**/_index*", Role::Section),
        rule("{page,pages,_pages}/**", PAGE),
        rule("**", POST),
    ],
    html: HtmlTexts::Nowhere,
    page_templates: PageTemplates::NONE,
    tops: &["", "static", "public"],
    upload_folders: &[""],
    upload_links: UploadLinks::Relative,
    has_bundles: false,
    has_readme_pages: false,
    dialect: Dialect::GALLEY,
    reading: ReadingRules::GALLEY,
    usual_names: &[],
    family: Family::None,
    title_of_name: NameTitle::Sentence,
    paths: PathRule::None,
    author_files: &[],
};

/// Generators, in the order of detection.
pub static PROFILES: &[&Profile] = &[
    &GALLEY,
    &DOCUSAURUS,
    &ASTRO,
    &ELEVENTY,
    &ZOLA,
    &HUGO,
    &NEXT,
    &HEXO,
    &JEKYLL,
    &MDBOOK,
    &NANOC,
    &OBSIDIAN,
    &PLAIN,
];

static HUGO: Profile = Profile {
    name: "hugo",
    title: "Hugo",
    signs: &[
        Sign::Settings("hugo"),
        Sign::Entry("config/_default/hugo.toml"),
        Sign::All(&[Sign::Settings("config"), Sign::Entry("content")]),
        Sign::All(&[Sign::Entry("config/_default"), Sign::Entry("content")]),
        Sign::All(&[Sign::Entry("archetypes"), Sign::Entry("content")]),
    ],
    roots: &["content"],
    language_folders: &[],
    rules: &[
        rule("**/_index*", Role::Section),
        rule("index*", Role::Section),
        rule("*", PAGE),
        rule("*/index*", PAGE),
        rule(
            "{_drafts,_posts,article,articles,blog,blogs,drafts,news,post,posts}/**",
            POST,
        ),
        rule("{page,pages,_pages}/**", PAGE),
        rule("**", BY_DATE),
    ],
    html: HtmlTexts::Everywhere,
    page_templates: PageTemplates::NONE,
    tops: &["static", "content", "assets", ""],
    upload_folders: &["static"],
    upload_links: UploadLinks::Site(""),
    has_bundles: true,
    has_readme_pages: false,
    dialect: Dialect::HUGO,
    reading: ReadingRules::HUGO,
    usual_names: &[("published_at", "date"), ("updated_at", "lastmod")],
    family: Family::Hugo,
    title_of_name: NameTitle::Sentence,
    paths: PathRule::Hugo,
    author_files: &[],
};

static ZOLA: Profile = Profile {
    name: "zola",
    title: "Zola",
    signs: &[
        Sign::SettingsWith("config", &["base_url"]),
        Sign::SettingsWith("zola", &["base_url"]),
    ],
    roots: &["content"],
    language_folders: &[],
    rules: &[
        rule("**/_index*", Role::Section),
        rule("index*", Role::Section),
        rule("{article,articles,blog,blogs,news,post,posts}/**", POST),
        rule("{page,pages,_pages}/**", PAGE),
        rule("**", BY_DATE),
    ],
    html: HtmlTexts::Nowhere,
    page_templates: PageTemplates::NONE,
    tops: &["static", "content", ""],
    upload_folders: &["static"],
    upload_links: UploadLinks::Site(""),
    has_bundles: false,
    has_readme_pages: false,
    dialect: Dialect::ZOLA,
    reading: ReadingRules::ZOLA,
    usual_names: &[("published_at", "date"), ("updated_at", "updated")],
    family: Family::Zola,
    title_of_name: NameTitle::Sentence,
    paths: PathRule::Zola,
    author_files: &[],
};

static JEKYLL: Profile = Profile {
    name: "jekyll",
    title: "Jekyll",
    signs: &[Sign::Settings("_config"), Sign::Habit("_posts")],
    roots: &[""],
    language_folders: &[],
    rules: &[
        rule("**/{_posts,_drafts}/**/_*", Role::Other),
        rule("**/{_posts,_drafts}/**/_*/**", Role::Other),
        rule("**/{_posts,_drafts}/**", POST),
        rule("{_posts,_drafts}/**", POST),
        rule("_pages/**", PAGE),
        rule(
            "_*/**",
            Role::LeftOut("it belongs to a collection that the site does not show"),
        ),
        rule("**/_*", Role::Other),
        rule("**/_*/**", Role::Other),
        rule("index*", Role::Section),
        rule("**", PAGE),
    ],
    html: HtmlTexts::Titled,
    page_templates: PageTemplates {
        extensions: &["html", "htm"],
        patterns: &["**"],
        have_front_matter: true,
    },
    tops: &[""],
    upload_folders: &["assets"],
    upload_links: UploadLinks::Site("/assets"),
    has_bundles: false,
    has_readme_pages: false,
    dialect: Dialect::KRAMDOWN,
    reading: ReadingRules::JEKYLL,
    usual_names: &[
        ("published_at", "date"),
        ("updated_at", "last_modified_at"),
        ("aliases", "redirect_from"),
    ],
    family: Family::Liquid,
    title_of_name: NameTitle::Capitals,
    paths: PathRule::Jekyll,
    author_files: &["_data/authors.yml", "_data/authors.yaml"],
};

static ELEVENTY: Profile = Profile {
    name: "eleventy",
    title: "Eleventy",
    signs: &[Sign::Script(".eleventy"), Sign::Script("eleventy.config")],
    roots: &["src/content", "content", "src", ""],
    language_folders: &[],
    rules: &[
        rule("index*", Role::Section),
        rule(
            "{_drafts,_posts,article,articles,blog,blogs,drafts,news,notes,post,posts}/index*",
            Role::Section,
        ),
        rule(
            "**/{_drafts,_posts,article,articles,blog,blogs,drafts,news,notes,post,posts}/**",
            POST,
        ),
        rule("*", PAGE),
        rule("*/index*", PAGE),
        rule("{page,pages,_pages}/**", PAGE),
        rule("**", BY_DATE),
    ],
    html: HtmlTexts::Nowhere,
    page_templates: PageTemplates {
        extensions: ELEVENTY_TEMPLATES,
        patterns: &["**"],
        have_front_matter: false,
    },
    tops: &["public", "src", "src/public", "static", "content", ""],
    upload_folders: &["public", "src/public", "static"],
    upload_links: UploadLinks::BelowSite(""),
    has_bundles: false,
    has_readme_pages: false,
    dialect: Dialect::MARKDOWN_IT,
    reading: ReadingRules::ELEVENTY,
    usual_names: &[("published_at", "date"), ("updated_at", "updated")],
    family: Family::Eleventy,
    title_of_name: NameTitle::Sentence,
    paths: PathRule::Eleventy,
    author_files: &["_data/authors.json", "src/_data/authors.json"],
};

static ASTRO: Profile = Profile {
    name: "astro",
    title: "Astro",
    signs: &[Sign::Script("astro.config"), Sign::Habit("src/content")],
    roots: &[""],
    language_folders: &["src/content/docs", "src/content/blog", "src/pages"],
    rules: &[
        rule("**/_*/**", Role::Other),
        rule("**/_*", Role::Other),
        // Pages of documents, whose names are not known.
        rule("**/[[]*", Role::Other),
        rule(
            "src/{content,data}/{authors,author,tags,categories,category}/**",
            TERMS,
        ),
        rule("src/{content,data}/{page,pages,docs}/**", PAGE),
        rule(
            "src/{content,data}/{article,articles,blog,blogs,drafts,news,notes,post,posts}/**",
            POST,
        ),
        rule("src/{content,data}/**", BY_DATE),
        rule("src/pages/index*", Role::Section),
        rule(
            "src/pages/{article,articles,blog,blogs,news,notes,post,posts}/index*",
            Role::Section,
        ),
        rule(
            "src/{,pages/}{article,articles,blog,blogs,drafts,news,notes,post,posts}/**",
            POST,
        ),
        rule("src/pages/**", PAGE),
    ],
    html: HtmlTexts::Nowhere,
    page_templates: PageTemplates {
        extensions: &["astro", "html"],
        patterns: &["src/pages/**"],
        have_front_matter: false,
    },
    tops: &["public", "src", "src/content", ""],
    upload_folders: &["public"],
    upload_links: UploadLinks::Site(""),
    has_bundles: false,
    has_readme_pages: false,
    dialect: Dialect::REMARK,
    reading: ReadingRules::LISTS,
    usual_names: &[("published_at", "pubDate"), ("updated_at", "updatedDate")],
    family: Family::Astro,
    title_of_name: NameTitle::Sentence,
    paths: PathRule::Astro,
    author_files: &[],
};

static NEXT: Profile = Profile {
    name: "next",
    title: "Next.js",
    signs: &[Sign::Script("next.config")],
    roots: &["src", ""],
    language_folders: &[
        "pages",
        "src/pages",
        "content",
        "src/content",
        "data",
        "docs",
    ],
    rules: &[
        rule("**/_*/**", Role::Other),
        rule("components/**", Role::Other),
        rule("pages/api/**", Role::Other),
        rule("pages/{_app,_document,_error}.*", Role::Other),
        // Pages of documents, whose names are not known.
        rule("pages/**/[[]*", Role::Other),
        rule("app/**/[[]*/page.*", Role::Other),
        rule(
            "{_posts,article,articles,blog,blog-posts,blogs,news,notes,post,posts}/**",
            POST,
        ),
        rule(
            "{_content,app,content,contents,data,pages}/**/{_posts,article,articles,blog,blog-posts,blogs,news,notes,post,posts}/**",
            POST,
        ),
        rule(
            "{_content,app,content,contents,data,docs,pages}/**",
            BY_DATE,
        ),
    ],
    html: HtmlTexts::Nowhere,
    page_templates: PageTemplates {
        extensions: COMPONENTS,
        patterns: &["app/**/page.*", "pages/**"],
        have_front_matter: false,
    },
    tops: &["public", "", "src"],
    upload_folders: &["public"],
    upload_links: UploadLinks::Site(""),
    has_bundles: false,
    has_readme_pages: false,
    dialect: Dialect {
        typography: Typography::AsTyped,
        ..Dialect::REMARK
    },
    reading: ReadingRules::LISTS,
    usual_names: &[("published_at", "date"), ("updated_at", "lastmod")],
    family: Family::Next,
    title_of_name: NameTitle::Sentence,
    paths: PathRule::Next,
    author_files: &[],
};

static DOCUSAURUS: Profile = Profile {
    name: "docusaurus",
    title: "Docusaurus",
    signs: &[Sign::Script("docusaurus.config")],
    roots: &[""],
    language_folders: &[],
    rules: &[
        rule("**/_*/**", Role::Other),
        rule("**/_*", Role::Other),
        rule("**/{__tests__/**,*.test.{js,jsx,ts,tsx}}", Role::Other),
        rule("blog/**", POST),
        rule("{docs,src/pages,versioned_docs}/**", PAGE),
        rule("*_versioned_docs/**", PAGE),
    ],
    html: HtmlTexts::Nowhere,
    page_templates: PageTemplates {
        extensions: COMPONENTS,
        patterns: &["src/pages/**"],
        have_front_matter: false,
    },
    tops: &["static", "", "docs"],
    upload_folders: &["static"],
    upload_links: UploadLinks::BelowSite(""),
    has_bundles: false,
    has_readme_pages: true,
    dialect: Dialect::DOCUSAURUS,
    reading: ReadingRules::LISTS,
    usual_names: &[("published_at", "date")],
    family: Family::Docusaurus,
    title_of_name: NameTitle::AsIs,
    paths: PathRule::Docusaurus,
    author_files: &["blog/authors.yml", "blog/authors.yaml"],
};

static OBSIDIAN: Profile = Profile {
    name: "obsidian",
    title: "Obsidian",
    signs: &[Sign::Entry(".obsidian")],
    roots: &[""],
    language_folders: &[],
    rules: &[
        rule("{templates,Templates,_templates}/**", Role::Other),
        rule("**", BY_DATE),
    ],
    html: HtmlTexts::Nowhere,
    page_templates: PageTemplates::NONE,
    tops: &[""],
    upload_folders: &[""],
    upload_links: UploadLinks::Relative,
    has_bundles: false,
    has_readme_pages: false,
    dialect: Dialect::OBSIDIAN,
    reading: ReadingRules::OBSIDIAN,
    usual_names: &[("published_at", "date"), ("updated_at", "updated")],
    family: Family::Obsidian,
    title_of_name: NameTitle::AsIs,
    paths: PathRule::Obsidian,
    author_files: &[],
};

static HEXO: Profile = Profile {
    name: "hexo",
    title: "Hexo",
    signs: &[Sign::All(&[
        Sign::Settings("_config"),
        Sign::Entry("source/_posts"),
    ])],
    roots: &["source"],
    language_folders: &[],
    rules: &[
        rule("{_posts,_drafts}/**", POST),
        rule("_*/**", Role::Other),
        rule("index*", Role::Section),
        rule("**", PAGE),
    ],
    html: HtmlTexts::Nowhere,
    page_templates: PageTemplates {
        extensions: &["html", "htm", "ejs", "njk", "pug", "swig"],
        patterns: &["**"],
        have_front_matter: true,
    },
    tops: &["source", ""],
    upload_folders: &["source"],
    upload_links: UploadLinks::BelowSite(""),
    has_bundles: false,
    has_readme_pages: false,
    dialect: Dialect::GITHUB,
    reading: ReadingRules::LISTS,
    usual_names: &[("published_at", "date"), ("updated_at", "updated")],
    family: Family::Hexo,
    title_of_name: NameTitle::AsIs,
    paths: PathRule::Hexo,
    author_files: &[],
};

static MDBOOK: Profile = Profile {
    name: "mdbook",
    title: "mdBook",
    signs: &[Sign::Entry("book.toml")],
    roots: &["src"],
    language_folders: &[],
    rules: &[rule("SUMMARY.md", Role::Other), rule("**", PAGE)],
    html: HtmlTexts::Nowhere,
    page_templates: PageTemplates::NONE,
    tops: &["src", ""],
    upload_folders: &["src"],
    upload_links: UploadLinks::Relative,
    has_bundles: false,
    has_readme_pages: true,
    dialect: Dialect {
        heading_ids: HeadingRule::GitHub,
        ..Dialect::GALLEY
    },
    reading: ReadingRules::LISTS,
    usual_names: &[],
    family: Family::MdBook,
    title_of_name: NameTitle::Sentence,
    paths: PathRule::MdBook,
    author_files: &[],
};

static NANOC: Profile = Profile {
    name: "nanoc",
    title: "Nanoc",
    signs: &[Sign::Settings("nanoc")],
    roots: &["content"],
    language_folders: &[],
    rules: &[
        rule("index*", Role::Section),
        rule(
            "{_posts,article,articles,blog,news,post,posts}/index*",
            Role::Section,
        ),
        rule("{_posts,article,articles,blog,news,post,posts}/**", POST),
        rule("**", BY_DATE),
    ],
    html: HtmlTexts::Nowhere,
    page_templates: PageTemplates {
        extensions: &["html", "htm", "erb", "haml", "slim"],
        patterns: &["**"],
        have_front_matter: false,
    },
    tops: &["content", "static", ""],
    upload_folders: &["content"],
    upload_links: UploadLinks::Site(""),
    has_bundles: false,
    has_readme_pages: false,
    dialect: Dialect::KRAMDOWN,
    reading: ReadingRules::LISTS,
    usual_names: &[("published_at", "date")],
    family: Family::None,
    title_of_name: NameTitle::Sentence,
    paths: PathRule::Files,
    author_files: &[],
};
