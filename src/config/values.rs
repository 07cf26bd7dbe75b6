//! The configured values as text, each with its origin.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    fmt::{self, Display},
    mem,
    net::SocketAddr,
    path::Path,
    str::FromStr,
    time::Duration,
};

use toml::de::{DeTable, DeValue};

use super::{
    error::{ConfigError, FilePosition, OptionOrigin},
    forms, machine_memory,
    option::{ConfigOption, OptionType},
    options::OPTIONS,
};

/// The configuration file that is read by default, if it exists.
pub const FILE: &str = "galley.toml";

/// The values that were set, as text with their origins, by option. They are only compared and never shown, since some are
/// secret.
#[derive(Clone, Default)]
pub struct ConfigValues(BTreeMap<String, (String, OptionOrigin)>);

impl ConfigValues {
    /// Returns the options whose value differs in `other`.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let keys: BTreeSet<&String> = self.0.keys().chain(other.0.keys()).collect();
        let keys = keys.into_iter();
        keys.filter(|key| self.text(key) != other.text(key))
            .cloned()
            .collect()
    }

    /// Returns the value of an option, or its default.
    fn text(&self, key: &str) -> &str {
        let value = self.0.get(key).map(|(value, _)| value.as_str());
        value.unwrap_or(option(key).default)
    }

    /// Returns the position of an option in a file, if it is set in one.
    pub fn position(&self, key: &str) -> Option<&FilePosition> {
        let (_, origin) = self.0.get(key)?;
        origin.position()
    }

    /// Copies the value of an option from `other`.
    pub fn adopt(&mut self, key: &str, other: &Self) {
        match other.0.get(key) {
            Some(value) => self.0.insert(key.to_owned(), value.clone()),
            None => self.0.remove(key),
        };
    }
}

impl fmt::Debug for ConfigValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// The configured values.
#[derive(Debug, Default)]
pub struct Values {
    values: BTreeMap<String, (String, OptionOrigin)>,
    /// The errors of the files that were added.
    problems: Vec<ConfigError>,
    /// True if a file was added.
    pub has_file: bool,
}

impl Values {
    /// Returns the values of the `galley.toml` in a folder; `None` if that file does not exist.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn in_folder(folder: &Path) -> Result<Option<Self>, ConfigError> {
        let file = folder.join(FILE);
        if !file.is_file() {
            return Ok(None);
        }
        let mut values = Self::default();
        values.add_file(&file)?;
        Ok(Some(values))
    }

    /// Adds the values of a file. Syntax errors, unknown options and values of a wrong type are reported later by
    /// [`read`](Self::read).
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn add_file(&mut self, path: &Path) -> Result<(), ConfigError> {
        let text = std::fs::read_to_string(path).map_err(|source| ConfigError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        let file = ConfigFile { path, text: &text };
        // Continues after a syntax error, so that all errors of the file are reported together.
        let (table, errors) = DeTable::parse_recoverable(&text);
        self.problems.extend(errors.iter().map(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            ConfigError::Malformed {
                position: file.position(offset),
                message: error.message().to_owned(),
            }
        }));
        self.add_table(&file, "", table.get_ref());
        self.has_file = true;
        Ok(())
    }

    fn add_table(&mut self, file: &ConfigFile, prefix: &str, table: &DeTable) {
        for (name, value) in table {
            let key = format!("{prefix}{}", name.get_ref());
            let value = value.get_ref();
            if let DeValue::Table(inner) = value {
                self.add_table(file, &format!("{key}."), inner);
                continue;
            }
            let position = file.position(name.span().start);
            let Some(option) = OPTIONS.iter().find(|option| option.key == key) else {
                self.problems.push(ConfigError::Unknown { position, key });
                continue;
            };
            let origin = OptionOrigin::File(position, key.clone());
            match text_of(value, option.kind) {
                Ok(text) => self.set(&key, text, origin),
                Err((value, expected)) => self.problems.push(ConfigError::Invalid {
                    key,
                    origin,
                    value,
                    expected: expected.to_owned(),
                }),
            }
        }
    }

    /// Reads a configuration from the values.
    ///
    /// # Errors
    ///
    /// All errors of the values at once. An invalid value is replaced by its default, so that errors of further values
    /// are found.
    pub fn read<T>(
        mut self,
        read: impl Fn(&Self) -> Result<T, ConfigError>,
    ) -> Result<T, ConfigError> {
        let mut problems = mem::take(&mut self.problems);
        for option in OPTIONS {
            if let Err(problem) = self.check_type(option) {
                self.values.remove(option.key);
                problems.push(problem);
            }
        }
        loop {
            // The loop ends, because each round either removes a value or is the last one.
            match read(&self) {
                Ok(value) if problems.is_empty() => return Ok(value),
                Ok(_) => break,
                Err(problem) => {
                    let key = problem.key();
                    let is_removed = key.is_some_and(|key| self.values.remove(key).is_some());
                    problems.push(problem);
                    if !is_removed {
                        break;
                    }
                }
            }
        }
        Err(ConfigError::all(problems))
    }

    /// Checks the type and the form of a value that was set and is not empty.
    fn check_type(&self, option: &ConfigOption) -> Result<(), ConfigError> {
        let key = option.key;
        if self.given(key).is_none_or(str::is_empty) {
            return Ok(());
        }
        match option.kind {
            OptionType::Number(..) => self.number(key).map(|_| ()),
            OptionType::Choice(_) => self.choice(key).map(|_| ()),
            OptionType::Switch => self.switch(key).map(|_| ()),
            OptionType::Form(check) => {
                check(self.text(key)).map_err(|expected| self.invalid(key, &expected))
            }
            OptionType::Path | OptionType::Text | OptionType::Secret | OptionType::List => Ok(()),
        }
    }

    /// Adds the values of the environment.
    pub fn add_environment(&mut self) {
        for option in OPTIONS {
            let variable = option.variable();
            if let Ok(value) = env::var(&variable) {
                self.set(option.key, value, OptionOrigin::Variable(variable));
            }
        }
    }

    /// Sets one value, replacing the previous one.
    pub fn set(&mut self, key: &str, value: String, origin: OptionOrigin) {
        self.values.insert(key.to_owned(), (value, origin));
    }

    /// Returns all values that were set.
    pub fn set_values(&self) -> ConfigValues {
        ConfigValues(self.values.clone())
    }

    /// Returns whether at least one value is set, and the keys of all values begin with `start`.
    pub fn are_all_below(&self, start: &str) -> bool {
        !self.values.is_empty() && self.values.keys().all(|key| key.starts_with(start))
    }

    /// Returns the value and its origin, if it was set.
    pub fn given_with_origin(&self, key: &str) -> Option<(&str, &OptionOrigin)> {
        let given = self.values.get(key);
        given.map(|(value, origin)| (value.as_str(), origin))
    }

    /// Returns the value, if it was set.
    pub fn given(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(|(value, _)| value.as_str())
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

    /// Returns the value as a time of at least a second.
    pub fn duration(&self, key: &str) -> Result<Duration, ConfigError> {
        forms::duration(self.text(key)).map_err(|expected| self.invalid(key, &expected))
    }

    /// Returns the value as a listen address.
    pub fn listen_address(&self, key: &str) -> Result<SocketAddr, ConfigError> {
        forms::listen_address(self.text(key)).map_err(|expected| self.invalid(key, expected))
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

    /// Returns the parsed texts of a list; empty if it was not set.
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

    /// Returns the number of megabytes, in bytes. The default is a share of the memory that the process may use.
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

    /// Returns the texts of a list; empty if it was not set. Commas in braces, as in patterns, do not separate texts.
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
            let (value, origin) = self.values.get(key)?;
            (!value.is_empty()).then(|| origin.clone())
        };
        match (origin(one), origin(other)) {
            (Some(one), Some(other_origin)) => Err(ConfigError::Exclusive {
                key: other.to_owned(),
                one,
                other: other_origin,
            }),
            _ => Ok(()),
        }
    }

    /// Returns the error of a missing option that `given` requires.
    pub fn missing(
        &self,
        given: &str,
        missing: &'static str,
        expected: &'static str,
    ) -> ConfigError {
        let origin = self.values.get(given).map(|(_, origin)| origin.clone());
        ConfigError::Missing {
            key: given.to_owned(),
            origin: origin.unwrap_or(OptionOrigin::Default),
            missing,
            expected,
        }
    }

    /// Returns the error of an invalid value.
    pub fn invalid(&self, key: &str, expected: &str) -> ConfigError {
        let default = || (option(key).default.to_owned(), OptionOrigin::Default);
        let (value, origin) = self.values.get(key).cloned().unwrap_or_else(default);
        if matches!(option(key).kind, OptionType::Secret) {
            return ConfigError::InvalidSecret {
                key: key.to_owned(),
                origin,
                expected: expected.to_owned(),
            };
        }
        ConfigError::Invalid {
            key: key.to_owned(),
            origin,
            value,
            expected: expected.to_owned(),
        }
    }
}

/// A configuration file.
struct ConfigFile<'a> {
    path: &'a Path,
    text: &'a str,
}

impl ConfigFile<'_> {
    /// Returns the position of a byte offset.
    fn position(&self, offset: usize) -> Box<FilePosition> {
        let before = self.text.get(..offset).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        Box::new(FilePosition {
            path: self.path.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        })
    }
}

/// Returns a value of a file as text. The error is a description of the value and of the valid ones.
fn text_of(value: &DeValue, kind: OptionType) -> Result<String, (String, &'static str)> {
    match value {
        DeValue::String(text) => Ok(text.to_string()),
        // The number may have any length, since the type of the option checks its range.
        DeValue::Integer(number) => Ok(i128::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| number.to_string(), |number| number.to_string())),
        DeValue::Boolean(on) if matches!(kind, OptionType::Switch) => Ok(on.to_string()),
        DeValue::Array(texts) if matches!(kind, OptionType::List) => {
            let texts = texts.iter().map(|text| text.get_ref().as_str());
            let texts: Option<Vec<&str>> = texts.collect();
            let texts =
                texts.ok_or_else(|| ("a list with other values".to_owned(), "a list of texts"))?;
            Ok(texts.join(","))
        }
        other => Err((format!("a {}", other.type_str()), "text or a whole number")),
    }
}

fn option(key: &str) -> &'static ConfigOption {
    OPTIONS
        .iter()
        .find(|option| option.key == key)
        .expect("invariant: only keys of the table are used")
}
