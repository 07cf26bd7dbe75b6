//! Tests malformed input of every kind: the corpus of the fuzzers, and random mutations of it.
//!
//! The properties (`tests/fuzz/targets`) and the corpus (`tests/fuzz/corpus`) are shared with the fuzzers. A failure names the
//! input.

use std::{
    collections::BTreeSet,
    env, fmt, fs,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use data_encoding::BASE64;
use galley_fuzz_targets::TARGETS;
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use rustix::process::{Resource, Rlimit, setrlimit};
use serde::Deserialize;

/// The longest input that is mutated, in bytes: longer inputs take more time without finding more.
const MUTATED_BYTES_MAX: usize = 8 << 10;

/// The time limit for mutated inputs of a kind, in seconds. The whole corpus is always tested.
const MUTATED_SECONDS_MAX: u64 = 3;

/// The memory limit of the process that reads images, in bytes.
const IMAGE_PROCESS_BYTES: u64 = 768 << 20;

/// The environment variable that is set in the process with [`IMAGE_PROCESS_BYTES`].
const LIMITED: &str = "GALLEY_TEST_LIMITED_MEMORY";

/// One input of the corpus: its name, and its bytes as text, or in base64 if they are not UTF-8.
#[derive(Deserialize)]
struct Seed {
    name: String,
    text: Option<String>,
    base64: Option<String>,
}

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Returns the names and bytes of the inputs of one kind. The file of the corpus has one input per line.
fn corpus(kind: &str) -> Vec<(String, Vec<u8>)> {
    let lines = fs::read_to_string(repository(&format!("tests/fuzz/corpus/{kind}.jsonl"))).unwrap();
    let read = |line: &str| {
        let seed: Seed = serde_json::from_str(line).unwrap();
        let bytes = match (seed.text, seed.base64) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(encoded)) => BASE64.decode(encoded.as_bytes()).unwrap(),
            _ => panic!("{kind}: {} must have either text or base64", seed.name),
        };
        (seed.name, bytes)
    };
    lines.lines().map(read).collect()
}

/// A mutated input. A failure shows it as a byte string literal.
struct Mutated(Vec<u8>);

impl fmt::Debug for Mutated {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "b\"{}\"", self.0.escape_ascii())
    }
}

/// A mutation of an input: the index and the number of bytes to remove, and the bytes to insert instead.
fn mutation() -> impl Strategy<Value = (prop::sample::Index, usize, Vec<u8>)> {
    let piece = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..4),
        prop::sample::select(vec![
            "\"",
            "<",
            ">",
            "[",
            "]",
            "{",
            "}",
            "(",
            "\\",
            "\r\n",
            "\0",
            "-",
            "é",
            "99999999999"
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
    ];
    (any::<prop::sample::Index>(), 0..8_usize, piece)
}

fn mutated(mut input: Vec<u8>, changes: &[(prop::sample::Index, usize, Vec<u8>)]) -> Vec<u8> {
    for (index, removed, piece) in changes {
        let start = index.index(input.len() + 1);
        let end = (start + removed).min(input.len());
        input.splice(start..end, piece.iter().copied());
    }
    input
}

/// Checks the properties of one kind of input with the corpus and mutations of it.
fn check_kind(name: &str) {
    let (_, check) = TARGETS.iter().find(|(own, _)| *own == name).unwrap();
    let inputs = corpus(name);
    assert!(!inputs.is_empty(), "{name} has no corpus");
    for (seed, input) in &inputs {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(input))) {
            eprintln!("the input is {seed} in tests/fuzz/corpus/{name}.jsonl");
            resume_unwind(panic);
        }
    }
    let short: Vec<Vec<u8>> = inputs
        .into_iter()
        .map(|(_, input)| input)
        .filter(|input| input.len() <= MUTATED_BYTES_MAX)
        .collect();
    let strategy = (
        prop::sample::select(short),
        prop::collection::vec(mutation(), 1..4),
    )
        .prop_map(|(input, changes)| Mutated(mutated(input, &changes)));
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::default()
    });
    let end = Instant::now() + Duration::from_secs(MUTATED_SECONDS_MAX);
    let outcome = runner.run(&strategy, |Mutated(input)| {
        if Instant::now() < end {
            check(&input);
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn every_kind_has_a_corpus_a_test_and_a_row_in_the_documentation() {
    let source = include_str!("bad_input.rs");
    let page = fs::read_to_string(repository("docs/security.md")).unwrap();
    let section = page
        .split("\n## ")
        .find(|section| section.starts_with("Malformed input\n"));
    let section = section.unwrap();
    for (name, _) in TARGETS {
        assert!(
            source.contains(&format!("check_kind(\"{name}\")")),
            "{name}"
        );
        assert!(section.contains(&format!("\n| `{name}` |")), "{name}");
    }
    let corpora = fs::read_dir(repository("tests/fuzz/corpus")).unwrap();
    let corpora = corpora.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names = TARGETS.map(|(name, _)| format!("{name}.jsonl"));
    assert_eq!(corpora.collect::<BTreeSet<_>>(), BTreeSet::from(names));
}

/// Runs in a separate process, in which an allocation beyond the limit fails.
#[test]
fn images_are_stored_served_or_refused_in_bounded_memory() {
    if env::var_os(LIMITED).is_some() {
        let limit = Some(IMAGE_PROCESS_BYTES);
        let limit = Rlimit {
            current: limit,
            maximum: limit,
        };
        setrlimit(Resource::Data, limit).unwrap();
        check_kind("image");
        return;
    }
    let name = "bad_input::images_are_stored_served_or_refused_in_bounded_memory";
    let status = Command::new(env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(LIMITED, "")
        .status();
    assert!(status.unwrap().success());
}

#[test]
fn packages_of_the_admin_app_are_installed_as_a_whole_or_rejected() {
    check_kind("admin_app");
}

#[test]
fn damaged_backups_are_never_accepted_as_intact() {
    check_kind("backup");
}

#[test]
fn lists_of_a_bucket_are_read_or_refused() {
    check_kind("bucket_list");
}

#[test]
fn moments_of_incremental_backups_are_restored_exactly_or_rejected() {
    check_kind("incremental_backup");
}

#[test]
fn certificates_are_read_or_rejected() {
    check_kind("certificate");
}

#[test]
fn content_files_are_read_or_reported() {
    check_kind("content_file");
}

#[test]
fn credentials_grant_only_what_they_were_issued_for() {
    check_kind("credential");
}

#[test]
fn requests_end_at_the_end_of_their_framing() {
    check_kind("framing");
}

#[test]
fn edits_of_front_matter_change_nothing_else() {
    check_kind("front_matter");
}

#[test]
fn ghost_exports_are_imported_or_rejected_as_a_whole() {
    check_kind("ghost_export");
}

#[test]
fn html_round_trips_keep_the_text() {
    check_kind("html");
}

#[test]
fn tokens_grant_only_what_they_are_signed_for() {
    check_kind("jwt");
}

#[test]
fn lexical_documents_render_consistently() {
    check_kind("lexical");
}

#[test]
fn liquid_is_expanded_in_bounds() {
    check_kind("liquid");
}

#[test]
fn markdown_of_each_dialect_is_rendered_and_edited() {
    check_kind("markdown");
}

#[test]
fn mdx_is_expanded_in_bounds() {
    check_kind("mdx");
}

#[test]
fn lists_of_members_are_imported_and_exported_alike() {
    check_kind("member_list");
}

#[test]
fn mobiledoc_documents_are_converted() {
    check_kind("mobiledoc");
}

#[test]
fn multipart_forms_round_trip() {
    check_kind("multipart");
}

#[test]
fn filters_are_parsed_or_rejected_with_the_position() {
    check_kind("nql");
}

#[test]
fn push_webhooks_without_a_proof_pull_nothing() {
    check_kind("push_webhook");
}

#[test]
fn any_request_bytes_get_a_response_and_do_not_affect_others() {
    check_kind("request_line");
}

#[test]
fn shortcodes_and_directives_are_expanded_in_bounds() {
    check_kind("shortcode");
}

#[test]
fn redirects_and_routes_are_stored_or_rejected_with_the_line() {
    check_kind("site_file");
}

#[test]
fn theme_archives_are_accepted_or_rejected_as_a_whole() {
    check_kind("theme");
}

#[test]
fn templates_of_themes_render_within_their_limits() {
    check_kind("theme_template");
}

#[test]
fn zip_archives_are_unpacked_inside_their_folders() {
    check_kind("zip_archive");
}
