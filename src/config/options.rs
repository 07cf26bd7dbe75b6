//! The table of all options.

use std::ops::RangeInclusive;

use crate::{
    domain::integration::IntegrationScope,
    sources::{DATES, SLUGS, TITLES, WRITE_BACKS},
};

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionType {
    /// A folder or a file.
    Path,
    /// Any text.
    Text,
    /// A text that is never printed: it may contain a password.
    Secret,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Yes or no.
    Switch,
    /// Texts: a list in the file, separated by commas elsewhere.
    List,
    /// A whole number between these bounds, inclusive.
    Number(u64, u64),
}

/// An option.
pub struct ConfigOption {
    /// Its name in `galley.toml`; a dot leads into a table.
    pub key: &'static str,
    /// The type of its value.
    pub kind: OptionType,
    /// The default, in words.
    pub default: &'static str,
    /// Its description.
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

/// The default of limits of memory.
const A_SHARE_OF_MEMORY: &str = "a quarter of the machine's or the service's memory, 64 to 256";

/// All options.
pub const OPTIONS: &[ConfigOption] = &[
    option(
        "data",
        OptionType::Path,
        "galley-data",
        "The data folder: the store and uploads.",
    ),
    option(
        "uploads.folder",
        OptionType::Path,
        "the data folder",
        "The folder where uploads and themes are kept instead, which several processes may share. It must exist.",
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
        "The listen address: host and port. For a site at https, the one for http, by default [::]:80.",
    ),
    option(
        "domain",
        OptionType::List,
        "none",
        "The names of a site that is served over https, such as example.com, www.example.com. The first one is that of its URL. Without tls.cert, its certificate comes from a certificate authority, whose terms you accept by this.",
    ),
    option(
        "tls.cert",
        OptionType::Path,
        "none",
        "The certificate of a site at https with its chain, in PEM. It is read again when it changes.",
    ),
    option(
        "tls.key",
        OptionType::Path,
        "none",
        "The private key of that certificate, in PEM.",
    ),
    option(
        "tls.acme_directory",
        OptionType::Text,
        "https://acme-v02.api.letsencrypt.org/directory",
        "The certificate authority, by the URL of its ACME directory.",
    ),
    option(
        "tls.acme_contact",
        OptionType::Text,
        "none",
        "The e-mail address that the authority may write to.",
    ),
    option(
        "tls.acme_root",
        OptionType::Path,
        "none: the usual authorities",
        "The root certificate, in PEM, of the server of an authority for tests.",
    ),
    option(
        "tls.listen",
        OptionType::Text,
        "[::]:443",
        "The listen address for https.",
    ),
    number(
        "tls.hsts_s",
        0..=NUMBER_MAX,
        "0",
        "How long browsers that were at the site use nothing but https for it (Strict-Transport-Security); 0 for no such header.",
    ),
    option(
        "url",
        OptionType::Text,
        "https:// and the first domain, else url in site.toml, else http:// and the listen address",
        "The site's public URL; it may have a path.",
    ),
    option(
        "admin.origin",
        OptionType::Text,
        "none: the site's own",
        "The origin of the staff client, if it is served elsewhere, such as https://admin.example.com. Needs a site at https.",
    ),
    option(
        "front_end",
        OptionType::Text,
        "none",
        "The URL of the site's front end: browsers that open a post at this server are sent there, and so is \"View site\" in the admin app.",
    ),
    option(
        "admin.path",
        OptionType::Path,
        "admin-app in the data folder",
        "The folder of Ghost's admin app, which `galley admin install` puts there.",
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
        "The scope of integrations in the Admin API: as in Ghost 6, as specified, or as in Ghost 6 but read-only. A key may have a scope of its own.",
    ),
    option(
        "staff.device_verification",
        OptionType::Switch,
        "true",
        "Whether a sign-in from a new browser needs a code that is sent by mail.",
    ),
    option(
        "log_format",
        OptionType::Choice(&["text", "json"]),
        "text",
        "The format of the log.",
    ),
    option(
        "mail.url",
        OptionType::Secret,
        "none: mails are written to the log",
        "The mail server: smtp://user:password@host:587 or smtps://host.",
    ),
    option(
        "mail.from",
        OptionType::Text,
        "noreply at the site's host",
        "The sender of mail: an address, or a name and <address>.",
    ),
    number(
        "mail.rate",
        1..=10_000,
        "10",
        "Newsletter mails per second.",
    ),
    option(
        "members.origins",
        OptionType::List,
        "none",
        "Other origins whose pages may sign members in and read as them, such as https://www.example.com. The site's own and that of front_end need not be listed.",
    ),
    option(
        "members.gravatar",
        OptionType::Switch,
        "false",
        "Whether staff see members' avatars from Gravatar, which then gets hashes of their e-mail addresses.",
    ),
    option(
        "store.url",
        OptionType::Secret,
        "none: the file galley.redb in the data folder",
        "A database of PostgreSQL that has the site instead, such as postgres://galley@db.example.com/galley. Several processes may serve it.",
    ),
    number(
        "store.cache_mb",
        1..=1 << 20,
        "2",
        "Memory for pages of the store; the system caches more of them anyway.",
    ),
    number(
        "answers.cache_mb",
        0..=1 << 20,
        "24",
        "Memory for cached responses and, a third of it, for bodies of posts that responses are built from. What is not requested for 40 s is evicted.",
    ),
    number(
        "images.memory_mb",
        32..=1 << 20,
        A_SHARE_OF_MEMORY,
        "Memory for resizing images, for all of them together.",
    ),
    option(
        "oembed.outside",
        OptionType::Switch,
        "false",
        "Whether the server fetches pages of other sites, at public addresses, for cards and players in posts.",
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
        "How long files must be unchanged before they are read.",
    ),
    number(
        "content_files.rescan_s",
        1..=86_400,
        "60",
        "How often the whole folder is scanned, whatever the system reports.",
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
        "Patterns of post files, such as blog/**.",
    ),
    option(
        "content_files.pages",
        OptionType::List,
        "as the generator has it",
        "Patterns of page files.",
    ),
    option(
        "content_files.ignore",
        OptionType::List,
        "none",
        "Patterns of files to ignore.",
    ),
    option(
        "content_files.language",
        OptionType::Text,
        "recognised by the site's settings and folders",
        "The main language, if documents are in several: its slugs have no language in front.",
    ),
    option(
        "content_files.other_languages",
        OptionType::Switch,
        "false",
        "Whether documents in other languages are served, too: with the language in front of their slugs and as an internal tag.",
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
        "The source of titles that documents of another generator do not set: the first heading, else the file's name; or the name alone.",
    ),
    option(
        "content_files.slugs",
        OptionType::Choice(&SLUGS),
        "file_name",
        "The source of their slugs: the file's name, or its folders and the name.",
    ),
    option(
        "content_files.dates",
        OptionType::Choice(&DATES),
        "front_matter",
        "What takes precedence for their dates: the front matter or the path.",
    ),
    option(
        "source.write_back",
        OptionType::Choice(&WRITE_BACKS),
        "off",
        "Where edits through the Admin API are written: into the content folder, into it and into commits of the git work tree that it lies in, or into commits that are pushed.",
    ),
    number(
        "source.write_back_settle_s",
        0..=86_400,
        "30",
        "Seconds without another save of a post before it is committed.",
    ),
    option(
        "source.new_posts",
        OptionType::Text,
        "as most posts are",
        "The path of the file of a new post in the content folder, such as content/posts/{year}-{month}-{day}-{slug}.md or posts/{slug}/index.md.",
    ),
    option(
        "source.new_pages",
        OptionType::Text,
        "as most pages are",
        "The path of the file of a new page, with the same placeholders.",
    ),
    option(
        "source.commit_message",
        OptionType::Text,
        "{action} \"{title}\"",
        "The message of such a commit. {action} is Add, Edit or Delete; {title}, {path} and {author} are those of the edit.",
    ),
    option(
        "source.push_branch",
        OptionType::Text,
        "none",
        "A branch of its own for edits that the repository refuses on the followed one, for review; {path} is that of the file.",
    ),
    number(
        "source.push_branch_after_s",
        0..=31_536_000,
        "3600",
        "Seconds for which the repository refuses edits before they go there.",
    ),
    option(
        "source.git.url",
        OptionType::Secret,
        "none",
        "The repository to serve instead of a content folder: https, ssh, git@host:path or file.",
    ),
    option(
        "source.git.branch",
        OptionType::Text,
        "the repository's default branch",
        "The branch to follow.",
    ),
    option(
        "source.git.path",
        OptionType::Text,
        "all of it",
        "The folder in the repository that contains the content files.",
    ),
    number(
        "source.git.interval",
        1..=86_400,
        "60",
        "Seconds between two pulls.",
    ),
    option(
        "source.git.token",
        OptionType::Secret,
        "none",
        "The token for the repository at https; the user name may be part of the URL.",
    ),
    option(
        "source.git.secret",
        OptionType::Secret,
        "none: push webhooks are rejected",
        "The secret of push webhooks of GitHub, GitLab, Gitea and Forgejo.",
    ),
    option(
        "source.git.history",
        OptionType::Switch,
        "false",
        "Whether the whole history is fetched, and supplies dates and authors that posts do not set.",
    ),
    option(
        "backup.to",
        OptionType::Text,
        "none",
        "Where backups are collected: a folder, or s3://bucket/prefix. While the site is served, it is backed up regularly.",
    ),
    option(
        "backup.every",
        OptionType::Text,
        "24h",
        "The time between two backups, such as 24h or 30m.",
    ),
    number(
        "backup.keep",
        1..=100_000,
        "14",
        "How many backups are kept there; older ones are deleted after a new one was verified.",
    ),
    option(
        "backup.endpoint",
        OptionType::Text,
        "that of Amazon in the region",
        "The URL of another service with S3's API, such as https://s3.example.com.",
    ),
    option(
        "backup.region",
        OptionType::Text,
        "us-east-1",
        "The region of the bucket.",
    ),
    option(
        "backup.access_key",
        OptionType::Text,
        "none",
        "The identifier of the bucket's key.",
    ),
    option(
        "backup.secret_key",
        OptionType::Secret,
        "none",
        "The bucket's key.",
    ),
    option(
        "upgrade.url",
        OptionType::Text,
        "none",
        "Where `galley upgrade --check` reads which release is the newest: the URL of a JSON document, at https.",
    ),
    option(
        "metrics.listen",
        OptionType::Text,
        "none",
        "The listen address for Prometheus metrics; empty for none.",
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
        "Requests handled from the store at once.",
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
        "Limit of open files of the process, connections included.",
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
        "Requests at once that wait for a change or stream changes as events.",
    ),
    number(
        "server.headers_kb",
        1..=1024,
        "16",
        "Limit of a request's header fields.",
    ),
    number(
        "server.url_kb",
        1..=1024,
        "8",
        "Limit of a request's path and query.",
    ),
    number(
        "server.body_kb",
        1..=NUMBER_MAX,
        "1024",
        "Limit of the body of a request of any client.",
    ),
    number(
        "server.bodies_mb",
        1..=1 << 20,
        A_SHARE_OF_MEMORY,
        "Memory of all request bodies being received or handled, and of the work on those of more than 64 KiB; also of lists of long posts, responses to changes of them, webhook payloads and imports.",
    ),
    number(
        "server.answers_mb",
        1..=1 << 20,
        A_SHARE_OF_MEMORY,
        "Limit of all uncached responses that wait to be sent; one address gets a quarter.",
    ),
    number(
        "server.list_limit_max",
        100..=50_000,
        "100",
        "Most records in one list of the Content API, for generators that fetch all posts at once; Ghost 6 has 100.",
    ),
    number(
        "server.upload_mb",
        1..=1 << 20,
        "200",
        "Limit of a file that staff or an integration uploads; their JSON may have 50 MB.",
    ),
    number(
        "server.headers_timeout_s",
        1..=3600,
        "10",
        "Time for a request's header section.",
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
        "Time for a client to receive each 64 KiB of a response.",
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
    /// Returns the environment variable that sets it: `server.body_kb` is `GALLEY_SERVER_BODY_KB`.
    pub fn variable(&self) -> String {
        format!("GALLEY_{}", self.key.replace('.', "_").to_uppercase())
    }
}
