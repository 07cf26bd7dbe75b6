//! How Galley treats the settings of generators: a table for each generator, from which unsupported settings are reported
//! and the tables of the documentation are generated.

use std::path::Path;

use crate::{
    content_text::{
        Diagnostic, Source, Span,
        document::{Kind, Table, Value},
    },
    generators::settings::{
        literals::{settings_file, text_of},
        scripts,
    },
};

/// A setting of a generator.
#[derive(Clone, Copy, Debug)]
pub struct SettingRow {
    /// Its keys, separated by dots; `*` is any key.
    pub key: &'static str,
    /// How Galley treats it.
    pub usage: SettingUse,
}

/// How Galley treats a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingUse {
    /// It is read.
    Read,
    /// It has no effect on the served site.
    NoEffect,
    /// It changes documents and is not supported. A project that sets it to a value other than the default gets a warning
    /// with the behaviour instead.
    Reported {
        /// The default value; empty without one.
        default: &'static str,
        /// The behaviour of Galley, such as "plugins are not run".
        instead: &'static str,
    },
}

/// Returns the row of a setting that is read.
pub(crate) const fn read(key: &'static str) -> SettingRow {
    let usage = SettingUse::Read;
    SettingRow { key, usage }
}

/// Returns the row of a setting without effect.
pub(crate) const fn no_effect(key: &'static str) -> SettingRow {
    let usage = SettingUse::NoEffect;
    SettingRow { key, usage }
}

/// Returns the row of a setting that is reported unless it has the value `default`.
pub(crate) const fn reported(
    key: &'static str,
    default: &'static str,
    instead: &'static str,
) -> SettingRow {
    let usage = SettingUse::Reported { default, instead };
    SettingRow { key, usage }
}

impl SettingRow {
    /// Returns whether the row is about the setting with these keys, which may themselves contain dots. Case is ignored.
    fn is_about(&self, keys: &[&str]) -> bool {
        let mut own = self.key.split('.');
        let mut keys = keys.iter().flat_map(|key| key.split('.'));
        loop {
            match (own.next(), keys.next()) {
                (None, None) => return true,
                (Some(own), Some(key)) if own == "*" || own.eq_ignore_ascii_case(key) => {}
                _ => return false,
            }
        }
    }

    /// Returns the behaviour of Galley if the setting is to be reported with the value `value`, which is empty for a list or
    /// a table.
    pub(crate) fn behaviour(&self, value: &str) -> Option<&'static str> {
        match self.usage {
            SettingUse::Reported { default, instead } if default.is_empty() || default != value => {
                Some(instead)
            }
            _ => None,
        }
    }
}

/// Returns the row of the table `rows` about the setting with these keys.
fn row_of<'r>(rows: &'r [SettingRow], keys: &[&str]) -> Option<&'r SettingRow> {
    rows.iter().find(|row| row.is_about(keys))
}

/// Returns a warning for each unsupported setting of the data file with the name `stem` that changes documents. `placed` are
/// the keys above the whole file.
pub(crate) fn unsupported_in_data(
    root: &Path,
    stem: &str,
    placed: &[&str],
    rows: &[SettingRow],
    table: &Table,
) -> Vec<Diagnostic> {
    let Some((path, _)) = settings_file(root, stem) else {
        return Vec::new();
    };
    let Ok(source) = Source::decode(&path, text_of(root, &path).as_bytes()) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut keys = placed.to_vec();
    find_in_table(rows, table, &mut keys, &mut |keys, span, instead| {
        found.push(warning(&source, span, &keys.join("."), instead));
    });
    found
}

/// Returns the warning about the setting at `span` of the data file with the name `stem`.
pub(crate) fn unsupported_key(
    root: &Path,
    stem: &str,
    key: &str,
    span: Span,
    instead: &str,
) -> Option<Diagnostic> {
    let (path, _) = settings_file(root, stem)?;
    let source = Source::decode(&path, text_of(root, &path).as_bytes()).ok()?;
    Some(warning(&source, span, key, instead))
}

fn find_in_table<'t>(
    rows: &[SettingRow],
    table: &'t Table,
    keys: &mut Vec<&'t str>,
    report: &mut impl FnMut(&[&str], Span, &str),
) {
    for (key, value) in &table.entries {
        keys.push(&key.value);
        let row = row_of(rows, keys).filter(|_| !is_unset(value));
        let instead = row.and_then(|row| row.behaviour(&text_of_value(value)));
        match (instead, &value.value) {
            (Some(instead), _) => report(keys, key.span, instead),
            // There may be rows for keys in the table.
            (None, Kind::Table(inner)) => find_in_table(rows, inner, keys, report),
            _ => {}
        }
        keys.pop();
    }
}

/// Returns whether a setting has no value, so that its generator uses the default.
fn is_unset(value: &Value) -> bool {
    match &value.value {
        Kind::Nothing => true,
        Kind::Text(text) => text.is_empty(),
        Kind::List(entries) => entries.is_empty(),
        Kind::Table(table) => table.entries.is_empty(),
        _ => false,
    }
}

/// Returns the text of a scalar; empty for a list or a table.
fn text_of_value(value: &Value) -> String {
    match &value.value {
        Kind::Text(text) => text.clone(),
        Kind::Boolean(truth) => truth.to_string(),
        Kind::Integer(number) => number.to_string(),
        _ => String::new(),
    }
}

/// Returns a warning for each unsupported setting of a script that changes documents, and for each supported setting whose
/// value is not a literal.
pub(crate) fn unsupported_in_script(
    file: &str,
    script: &str,
    rows: &[SettingRow],
) -> Vec<Diagnostic> {
    let Ok(source) = Source::decode(file, script.as_bytes()) else {
        return Vec::new();
    };
    let found = rows.iter().filter_map(|row| {
        let text = scripts::value(source.text(), row.key)?;
        let is_empty = matches!(text, "[]" | "{}");
        if is_empty {
            return None;
        }
        // The text is a slice of the source, so its address gives its offset.
        let start = text.as_ptr() as usize - source.text().as_ptr() as usize;
        let span = Span::new(start, start + text.len());
        let value = scripts::scalar(text);
        match row.usage {
            SettingUse::NoEffect => None,
            SettingUse::Read if scripts::is_literal(text) => None,
            // Unrelated objects of the script may have a key of this name.
            SettingUse::Read
                if !row.key.contains('.') && scripts::depth(source.text(), start) != 1 =>
            {
                None
            }
            SettingUse::Read => Some(computed(&source, span, row.key)),
            SettingUse::Reported { .. } => {
                let instead = row.behaviour(&value.unwrap_or_default())?;
                Some(warning(&source, span, row.key, instead))
            }
        }
    });
    found.collect()
}

/// Returns a warning for each unsupported setting that a script sets by a call or a key and that changes documents.
pub(crate) fn unsupported_calls(file: &str, script: &str, rows: &[SettingRow]) -> Vec<Diagnostic> {
    let Ok(source) = Source::decode(file, script.as_bytes()) else {
        return Vec::new();
    };
    let found = rows.iter().filter_map(|row| {
        let SettingUse::Reported { .. } = row.usage else {
            return None;
        };
        if let Some(start) = source.text().find(&format!(".{}(", row.key)) {
            let span = Span::new(start + 1, start + 1 + row.key.len());
            return Some(warning(&source, span, row.key, row.behaviour("")?));
        }
        let text = scripts::value(source.text(), row.key)?;
        let start = text.as_ptr() as usize - source.text().as_ptr() as usize;
        let instead = row.behaviour(&scripts::scalar(text).unwrap_or_default())?;
        Some(warning(
            &source,
            Span::new(start, start + text.len()),
            row.key,
            instead,
        ))
    });
    found.collect()
}

/// Returns the warning about an unsupported setting.
pub(crate) fn warning(source: &Source, span: Span, key: &str, instead: &str) -> Diagnostic {
    let message = format!("the setting `{key}` is not supported: {instead}");
    source.warning(span, message, "check the documents that depend on it")
}

/// Returns the warning about a setting whose value is not a literal.
pub(crate) fn computed(source: &Source, span: Span, key: &str) -> Diagnostic {
    let message = format!("the value of `{key}` is computed by a script, which is not run");
    source.warning(span, message, "write the value as a literal")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content_text::document::{self, Language};

    const ROWS: &[SettingRow] = &[
        read("a.b"),
        reported("a.c", "1", "it is so"),
        no_effect("d"),
        reported("e.*.f", "", "it is other"),
    ];

    #[test]
    fn unsupported_settings_of_data_are_found_by_their_keys() {
        let text = "a: {b: 2, C: 2, d: 3}\nd: 1\ne: {x: {f: true}, y: 1}\nz: {a: {c: 2}}\n";
        let table = document::parse(Language::Yaml, text, 0).unwrap();
        let mut found = Vec::new();
        find_in_table(ROWS, &table, &mut Vec::new(), &mut |keys, _, instead| {
            found.push(format!("{}: {instead}", keys.join(".")));
        });
        assert_eq!(found, ["a.C: it is so", "e.x.f: it is other"]);
    }

    #[test]
    fn unsupported_and_computed_settings_of_scripts_have_their_line() {
        let script =
            "export default defineConfig({\n  a: {\n    b: compute(),\n    c: 2,\n  },\n});\n";
        let found = unsupported_in_script("x.js", script, ROWS);
        let found: Vec<String> = found
            .iter()
            .map(|problem| {
                let line = problem
                    .position
                    .as_ref()
                    .map_or(0, |position| position.line);
                format!("{}:{line} {}", problem.file, problem.message)
            })
            .collect();
        assert_eq!(
            found,
            [
                "x.js:3 the value of `a.b` is computed by a script, which is not run",
                "x.js:4 the setting `a.c` is not supported: it is so",
            ]
        );
        let script = "module.exports = { a: { b: 'x', c: 1 } };\n";
        assert_eq!(unsupported_in_script("x.js", script, ROWS), []);
    }
}
