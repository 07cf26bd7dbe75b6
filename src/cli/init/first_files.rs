//! The first files of a new site: its options, and a post and a page to edit.

use std::{
    collections::BTreeMap,
    path::{self, Path, PathBuf},
};

use super::choices::{Choices, ContentSource, PublicUrl};
use crate::{
    cli::command_failure::CommandFailure,
    clock::{Clock, SystemClock},
    render::slug,
};

/// The content folder of a new site.
const CONTENT: &str = "content";

/// The folders of a new content folder, parents first.
pub const FIRST_FOLDERS: [&str; 5] = [
    CONTENT,
    "content/posts",
    "content/pages",
    "content/authors",
    "content/images",
];

/// The data folder of a site.
const DATA: &str = "galley-data";

/// The data folder if the site's folder itself is the content folder: hidden folders are not read as content.
const HIDDEN_DATA: &str = ".galley-data";

/// The author of the first post and page.
pub struct FirstAuthor<'a> {
    pub name: &'a str,
    pub email: &'a str,
}

/// The accent color of a new site, dark enough for white text on it.
const ACCENT_COLOR: &str = "#1f5f6b";

/// Returns the text of `galley.toml`. `data` is the data folder; `None` for the default one.
pub fn options(choices: &Choices, data: Option<&Path>) -> String {
    let (content, usual_data) = match &choices.source {
        ContentSource::New => (CONTENT, DATA),
        ContentSource::Here => (".", HIDDEN_DATA),
        ContentSource::Repository(_) | ContentSource::Ghost(_) => ("", DATA),
    };
    let data = data.map_or(usual_data.into(), Path::to_string_lossy);
    let mut lines = vec![
        "# The options of this site. Paths are relative to the folder where galley is started."
            .to_owned(),
        "# docs/configuration.md describes all options.".to_owned(),
        String::new(),
        format!("data = {}", quoted(&data)),
        format!("content = {}", quoted(content)),
        match &choices.url {
            Some(PublicUrl::Url(url)) => format!("url = {}", quoted(url)),
            Some(PublicUrl::Domain(name)) => format!("domain = [{}]", quoted(name)),
            None => "# url = \"https://example.com\"".to_owned(),
        },
        String::new(),
        "# The pages of the site: \"theme\" for those of the active theme, \"none\" for the API alone, or the URL of a front end."
            .to_owned(),
        format!("front_end = {}", quoted(&choices.front_end)),
        "# A folder with a theme that is used instead of the active theme:".to_owned(),
        "# theme = \"my-theme\"".to_owned(),
    ];
    let mut section = |name: &str, url: &str| {
        lines.extend([
            String::new(),
            format!("[{name}]"),
            format!("url = {}", quoted(url)),
        ]);
    };
    if let ContentSource::Repository(url) = &choices.source {
        section("source.git", url);
    }
    if let Some(url) = &choices.mail {
        section("mail", url);
    }
    lines.push(String::new());
    lines.join("\n")
}

/// Returns the absolute paths and the texts of the first content files: the settings of the site, a post, a page, and
/// the owner as the author.
///
/// # Errors
///
/// If the current folder cannot be determined.
pub fn content(
    choices: &Choices,
    owner: Option<&FirstAuthor>,
) -> Result<BTreeMap<PathBuf, String>, CommandFailure> {
    let title = quoted(choices.title.as_deref().unwrap_or_default());
    let site = format!(
        "# Settings of the whole site. Save the file, and the next request shows the change.\n\n\
         title = {title}\ndescription = \"\"\naccent_color = \"{ACCENT_COLOR}\"\n\n\
         navigation = [\n  {{ label = \"Home\", url = \"/\" }},\n  {{ label = \"About\", url = \"/about/\" }},\n]\n\n\
         # Galley has no comments. For a front end that supports them: \"all\" or \"paid\".\n\
         comments_enabled = \"off\"\n\n\
         # The settings of the theme, at the end of this file. docs/themes.md lists them.\n\
         # [theme_settings.source]\n# layout = \"Magazine\"\n"
    );
    let today = SystemClock.now().strftime("%F");
    let post = format!("{CONTENT}/posts/{today}-hello.md");
    let text = format!(
        "---\ntitle: Hello\ntags: [News]\nexcerpt: The first post of this site, for you to edit.\n---\n\n\
         This is the first post. It is the file `{post}`: change a word, save the file, and load this page again.\n\n\
         ## A post is a file\n\n\
         - The date is in its name. The title is above the text, where `draft: true` hides the post from readers.\n\
         - An image in `{CONTENT}/images/` is shown by `![The harbour](../images/harbour.jpg)`.\n\
         - `galley check` reports mistakes with file, line and column.\n"
    );
    let page = "---\ntitle: About this site\n---\n\n\
                Write here who you are, what this site is about and how to reach you.\n";
    let author = owner.map(|FirstAuthor { name, email }| {
        let slug = slug::user_candidates(name, "").next().unwrap_or_default();
        let text = format!(
            "# The default author and the owner of the site, who signs in with this address. Readers do not see the address.\n\n\
             name = {}\nemail = {}\n",
            quoted(name),
            quoted(email)
        );
        (format!("{CONTENT}/authors/{slug}.toml"), text)
    });
    let files = [
        (format!("{CONTENT}/site.toml"), site),
        (post, text),
        (format!("{CONTENT}/pages/about.md"), page.to_owned()),
    ];
    let files = files.into_iter().chain(author);
    let absolute = |(path, text)| Ok((path::absolute(path)?, text));
    files.map(absolute).collect()
}

/// Returns a string in the syntax of TOML.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
