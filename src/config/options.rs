//! The table of everything that can be set.

use std::ops::RangeInclusive;

use crate::{
    domain::integration::IntegrationScope,
    sources::{DATES, SLUGS, TITLES},
};

/// What a value looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionType {
    /// A folder or a file.
    Path,
    /// Any text.
    Text,
    /// A text that is never shown: it may hold a password.
    Secret,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Yes or no.
    Switch,
    /// Texts: a list in the file, with commas between them elsewhere.
    List,
    /// A whole number from the first to the second.
    Number(u64, u64),
}

/// One thing that can be set.
pub struct ConfigOption {
    /// Its name in `galley.toml`; a dot leads into a table.
    pub key: &'static str,
    /// What its value looks like.
    pub kind: OptionType,
    /// What holds when it is not set, in words.
    pub default: &'static str,
    /// What it is for.
    pub about: &'static str,
}

const fn option(
    key: &'static str,
    kind: OptionType,
    default: &'static str,
    about: &'static str,
) -> ConfigOption {
    ConfigOption {
        key,
        kind,
        default,
        about,
    }
}

const fn number(
    key: &'static str,
    range: RangeInclusive<u64>,
    default: &'static str,
    about: &'static str,
) -> ConfigOption {
    option(
        key,
        OptionType::Number(*range.start(), *range.end()),
        default,
        about,
    )
}

const NUMBER_MAX: u64 = 1 << 40;

/// Everything that can be set.
pub const OPTIONS: &[ConfigOption] = &[
    option(
        "data",
        OptionType::Path,
        "galley-data",
        "The data folder: the store and what was uploaded.",
    ),
    option(
        "content",
        OptionType::Path,
        "content, if there is such a folder",
        "The folder of content files; empty for none.",
    ),
    option(
        "listen",
        OptionType::Text,
        "127.0.0.1:2368",
        "Address and port to serve at.",
    ),
    option(
        "url",
        OptionType::Text,
        "url in site.toml, else http:// and the listen address",
        "The site's public address; it may have a path.",
    ),
    option(
        "admin.origin",
        OptionType::Text,
        "none: the site's own",
        "Where the staff client is served from, if elsewhere: an origin such as https://admin.example.com. Needs a site at https.",
    ),
    option(
        "path_prefix",
        OptionType::Text,
        "ghost",
        "First segment of the API's paths: /ghost/api/.",
    ),
    option(
        "security.integration_scope",
        OptionType::Choice(&IntegrationScope::NAMES),
        "ghost",
        "What integrations reach of the Admin API: what Ghost 6 lets them reach, what is specified, or what Ghost 6 lets them read. A key may have a scope of its own.",
    ),
    option(
        "staff.device_verification",
        OptionType::Switch,
        "true",
        "Whether who signs in from a new browser is asked for a code that is sent by mail.",
    ),
    option(
        "log_format",
        OptionType::Choice(&["text", "json"]),
        "text",
        "How the log is written.",
    ),
    option(
        "mail.url",
        OptionType::Secret,
        "none: what a mail would say is told in the log",
        "The server that takes mail: smtp://user:password@host:587 or smtps://host.",
    ),
    option(
        "mail.from",
        OptionType::Text,
        "noreply at the site's host",
        "Who mail is from: an address, or a name and <address>.",
    ),
    number(
        "mail.rate",
        1..=10_000,
        "10",
        "Mails of newsletters a second.",
    ),
    option(
        "members.gravatar",
        OptionType::Switch,
        "false",
        "Whether members are shown to staff with their pictures at Gravatar, which then learns hashes of their addresses.",
    ),
    number(
        "store.cache_mb",
        1..=1 << 20,
        "2",
        "Memory for pages of the store; the system keeps more of them anyway.",
    ),
    number(
        "answers.cache_mb",
        0..=1 << 20,
        "24",
        "Memory for finished answers and, a third of it, for bodies of posts of which answers are made. What is not requested for 40 s is freed.",
    ),
    number(
        "images.memory_mb",
        32..=1 << 20,
        "256",
        "Memory for pictures that are being made smaller, all together.",
    ),
    option(
        "oembed.outside",
        OptionType::Switch,
        "false",
        "Whether the server looks at pages of other sites, at public addresses, for cards and players in posts.",
    ),
    option(
        "private_receivers",
        OptionType::Switch,
        "false",
        "Whether the server may send requests to this machine and to private networks.",
    ),
    number(
        "content_files.settle_ms",
        1..=60_000,
        "50",
        "How long files must be quiet before they are read.",
    ),
    number(
        "content_files.rescan_s",
        1..=86_400,
        "60",
        "How often the whole folder is looked at, whatever the system reports.",
    ),
    option(
        "content_files.generator",
        OptionType::Text,
        "recognised by the files of the folder",
        "The generator that the content folder is for: galley, hugo, zola, jekyll, eleventy, astro, next, docusaurus, hexo, mdbook, nanoc, obsidian or plain.",
    ),
    option(
        "content_files.posts",
        OptionType::List,
        "as the generator has it",
        "Patterns of files that are posts, such as blog/**.",
    ),
    option(
        "content_files.pages",
        OptionType::List,
        "as the generator has it",
        "Patterns of files that are pages.",
    ),
    option(
        "content_files.ignore",
        OptionType::List,
        "none",
        "Patterns of files that are no content.",
    ),
    option(
        "content_files.language",
        OptionType::Text,
        "recognised by the site's settings and folders",
        "The language that has addresses of its own, where texts are in several.",
    ),
    option(
        "content_files.other_languages",
        OptionType::Switch,
        "false",
        "Whether texts in other languages are taken, too: with the language in front of their slugs and as an internal tag.",
    ),
    option(
        "content_files.markdown",
        OptionType::Text,
        "the generator's",
        "The dialect of Markdown.",
    ),
    option(
        "content_files.titles",
        OptionType::Choice(&TITLES),
        "heading",
        "Where titles come from that texts of another generator do not say: the first heading, else the file's name; or the name alone.",
    ),
    option(
        "content_files.slugs",
        OptionType::Choice(&SLUGS),
        "file_name",
        "Where their slugs come from: the file's name, or the folders that it lies in and the name.",
    ),
    option(
        "content_files.dates",
        OptionType::Choice(&DATES),
        "front_matter",
        "What counts first for their dates: the front matter or the path.",
    ),
    option(
        "source.git.url",
        OptionType::Secret,
        "none",
        "The repository that the site is made of, in the place of a content folder: https, ssh, git@host:path or file.",
    ),
    option(
        "source.git.branch",
        OptionType::Text,
        "the one that the repository shows first",
        "The branch that is followed.",
    ),
    option(
        "source.git.path",
        OptionType::Text,
        "all of it",
        "The folder in the repository that has the content files.",
    ),
    number(
        "source.git.interval",
        1..=86_400,
        "60",
        "Seconds between two looks at the repository.",
    ),
    option(
        "source.git.token",
        OptionType::Secret,
        "none",
        "What opens the repository by https; the name beside it may stand in the address.",
    ),
    option(
        "source.git.secret",
        OptionType::Secret,
        "none: no push webhooks are taken",
        "What push webhooks of GitHub, GitLab, Gitea and Forgejo are signed with.",
    ),
    option(
        "source.git.history",
        OptionType::Switch,
        "false",
        "Whether the whole history is fetched, and says when and by whom a post was written that does not say so.",
    ),
    option(
        "metrics.listen",
        OptionType::Text,
        "none",
        "Address and port to tell figures at, for Prometheus; empty for none.",
    ),
    number(
        "server.threads",
        1..=1024,
        "one for each processor",
        "Threads that serve connections.",
    ),
    number(
        "server.workers",
        1..=1024,
        "two for each processor, at least 32",
        "Requests answered from the store at once.",
    ),
    number(
        "server.connections",
        1..=1 << 20,
        "4096",
        "Open connections at once.",
    ),
    number(
        "server.open_files",
        64..=1 << 30,
        "as many as the system allows",
        "Files, connections among them, that the process may have open.",
    ),
    number(
        "server.connections_per_peer",
        1..=1 << 20,
        "2048",
        "Open connections of one address at once.",
    ),
    number(
        "server.waiting",
        1..=1 << 20,
        "2048",
        "Requests at once that wait for a change or hear of changes as events.",
    ),
    number(
        "server.headers_kb",
        1..=1024,
        "16",
        "Length of a request's header fields.",
    ),
    number(
        "server.url_kb",
        1..=1024,
        "8",
        "Length of a request's path and query.",
    ),
    number(
        "server.body_kb",
        1..=NUMBER_MAX,
        "1024",
        "Length of the body of a request by anybody.",
    ),
    number(
        "server.bodies_mb",
        1..=1 << 20,
        "256",
        "Memory of all bodies that are being received or answered, and of the work on those of more than 64 KiB; of lists of long posts, answers to changes of them, what webhooks are sent, and imports as well.",
    ),
    number(
        "server.answers_mb",
        1..=1 << 20,
        "256",
        "Length of all answers that were made anew and wait for their clients to take them; one address gets a quarter.",
    ),
    number(
        "server.upload_mb",
        1..=1 << 20,
        "200",
        "Length of a file that staff or an integration uploads; JSON of theirs may have 50 MB.",
    ),
    number(
        "server.headers_timeout_s",
        1..=3600,
        "10",
        "Time for a request's header.",
    ),
    number(
        "server.body_timeout_s",
        1..=3600,
        "20",
        "Time for each 64 KiB of a request's body.",
    ),
    number(
        "server.write_timeout_s",
        1..=3600,
        "30",
        "Time for a client to take each 64 KiB of an answer.",
    ),
    number(
        "server.keep_alive_s",
        1..=3600,
        "75",
        "How long a connection may stay open without a request.",
    ),
    number(
        "server.stop_timeout_s",
        0..=3600,
        "10",
        "Time for requests in flight when the server stops.",
    ),
];

impl ConfigOption {
    /// The environment variable that sets it: `server.body_kb` is `GALLEY_SERVER_BODY_KB`.
    pub fn variable(&self) -> String {
        format!("GALLEY_{}", self.key.replace('.', "_").to_uppercase())
    }
}
