//! Tests of `galley copy`: all records and revisions, or none, and never over a site.

use std::{
    path::Path,
    process::{Command, Output, Stdio},
    sync::Arc,
    thread,
    time::Duration,
};

use galley::{
    clock::SystemClock,
    data_folder::DataFolder,
    domain::post::Body,
    site::Site,
    store::{
        Batch, RecordsDigest, Store, Table,
        redb::{DEFAULT_CACHE_BYTES, RedbStore},
    },
};

use crate::{
    server::Server,
    site_records::post,
    stores::{SharedStore, any},
};

fn command(from: &str, to: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_galley"));
    command
        .args(["copy", "--from", from, "--to", to])
        .stdin(Stdio::null());
    command
}

fn copy(from: &str, to: &str) -> Result<String, String> {
    let Output {
        status,
        stdout,
        stderr,
    } = command(from, to).output().unwrap();
    match status.success() {
        true => Ok(String::from_utf8(stdout).unwrap()),
        false => Err(String::from_utf8(stderr).unwrap()),
    }
}

fn opened(data: &Path) -> RedbStore {
    RedbStore::open(data.join("galley.redb"), DEFAULT_CACHE_BYTES).unwrap()
}

/// Revision and records.
fn state(store: &dyn Store) -> (u64, RecordsDigest) {
    let snapshot = store.snapshot().unwrap();
    (snapshot.revision(), RecordsDigest::of(&*snapshot).unwrap())
}

/// A data folder with a site whose records are of several commits, some of them long, some deleted.
fn site_in(data: &Path) -> (u64, RecordsDigest) {
    drop(DataFolder::open(data).unwrap());
    let site = Site::open(Box::new(opened(data)), Arc::new(SystemClock)).unwrap();
    for number in 0..20 {
        let body = Body::new("<p>Text</p>".repeat(number * 100), false, false);
        site.write(|change| change.save_post(post(&format!("post-{number}"), 1), body.clone()))
            .unwrap();
    }
    drop(site);
    let store = opened(data);
    for number in 0..3000_u32 {
        if number % 1000 == 0 {
            let mut batch = Batch::new();
            for key in number..number + 900 {
                batch.put(Table::MemberTokens, key.to_be_bytes(), vec![7; 700]);
            }
            batch.delete(
                Table::MemberTokens,
                (number.saturating_sub(500)).to_be_bytes(),
            );
            store.commit(&batch).unwrap();
        }
    }
    state(&store)
}

fn schema_of(shared: &SharedStore) -> &str {
    shared.url.rsplit_once("%3D").unwrap().1
}

#[test]
fn a_site_is_the_same_there_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let [data, back] = ["data", "back"].map(|name| folder.path().join(name));
    let before = site_in(&data);
    let (shared, other) = (any(), any());

    let said = copy(data.to_str().unwrap(), &shared.url).unwrap();

    assert!(
        said.contains(&format!("at revision {}", before.0)) && said.contains("found them the same"),
        "{said}"
    );
    assert_eq!(state(&shared.replica()), before);
    copy(&shared.url, &other.url).unwrap();
    assert_eq!(state(&other.replica()), before);
    copy(&other.url, back.to_str().unwrap()).unwrap();
    assert_eq!(state(&opened(&back)), before);

    // It goes on from there, also for a replica from before.
    let site = Site::open(shared.open(), Arc::new(SystemClock)).unwrap();
    let body = Body::new(String::new(), false, false);
    site.write(|change| change.save_post(post("later", 1), body.clone()))
        .unwrap();
    assert_eq!(site.current().catalog.revision, before.0 + 1);
    assert!(site.current().catalog.posts.by_slug("post-7").is_some());
}

#[test]
fn a_replica_of_the_empty_database_follows() {
    let folder = tempfile::tempdir().unwrap();
    let before = site_in(folder.path());
    let shared = any();
    let replica = shared.replica();

    copy(folder.path().to_str().unwrap(), &shared.url).unwrap();

    assert_eq!(state(&replica), before);
}

#[test]
fn nothing_is_copied_over_a_site_or_from_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let [data, empty, missing] = ["data", "empty", "missing"].map(|name| folder.path().join(name));
    let before = site_in(&data);
    std::fs::create_dir(&empty).unwrap();
    let [data_name, empty_name, missing_name] =
        [&data, &empty, &missing].map(|path| path.to_str().unwrap());
    let (taken, free) = (any(), any());
    copy(data_name, &taken.url).unwrap();
    let refused = |from: &str, to: &str, why: &str| {
        let said = copy(from, to).unwrap_err();
        assert!(said.contains(why), "{said}");
    };

    refused(data_name, &taken.url, "has a site already, at revision");
    refused(&taken.url, data_name, "has a site already");
    refused(empty_name, &free.url, "has no site");
    refused(missing_name, &free.url, "there is no data folder");
    refused(&free.url, empty_name, "has no site");
    refused(data_name, missing_name, "galley restore");
    refused("postgres:", empty_name, "GALLEY_STORE_URL");
    let owned = DataFolder::open(&data).unwrap();
    refused(data_name, &free.url, "process");
    drop(owned);

    assert!(!missing.exists());
    assert_eq!(state(&taken.replica()), before);
    assert_eq!(state(&opened(&data)), before);
    assert_eq!(free.replica().snapshot().unwrap().revision(), 0);
    let by_option = command(data_name, "postgres:")
        .env("GALLEY_STORE_URL", &free.url)
        .output()
        .unwrap();
    assert!(by_option.status.success());
    assert_eq!(state(&free.replica()), before);
}

#[test]
fn a_database_that_returns_other_records_keeps_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let before = site_in(folder.path());
    let shared = any();
    drop(shared.replica());
    let schema = schema_of(&shared);
    let altering = format!(
        "CREATE FUNCTION {schema}.alter_one() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN IF NEW.table_name = 'posts' THEN NEW.value := NEW.value || '!'::bytea; END IF; RETURN NEW; END $$; \
         CREATE TRIGGER alter_one BEFORE INSERT ON {schema}.galley_records FOR EACH ROW EXECUTE FUNCTION {schema}.alter_one()"
    );
    Server::shared().run(&altering).unwrap();

    let refused = copy(folder.path().to_str().unwrap(), &shared.url).unwrap_err();

    assert!(
        refused.contains("other records than were written"),
        "{refused}"
    );
    assert_eq!(shared.replica().snapshot().unwrap().revision(), 0);
    Server::shared()
        .run(&format!(
            "DROP TRIGGER alter_one ON {schema}.galley_records"
        ))
        .unwrap();
    copy(folder.path().to_str().unwrap(), &shared.url).unwrap();
    assert_eq!(state(&shared.replica()), before);
}

#[test]
fn a_copy_that_is_killed_leaves_nothing_and_can_be_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let [data, back] = ["data", "back"].map(|name| folder.path().join(name));
    let before = site_in(&data);
    let [data, back_name] = [&data, &back].map(|path| path.to_str().unwrap());
    let shared = any();
    let kill = |from: &str, to: &str| {
        for pause in (0..8).map(|step| Duration::from_millis(40 * step)) {
            let mut copying = command(from, to)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            thread::sleep(pause);
            copying.kill().unwrap();
            copying.wait().unwrap();
        }
    };

    kill(data, &shared.url);
    match shared.replica().snapshot().unwrap().revision() {
        0 => drop(copy(data, &shared.url).unwrap()),
        revision => assert_eq!(revision, before.0),
    }
    assert_eq!(state(&shared.replica()), before);

    kill(&shared.url, back_name);
    if !back.join("galley.redb").exists() {
        copy(&shared.url, back_name).unwrap();
    }
    assert_eq!(state(&opened(&back)), before);
}
