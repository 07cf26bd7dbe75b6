//! Runs the sites of tests in PostgreSQL if `GALLEY_TEST_POSTGRES` is set. It is the URL of a database with a
//! trailing question mark, as `tests/postgres/everywhere` sets it.

use std::{
    env,
    hash::{DefaultHasher, Hash, Hasher},
    path::Path,
    process::Command,
};

use galley::store::postgres::PostgresUrl;

/// Returns the database URL for a data folder, with a separate schema, if `GALLEY_TEST_POSTGRES` is set.
pub fn database_of(data: &Path) -> Option<PostgresUrl> {
    let database = env::var("GALLEY_TEST_POSTGRES").ok()?;
    let mut hasher = DefaultHasher::new();
    data.hash(&mut hasher);
    let schema = format!("site_{:x}", hasher.finish());
    let created = Command::new("psql")
        .args(["--quiet", &database, "--command"])
        .arg(format!(
            "SET client_min_messages = error; CREATE SCHEMA IF NOT EXISTS {schema}"
        ))
        .status();
    assert!(created.unwrap().success());
    let url = format!("{database}options=-csearch_path%3D{schema}");
    Some(url.parse().unwrap())
}
