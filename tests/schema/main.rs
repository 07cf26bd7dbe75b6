//! Tests that the documents in `schema/` and the tables in `docs/` match the tables of the program, and that responses of a
//! running server conform to them.
//!
//! `GALLEY_UPDATE_GOLDEN=1 cargo test --test schema` regenerates them; read the diff.

mod documents;
mod openapi;
mod proxies;
mod replies;
mod server;
mod tables;

use std::{env, fs, path::PathBuf};

/// Returns the absolute path of a file in the repository.
fn in_repository(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn read(path: &str) -> String {
    fs::read_to_string(in_repository(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Compares a committed file with its expected content, or writes it if `GALLEY_UPDATE_GOLDEN` is set.
fn assert_committed(path: &str, expected: &str) {
    if env::var_os("GALLEY_UPDATE_GOLDEN").is_some() {
        fs::write(in_repository(path), expected).unwrap();
        return;
    }
    assert!(
        read(path) == expected,
        "{path} is out of date; GALLEY_UPDATE_GOLDEN=1 cargo test --test schema regenerates it"
    );
}
