//! Reads the settings of Eleventy: literal values in its configuration, and the files that it ignores.

use std::{path::Path, sync::LazyLock};

use regex::Regex;

use crate::generators::{
    eleventy::{
        TEMPLATES,
        directory_data::{self, DirectoryData},
        global_data, markdown,
    },
    link_path::join,
    permalink::UrlRules,
    profile::Role,
    settings::{
        ProjectSettings,
        literals::{clean, regex, text_of},
        mount,
        reference::unsupported_calls,
        script_in, scripts_in,
    },
};

/// The names of the configuration file, without extension.
const SCRIPTS: [&str; 2] = [".eleventy", "eleventy.config"];

/// Reads the settings of the project `root`.
pub(super) fn read(root: &Path) -> ProjectSettings {
    static INPUT: LazyLock<Regex> = LazyLock::new(|| {
        regex(r#"(?:(?-u:\b)input[ \t\r\n]*:|setInputDirectory\()[ \t\r\n]*["'`]([^"'`]+)["'`]"#)
    });
    static COPIES: LazyLock<Regex> =
        LazyLock::new(|| regex(r"addPassthroughCopy\([ \t\r\n]*\{([^{}]*)\}"));
    static COPY: LazyLock<Regex> =
        LazyLock::new(|| regex(r#"["'`]([^"'`]+)["'`][ \t\r\n]*:[ \t\r\n]*["'`]([^"'`]+)["'`]"#));
    let script = script_in(root, &SCRIPTS);
    let copies = COPIES.captures_iter(&script);
    let copies = copies.flat_map(|found| {
        let entries = found.get(1).map_or("", |entries| entries.as_str());
        COPY.captures_iter(entries)
            .map(|entry| mount(&entry[1], &entry[2]))
    });
    let mounts = copies.collect();
    let input = INPUT.captures(&script).map(|found| clean(&found[1]));
    let roots = match input.as_deref() {
        None => Vec::new(),
        Some("") => vec![String::new()],
        // The most specific folder comes first.
        Some(input) => vec![format!("{input}/content"), input.to_owned()],
    };
    let input = input.unwrap_or_default();
    let data = DirectoryData::of(root, &input, &script);
    let mut problems = Vec::new();
    let mut settings = ProjectSettings {
        defaults: data.default_values(&mut problems),
        dialect: Some(markdown::dialect(&script)),
        urls: UrlRules {
            patterns: data.permalinks(),
            input: match input.as_str() {
                "" => String::new(),
                input => format!("{input}/"),
            },
            ..UrlRules::default()
        },
        rules: rules_of(root, &script, &input),
        roots,
        mounts,
        problems,
        ..ProjectSettings::default()
    };
    for (file, script) in scripts_in(root, &SCRIPTS) {
        settings.add_configuration(&file, &script);
    }
    settings.set_url(&directory_data::url_of_site(root, &input).unwrap_or_default());
    settings
}

impl ProjectSettings {
    /// Adds the values in the configuration `file` that apply to all documents, and reports computed values.
    fn add_configuration(&mut self, file: &str, script: &str) {
        let global = global_data::read(file, script);
        self.problems.extend(global.problems);
        self.problems.extend(markdown::problems(file, script));
        self.problems
            .extend(unsupported_calls(file, script, super::reference::ROWS));
        // Values of folders, which come later, take precedence.
        if !global.values.values.is_empty() {
            self.defaults.insert(0, global.values);
        }
        // The first matching pattern applies, so the one for all documents is last.
        self.urls.patterns.extend(global.permalink);
    }
}

/// Returns the roles of files that are not pages: files in the folders of layouts, includes and data; ignored files; and
/// templates whose extension the configuration does not list.
fn rules_of(root: &Path, script: &str, input: &str) -> Vec<(String, Role)> {
    static FOLDERS: LazyLock<Regex> =
        LazyLock::new(|| regex(r"(?-u:\b)dir[ \t\r\n]*:[ \t\r\n]*\{([^{}]*)\}"));
    static FOLDER: LazyLock<Regex> = LazyLock::new(|| {
        regex(r#"(?-u:\b)(?:includes|layouts|data)["']?[ \t\r\n]*:[ \t\r\n]*["'`]([^"'`$]+)["'`]"#)
    });
    static SET_FOLDER: LazyLock<Regex> = LazyLock::new(|| {
        regex(r#"set(?:Includes|Layouts|Data)Directory\([ \t\r\n]*["'`]([^"'`$]+)["'`]"#)
    });
    static IGNORED: LazyLock<Regex> =
        LazyLock::new(|| regex(r#"ignores\.add\([ \t\r\n]*["'`]([^"'`$]+)["'`]"#));
    let texts = |regex: &Regex, script: &str| -> Vec<String> {
        let found = regex.captures_iter(script);
        found.map(|found| found[1].to_owned()).collect()
    };
    let set = texts(&FOLDERS, script);
    let set = set.iter().flat_map(|folders| texts(&FOLDER, folders));
    let folders = set.chain(texts(&SET_FOLDER, script));
    // `includes: "."` or `""` names the folder of documents itself, which must not be left out.
    let folders = folders.filter_map(|folder| join(input, &folder));
    let folders = folders.filter(|folder| !folder.is_empty() && *folder != clean(input));
    let mut rules: Vec<(String, Role)> = folders
        .map(|folder| (format!("{folder}/**"), Role::Other))
        .collect();
    let file = text_of(root, ".eleventyignore");
    let lines = file.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with(['#', '!']));
    for pattern in lines.map(str::to_owned).chain(texts(&IGNORED, script)) {
        let pattern = clean(&pattern);
        rules.push((format!("{pattern}/**"), Role::Other));
        rules.push((pattern, Role::Other));
    }
    if let Some(formats) = formats(script) {
        let others = TEMPLATES.iter();
        let others = others.filter(|extension| !formats.iter().any(|format| format == *extension));
        rules.extend(others.map(|extension| (format!("**/*.{extension}"), Role::Other)));
    }
    rules
}

/// Returns the template extensions that the configuration lists; `None` if it lists none.
fn formats(script: &str) -> Option<Vec<String>> {
    static FORMATS: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"(?:(?-u:\b)templateFormats["']?[ \t\r\n]*:|setTemplateFormats\()[ \t\r\n]*(\[[^\]]*\]|["'`][^"'`]*["'`])"#,
        )
    });
    static ADDED: LazyLock<Regex> =
        LazyLock::new(|| regex(r#"addTemplateFormats\([ \t\r\n]*(\[[^\]]*\]|["'`][^"'`]*["'`])"#));
    let named = FORMATS.captures(script)?;
    let added = ADDED.captures_iter(script);
    let added: String = added.map(|found| format!(",{}", &found[1])).collect();
    let named = format!("{}{added}", &named[1]);
    let words = named.split(|character: char| !character.is_alphanumeric() && character != '.');
    let words = words.filter(|word| !word.is_empty());
    Some(words.map(str::to_owned).collect())
}
