//! Configuration: what the operator may set, in one table.
//!
//! A flag beats an environment variable, that beats `galley.toml`, and that beats the default. The table below is all there
//! is to set; the schema of `galley.toml`, the names of the variables and README's reference are held to it by tests. Units
//! stand at the end of names: `_mb` are 1,048,576 bytes, `_kb` 1,024 bytes, `_s` seconds, `_ms` milliseconds.

use std::{
    collections::BTreeMap,
    env, fmt,
    net::SocketAddr,
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use crate::server::Limits;

/// What a value looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionType {
    /// A folder or a file.
    Path,
    /// Any text.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
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
        "path_prefix",
        OptionType::Text,
        "ghost",
        "First segment of the API's paths: /ghost/api/.",
    ),
    option(
        "log_format",
        OptionType::Choice(&["text", "json"]),
        "text",
        "How the log is written.",
    ),
    option(
        "store.cache_mb",
        OptionType::Number(1, 1 << 20),
        "24",
        "Memory for pages of the store.",
    ),
    option(
        "answers.cache_mb",
        OptionType::Number(0, 1 << 20),
        "16",
        "Memory for finished answers.",
    ),
    option(
        "content_files.settle_ms",
        OptionType::Number(1, 60_000),
        "50",
        "How long files must be quiet before they are read.",
    ),
    option(
        "content_files.rescan_s",
        OptionType::Number(1, 86_400),
        "60",
        "How often the whole folder is looked at, whatever the system reports.",
    ),
    option(
        "server.threads",
        OptionType::Number(1, 1024),
        "one for each processor",
        "Threads that serve connections.",
    ),
    option(
        "server.workers",
        OptionType::Number(1, 1024),
        "two for each processor, at least 4",
        "Requests answered from the store at once.",
    ),
    option(
        "server.connections",
        OptionType::Number(1, 1 << 20),
        "4096",
        "Open connections at once.",
    ),
    option(
        "server.connections_per_peer",
        OptionType::Number(1, 1 << 20),
        "2048",
        "Open connections of one address at once.",
    ),
    option(
        "server.headers_kb",
        OptionType::Number(1, 1024),
        "16",
        "Length of a request's header fields.",
    ),
    option(
        "server.url_kb",
        OptionType::Number(1, 1024),
        "8",
        "Length of a request's path and query.",
    ),
    option(
        "server.body_kb",
        OptionType::Number(1, NUMBER_MAX),
        "4096",
        "Length of a request's body.",
    ),
    option(
        "server.bodies_mb",
        OptionType::Number(1, 1 << 20),
        "64",
        "Length of all bodies that are being received.",
    ),
    option(
        "server.headers_timeout_s",
        OptionType::Number(1, 3600),
        "10",
        "Time for a request's header.",
    ),
    option(
        "server.body_timeout_s",
        OptionType::Number(1, 3600),
        "20",
        "Time for each 64 KiB of a request's body.",
    ),
    option(
        "server.write_timeout_s",
        OptionType::Number(1, 3600),
        "30",
        "Time for a client to take each 64 KiB of an answer.",
    ),
    option(
        "server.keep_alive_s",
        OptionType::Number(1, 3600),
        "75",
        "How long a connection may stay open without a request.",
    ),
    option(
        "server.stop_timeout_s",
        OptionType::Number(0, 3600),
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

/// A value is wrong, or a name is unknown.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not TOML.
    #[error("{}: {message}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong and where.
        message: String,
    },
    /// The file sets something that there is not.
    #[error("{}: there is nothing called \"{key}\" to set.{}", path.display(), nearest(key))]
    Unknown {
        /// The file.
        path: PathBuf,
        /// The name, with the tables that it stands in.
        key: String,
    },
    /// A value is not what its option needs.
    #[error("{origin}: \"{value}\" is not {wanted}")]
    Invalid {
        /// Where the value stands.
        origin: Origin,
        /// The value.
        value: String,
        /// What would do.
        wanted: String,
    },
}

/// Where a value stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// On the command line.
    Flag(String),
    /// In the environment.
    Variable(String),
    /// In the file.
    File(PathBuf, String),
    /// Nowhere: it is the default.
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => write!(f, "--{flag}"),
            Self::Variable(name) => f.write_str(name),
            Self::File(path, key) => write!(f, "{}: {key}", path.display()),
            Self::Default => f.write_str("the default"),
        }
    }
}

fn nearest(key: &str) -> String {
    OPTIONS
        .iter()
        .map(|option| (strsim::damerau_levenshtein(option.key, key), option.key))
        .min()
        .filter(|(distance, _)| *distance <= 3)
        .map(|(_, known)| format!(" Did you mean \"{known}\"?"))
        .unwrap_or_default()
}

/// What is set, wherever it is set.
#[derive(Debug, Default)]
struct Values(BTreeMap<String, (String, Origin)>);

/// Everything that the program goes by.
#[derive(Clone, Debug)]
pub struct Config {
    /// The data folder.
    pub data: PathBuf,
    /// The folder of content files, if there is one.
    pub content: Option<PathBuf>,
    /// Where to listen.
    pub listen: SocketAddr,
    /// The site's public address, if it is set here.
    pub url: Option<String>,
    /// The first segment of the API's paths.
    pub path_prefix: String,
    /// Whether the log is written as JSON.
    pub log_json: bool,
    /// Memory for pages of the store, in bytes.
    pub store_cache_bytes: usize,
    /// Memory for finished answers, in bytes.
    pub answer_bytes_max: usize,
    /// How long files must be quiet before they are read.
    pub settle: Duration,
    /// How often the whole content folder is looked at.
    pub rescan: Duration,
    /// What the edge grants.
    pub limits: Limits,
}

/// The configuration file that is read when none is named, if it is there.
pub const FILE: &str = "galley.toml";

/// The content folder that is served when none is named, if it is there.
const CONTENT: &str = "content";

impl Config {
    /// Reads everything: `flags` as they were given, by option key; `file` as named by `--config`.
    ///
    /// # Errors
    ///
    /// When a value or a name is wrong, naming where it stands and what would do.
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
        for option in OPTIONS {
            let variable = option.variable();
            if let Ok(value) = env::var(&variable) {
                values
                    .0
                    .insert(option.key.to_owned(), (value, Origin::Variable(variable)));
            }
        }
        for (key, value) in flags {
            let origin = Origin::Flag(key.replace('_', "-"));
            values.0.insert((*key).to_owned(), (value.clone(), origin));
        }
        Self::from_values(&values)
    }

    fn from_values(values: &Values) -> Result<Self, ConfigError> {
        let limits = Limits::default();
        let megabytes =
            |key, default| Ok(values.number(key)?.map_or(default, |number| number << 20) as usize);
        let kilobytes = |key, default: usize| {
            Ok(values
                .number(key)?
                .map_or(default, |number| (number as usize) << 10))
        };
        let seconds = |key, default| Ok(values.number(key)?.map_or(default, Duration::from_secs));
        let count = |key, default| {
            Ok(values
                .number(key)?
                .map_or(default, |number| number as usize))
        };
        Ok(Self {
            data: values
                .text("data")
                .map_or_else(|| PathBuf::from("galley-data"), PathBuf::from),
            content: match values.text("content") {
                Some("") => None,
                Some(path) => Some(PathBuf::from(path)),
                None => Some(PathBuf::from(CONTENT)).filter(|path| path.is_dir()),
            },
            listen: values
                .parsed("listen", "an address and a port, such as 127.0.0.1:2368")?
                .unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 2368))),
            url: values.text("url").map(str::to_owned),
            path_prefix: values.path_prefix()?,
            log_json: values.choice("log_format")? == Some("json"),
            store_cache_bytes: megabytes("store.cache_mb", 24 << 20)?,
            answer_bytes_max: megabytes("answers.cache_mb", 16 << 20)?,
            settle: Duration::from_millis(values.number("content_files.settle_ms")?.unwrap_or(50)),
            rescan: seconds("content_files.rescan_s", Duration::from_secs(60))?,
            limits: Limits {
                threads: count("server.threads", limits.threads)?,
                workers: count("server.workers", limits.workers)?,
                connections_max: count("server.connections", limits.connections_max)?,
                connections_per_peer_max: count(
                    "server.connections_per_peer",
                    limits.connections_per_peer_max,
                )?,
                headers_bytes_max: kilobytes("server.headers_kb", limits.headers_bytes_max)?,
                target_bytes_max: kilobytes("server.url_kb", limits.target_bytes_max)?,
                body_bytes_max: kilobytes("server.body_kb", limits.body_bytes_max as usize)? as u64,
                bodies_bytes_max: megabytes("server.bodies_mb", limits.bodies_bytes_max as u64)?,
                headers_timeout: seconds("server.headers_timeout_s", limits.headers_timeout)?,
                body_timeout: seconds("server.body_timeout_s", limits.body_timeout)?,
                write_timeout: seconds("server.write_timeout_s", limits.write_timeout)?,
                idle_timeout: seconds("server.keep_alive_s", limits.idle_timeout)?,
                stop_timeout: seconds("server.stop_timeout_s", limits.stop_timeout)?,
                ..limits
            },
        })
    }
}

impl Values {
    fn add_file(&mut self, path: &Path) -> Result<(), ConfigError> {
        let text = std::fs::read_to_string(path).map_err(|source| ConfigError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        let table: toml::Table =
            text.parse()
                .map_err(|error: toml::de::Error| ConfigError::Malformed {
                    path: path.to_owned(),
                    message: error.to_string().trim_end().to_owned(),
                })?;
        self.add_table(path, "", &table)
    }

    fn add_table(
        &mut self,
        path: &Path,
        prefix: &str,
        table: &toml::Table,
    ) -> Result<(), ConfigError> {
        for (name, value) in table {
            let key = format!("{prefix}{name}");
            if let toml::Value::Table(inner) = value {
                self.add_table(path, &format!("{key}."), inner)?;
                continue;
            }
            if !OPTIONS.iter().any(|option| option.key == key) {
                return Err(ConfigError::Unknown {
                    path: path.to_owned(),
                    key,
                });
            }
            let text = match value {
                toml::Value::String(text) => text.clone(),
                toml::Value::Integer(number) => number.to_string(),
                other => {
                    return Err(ConfigError::Invalid {
                        origin: Origin::File(path.to_owned(), key),
                        value: format!("a {}", other.type_str()),
                        wanted: "text or a whole number".to_owned(),
                    });
                }
            };
            let origin = Origin::File(path.to_owned(), key.clone());
            self.0.insert(key, (text, origin));
        }
        Ok(())
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(|(value, _)| value.as_str())
    }

    fn invalid(&self, key: &str, wanted: &str) -> ConfigError {
        let (value, origin) = self
            .0
            .get(key)
            .cloned()
            .unwrap_or_else(|| (String::new(), Origin::Default));
        ConfigError::Invalid {
            origin,
            value,
            wanted: wanted.to_owned(),
        }
    }

    fn parsed<T: FromStr>(&self, key: &str, wanted: &str) -> Result<Option<T>, ConfigError> {
        self.text(key)
            .map(|text| text.parse().map_err(|_| self.invalid(key, wanted)))
            .transpose()
    }

    fn number(&self, key: &str) -> Result<Option<u64>, ConfigError> {
        let kind = OPTIONS
            .iter()
            .find(|option| option.key == key)
            .map(|option| option.kind);
        let Some(OptionType::Number(least, most)) = kind else {
            return Ok(None);
        };
        let wanted = format!("a whole number from {least} to {most}");
        match self.parsed::<u64>(key, &wanted)? {
            Some(number) if !(least..=most).contains(&number) => Err(self.invalid(key, &wanted)),
            number => Ok(number),
        }
    }

    fn choice(&self, key: &str) -> Result<Option<&str>, ConfigError> {
        let kind = OPTIONS
            .iter()
            .find(|option| option.key == key)
            .map(|option| option.kind);
        match (kind, self.text(key)) {
            (Some(OptionType::Choice(words)), Some(word)) if !words.contains(&word) => {
                Err(self.invalid(key, &format!("one of: {}", words.join(", "))))
            }
            (_, word) => Ok(word),
        }
    }

    fn path_prefix(&self) -> Result<String, ConfigError> {
        let prefix = self.text("path_prefix").unwrap_or("ghost");
        let is_segment = !prefix.is_empty()
            && prefix
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        match is_segment {
            true => Ok(prefix.to_owned()),
            false => Err(self.invalid(
                "path_prefix",
                "a path segment of letters, digits and dashes",
            )),
        }
    }
}
