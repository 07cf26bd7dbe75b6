//! Tests the invariants of the design that can be checked in the source text: layers, dependencies, async code, and the
//! lengths of files. A failing test names the file and the line.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use galley::{generators::GENERATORS, store::Table};
use regex::{Captures, Regex};
use walkdir::{DirEntry, WalkDir};

/// The modules from the lowest layer up. A module uses only modules of earlier groups, and none of its own group.
const LAYERS: &[&[&str]] = &[
    &[
        "archive",
        "atomic_file",
        "background",
        "body_memory",
        "collation",
        "confined_folder",
        "counters",
        "escaped",
        "interruption",
        "periodic_thread",
        "progress",
        "reader_texts",
    ],
    &[
        "clock",
        "data_folder",
        "dns",
        "id",
        "images",
        "nql",
        "outbound",
        "render",
        "store",
        "templates",
    ],
    &["bucket", "releases"],
    &["certificates", "content_text", "error", "uploads"],
    &["domain", "generators"],
    &["catalog"],
    &["routing"],
    &["site"],
    &[
        "content_files",
        "delivery",
        "leadership",
        "scheduler",
        "search",
    ],
    &["site_urls", "write_back"],
    &["npm_packages", "public_settings", "repository"],
    &[
        "admin_app",
        "backup",
        "export",
        "import",
        "reader_scripts",
        "themes",
    ],
    &["admin", "front_end"],
    &["api"],
    &["static_site"],
    &["control", "server"],
    &["metrics"],
    &["config"],
    &["app"],
    &["doctor"],
    &["cli"],
];

/// The maximum length of a source file, in lines.
const LINES_MAX: usize = 600;

/// A source file: its path below `src/`, and its text.
pub struct Source {
    pub path: String,
    pub text: String,
}

impl Source {
    fn module(&self) -> &str {
        let first = self.path.split('/').next().unwrap();
        first.strip_suffix(".rs").unwrap_or(first)
    }

    /// Returns the lines of code, numbered from 1, without comments.
    fn code_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self
            .text
            .lines()
            .enumerate()
            .map(|(index, line)| (index + 1, line));
        lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    pub fn code(&self) -> String {
        self.code_lines()
            .map(|(_, line)| line)
            .collect::<Vec<_>>()
            .join("\n")
    }

    fn contains_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.text.contains(word))
    }

    /// Returns whether the path of the file begins with one of these, such as `server/` or `clock.rs`.
    pub fn is_one_of(&self, modules: &[&str]) -> bool {
        modules.iter().any(|module| self.path.starts_with(module))
    }
}

fn crate_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files_below(folder: PathBuf) -> Vec<PathBuf> {
    const NOT_OURS: [&str; 4] = [".git", "target", "node_modules", "galley-data"];
    let is_ours = |entry: &DirEntry| !NOT_OURS.iter().any(|name| entry.file_name() == *name);
    WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(is_ours)
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file())
        .map(DirEntry::into_path)
        .collect()
}

/// Returns all source files, which are read once.
pub fn sources() -> &'static [Source] {
    static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| {
        let root = crate_folder().join("src");
        let files = files_below(root.clone()).into_iter();
        let files =
            files.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
        files
            .map(|path| Source {
                text: fs::read_to_string(&path).unwrap(),
                path: path.strip_prefix(&root).unwrap().display().to_string(),
            })
            .collect()
    });
    assert!(SOURCES.len() > 100, "the sources were not found");
    &SOURCES
}

/// Fails if code outside `modules` contains one of `words`.
fn assert_only(modules: &[&str], words: &[&str]) {
    let mut found = Vec::new();
    let is_suspect = |source: &&Source| !source.is_one_of(modules) && source.contains_any(words);
    for source in sources().iter().filter(is_suspect) {
        for (number, line) in source.code_lines() {
            if words.iter().any(|word| line.contains(word)) {
                found.push(format!("src/{}:{number}: {}", source.path, line.trim()));
            }
        }
    }
    assert!(
        found.is_empty(),
        "only {modules:?} may name {words:?}:\n{}",
        found.join("\n")
    );
}

/// Fails if code in `modules` contains one of `words`.
fn assert_none(modules: &[&str], words: &[&str]) {
    for source in sources().iter().filter(|source| source.is_one_of(modules)) {
        for (number, line) in source.code_lines() {
            for word in words {
                assert!(
                    !line.contains(word),
                    "src/{}:{number} names {word}: {line}",
                    source.path
                );
            }
        }
    }
}

#[test]
fn each_dependency_is_used_by_one_module() {
    assert_only(
        &["server/"],
        &["hyper::", "hyper_util::", "http_body_util::"],
    );
    assert_only(&["server/", "certificates/authority.rs"], &["http_body::"]);
    assert_only(&["store/redb/"], &["use redb::", "redb::Database"]);
    assert_only(&["content_files/watch.rs"], &["notify::"]);
    assert_only(&["content_text/"], &["saphyr_parser::", "toml_edit::"]);
    assert_only(&["delivery/"], &["lettre::"]);
    assert_only(&["outbound.rs", "outbound/"], &["ureq::"]);
    assert_only(&["dns.rs"], &["simple_dns::"]);
    let connection = "store/postgres/connection.rs";
    assert_only(&["certificates/", "server/", connection], &["rustls::"]);
    assert_only(&["store/postgres/"], &["tokio_postgres::"]);
    assert_only(
        &["certificates/"],
        &["rcgen::", "instant_acme::", "x509_cert::"],
    );
    assert_only(&["app/listeners.rs"], &["listenfd::"]);
    assert_only(&["render/"], &["pulldown_cmark::"]);
    assert_only(
        &["cli/"],
        &["clap::", "clap_complete::", "clap_mangen::", "indicatif::"],
    );
    assert_only(&["api/multipart.rs"], &["multer::"]);
    let formats = [
        "use image::",
        "fast_image_resize::",
        "gif::",
        "moxcms::",
        "svg_hush::",
        "webp::",
    ];
    assert_only(&["images/"], &formats);
    assert_only(&["api/", "render/"], &["askama::"]);
    assert_only(&["archive.rs", "backup/"], &["zip::"]);
    assert_only(
        &[
            "domain/redirect/",
            "front_end/helpers/dates/",
            "generators/",
            "themes/",
        ],
        &["regex::"],
    );
    assert_only(
        &["content_files/layout/", "content_files/pattern.rs"],
        &["globset::"],
    );
    assert_only(
        &["atomic_file/", "cli/temporary_site.rs"],
        &["use tempfile::", "tempfile_in("],
    );
    assert_only(&["repository/program.rs"], &["Command::new(\"git\")"]);
    assert_only(&["npm_packages/package.rs"], &["Command::new(NPM)"]);
    assert_only(&["npm_packages/files.rs"], &["tar::Archive"]);
}

/// A generator's folder contains everything that is specific to it, as rows and functions that the rest of the program uses.
#[test]
fn generators_are_named_only_in_their_folders() {
    // Names that are also words with other meanings. They are checked only in modules that use generators.
    const WORDS: [&str; 3] = ["galley", "next", "plain"];
    const USERS: [&str; 4] = [
        "generators/",
        "content_files/",
        "import/folder/",
        "write_back/",
    ];
    for generator in GENERATORS {
        let name = generator.profile().name;
        let folder = format!("generators/{name}/");
        let homes = [&folder, "generators/all.rs", "render/markdown/dialect.rs"];
        // The generator's folder is a private module, so only files in `generators/` can name the type.
        let type_name = format!("{generator:?}");
        let type_or_path = Regex::new(&format!(r"\b({type_name}\b|{name}::)")).unwrap();
        let is_suspect = |source: &&Source| {
            !source.is_one_of(&homes) && source.contains_any(&[name, &type_name])
        };
        for source in sources().iter().filter(is_suspect) {
            let code = source.code();
            let code = code.split("#[cfg(test)]\nmod tests").next().unwrap();
            let is_word = WORDS.contains(&name) && !source.is_one_of(&USERS);
            assert!(
                is_word || !code.contains(&format!("\"{name}\"")),
                "src/{} names the generator {name}",
                source.path
            );
            let is_below = source.is_one_of(&["generators/"]);
            assert!(
                !is_below || !type_or_path.is_match(code),
                "src/{} names the type of the generator {name}",
                source.path
            );
        }
    }
}

#[test]
fn only_the_edge_is_async() {
    // The PostgreSQL client is async internally, behind blocking calls.
    assert_only(
        &["server/", "store/postgres/connection.rs"],
        &[".await", "async fn", "async move", "async {", "tokio::"],
    );
}

/// All other code writes through these files, which escape control characters.
#[test]
fn only_the_terminal_and_the_log_write_to_standard_output_and_error() {
    let words = [
        "println!", "print!(", "eprint!(", "dbg!", "stdout()", "stderr()",
    ];
    let homes = ["cli/terminal.rs", "cli/log.rs"];
    for source in sources().iter().filter(|source| !source.is_one_of(&homes)) {
        for (number, line) in source.code_lines() {
            let line = line.replace("stdout().is_terminal()", "");
            let line = line.replace("stderr().is_terminal()", "");
            let is_other = words.iter().any(|word| line.contains(word));
            assert!(!is_other, "src/{}:{number}: {line}", source.path);
        }
        // Each `writeln!` is one line, and parts of lines are `Output::part`.
        if source.is_one_of(&["cli/"]) {
            let code = source.code();
            for call in code.split("writeln!(").skip(1) {
                let text = call.split('"').nth(1).unwrap_or_default();
                assert!(!text.contains("\\n"), "src/{}: {text}", source.path);
            }
            assert!(!code.contains(" write!(out"), "src/{}", source.path);
        }
    }
}

#[test]
fn one_file_maps_errors_to_statuses() {
    const NO_ERRORS: [&str; 10] = [
        "OK",
        "CREATED",
        "ACCEPTED",
        "NO_CONTENT",
        "MOVED_PERMANENTLY",
        "FOUND",
        "TEMPORARY_REDIRECT",
        "PERMANENT_REDIRECT",
        "NOT_MODIFIED",
        "PARTIAL_CONTENT",
    ];
    // The HTTP edge rejects requests with a status before an error value exists.
    let homes = ["api/error.rs", "api/request.rs", "metrics/", "server/"];
    for source in sources().iter().filter(|source| !source.is_one_of(&homes)) {
        for (number, line) in source.code_lines() {
            for status in line.split("StatusCode::").skip(1) {
                let name = leading_word(status);
                assert!(
                    NO_ERRORS.contains(&name),
                    "src/{}:{number} names {name}",
                    source.path
                );
            }
        }
    }
}

#[test]
fn parsers_and_domain_do_no_io() {
    let io = [
        "std::fs",
        "std::net",
        "std::env",
        "std::process",
        "File::open",
        "tracing::",
        "println!",
    ];
    assert_none(&["nql/", "render/", "domain/", "catalog/"], &io);
}

#[test]
fn only_the_clock_reads_the_system_time() {
    // The record of the data folder's owner, the age of a file and the end of a second depend on this machine's time.
    let modules = [
        "backup/folder_times.rs",
        "clock.rs",
        "data_folder.rs",
        "scheduler.rs",
        "content_files/reconcile/folder_walk.rs",
        "content_files/reconcile/scan.rs",
        "uploads/",
    ];
    assert_only(
        &modules,
        &["SystemTime::now", "Timestamp::now", "Zoned::now"],
    );
}

#[test]
fn domain_does_not_depend_on_serialisation_or_http() {
    assert_none(&["domain/"], &["serde_json::to_", "http::", "StatusCode"]);
}

/// Returns the first word of a text.
fn leading_word(text: &str) -> &str {
    let end = text.find(|character: char| !(character.is_alphanumeric() || character == '_'));
    &text[..end.unwrap_or(text.len())]
}

/// Returns the modules of this crate that code names: `crate::store::…`, `crate::{error, site::{…}}`.
fn modules_used(code: &str) -> Vec<&str> {
    let mut used = Vec::new();
    for path in code.split("crate::").skip(1) {
        match path.strip_prefix('{') {
            None => used.push(leading_word(path)),
            Some(group) => used.extend(outermost_words(group)),
        }
    }
    used
}

/// Returns the first word of each member of a group without its opening brace.
fn outermost_words(group: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut depth = 0;
    let mut start = 0;
    for (offset, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            ',' | '}' if depth == 0 => {
                words.push(leading_word(group[start..offset].trim_start()));
                start = offset + 1;
                if character == '}' {
                    break;
                }
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn modules_are_found_in_single_and_grouped_imports() {
    let code = "use crate::id::Id;\nuse crate::{\n error::{Error, Result},\n store,\n};\nfn x() { crate::nql::parse() }";
    assert_eq!(modules_used(code), ["id", "error", "store", "nql"]);
}

#[test]
fn dependencies_point_downwards_only() {
    let layer_of = |module: &str| LAYERS.iter().position(|layer| layer.contains(&module));
    for source in sources() {
        let module = source.module();
        if module == "main" || module == "lib" {
            continue;
        }
        let own = layer_of(module).unwrap_or_else(|| panic!("{module} is not in LAYERS"));
        for used in modules_used(&source.code()) {
            // Other names are items of `lib.rs` itself, or words in a string.
            let Some(layer) = layer_of(used) else {
                continue;
            };
            let is_below = layer < own || used == module;
            assert!(
                is_below,
                "src/{} uses {used}, which is not below {module}",
                source.path
            );
        }
    }
}

#[test]
fn every_module_is_documented() {
    for source in sources() {
        assert!(
            source.text.starts_with("//! "),
            "src/{} does not begin with //!",
            source.path
        );
    }
}

#[test]
fn source_files_have_at_most_600_lines() {
    for source in sources() {
        let lines = source.text.lines().count();
        assert!(
            lines <= LINES_MAX,
            "src/{} has {lines} lines: split the file",
            source.path
        );
    }
}

#[test]
fn files_contain_no_machine_specific_paths_or_registries() {
    // Each name is concatenated from two parts, so that this file does not contain it.
    let elsewhere = [
        concat!("/wo", "rk/"),
        concat!("/ro", "ot/"),
        concat!("crates", ".io"),
        concat!("npmjs", ".org"),
        concat!("pypi", ".org"),
    ];
    for path in files_below(crate_folder().to_owned()) {
        // Cargo writes the registry's name to this file, whichever mirror it uses.
        if path.ends_with("Cargo.lock") {
            continue;
        }
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        for name in elsewhere {
            assert!(!text.contains(name), "{} names {name}", path.display());
        }
    }
}

/// By default, templates escape inserted values for element text, where quotes stay unescaped.
#[test]
fn templates_escape_the_values_of_attributes() {
    let tag = Regex::new(r"(?s)\{\{(.*?)\}\}|\{[%#].*?[%#]\}").unwrap();
    let mut count = 0;
    for path in files_below(crate_folder().join("src")) {
        if path.extension().is_none_or(|extension| extension != "html") {
            continue;
        }
        let template = fs::read_to_string(&path).unwrap();
        let html = tag.replace_all(&template, |tag: &Captures| match tag.get(1) {
            Some(inserted) if inserted.as_str().ends_with("|e(\"attribute\") ") => "VALUE",
            Some(_) => "TEXT",
            None => "",
        });
        for value in html.split("=\"").skip(1) {
            let value = value.split('"').next().unwrap();
            assert!(!value.contains("TEXT"), "{}: {value}", path.display());
            count += value.matches("VALUE").count();
        }
        assert!(!html.contains("='TEXT"), "{}", path.display());
    }
    assert!(count > 10, "the templates were not found");
}

#[test]
fn every_table_of_the_store_is_documented() {
    let page = fs::read_to_string(crate_folder().join("docs/architecture.md")).unwrap();
    for name in Table::ALL.map(Table::name) {
        assert!(
            page.contains(&format!("`{name}`")),
            "docs/architecture.md has no row for the table {name}"
        );
    }
}

/// docs/architecture.md lists the calls of three requests, numbered. A new list begins where the numbers restart.
#[test]
fn documented_calls_of_requests_exist_and_are_few() {
    let page = fs::read_to_string(crate_folder().join("docs/architecture.md")).unwrap();
    let (_, section) = page
        .split_once("## Three requests, call by call")
        .expect("docs/architecture.md has no section with this title");
    let section = section.split("\n## ").next().unwrap();
    let calls: Vec<(usize, &str)> = section
        .lines()
        .filter_map(|line| {
            let (number, rest) = line.split_once(". `")?;
            Some((number.parse().ok()?, rest.split('`').next()?))
        })
        .collect();
    let sources = sources();
    for (_, call) in &calls {
        let (path, name) = call.rsplit_once("::").unwrap_or(("", call));
        let of_type = path.rsplit("::").next().unwrap();
        let is_there = |source: &Source| {
            if of_type.starts_with(char::is_uppercase) {
                source.text.contains(of_type)
            } else {
                source.path.contains(&path.replace("::", "/"))
            }
        };
        let defines = |source: &Source| {
            let begins = |end| source.text.contains(&format!("fn {name}{end}"));
            begins('(') || begins('<')
        };
        assert!(
            sources
                .iter()
                .any(|source| is_there(source) && defines(source)),
            "docs/architecture.md lists `{call}`, which does not exist"
        );
    }
    let numbers: Vec<usize> = calls.iter().map(|(number, _)| *number).collect();
    let counts: Vec<usize> = numbers
        .chunk_by(|before, after| before < after)
        .filter_map(|list| list.last().copied())
        .collect();
    let [cached, uncached, put] = counts[..] else {
        panic!(
            "docs/architecture.md lists the calls of {} requests",
            counts.len()
        );
    };
    assert!(cached <= 8 && uncached <= 16 && put <= 25, "{counts:?}");
}

#[test]
fn unsafe_code_is_forbidden() {
    let manifest = fs::read_to_string(crate_folder().join("Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();

    let lints = &manifest["lints"]["rust"];

    // No source can allow a forbidden lint.
    assert_eq!(lints["unsafe_code"].as_str(), Some("forbid"));
}
