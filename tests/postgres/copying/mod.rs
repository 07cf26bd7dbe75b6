//! Tests of `galley copy`: it copies all records and revisions or none, and never overwrites a site.

mod interrupted;

use std::{
    collections::BTreeMap,
    path::Path,
    process::{Command, Output, Stdio},
    sync::Arc,
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

use galley_tests::{shared_store::SharedStore, site_records::post};
use serde_json::{Value, json};

use crate::{
    server::Server,
    stores::{PostgresStores, any},
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
    if status.success() {
        Ok(String::from_utf8(stdout).unwrap())
    } else {
        Err(String::from_utf8(stderr).unwrap())
    }
}

/// Copies a database to another one, with a data folder, and returns the output.
fn copy_between(from: &str, to: &str, data: &Path) -> String {
    let output = command(from, to).arg("--data").arg(data).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn opened(data: &Path) -> RedbStore {
    RedbStore::open(data.join("galley.redb"), DEFAULT_CACHE_BYTES).unwrap()
}

/// Returns the revision and the digest of the records of a store.
fn state(store: &dyn Store) -> (u64, RecordsDigest) {
    let snapshot = store.snapshot().unwrap();
    (snapshot.revision(), RecordsDigest::of(&*snapshot).unwrap())
}

/// Creates a site in a data folder, with records of several commits, some of them long, some deleted.
fn site_in(data: &Path) -> (u64, RecordsDigest) {
    drop(DataFolder::open(data).unwrap());
    let site = Site::open(Box::new(opened(data)), Arc::new(SystemClock)).unwrap();
    for number in 0..20 {
        let body = Body::new("<p>Text</p>".repeat(number * 100), false, false);
        site.write(|transaction| {
            transaction.save_post(post(&format!("post-{number}"), 1), body.clone())
        })
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

fn schema_of(shared: &PostgresStores) -> &str {
    shared.url.rsplit_once("%3D").unwrap().1
}

#[test]
fn copy_there_and_back_is_identical() {
    let folder = tempfile::tempdir().unwrap();
    let [data, back] = ["data", "back"].map(|name| folder.path().join(name));
    let before = site_in(&data);
    let (shared, other) = (any(), any());

    let output = copy(data.to_str().unwrap(), &shared.url).unwrap();

    assert!(
        output.contains(&format!("at revision {}", before.0))
            && output.contains("verified them by reading them back"),
        "{output}"
    );
    assert_eq!(state(&shared.replica()), before);
    let output = copy_between(&shared.url, &other.url, &folder.path().join("node"));
    assert!(output.contains("Uploads were not copied"), "{output}");
    assert_eq!(state(&other.replica()), before);
    assert!(!folder.path().join("node").exists());
    copy(&other.url, back.to_str().unwrap()).unwrap();
    assert_eq!(state(&opened(&back)), before);

    // The copied site can be changed, even with a replica from before the copy.
    let site = Site::open(shared.open(), Arc::new(SystemClock)).unwrap();
    let body = Body::new(String::new(), false, false);
    site.write(|transaction| transaction.save_post(post("later", 1), body.clone()))
        .unwrap();
    assert_eq!(site.current().catalog.revision, before.0 + 1);
    assert!(site.current().catalog.posts.by_slug("post-7").is_some());
}

#[test]
fn replica_of_the_empty_database_follows_the_copy() {
    let folder = tempfile::tempdir().unwrap();
    let before = site_in(folder.path());
    let shared = any();
    let replica = shared.replica();

    copy(folder.path().to_str().unwrap(), &shared.url).unwrap();

    assert_eq!(state(&replica), before);
}

#[test]
fn copy_over_a_site_or_from_nothing_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [data, empty, missing] = ["data", "empty", "missing"].map(|name| folder.path().join(name));
    let before = site_in(&data);
    std::fs::create_dir(&empty).unwrap();
    let [data_name, empty_name, missing_name] =
        [&data, &empty, &missing].map(|path| path.to_str().unwrap());
    let (taken, free) = (any(), any());
    copy(data_name, &taken.url).unwrap();
    let refused = |from: &str, to: &str, why: &str| {
        let output = copy(from, to).unwrap_err();
        assert!(output.contains(why), "{output}");
    };

    let another = folder.path().join("another");
    site_in(&another);
    refused(
        another.to_str().unwrap(),
        &taken.url,
        "already has a site, at revision",
    );
    refused(&taken.url, data_name, "already has a site");
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
fn copy_is_discarded_if_the_database_returns_different_records() {
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
        refused.contains("records that differ from those written"),
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

fn files_in(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = walkdir::WalkDir::new(folder)
        .into_iter()
        .map(Result::unwrap);
    let files = entries.filter(|entry| entry.file_type().is_file());
    files
        .map(|file| {
            let name = file.path().strip_prefix(folder).unwrap().to_str().unwrap();
            (name.to_owned(), std::fs::read(file.path()).unwrap())
        })
        .filter(|(name, _)| !name.starts_with("galley."))
        .collect()
}

fn write(folder: &Path, name: &str, content: &[u8]) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

#[test]
fn uploads_are_copied_and_existing_files_are_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let [data, uploads, back] = ["data", "uploads", "back"].map(|name| folder.path().join(name));
    let before = site_in(&data);
    write(&data, "images/2026/11/ferry.jpg", &[3; 300_000]);
    write(&data, "files/list.txt", b"list");
    write(&data, "files/empty.txt", b"");
    write(&data, "themes/tide/package.json", b"{}");
    write(&data, "themes/tide/assets/a.css", b"a {}");
    let wanted = files_in(&data);
    write(&data, "images/size/w600/2026/11/ferry.jpg", b"small");
    std::fs::create_dir(&uploads).unwrap();
    let shared = any();
    let run = |from: &str, to: &str| {
        let output = command(from, to)
            .arg("--json")
            .env("GALLEY_UPLOADS_FOLDER", &uploads)
            .output()
            .unwrap();
        if output.status.success() {
            Ok(serde_json::from_slice::<Value>(&output.stdout).unwrap())
        } else {
            Err(String::from_utf8(output.stderr).unwrap())
        }
    };
    let [data_name, back_name] = [&data, &back].map(|path| path.to_str().unwrap());

    // A different file with the same name is neither replaced nor ignored.
    write(&uploads, "files/list.txt", b"LIST");
    let refused = run(data_name, &shared.url).unwrap_err();
    assert!(refused.contains("files/list.txt"), "{refused}");
    assert_eq!(files_in(&uploads)["files/list.txt"], b"LIST");
    let refused = shared.try_replica().err().unwrap().to_string();
    assert!(refused.contains("galley copy"), "{refused}");

    // The other files are already copied.
    std::fs::remove_file(uploads.join("files/list.txt")).unwrap();
    let report = run(data_name, &shared.url).unwrap();
    let expected = json!({"copied": 1, "bytes": 4, "found": 4, "left_out": []});
    assert_eq!(report["uploads"], expected);
    assert_eq!(files_in(&uploads), wanted);
    assert_eq!(state(&shared.replica()), before);

    let report = run(&shared.url, back_name).unwrap();
    assert_eq!(report["uploads"]["copied"], 5);
    assert_eq!(files_in(&back), wanted);
    assert_eq!(state(&opened(&back)), before);
}

#[test]
fn backup_of_a_database_is_restored_and_copied_into_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let [data, uploads, restored] =
        ["data", "uploads", "restored"].map(|name| folder.path().join(name));
    site_in(&data);
    std::fs::create_dir(&uploads).unwrap();
    write(&uploads, "files/list.txt", b"list");
    let (shared, other) = (any(), any());
    copy(data.to_str().unwrap(), &shared.url).unwrap();
    let run = |arguments: &[&str], store: Option<&str>, uploads: Option<&Path>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_galley"));
        command.args(arguments).current_dir(folder.path());
        command.envs(store.map(|url| ("GALLEY_STORE_URL", url)));
        command.envs(uploads.map(|folder| ("GALLEY_UPLOADS_FOLDER", folder)));
        let Output { status, stderr, .. } = command.output().unwrap();
        assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    };

    std::fs::create_dir(folder.path().join("node")).unwrap();
    run(
        &["backup", "site.zip", "--data", "node"],
        Some(&shared.url),
        Some(&uploads),
    );
    run(&["restore", "site.zip", "--data", "restored"], None, None);
    copy(restored.to_str().unwrap(), &other.url).unwrap();

    let before = state(&shared.replica());
    assert_eq!(state(&opened(&restored)), before);
    assert_eq!(state(&other.replica()), before);
    assert_eq!(files_in(&restored)["files/list.txt"], b"list");
}
