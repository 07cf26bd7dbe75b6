//! The site's settings in `site.toml`.
//!
//! The keys are the settings of the Content API, with the same names, and a few that affect serving. A missing setting has
//! its default; a setting with the value `""` is cleared.

use serde::Serialize;
use serde_json::{Map, Value as Json};

use crate::{
    content_files::{
        author_file::{AuthorFields, AuthorReference},
        keys::{
            Entries, FieldType, ImageUrl, KeySet, List, Locale, Profile, Reader, Reference,
            SiteUrl, Text, ThemeSettings, ThemeValues, TimeZoneName, choices, fields, json_schema,
        },
        menu::Menu,
        options::ContentFiles,
        parts::Parts,
    },
    content_text::{Spanned, document::Value},
    domain::setting_value::ENTRIES_MAX,
};

choices! {
    /// The people who may become members.
    SignupAccess { All = "all", Invite = "invite", Paid = "paid", None = "none" }

    /// Who may read a post without a visibility.
    DefaultVisibility { Public = "public", Members = "members", Paid = "paid", Tiers = "tiers" }

    /// The readers who may comment.
    Comments { All = "all", Paid = "paid", Off = "off" }

    /// The style of the button that opens the sign-up window.
    PortalButtonStyle { IconAndText = "icon-and-text", IconOnly = "icon-only", TextOnly = "text-only" }

    /// A plan that the sign-up window offers.
    PortalPlan { Free = "free", Monthly = "monthly", Yearly = "yearly" }

    /// The plan that the sign-up window proposes.
    PortalDefaultPlan { Monthly = "monthly", Yearly = "yearly" }
}

fields! {
    /// The settings, under the names of the Content API.
    struct Settings {
        /// The site's name.
        title: Text<150>;
        /// Description of the site, in a sentence.
        description: Text<200>;
        /// The language of the site, for instance `en` or `de-CH`.
        locale: Locale, or "lang" | "language";
        /// The site's time zone, a name of the IANA database. Dates without an offset are meant in it.
        timezone: TimeZoneName;
        /// URL of the site's logo: a path in the content folder, or an absolute URL.
        logo: ImageUrl;
        /// URL of the site's icon, which is square.
        icon: ImageUrl, or "favicon";
        /// Wide image for the site's front page.
        cover_image: ImageUrl, or "cover";
        /// The site's colour, for instance `#15171a`.
        accent_color: Text<50>;
        /// Menu at the head of each page.
        navigation: Menu, or "menu";
        /// Menu at the foot of each page.
        secondary_navigation: Menu;
        /// HTML for the head of each page.
        codeinjection_head: Text<65535>;
        /// HTML for the foot of each page.
        codeinjection_foot: Text<65535>;
        /// Title for search engines.
        meta_title: Text<300>;
        /// Description for search engines.
        meta_description: Text<500>;
        /// Image for Facebook and others that read Open Graph.
        og_image: ImageUrl;
        /// Title for Open Graph.
        og_title: Text<300>;
        /// Description for Open Graph.
        og_description: Text<500>;
        /// Image for X.
        twitter_image: ImageUrl;
        /// Title for X.
        twitter_title: Text<300>;
        /// Description for X.
        twitter_description: Text<500>;
        /// Name or URL at Facebook.
        facebook: Profile<2000>;
        /// Name at X.
        twitter: Profile<2000>, or "x";
        /// Name at Threads.
        threads: Profile<2000>;
        /// Name at Bluesky.
        bluesky: Profile<2000>;
        /// Profile name or URL at Mastodon.
        mastodon: Profile<2000>;
        /// Name at TikTok.
        tiktok: Profile<2000>;
        /// Name at YouTube.
        youtube: Profile<2000>;
        /// Name at Instagram.
        instagram: Profile<2000>;
        /// Name at LinkedIn.
        linkedin: Profile<2000>;
        /// Support address of members: an e-mail address, or the part before its `@`.
        members_support_address: Text<191>;
        /// The people who may become members.
        members_signup_access: SignupAccess;
        /// Default readers of posts; the Admin API sets the tiers.
        default_content_visibility: DefaultVisibility;
        /// The readers who may comment.
        comments_enabled: Comments;
        /// Shows the sites that this one recommends.
        recommendations_enabled: bool;
        /// Adds `ref` with the name of the site to links to other sites; off if absent.
        outbound_link_tagging: bool;
        /// Shows a button that opens the sign-up window.
        portal_button: bool;
        /// Style of that button.
        portal_button_style: PortalButtonStyle;
        /// Icon of that button.
        portal_button_icon: Text<2000>;
        /// Text of that button.
        portal_button_signup_text: Text<2000>;
        /// The sign-up window asks for a name.
        portal_name: bool;
        /// Plans that the sign-up window offers.
        portal_plans: List<PortalPlan, ENTRIES_MAX>;
        /// The plan that it proposes.
        portal_default_plan: PortalDefaultPlan;
        /// HTML of the terms that new members accept.
        portal_signup_terms_html: Text<65535>;
        /// They must tick a box for that.
        portal_signup_checkbox_required: bool;
    }
}

fields! {
    /// Roles of the files of the content folder, if they differ from the generator's.
    pub struct ContentFilesTable {
        /// The generator that the folder is for: `galley`, `hugo`, `zola`, `jekyll`, `eleventy`, `astro`, `next`, `docusaurus`,
        /// `hexo`, `mdbook`, `mkdocs`, `vitepress`, `vuepress`, `pelican`, `nuxt`, `gatsby`, `quartz`, `nanoc`, `obsidian` or
        /// `plain`; recognised by its files if absent.
        generator: Text<50>;
        /// Patterns of files that are posts, such as `blog/**`.
        posts: List<Text<1000>, ENTRIES_MAX>;
        /// Patterns of files that are pages.
        pages: List<Text<1000>, ENTRIES_MAX>;
        /// Patterns of files that are not content.
        ignore: List<Text<1000>, ENTRIES_MAX>;
        /// The language without a prefix in URLs, if documents are in several.
        language: Locale;
        /// Documents in other languages are served, too: with the language in front of their slugs and as an internal tag.
        other_languages: bool;
        /// The dialect of Markdown; the generator's if absent.
        markdown: Text<50>;
        /// Source of titles of documents without one: `heading`, the first one, else the file's name; or `file_name`.
        titles: Text<50>;
        /// Source of slugs of documents without one: `file_name`, or `path`, with the folders in front.
        slugs: Text<50>;
        /// Source of dates that takes precedence: `front_matter` or `path`.
        dates: Text<50>;
    }
}

const CONTENT_FILES: KeySet = KeySet::of(&[ContentFilesTable::KEYS], &[]);

impl FieldType for ContentFilesTable {
    type Value = ContentFiles;
    const WANTED: &'static str = "a table of patterns and settings";
    const EXAMPLE: &'static str = "{ posts = [\"blog/**\"] }";

    fn read(value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<ContentFiles> {
        let Some(entries) = Entries::of_value(value, &CONTENT_FILES, reader) else {
            reader.wrong_type::<Self>(value, name);
            return None;
        };
        let table = ContentFilesTable::from_entries(&entries, reader);
        let files = ContentFiles {
            generator: table.generator,
            posts: table.posts.unwrap_or_default(),
            pages: table.pages.unwrap_or_default(),
            ignore: table.ignore.unwrap_or_default(),
            language: table.language.map(|language| language.value),
            other_languages: table.other_languages.unwrap_or(false),
            markdown: table.markdown,
            titles: table.titles,
            slugs: table.slugs,
            dates: table.dates,
        };
        // The same check as for the operator's settings in `galley.toml`.
        if let Err((key, wanted)) = files.check() {
            let message = format!("`{key}` is not {wanted}");
            reader.error(value.span, message, "correct or remove it");
            return None;
        }
        Some(files)
    }

    fn schema() -> Json {
        json_schema::of_table(&CONTENT_FILES)
    }
}

fields! {
    /// The fields of a site's file other than its settings.
    pub struct SiteFields {
        /// The site's public URL, which may have a path.
        url: SiteUrl, or "base_url";
        /// The author of documents without one: a slug, a name or an e-mail address.
        default_author: Reference<AuthorFields>, or "author";
        /// Kinds of the files of the folder, if they differ from the generator's.
        content_files: ContentFilesTable;
        /// The design: for each theme a table with values for the settings in its package.
        theme_settings: ThemeSettings;
    }
}

pub(crate) const SET: KeySet = KeySet {
    keeps_empty_text: true,
    ..KeySet::of(&[SiteFields::KEYS, Settings::KEYS], &[])
};

/// The paths of the site file, whose settings affect how other files are read.
pub(crate) const SITE_FILES: &[&str] = &["site.toml", "site.yaml", "site.yml"];

/// The file `site.toml`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SiteFile {
    /// The site's public URL.
    pub url: Option<Spanned<String>>,
    /// The author of posts without one.
    pub default_author: Option<AuthorReference>,
    /// The settings of the file, by their key in the Content API, validated. Empty text clears a setting.
    pub settings: Map<String, Json>,
    /// The values of settings of themes.
    #[serde(skip_serializing_if = "ThemeValues::is_empty")]
    pub theme_settings: ThemeValues,
    /// Its settings of the content folder.
    #[serde(skip)]
    pub content_files: ContentFiles,
}

pub(super) fn read(parts: &Parts<'_>, reader: &mut Reader<'_>) -> SiteFile {
    let entries = Entries::collect(&parts.table, &SET, parts.opening, reader);
    let SiteFields {
        url,
        default_author,
        content_files,
        theme_settings,
    } = SiteFields::from_entries(&entries, reader);
    let settings = Settings::from_entries(&entries, reader);
    SiteFile {
        url,
        default_author,
        settings: settings.named(),
        theme_settings: theme_settings.unwrap_or_default(),
        content_files: content_files.unwrap_or_default(),
    }
}

impl Settings {
    /// Returns the settings with a value, as JSON.
    fn named(&self) -> Map<String, Json> {
        let mut settings = match serde_json::to_value(self) {
            Ok(Json::Object(settings)) => settings,
            // A struct of texts, booleans and lists always becomes an object.
            _ => Map::new(),
        };
        settings.retain(|_, value| !value.is_null());
        settings
    }
}
