//! What is set, wherever it is set: values as text, each with where it stands.

use std::{
    collections::BTreeMap,
    env,
    fmt::{self, Display},
    net::{SocketAddr, ToSocketAddrs},
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use super::options::{ConfigOption, OPTIONS, OptionType};

/// Returns the address that `text` names, such as `127.0.0.1:2368` or `localhost:2368`. Of a host with several addresses it is
/// the first of IPv4, which the default is too.
///
/// # Errors
///
/// What would do, if the text is no address with a port, or the host has none.
pub fn listen_address(text: &str) -> Result<SocketAddr, &'static str> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let resolved = text.to_socket_addrs().map(Iterator::collect);
    let addresses: Vec<SocketAddr> = resolved.unwrap_or_default();
    let of_ipv4 = addresses.iter().find(|address| address.is_ipv4());
    of_ipv4
        .or(addresses.first())
        .copied()
        .ok_or("an address and a port, such as 127.0.0.1:2368, [::1]:2368 or localhost:2368")
}

/// A value is wrong, or a name is unknown.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration file {}: {source}", path.display())]
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
    /// A value that is not to be shown is not what its option needs.
    #[error("{origin}: {wanted}")]
    InvalidSecret {
        /// Where the value stands.
        origin: Origin,
        /// What would do.
        wanted: String,
    },
    /// Two values are set of which one excludes the other.
    #[error(
        "{one} and {other} are both set, and exclude one another: set one of them to \"\", or take it away"
    )]
    Exclusive {
        /// Where the one stands.
        one: Origin,
        /// Where the other stands.
        other: Origin,
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
pub struct Values(BTreeMap<String, (String, Origin)>);

impl Values {
    /// Adds what a file sets.
    pub fn add_file(&mut self, path: &Path) -> Result<(), ConfigError> {
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
            let Some(option) = OPTIONS.iter().find(|option| option.key == key) else {
                return Err(ConfigError::Unknown {
                    path: path.to_owned(),
                    key,
                });
            };
            let text = match value {
                toml::Value::String(text) => text.clone(),
                toml::Value::Integer(number) => number.to_string(),
                toml::Value::Array(texts) if option.kind == OptionType::List => {
                    let texts = texts.iter().map(toml::Value::as_str);
                    match texts.collect::<Option<Vec<&str>>>() {
                        Some(texts) => texts.join(","),
                        None => {
                            return Err(ConfigError::Invalid {
                                origin: Origin::File(path.to_owned(), key),
                                value: "the list".to_owned(),
                                wanted: "a list of texts".to_owned(),
                            });
                        }
                    }
                }
                toml::Value::Boolean(on) if option.kind == OptionType::Switch => on.to_string(),
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

    /// Adds what the environment sets.
    pub fn add_environment(&mut self) {
        for option in OPTIONS {
            let variable = option.variable();
            if let Ok(value) = env::var(&variable) {
                self.set(option.key, value, Origin::Variable(variable));
            }
        }
    }

    /// Sets one value, in the place of what was set before.
    pub fn set(&mut self, key: &str, value: String, origin: Origin) {
        self.0.insert(key.to_owned(), (value, origin));
    }

    /// The value that was set.
    pub fn given(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(|(value, _)| value.as_str())
    }

    /// The value that was set, or the default of the table.
    pub fn text(&self, key: &str) -> &str {
        self.given(key).unwrap_or_else(|| option(key).default)
    }

    /// The value as something that can be read from text.
    pub fn parsed<T: FromStr>(&self, key: &str, wanted: &str) -> Result<T, ConfigError> {
        self.text(key)
            .parse()
            .map_err(|_| self.invalid(key, wanted))
    }

    /// Returns the value as an address to listen at.
    pub fn listen_address(&self, key: &str) -> Result<SocketAddr, ConfigError> {
        listen_address(self.text(key)).map_err(|wanted| self.invalid(key, wanted))
    }

    /// The value as something that can be read from text, if it was set and is not empty.
    pub fn given_parsed<T: FromStr<Err: Display>>(
        &self,
        key: &str,
    ) -> Result<Option<T>, ConfigError> {
        let given = self.given(key).filter(|text| !text.is_empty());
        let parsed = given.map(str::parse).transpose();
        parsed.map_err(|error: T::Err| self.invalid(key, &error.to_string()))
    }

    /// The number that was set or is the default.
    pub fn number(&self, key: &str) -> Result<u64, ConfigError> {
        let OptionType::Number(least, most) = option(key).kind else {
            unreachable!("invariant: {key} is a number in the table");
        };
        let wanted = format!("a whole number from {least} to {most}");
        match self.parsed(key, &wanted)? {
            number if !(least..=most).contains(&number) => Err(self.invalid(key, &wanted)),
            number => Ok(number),
        }
    }

    /// The number that was set, where the default depends on the machine.
    pub fn given_number(&self, key: &str) -> Result<Option<u64>, ConfigError> {
        self.given(key).map(|_| self.number(key)).transpose()
    }

    /// The number as a count of things.
    pub fn count(&self, key: &str) -> Result<usize, ConfigError> {
        Ok(self.number(key)? as usize)
    }

    /// The number of kilobytes, in bytes.
    pub fn kilobytes(&self, key: &str) -> Result<usize, ConfigError> {
        Ok(self.count(key)? << 10)
    }

    /// The number of megabytes, in bytes.
    pub fn megabytes(&self, key: &str) -> Result<usize, ConfigError> {
        Ok(self.count(key)? << 20)
    }

    /// The number of seconds.
    pub fn seconds(&self, key: &str) -> Result<Duration, ConfigError> {
        Ok(Duration::from_secs(self.number(key)?))
    }

    /// One of the words of the table.
    pub fn choice(&self, key: &str) -> Result<&str, ConfigError> {
        let OptionType::Choice(words) = option(key).kind else {
            unreachable!("invariant: {key} is a choice in the table");
        };
        let word = self.text(key);
        if words.contains(&word) {
            Ok(word)
        } else {
            Err(self.invalid(key, &format!("one of: {}", words.join(", "))))
        }
    }

    /// The texts of a list; none if it was not set. Commas in braces, as patterns have them, divide nothing.
    pub fn list(&self, key: &str) -> Vec<String> {
        let mut texts = vec![String::new()];
        let mut depth = 0_usize;
        for letter in self.given(key).unwrap_or_default().chars() {
            match letter {
                ',' if depth == 0 => {
                    texts.push(String::new());
                    continue;
                }
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if let Some(last) = texts.last_mut() {
                last.push(letter);
            }
        }
        let texts = texts.into_iter().map(|text| text.trim().to_owned());
        texts.filter(|text| !text.is_empty()).collect()
    }

    /// Whether a switch is on.
    pub fn switch(&self, key: &str) -> Result<bool, ConfigError> {
        self.parsed(key, "true or false")
    }

    /// One segment of a path.
    pub fn segment(&self, key: &str) -> Result<String, ConfigError> {
        let text = self.text(key);
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if !text.is_empty() && text.bytes().all(is_plain) {
            Ok(text.to_owned())
        } else {
            Err(self.invalid(key, "a path segment of letters, digits and dashes"))
        }
    }

    /// Fails when both are set to something.
    pub fn exclude(&self, one: &str, other: &str) -> Result<(), ConfigError> {
        let origin = |key: &str| {
            let (value, origin) = self.0.get(key)?;
            (!value.is_empty()).then(|| origin.clone())
        };
        match (origin(one), origin(other)) {
            (Some(one), Some(other)) => Err(ConfigError::Exclusive { one, other }),
            _ => Ok(()),
        }
    }

    /// The error of a value that is not what is wanted.
    pub fn invalid(&self, key: &str, wanted: &str) -> ConfigError {
        let default = || (option(key).default.to_owned(), Origin::Default);
        let (value, origin) = self.0.get(key).cloned().unwrap_or_else(default);
        if option(key).kind == OptionType::Secret {
            return ConfigError::InvalidSecret {
                origin,
                wanted: wanted.to_owned(),
            };
        }
        ConfigError::Invalid {
            origin,
            value,
            wanted: wanted.to_owned(),
        }
    }
}

fn option(key: &str) -> &'static ConfigOption {
    OPTIONS
        .iter()
        .find(|option| option.key == key)
        .expect("invariant: only keys of the table are asked for")
}
