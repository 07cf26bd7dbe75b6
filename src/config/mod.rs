//! Configuration: the operator's options, in one table.
//!
//! A flag takes precedence over an environment variable, a variable over `galley.toml`, and the file over the default.
//! The table contains all options; tests check the schema of `galley.toml`, the names of the variables and
//! `docs/configuration.md` against it. Names end with units: `_mb` are 1,048,576 bytes, `_kb` 1,024 bytes, `_s`
//! seconds, `_ms` milliseconds.

mod backups;
mod content_files;
mod error;
mod folders;
mod forms;
mod https;
mod ineffective;
mod machine_memory;
mod option;
mod options;
pub mod schema;
mod start;
mod unknown_variables;
mod urls;
mod values;

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

pub use error::{ConfigError, FilePosition, OptionOrigin};
pub use folders::{content_of_site_folder, default_content, is_site_folder};
pub use forms::listen_address;
pub use https::{HttpsConfig, domain_name};
pub use ineffective::IneffectiveOption;
pub use option::{ConfigOption, OptionType};
pub use options::OPTIONS;
use start::Start;
use tracing::level_filters::LevelFilter;
pub use unknown_variables::unknown_variables;
use url::Url;
use values::Values;
pub use values::{ConfigValues, FILE};

use crate::{
    api::{admin::members::avatar::MemberAvatars, front_end::FrontEnd, origins::TrustedOrigin},
    backup::ScheduleOptions,
    bucket::{Bucket, BucketError, BucketOptions},
    content_files::{ContentFiles, WriteBack},
    delivery::{MailOptions, NewsletterRate},
    domain::integration::IntegrationScope,
    front_end::ScriptChoice,
    outbound::AllowedAddresses,
    repository,
    repository::{CommitMessageError, CommitOptions, GitOptions, ReviewOptions},
    server::{Limits, OpenFiles},
    store::postgres::PostgresUrl,
    themes::{InstalledThemes, Themes},
    uploads::{BucketUploads, Uploads},
    write_back::NewFiles,
};

/// The configuration of the program.
#[derive(Clone, Debug)]
pub struct Config {
    /// True if a configuration file was read.
    pub has_file: bool,
    /// The error that prevents a start of the server, if there is one: see [`check_start`](Self::check_start).
    pub start_error: Option<Arc<ConfigError>>,
    /// The options that are set but have no effect.
    pub ineffective: Vec<IneffectiveOption>,
    /// The data folder.
    pub data: PathBuf,
    /// The folder of uploads outside of the data folder, if there is one.
    pub uploads_folder: Option<PathBuf>,
    /// The bucket of uploads, if there is one.
    pub uploads_bucket: Option<Arc<BucketUploads>>,
    /// The folder of content files, if there is one.
    pub content: Option<PathBuf>,
    /// The site's repository instead of a content folder, if there is one.
    pub git: Option<GitOptions>,
    /// The destination of edits of content files.
    pub write_back: WriteBack,
    /// How edits are committed.
    pub commits: CommitOptions,
    /// The folder of new content files.
    pub new_files: NewFiles,
    /// The listen address for http.
    pub listen: SocketAddr,
    /// The https settings of the site, if it is served over https.
    pub https: Option<HttpsConfig>,
    /// The site's public URL, if it is configured.
    pub url: Option<String>,
    /// The origin of the staff client, if it is not the site's own.
    pub admin_origin: Option<TrustedOrigin>,
    /// The site's front end.
    pub front_end: FrontEnd,
    /// The folder of the theme that pages are rendered with, if it is not the active one.
    pub theme: Option<PathBuf>,
    /// The origin of the reader scripts that pages load.
    pub script_choice: ScriptChoice,
    /// The folder of Ghost's admin app.
    pub admin_app: PathBuf,
    /// The first segment of the API's paths.
    pub path_prefix: String,
    /// Maximum number of records in a list of the Content API.
    pub list_limit_max: usize,
    /// True if the log is written as JSON.
    pub log_json: bool,
    /// The minimum severity of events in the server's log.
    pub log_level: LevelFilter,
    /// True if each request is logged; `None` if requests are logged only in the journal of systemd.
    pub log_access: Option<bool>,
    /// The values that were set.
    pub values: ConfigValues,
    /// True if a sign-in from a new browser needs a code that is sent by mail.
    pub device_verification: bool,
    /// Other origins whose pages may act for the member who is signed in.
    pub member_origins: Vec<TrustedOrigin>,
    /// The source of members' avatars.
    pub member_avatars: MemberAvatars,
    /// The scope of integrations in the Admin API.
    pub integration_scope: IntegrationScope,
    /// The mail server and the sender.
    pub mail: MailOptions,
    /// The database that stores the site, if it is not a file in the data folder.
    pub store_url: Option<PostgresUrl>,
    /// Memory for pages of the store, in bytes.
    pub store_cache_bytes: usize,
    /// Memory for cached responses, and for the bodies of posts that they are built from, in bytes.
    pub cache_bytes_max: usize,
    /// Time for which files must be unchanged before they are read.
    pub settle: Duration,
    /// Interval at which the whole content folder is scanned.
    pub rescan: Duration,
    /// Options of the files of the content folder.
    pub content_files: ContentFiles,
    /// Limit of a file uploaded through the Admin API, in bytes.
    pub upload_bytes_max: u64,
    /// Memory that image resizing may take, in bytes.
    pub image_memory_bytes: u64,
    /// True if pages of other sites are fetched for cards and players.
    pub fetches_embeds: bool,
    /// The machines that requests may be sent to.
    pub allowed_addresses: AllowedAddresses,
    /// The limits of the HTTP server.
    pub limits: Limits,
    /// The limit of open files.
    pub open_files: OpenFiles,
    /// The options of scheduled backups, if they are configured.
    pub backups: Option<ScheduleOptions>,
    /// The options of buckets for backups.
    pub bucket: BucketOptions,
    /// The URL of the document with the newest release, if it is set.
    pub upgrade_url: Option<Url>,
    /// The URL of GitHub's API, from which themes are installed.
    pub github: Url,
    /// The listen address for metrics, if there is one.
    pub metrics_listen: Option<SocketAddr>,
}

/// The default folder of Ghost's admin app, in the data folder.
const ADMIN_APP: &str = "admin-app";

/// The folder of Ghost's scripts for readers in the data folder.
const READER_SCRIPTS: &str = "reader-scripts";

impl Config {
    /// Reads the configuration: `flags` by option key; `file` as set by `--config`.
    ///
    /// # Errors
    ///
    /// If values or names are invalid; the error names all of them with their sources and the valid values.
    pub fn read(
        flags: &BTreeMap<&'static str, String>,
        file: Option<&Path>,
    ) -> Result<Self, ConfigError> {
        let mut values = Values::default();
        match file {
            Some(path) => values.add_file(path)?,
            None if Path::new(FILE).exists() => values.add_file(Path::new(FILE))?,
            None => {}
        }
        // In ascending precedence: each source replaces the values of those before.
        values.add_environment();
        for (key, value) in flags {
            values.set(key, value.clone(), OptionOrigin::Flag(flag_name(key)));
        }
        values.read(|values| {
            let config = Self::from_values(values)?;
            let start = Start {
                write_back: config.write_back,
                has_git: config.git.is_some(),
                content: config.content.as_deref(),
                data: &config.data,
                tls_listen: config.https.as_ref().map(|https| https.listen),
                listen: config.listen,
                metrics_listen: config.metrics_listen,
                has_unshared_uploads: config.has_unshared_uploads(),
            };
            let errors = start::errors(values, &start);
            Ok(Self {
                ineffective: ineffective::options(values, &start),
                start_error: (!errors.is_empty()).then(|| Arc::new(ConfigError::all(errors))),
                ..config
            })
        })
    }

    /// Checks that the values are consistent enough to start the server. Other commands work even if they are not.
    ///
    /// # Errors
    ///
    /// An error that contains all errors.
    pub fn check_start(&self) -> Result<(), Arc<ConfigError>> {
        self.start_error.clone().map_or(Ok(()), Err)
    }

    /// Returns the folder of content files, if there is one: the content folder, or the files of
    /// the served commit.
    pub fn content_folder(&self) -> Option<PathBuf> {
        let of_commit = || repository::content_folder(&self.data);
        self.content
            .clone()
            .or_else(|| self.git.as_ref().map(|_| of_commit()))
    }

    /// Checks that the keys of the buckets are set. Only processes that use the buckets require them.
    ///
    /// # Errors
    ///
    /// The error of the first bucket without a key.
    pub fn check_bucket_keys(&self) -> Result<(), BucketError> {
        if let Some(uploads) = &self.uploads_bucket {
            uploads.check_key()?;
        }
        match &self.backups {
            Some(backups) => backups.destination.check_key(),
            None => Ok(()),
        }
    }

    /// Returns the folder of Ghost's scripts for readers.
    pub fn reader_scripts(&self) -> PathBuf {
        self.data.join(READER_SCRIPTS)
    }

    /// Returns the storage of uploads.
    pub fn uploads(&self) -> Uploads {
        match (&self.uploads_bucket, &self.uploads_folder) {
            (Some(bucket), _) => Uploads::in_bucket(&self.data, Arc::clone(bucket)),
            (None, Some(folder)) => Uploads::in_shared(folder),
            (None, None) => Uploads::in_data(&self.data),
        }
    }

    /// Returns the themes of the site.
    pub fn themes(&self) -> InstalledThemes {
        InstalledThemes::new(Themes::of(&self.uploads()), self.theme.clone())
    }

    /// Returns whether other processes that share the store cannot read the uploads.
    pub fn has_unshared_uploads(&self) -> bool {
        self.store_url.is_some() && self.uploads_folder.is_none() && self.uploads_bucket.is_none()
    }

    /// Returns the settings for the files of an imported folder: from the `galley.toml` in it, or from this
    /// configuration if the folder is the served one.
    ///
    /// # Errors
    ///
    /// If a value in that file is invalid.
    pub fn content_files_of(&self, folder: &Path) -> Result<ContentFiles, ConfigError> {
        if let Some(own) = content_files::in_folder(folder)? {
            return Ok(own);
        }
        let real = |path: &Path| path.canonicalize().ok();
        let content = self.content.as_deref().and_then(real);
        Ok(if content.is_some() && content == real(folder) {
            self.content_files.clone()
        } else {
            ContentFiles::default()
        })
    }

    /// Returns the settings for checking the files of the content folder `folder`: as if it were served, with missing
    /// settings from the `galley.toml` in it.
    ///
    /// # Errors
    ///
    /// If a value in that file is invalid.
    pub fn content_files_with(&self, folder: &Path) -> Result<ContentFiles, ConfigError> {
        let own = content_files::in_folder(folder)?;
        Ok(self.content_files.clone().or(own.unwrap_or_default()))
    }

    fn from_values(values: &Values) -> Result<Self, ConfigError> {
        let git = git_options(values)?;
        let https = HttpsConfig::of(values)?;
        let content = match values.given("content") {
            Some(_) => given_path(values, "content"),
            None => default_content().filter(|_| git.is_none()),
        };
        Ok(Self {
            has_file: values.has_file,
            start_error: None,
            ineffective: Vec::new(),
            write_back: write_back(values)?,
            commits: commit_options(values)?,
            new_files: new_files(values)?,
            data: PathBuf::from(values.text("data")),
            uploads_bucket: uploads_bucket(values)?,
            uploads_folder: given_path(values, "uploads.folder"),
            content_files: content_files::of_site(values, content.as_deref())?,
            content,
            git,
            listen: https::listen_for_http(values, https.as_ref())?,
            url: match values.given("url").filter(|url| !url.is_empty()) {
                Some(url) => Some(url.to_owned()),
                None => https.as_ref().and_then(HttpsConfig::url),
            },
            https,
            admin_origin: values.given_parsed("admin.origin")?,
            front_end: values.given_parsed("front_end")?.unwrap_or_default(),
            theme: given_path(values, "theme"),
            script_choice: script_choice(values)?,
            admin_app: given_path(values, "admin.path")
                .unwrap_or_else(|| Path::new(values.text("data")).join(ADMIN_APP)),
            path_prefix: values.segment("path_prefix")?,
            list_limit_max: values.count("server.list_limit_max")?,
            integration_scope: integration_scope(values)?,
            mail: mail_options(values)?,
            device_verification: values.switch("staff.device_verification")?,
            member_origins: values.parsed_list("members.origins")?,
            member_avatars: if values.switch("members.gravatar")? {
                MemberAvatars::Gravatar
            } else {
                MemberAvatars::None
            },
            log_level: log_level(values)?,
            log_access: log_access(values)?,
            values: values.set_values(),
            log_json: values.choice("log_format")? == "json",
            store_url: values.given_parsed("store.url")?,
            store_cache_bytes: values.megabytes("store.cache_mb")?,
            cache_bytes_max: values.megabytes("answers.cache_mb")?,
            settle: Duration::from_millis(values.number("content_files.settle_ms")?),
            rescan: values.seconds("content_files.rescan_s")?,
            upload_bytes_max: values.megabytes("server.upload_mb")? as u64,
            image_memory_bytes: values.memory("images.memory_mb")?,
            fetches_embeds: values.switch("oembed.outside")?,
            allowed_addresses: allowed_addresses(values)?,
            limits: limits(values)?,
            open_files: OpenFiles {
                requested: values.given_number("server.open_files")?,
                connections_are_named: values.given("server.connections").is_some(),
            },
            backups: backups::options(values)?,
            bucket: backups::bucket(values)?,
            upgrade_url: urls::upgrade(values)?,
            github: urls::github(values)?,
            metrics_listen: metrics_listen(values)?,
        })
    }
}

/// Returns the minimum severity of events in the log.
fn log_level(values: &Values) -> Result<LevelFilter, ConfigError> {
    let level = values.choice("log.level")?;
    Ok(level.parse().unwrap_or(LevelFilter::INFO))
}

/// Returns whether each request is logged, if that is set.
fn log_access(values: &Values) -> Result<Option<bool>, ConfigError> {
    let given = values.given("log.access");
    given.map(|_| values.switch("log.access")).transpose()
}

fn integration_scope(values: &Values) -> Result<IntegrationScope, ConfigError> {
    let choice = IntegrationScope::named(values.choice("security.integration_scope")?);
    Ok(choice.unwrap_or_default())
}

fn allowed_addresses(values: &Values) -> Result<AllowedAddresses, ConfigError> {
    Ok(if values.switch("private_receivers")? {
        AllowedAddresses::All
    } else {
        AllowedAddresses::Public
    })
}

/// Returns the path that an option is set to, unless it is empty.
fn given_path(values: &Values, key: &str) -> Option<PathBuf> {
    let path = values.given(key).filter(|path| !path.is_empty());
    path.map(PathBuf::from)
}

fn mail_options(values: &Values) -> Result<MailOptions, ConfigError> {
    Ok(MailOptions {
        server: values.given_parsed("mail.url")?,
        from: values.given_parsed("mail.from")?,
        newsletter_rate: NewsletterRate(values.number("mail.rate")? as u32),
    })
}

/// Returns the listen address for metrics, if it is set.
fn metrics_listen(values: &Values) -> Result<Option<SocketAddr>, ConfigError> {
    match values.given("metrics.listen") {
        None | Some("") => Ok(None),
        Some(_) => {
            let address = values.listen_address("metrics.listen")?;
            let is_taken = values
                .listen_address("listen")
                .is_ok_and(|listen| listen == address);
            if address.port() != 0 && is_taken {
                return Err(values.invalid("metrics.listen", "an address other than listen"));
            }
            Ok(Some(address))
        }
    }
}

/// Returns the name of an option's flag.
fn flag_name(key: &str) -> String {
    match key {
        "source.git.url" => "git".to_owned(),
        "backup.to" => "to".to_owned(),
        "store.url" => "store".to_owned(),
        _ => {
            let name = key.trim_start_matches("source.");
            name.trim_start_matches("server.").replace(['_', '.'], "-")
        }
    }
}

/// Returns the configured repository, if there is one.
fn git_options(values: &Values) -> Result<Option<GitOptions>, ConfigError> {
    let Some(url) = values.given_parsed("source.git.url")? else {
        return Ok(None);
    };
    values.exclude("source.git.url", "content")?;
    let given = |key: &str| values.given(key).filter(|text| !text.is_empty());
    let options = GitOptions {
        url,
        branch: values.given_parsed("source.git.branch")?,
        path: values.given_parsed("source.git.path")?,
        interval: values.seconds("source.git.interval")?,
        token: given("source.git.token").map(str::to_owned),
        secret: given("source.git.secret").map(str::to_owned),
        history: values.switch("source.git.history")?,
        content_files: content_files::among(values)?,
        pushes: values.choice("source.write_back")? == WriteBack::Push.name(),
        new_files: new_files(values)?,
        commits: commit_options(values)?,
        review: match values.given_parsed("source.push_branch")? {
            Some(branch) => Some(ReviewOptions {
                branch,
                after: values.seconds("source.push_branch_after_s")?,
            }),
            None => None,
        },
    };
    if options.token.is_some() && !options.url.takes_token() {
        let message =
            "a token is only used with https://; ssh uses the keys of the user that Galley runs as";
        return Err(values.invalid("source.git.token", message));
    }
    Ok(Some(options))
}

/// Returns the options for commits of edits.
fn commit_options(values: &Values) -> Result<CommitOptions, ConfigError> {
    let message = values.text("source.commit_message").parse();
    Ok(CommitOptions {
        settle: values.seconds("source.write_back_settle_s")?,
        message: message.map_err(|error: CommitMessageError| {
            values.invalid("source.commit_message", &error.to_string())
        })?,
    })
}

/// Returns the paths of new content files.
fn new_files(values: &Values) -> Result<NewFiles, ConfigError> {
    Ok(NewFiles {
        posts: values.given_parsed("source.new_posts")?,
        pages: values.given_parsed("source.new_pages")?,
    })
}

/// Returns the bucket that stores the uploads, if one is configured.
fn uploads_bucket(values: &Values) -> Result<Option<Arc<BucketUploads>>, ConfigError> {
    const KEY: &str = "uploads.bucket";
    let Some(url) = values.given(KEY).filter(|url| !url.is_empty()) else {
        return Ok(None);
    };
    values.exclude(KEY, "uploads.folder")?;
    let given = |key: &str| values.given(key).unwrap_or_default().to_owned();
    let options = BucketOptions {
        table: "uploads",
        endpoint: values.given_parsed("uploads.endpoint")?,
        region: values.text("uploads.region").to_owned(),
        access_key: given("uploads.access_key"),
        secret_key: given("uploads.secret_key"),
    };
    let Some(bucket_path) = url.strip_prefix("s3://") else {
        return Err(values.invalid(KEY, "a bucket with a prefix, such as s3://bucket/prefix"));
    };
    let bucket = Bucket::new(bucket_path, &options).map_err(|why| values.invalid(KEY, &why))?;
    let bytes_max = values.megabytes("uploads.cache_mb")? as u64;
    Ok(Some(Arc::new(BucketUploads::new(bucket, bytes_max))))
}

fn write_back(values: &Values) -> Result<WriteBack, ConfigError> {
    let name = WriteBack::from_name(values.choice("source.write_back")?);
    Ok(name.unwrap_or_default())
}

fn script_choice(values: &Values) -> Result<ScriptChoice, ConfigError> {
    let choice = ScriptChoice::named(values.choice("reader_scripts")?);
    Ok(choice.unwrap_or_default())
}

fn limits(values: &Values) -> Result<Limits, ConfigError> {
    let defaults = Limits::default();
    let or = |given: Option<u64>, default: usize| given.map_or(default, |number| number as usize);
    Ok(Limits {
        threads: or(values.given_number("server.threads")?, defaults.threads),
        workers: or(values.given_number("server.workers")?, defaults.workers),
        connections_max: values.count("server.connections")?,
        connections_per_peer_max: values.count("server.connections_per_peer")?,
        waiting_max: values.count("server.waiting")?,
        headers_bytes_max: values.kilobytes("server.headers_kb")?,
        target_bytes_max: values.kilobytes("server.url_kb")?,
        body_bytes_max: values.kilobytes("server.body_kb")? as u64,
        bodies_bytes_max: values.memory("server.bodies_mb")? as usize,
        responses_bytes_max: values.memory("server.answers_mb")? as usize,
        headers_timeout: values.seconds("server.headers_timeout_s")?,
        body_timeout: values.seconds("server.body_timeout_s")?,
        write_timeout: values.seconds("server.write_timeout_s")?,
        idle_timeout: values.seconds("server.keep_alive_s")?,
        stop_timeout: values.seconds("server.stop_timeout_s")?,
        ..defaults
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_of_the_table_are_those_of_the_server() {
        let config = Config::from_values(&Values::default()).expect("the defaults are valid");
        assert_eq!(config.limits, Limits::default());
    }
}
