//! The configured values as text, each with its origin.

use std::{
    collections::BTreeMap,
    env,
    fmt::{self, Display},
    net::{SocketAddr, ToSocketAddrs},
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use super::{
    machine_memory,
    option::{ConfigOption, OptionType},
    options::OPTIONS,
};

/// Parses a listen address, such as `127.0.0.1:2368` or `localhost:2368`. For a host with several
/// addresses it returns the first IPv4 address, as the default is IPv4 too.
///
/// # Errors
///
/// A description of valid values, if the text is not an address with a port, or the host has none.
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

/// A value is invalid, or a name is unknown.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration file {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The file is not TOML.
    #[error("{}: {message}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The error and its position.
        message: String,
    },
    /// The file sets an unknown option.
    #[error("{}: unknown option \"{key}\".{}", path.display(), nearest(key))]
    Unknown {
        /// The file.
        path: PathBuf,
        /// The name, with its tables.
        key: String,
    },
    /// A value is invalid.
    #[error("{origin}: \"{value}\" is not {expected}")]
    Invalid {
        /// The source of the value.
        origin: Origin,
        /// The value.
        value: String,
        /// The valid values.
        expected: String,
    },
    /// A value that must not be printed is invalid.
    #[error("{origin}: {expected}")]
    InvalidSecret {
        /// The source of the value.
        origin: Origin,
        /// The valid values.
        expected: String,
    },
    /// Two options are set that exclude each other.
    #[error(
        "{one} and {other} are both set, but exclude each other: remove one of them, or set it to \"\""
    )]
    Exclusive {
        /// The source of the first.
        one: Origin,
        /// The source of the second.
        other: Origin,
    },
}

/// The source of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// On the command line.
    Flag(String),
    /// In the environment.
    Variable(String),
    /// In the file.
    File(PathBuf, String),
    /// Not set: it is the default.
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

/// The configured values.
#[derive(Debug, Default)]
pub struct Values(BTreeMap<String, (String, Origin)>);

impl Values {
    /// Adds the values of a file.
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
                                expected: "a list of texts".to_owned(),
                            });
                        }
                    }
                }
                toml::Value::Boolean(on) if option.kind == OptionType::Switch => on.to_string(),
                other => {
                    return Err(ConfigError::Invalid {
                        origin: Origin::File(path.to_owned(), key),
                        value: format!("a {}", other.type_str()),
                        expected: "text or a whole number".to_owned(),
                    });
                }
            };
            let origin = Origin::File(path.to_owned(), key.clone());
            self.0.insert(key, (text, origin));
        }
        Ok(())
    }

    /// Adds the values of the environment.
    pub fn add_environment(&mut self) {
        for option in OPTIONS {
            let variable = option.variable();
            if let Ok(value) = env::var(&variable) {
                self.set(option.key, value, Origin::Variable(variable));
            }
        }
    }

    /// Sets one value, replacing the previous one.
    pub fn set(&mut self, key: &str, value: String, origin: Origin) {
        self.0.insert(key.to_owned(), (value, origin));
    }

    /// Returns whether values are set, and the keys of all begin with `start`.
    pub fn are_all_below(&self, start: &str) -> bool {
        !self.0.is_empty() && self.0.keys().all(|key| key.starts_with(start))
    }

    /// Returns the value, if it was set.
    pub fn given(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(|(value, _)| value.as_str())
    }

    /// Returns the value, or the default of the table.
    pub fn text(&self, key: &str) -> &str {
        self.given(key).unwrap_or_else(|| option(key).default)
    }

    /// Returns the parsed value.
    pub fn parsed<T: FromStr>(&self, key: &str, expected: &str) -> Result<T, ConfigError> {
        self.text(key)
            .parse()
            .map_err(|_| self.invalid(key, expected))
    }

    /// Returns the value as a listen address.
    pub fn listen_address(&self, key: &str) -> Result<SocketAddr, ConfigError> {
        listen_address(self.text(key)).map_err(|expected| self.invalid(key, expected))
    }

    /// Returns the parsed value, if it was set and is not empty.
    pub fn given_parsed<T: FromStr<Err: Display>>(
        &self,
        key: &str,
    ) -> Result<Option<T>, ConfigError> {
        let given = self.given(key).filter(|text| !text.is_empty());
        let parsed = given.map(str::parse).transpose();
        parsed.map_err(|error: T::Err| self.invalid(key, &error.to_string()))
    }

    /// Returns the parsed texts of a list; none if it was not set.
    pub fn parsed_list<T: FromStr<Err: Display>>(&self, key: &str) -> Result<Vec<T>, ConfigError> {
        let texts = self.list(key).into_iter();
        let parsed: Result<Vec<T>, T::Err> = texts.map(|text| text.parse()).collect();
        parsed.map_err(|error| self.invalid(key, &error.to_string()))
    }

    /// Returns the number that was set, or the default.
    pub fn number(&self, key: &str) -> Result<u64, ConfigError> {
        let OptionType::Number(least, most) = option(key).kind else {
            unreachable!("invariant: {key} is a number in the table");
        };
        let expected = format!("a whole number from {least} to {most}");
        match self.parsed(key, &expected)? {
            number if !(least..=most).contains(&number) => Err(self.invalid(key, &expected)),
            number => Ok(number),
        }
    }

    /// Returns the number, if it was set, for an option whose default depends on the machine.
    pub fn given_number(&self, key: &str) -> Result<Option<u64>, ConfigError> {
        self.given(key).map(|_| self.number(key)).transpose()
    }

    /// Returns the number as a count.
    pub fn count(&self, key: &str) -> Result<usize, ConfigError> {
        Ok(self.number(key)? as usize)
    }

    /// Returns the number of kilobytes, in bytes.
    pub fn kilobytes(&self, key: &str) -> Result<usize, ConfigError> {
        Ok(self.count(key)? << 10)
    }

    /// Returns the number of megabytes, in bytes.
    pub fn megabytes(&self, key: &str) -> Result<usize, ConfigError> {
        Ok(self.count(key)? << 20)
    }

    /// Returns the number of megabytes, in bytes; by default a share of the memory that the process may use.
    pub fn memory(&self, key: &str) -> Result<u64, ConfigError> {
        let given = self.given_number(key)?;
        Ok(given.map_or_else(machine_memory::share_bytes, |megabytes| megabytes << 20))
    }

    /// Returns the number of seconds.
    pub fn seconds(&self, key: &str) -> Result<Duration, ConfigError> {
        Ok(Duration::from_secs(self.number(key)?))
    }

    /// Returns one of the choices in the table.
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

    /// Returns the texts of a list; none if it was not set. Commas in braces, as in patterns, do
    /// not separate.
    pub fn list(&self, key: &str) -> Vec<String> {
        let mut texts = vec![String::new()];
        let mut depth = 0_usize;
        for character in self.given(key).unwrap_or_default().chars() {
            match character {
                ',' if depth == 0 => {
                    texts.push(String::new());
                    continue;
                }
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if let Some(last) = texts.last_mut() {
                last.push(character);
            }
        }
        let texts = texts.into_iter().map(|text| text.trim().to_owned());
        texts.filter(|text| !text.is_empty()).collect()
    }

    /// Returns whether a switch is on.
    pub fn switch(&self, key: &str) -> Result<bool, ConfigError> {
        self.parsed(key, "true or false")
    }

    /// Returns the value as one segment of a path.
    pub fn segment(&self, key: &str) -> Result<String, ConfigError> {
        let text = self.text(key);
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if !text.is_empty() && text.bytes().all(is_plain) {
            Ok(text.to_owned())
        } else {
            Err(self.invalid(key, "a path segment of letters, digits and dashes"))
        }
    }

    /// Fails if both options are set and not empty.
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

    /// Returns the error of an invalid value.
    pub fn invalid(&self, key: &str, expected: &str) -> ConfigError {
        let default = || (option(key).default.to_owned(), Origin::Default);
        let (value, origin) = self.0.get(key).cloned().unwrap_or_else(default);
        if option(key).kind == OptionType::Secret {
            return ConfigError::InvalidSecret {
                origin,
                expected: expected.to_owned(),
            };
        }
        ConfigError::Invalid {
            origin,
            value,
            expected: expected.to_owned(),
        }
    }
}

fn option(key: &str) -> &'static ConfigOption {
    OPTIONS
        .iter()
        .find(|option| option.key == key)
        .expect("invariant: only keys of the table are used")
}
