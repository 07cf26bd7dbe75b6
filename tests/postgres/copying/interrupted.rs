//! Tests of interrupted copies: a copy of the same site is resumed, and a copy of another site is refused.

use std::{
    path::Path,
    process::{Command, Output, Stdio},
    sync::Arc,
    thread,
    time::Duration,
};

use galley::{
    clock::SystemClock,
    domain::post::Body,
    site::Site,
    store::{Batch, RecordsDigest, Store, Table, has_begun_copy},
};
use galley_tests::{random::TestRandom, shared_store::SharedStore, site_records::post};

use super::{command, copy, opened, schema_of, site_in, state};
use crate::{
    server::Server,
    stores::{PostgresStores, any},
};

/// Creates a site with many records in a data folder, and returns its state.
fn large_site_in(data: &Path) -> (u64, RecordsDigest) {
    site_in(data);
    let store = opened(data);
    for of in [Table::MemberTokens, Table::UsedTokens, Table::PostRevisions] {
        let mut batch = Batch::new();
        for key in 0..12_000_u32 {
            batch.put(
                of,
                [&b"many"[..], &key.to_be_bytes()].concat(),
                vec![of.name().len() as u8; 40],
            );
        }
        store.commit(&batch).unwrap();
    }
    state(&store)
}

/// Makes the database count inserted records, including those of transactions that are rolled back.
fn count_inserts(shared: &PostgresStores) {
    drop(shared.replica());
    let schema = schema_of(shared);
    Server::shared()
        .run(&format!(
            "CREATE SEQUENCE {schema}.inserted; \
             CREATE FUNCTION {schema}.count_one() RETURNS trigger LANGUAGE plpgsql AS \
             $$ BEGIN PERFORM nextval('{schema}.inserted'); RETURN NEW; END $$; \
             CREATE TRIGGER count_one BEFORE INSERT ON {schema}.galley_records FOR EACH ROW EXECUTE FUNCTION {schema}.count_one()"
        ))
        .unwrap();
}

fn query(shared: &PostgresStores, question: &str) -> u64 {
    let schema = schema_of(shared);
    let reply = Server::shared().run(&format!("SET search_path = {schema}; {question}"));
    reply.unwrap().parse().unwrap()
}

/// Runs the command until `until` returns true, and kills it.
fn kill_when(mut command: Command, mut until: impl FnMut() -> bool) {
    let mut copying = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while copying.try_wait().unwrap().is_none() && !until() {
        thread::sleep(Duration::from_millis(2));
    }
    let _ = copying.kill();
    copying.wait().unwrap();
}

#[test]
fn killed_copy_into_a_database_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let before = large_site_in(folder.path());
    let data = folder.path().to_str().unwrap();
    let shared = any();
    let early = shared.replica();
    count_inserts(&shared);
    let mut random = TestRandom::begin();
    let mut kills = 0;

    let copied = loop {
        let copied_before = query(&shared, "SELECT COALESCE(max(copied), 0) FROM galley_copy");
        // Early enough that the last copy is also killed if polling is slow.
        if copied_before >= 20_000 {
            break copied_before;
        }
        let enough = copied_before + random.below(6000);
        kill_when(command(data, &shared.url), || {
            query(&shared, "SELECT COALESCE(max(copied), 0) FROM galley_copy") > enough
        });
        kills += 1;
        // An incomplete copy is not a site: it can neither be opened nor written to.
        let refused = shared.try_replica().err().unwrap().to_string();
        assert!(refused.contains("galley copy"), "{refused}");
        let refused = early.writer().err().unwrap().to_string();
        assert!(refused.contains("galley copy"), "{refused}");
        assert_eq!(early.snapshot().unwrap().revision(), 0);
    };
    let output = copy(data, &shared.url).unwrap();

    let sent = query(&shared, "SELECT last_value FROM inserted");
    println!("{kills} kills, {sent} records sent of {}", before.1.records);
    assert!(
        output.contains("were already there from an earlier copy"),
        "{output}"
    );
    assert!(kills > 1 && copied < before.1.records);
    // At most one batch is sent again after each kill.
    assert!(sent <= before.1.records + kills * 1000, "{sent}");
    assert_eq!(state(&shared.replica()), before);
    assert_eq!(state(&early), before);
    // Repeating the copy is not an error, and sends nothing.
    copy(data, &shared.url).unwrap();
    assert_eq!(query(&shared, "SELECT last_value FROM inserted"), sent);
}

#[test]
fn copy_into_a_database_is_resumed_after_its_connection_was_cut() {
    let folder = tempfile::tempdir().unwrap();
    let before = large_site_in(folder.path());
    let data = folder.path().to_str().unwrap();
    let shared = any();
    count_inserts(&shared);
    let url = format!("{}&application_name=cut", shared.url);
    let mut cuts = 0;
    let mut attempt = || {
        let mut copying = command(data, &url);
        let copying = copying.stderr(Stdio::piped()).stdout(Stdio::null()).spawn();
        let begins_at = query(&shared, "SELECT COALESCE(max(copied), 0) FROM galley_copy");
        while query(&shared, "SELECT COALESCE(max(copied), 0) FROM galley_copy") == begins_at {
            thread::sleep(Duration::from_millis(2));
        }
        query(
            &shared,
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'cut'",
        );
        let Output { status, stderr, .. } = copying.unwrap().wait_with_output().unwrap();
        let output = String::from_utf8(stderr).unwrap();
        assert!(
            !status.success() && output.contains("run the same command again"),
            "{output}"
        );
        cuts += 1;
    };

    attempt();
    attempt();
    attempt();
    copy(data, &url).unwrap();

    assert_eq!(state(&shared.replica()), before);
    let sent = query(&shared, "SELECT last_value FROM inserted");
    println!("{cuts} cuts, {sent} records sent of {}", before.1.records);
    assert!(sent <= before.1.records + cuts * 1000, "{sent}");
}

#[test]
fn copy_of_another_site_is_refused_without_restart() {
    let folder = tempfile::tempdir().unwrap();
    let [data, other] = ["data", "other"].map(|name| folder.path().join(name));
    large_site_in(&data);
    let before = site_in(&other);
    let [data, other] = [&data, &other].map(|path| path.to_str().unwrap());
    let shared = any();
    drop(shared.replica());
    let part = || query(&shared, "SELECT COALESCE(max(copied), 0) FROM galley_copy");
    kill_when(command(data, &shared.url), || part() > 0);

    let refused = copy(other, &shared.url).unwrap_err();

    let names = [
        data,
        other,
        "--restart",
        "an incomplete copy of another site",
    ];
    assert!(names.iter().all(|name| refused.contains(name)), "{refused}");
    let refused = copy(&shared.url, folder.path().join("back").to_str().unwrap()).unwrap_err();
    assert!(refused.contains("incomplete copy"), "{refused}");
    let again = command(other, &shared.url)
        .arg("--restart")
        .output()
        .unwrap();
    assert!(again.status.success());
    assert_eq!(state(&shared.replica()), before);
    // A site is never deleted.
    let again = command(data, &shared.url)
        .arg("--restart")
        .output()
        .unwrap();
    let refused = String::from_utf8(again.stderr).unwrap();
    assert!(refused.contains("already has a site"), "{refused}");
    assert_eq!(state(&shared.replica()), before);
}

#[test]
fn database_of_an_earlier_version_is_migrated() {
    let folder = tempfile::tempdir().unwrap();
    site_in(folder.path());
    let shared = any();
    copy(folder.path().to_str().unwrap(), &shared.url).unwrap();
    let before = state(&shared.replica());
    let schema = schema_of(&shared);
    let undo = format!(
        "ALTER TABLE {schema}.galley_store DROP COLUMN is_copying; \
         DROP TABLE {schema}.galley_copy; UPDATE {schema}.galley_store SET migrations = 2"
    );
    Server::shared().run(&undo).unwrap();

    assert_eq!(state(&shared.replica()), before);

    let site = Site::open(shared.open(), Arc::new(SystemClock)).unwrap();
    let body = Body::new(String::new(), false, false);
    site.write(|transaction| transaction.save_post(post("later", 1), body.clone()))
        .unwrap();
    assert_eq!(site.current().catalog.revision, before.0 + 1);
}

#[test]
fn second_concurrent_copy_into_a_database_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let before = site_in(folder.path());
    let shared = any();
    drop(shared.replica());
    let schema = schema_of(&shared);
    // The first copy is slow.
    let slow = format!(
        "CREATE FUNCTION {schema}.wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(5); RETURN NULL; END $$; \
         CREATE TRIGGER wait AFTER INSERT ON {schema}.galley_records FOR EACH STATEMENT EXECUTE FUNCTION {schema}.wait()"
    );
    Server::shared().run(&slow).unwrap();
    let source = any();
    copy(folder.path().to_str().unwrap(), &source.url).unwrap();
    let mut running = ["one", "other"].map(|name| {
        command(&source.url, &shared.url)
            .arg("--data")
            .arg(folder.path().join(name))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    });
    let first = loop {
        let ended = running
            .iter_mut()
            .position(|child| child.try_wait().unwrap().is_some());
        if let Some(first) = ended {
            break first;
        }
        thread::sleep(Duration::from_millis(20));
    };
    Server::shared()
        .run(&format!("DROP TRIGGER wait ON {schema}.galley_records"))
        .unwrap();
    let mut ended = running.map(|child| Some(child.wait_with_output().unwrap()));
    let refused = ended[first].take().unwrap();
    let finished = ended[1 - first].take().unwrap();
    let output = String::from_utf8(refused.stderr).unwrap();
    assert!(output.contains("another `galley copy`"), "{output}");
    assert!(finished.status.success());
    assert_eq!(state(&shared.replica()), before);
}

#[test]
fn killed_copy_into_a_folder_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let [data, back] = ["data", "back"].map(|name| folder.path().join(name));
    let before = large_site_in(&data);
    let shared = any();
    copy(data.to_str().unwrap(), &shared.url).unwrap();
    let mut random = TestRandom::begin();
    let bytes = || {
        let files = std::fs::read_dir(&back).into_iter().flatten().flatten();
        let parts = files.filter(|file| file.file_name().to_str().unwrap().starts_with("copying-"));
        parts
            .map(|file| file.metadata().unwrap().len())
            .sum::<u64>()
    };
    let mut kills = 0;
    let total = opened(&data).size_bytes().unwrap();
    while bytes() < total / 2 && !back.join("galley.redb").exists() {
        let enough = bytes() + random.below(total / 4);
        kill_when(command(&shared.url, back.to_str().unwrap()), || {
            bytes() > enough
        });
        kills += 1;
    }
    // No command creates a store in the target folder of the copy.
    for arguments in [
        &["serve", "--listen", "127.0.0.1:0"][..],
        &["user", "list"],
        &["key", "list"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_galley"))
            .args(arguments)
            .arg("--data")
            .arg(&back)
            .output()
            .unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        let names = [
            "has no site yet",
            "galley copy",
            "--restart",
            "delete that folder",
        ];
        assert!(!output.status.success(), "{arguments:?}");
        assert!(names.iter().all(|name| errors.contains(name)), "{errors}");
        assert!(!back.join("galley.redb").exists(), "{arguments:?}");
    }
    // Changes that are made in the meantime are copied, too.
    let site = Site::open(shared.open(), Arc::new(SystemClock)).unwrap();
    let body = Body::new(String::new(), false, false);
    site.write(|transaction| transaction.save_post(post("later", 1), body.clone()))
        .unwrap();
    let after = state(&shared.replica());
    assert_eq!(after.0, before.0 + 1);

    let output = copy(&shared.url, back.to_str().unwrap()).unwrap();

    println!("{kills} kills: {output}");
    assert!(
        output.contains("were already there from an earlier copy"),
        "{output}"
    );
    assert_eq!(state(&opened(&back)), after);
    assert_eq!(bytes(), 0);
}

#[test]
fn copy_out_of_a_database_continues_with_a_new_connection() {
    let folder = tempfile::tempdir().unwrap();
    let [data, back] = ["data", "back"].map(|name| folder.path().join(name));
    let before = large_site_in(&data);
    let shared = any();
    copy(data.to_str().unwrap(), &shared.url).unwrap();
    let url = format!("{}&application_name=cut_off", shared.url);
    let mut copying = command(&url, back.to_str().unwrap());
    let copying = copying.stderr(Stdio::piped()).stdout(Stdio::null()).spawn();
    // The first of several steps begins when the file is there.
    while !has_begun_copy(&back).unwrap_or(false) {
        thread::sleep(Duration::from_millis(2));
    }

    let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'cut_off'";
    assert!(query(&shared, cut) > 0);

    let Output { status, stderr, .. } = copying.unwrap().wait_with_output().unwrap();
    let output = String::from_utf8(stderr).unwrap();
    assert!(status.success(), "{output}");
    assert_eq!(state(&opened(&back)), before);
}

#[test]
fn killed_copy_between_databases_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let [data, node] = ["data", "node"].map(|name| folder.path().join(name));
    let before = large_site_in(&data);
    let (shared, other) = (any(), any());
    copy(data.to_str().unwrap(), &shared.url).unwrap();
    count_inserts(&other);
    let run = || {
        let mut command = command(&shared.url, &other.url);
        command.arg("--data").arg(&node);
        command.env("GALLEY_UPLOADS_FOLDER", folder.path());
        command
    };
    let bytes = || {
        let files = std::fs::read_dir(node.join("copying"))
            .into_iter()
            .flatten();
        let files = files.flatten().filter_map(|file| file.metadata().ok());
        files.map(|file| file.len()).sum::<u64>()
    };
    let total = opened(&data).size_bytes().unwrap();
    kill_when(run(), || bytes() > total / 3);
    let copied_before = || query(&other, "SELECT COALESCE(max(copied), 0) FROM galley_copy");
    assert_eq!(copied_before(), 0);
    kill_when(run(), || copied_before() > before.1.records / 3);
    let sent = copied_before();
    assert!(0 < sent && sent < before.1.records, "{sent}");

    let output = run().output().unwrap();

    let output = String::from_utf8(output.stdout).unwrap();
    let fetched = format!(
        "{} records had been fetched by an earlier run",
        before.1.records
    );
    let uploads = format!("they stay in {}", folder.path().display());
    for wanted in [
        &*fetched,
        "were already there from an earlier copy",
        &uploads,
    ] {
        assert!(output.contains(wanted), "{output}");
    }
    assert_eq!(state(&other.replica()), before);
    let sent = query(&other, "SELECT last_value FROM inserted");
    assert!(sent <= before.1.records + 1000, "{sent}");
    assert!(!node.join("copying").exists());
}
