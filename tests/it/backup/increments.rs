//! Tests of incremental backups: each moment is restored exactly, in work proportional to the changes; damage is named;
//! and nothing that a moment needs is deleted.

use std::{
    collections::BTreeMap,
    fs,
    ops::ControlFlow,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::Duration,
};

use data_encoding::BASE64;
use galley::{
    backup::{
        BackupError, BegunRestore, Destination, History, IncrementalWriter, Location, MomentName,
        RestorePoint, Source, WrittenMoment, check_location,
    },
    bucket::BucketOptions,
    clock::SystemClock,
    progress::NoProgress,
    site::Site,
    store::{
        Keys, Table,
        redb::{DEFAULT_CACHE_BYTES, RedbStore},
    },
    uploads::Uploads,
};
use galley_tests::{
    bucket_server::{BucketServer, Misbehaviour},
    clocked_site::ClockedSite,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use tempfile::TempDir;

use super::{files_of, folder, names_in, write};

/// All records of a store, with its revision.
type Records = (u64, BTreeMap<(String, Vec<u8>), (u64, Vec<u8>)>);

/// The records and files of a moment.
type Content = (Records, Vec<(PathBuf, Vec<u8>)>);

/// A site with a clock, and a location for its backups.
struct BackedUp {
    folder: TempDir,
    clocked: ClockedSite,
    to: Destination,
    _bucket: Option<BucketServer>,
}

impl BackedUp {
    fn into_folder() -> Self {
        let folder = folder();
        let to = Destination::Folder(folder.path().join("backups"));
        Self::new(folder, to, None)
    }

    fn into_bucket() -> (Self, BucketServer) {
        let bucket = BucketServer::start();
        let options = BucketOptions {
            table: "backup",
            endpoint: Some(bucket.url().parse().unwrap()),
            region: "us-east-1".to_owned(),
            access_key: "name".to_owned(),
            secret_key: "secret".to_owned(),
        };
        let to = Destination::new("s3://bucket/stored", &options).unwrap();
        (Self::new(folder(), to, Some(bucket.clone())), bucket)
    }

    fn new(folder: TempDir, to: Destination, bucket: Option<BucketServer>) -> Self {
        let data = folder.path().join("data");
        fs::create_dir(&data).unwrap();
        let store = RedbStore::open(data.join("galley.redb"), DEFAULT_CACHE_BYTES).unwrap();
        Self {
            clocked: ClockedSite::on(store),
            folder,
            to,
            _bucket: bucket,
        }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn backups(&self) -> PathBuf {
        self.folder.path().join("backups")
    }

    fn location(&self) -> Location {
        Location::new(self.to.clone(), self.folder.path())
    }

    fn writer(&self) -> IncrementalWriter {
        IncrementalWriter::begin(self.location(), &self.clocked.site, &self.data()).unwrap()
    }

    fn add(&self, name: &str) {
        let site = &self.clocked.site;
        site.write(|change| change.add_integration(name, None))
            .unwrap();
    }

    fn add_upload(&self, name: &str, content: &str) {
        write(self.data().join(name), content);
    }

    fn now(&self) -> Timestamp {
        self.clocked.site.now()
    }

    fn pass(&self, seconds: i64) {
        self.clocked.pass(SignedDuration::from_secs(seconds));
    }

    fn state(&self, writer: &mut IncrementalWriter) -> WrittenMoment {
        self.pass(60);
        let uploads = Uploads::in_data(&self.data());
        let source = Source {
            site: &self.clocked.site,
            uploads: &uploads,
        };
        writer.write_state(source, &NoProgress).unwrap()
    }

    fn segment(&self, writer: &mut IncrementalWriter) -> Option<WrittenMoment> {
        self.pass(60);
        let uploads = Uploads::in_data(&self.data());
        let source = Source {
            site: &self.clocked.site,
            uploads: &uploads,
        };
        writer.write_segment(source, &NoProgress).unwrap()
    }

    fn content(&self) -> Content {
        let mut files = files_of(&self.data());
        files.retain(|(path, _)| path.starts_with("images") || path.starts_with("themes"));
        (records(&self.clocked.site), files)
    }

    fn restore(&self, point: &RestorePoint, data: &Path) -> Result<Content, BackupError> {
        let uploads = Uploads::in_data(data);
        let mut begun = BegunRestore::begin(data, &uploads)?;
        let file = begun.fetch_point(&self.to, point, &NoProgress)?;
        begun.complete(&file, &NoProgress)?;
        let store = RedbStore::open(data.join("galley.redb"), DEFAULT_CACHE_BYTES).unwrap();
        let site = Site::open(Box::new(store), Arc::new(SystemClock)).unwrap();
        let mut files = files_of(data);
        files.retain(|(path, _)| path.starts_with("images") || path.starts_with("themes"));
        Ok((records(&site), files))
    }

    fn restored(&self, moment: &str) -> Result<Content, BackupError> {
        let folder = folder();
        let moment = MomentName::parse(moment).unwrap();
        let data = folder.path().join("restored");
        let restored = self.restore(&RestorePoint::Moment(moment), &data);
        assert_eq!(restored.is_ok(), data.exists());
        restored
    }

    fn damages(&self) -> Vec<String> {
        let verdict = check_location(&self.location(), &NoProgress).unwrap();
        let damages = verdict.damages.iter();
        damages.map(ToString::to_string).collect()
    }
}

fn records(site: &Site) -> Records {
    let snapshot = site.current();
    let mut records = BTreeMap::new();
    for table in Table::ALL {
        let scanned = snapshot
            .stored()
            .scan(table, &Keys::all(), &mut |key, revision, value| {
                let key = (table.name().to_owned(), key.to_vec());
                records.insert(key, (revision, value.to_vec()));
                ControlFlow::Continue(())
            });
        scanned.unwrap();
    }
    (snapshot.stored().revision(), records)
}

/// Writes a state, segments and another state, with changes of each kind between them. Returns the
/// moments, and the content of the site at each.
fn moments(backed_up: &BackedUp) -> Vec<(WrittenMoment, Content)> {
    let mut writer = backed_up.writer();
    backed_up.add_upload("images/ferry.svg", "<svg/>");
    backed_up.add("first");
    let mut moments = vec![(backed_up.state(&mut writer), backed_up.content())];
    for number in 0..3 {
        backed_up.add(&format!("number {number}"));
        backed_up.add_upload(
            &format!("images/{number}.svg"),
            &format!("<svg>{number}</svg>"),
        );
        let segment = backed_up.segment(&mut writer).unwrap();
        moments.push((segment, backed_up.content()));
    }
    let site = &backed_up.clocked.site;
    site.write(|change| change.revoke_integration("number 1"))
        .unwrap();
    fs::remove_file(backed_up.data().join("images/0.svg")).unwrap();
    let segment = backed_up.segment(&mut writer).unwrap();
    moments.push((segment, backed_up.content()));
    backed_up.add("last");
    moments.push((backed_up.state(&mut writer), backed_up.content()));
    backed_up.add("after the last");
    backed_up.add_upload("images/late.svg", "<svg>late</svg>");
    let segment = backed_up.segment(&mut writer).unwrap();
    moments.push((segment, backed_up.content()));
    moments
}

#[test]
fn every_moment_is_restored_exactly_from_a_folder_and_a_bucket() {
    let (in_bucket, _bucket) = BackedUp::into_bucket();
    for backed_up in [BackedUp::into_folder(), in_bucket] {
        for (moment, content) in moments(&backed_up) {
            let restored = backed_up.restored(&moment.name).unwrap();
            assert_eq!(restored, content, "{}", moment.name);
        }
        assert_eq!(backed_up.damages(), [""; 0]);
    }
}

#[test]
fn time_names_the_last_moment_until_then() {
    let backed_up = BackedUp::into_folder();
    let moments = moments(&backed_up);
    let find = |time: Timestamp| {
        let found = RestorePoint::find(&backed_up.to, backed_up.folder.path(), Some(time));
        found.map(|point| point.name())
    };
    for (moment, _) in &moments {
        let time = moment.created_at;
        assert_eq!(find(time).unwrap(), moment.name);
        assert_eq!(find(time + Duration::from_secs(59)).unwrap(), moment.name);
    }
    let before = find(moments[0].0.created_at - Duration::from_secs(1)).unwrap_err();
    assert!(
        before
            .to_string()
            .contains("the first one is from 2026-01-02T03:05:05Z"),
        "{before}"
    );
    let newest = RestorePoint::find(&backed_up.to, backed_up.folder.path(), None).unwrap();
    assert_eq!(newest.name(), moments.last().unwrap().0.name);
}

#[test]
fn work_is_proportional_to_the_changes() {
    let (backed_up, bucket) = BackedUp::into_bucket();
    let site = &backed_up.clocked.site;
    for part in 0..30 {
        site.write(|change| {
            for number in 0..200 {
                let name = format!("Integration {part} {number} with a long name in many words");
                change.add_integration(&name, None)?;
            }
            Ok(())
        })
        .unwrap();
    }
    backed_up.add_upload("images/ferry.svg", &"<svg/>".repeat(100_000));
    let mut writer = backed_up.writer();
    let first = backed_up.state(&mut writer);
    assert!(first.objects > 20, "{first:?}");

    // Without a change, nothing is requested.
    let puts = || bucket.requests("PUT", "/");
    let requests = || puts() + bucket.requests("GET", "/");
    let before = requests();
    assert!(!writer.collect(site).unwrap());
    assert_eq!(requests(), before);

    backed_up.add("one more");
    assert!(writer.collect(site).unwrap());
    let before = puts();
    let segment = backed_up.segment(&mut writer).unwrap();
    assert_eq!((segment.objects, puts() - before), (1, 1), "{segment:?}");
    assert!(segment.bytes < 2000, "{segment:?}");

    // The changed record, the audit log, and the state itself.
    let before = puts();
    let state = backed_up.state(&mut writer);
    assert!(state.objects <= 6, "{state:?}");
    assert_eq!(puts() - before, state.objects as usize);
    assert!(state.bytes < first.bytes / 4, "{state:?} {first:?}");

    let unchanged = backed_up.state(&mut writer);
    assert_eq!(unchanged.objects, 1, "{unchanged:?}");
    let another = backed_up.state(&mut backed_up.writer());
    assert_eq!(another.objects, 1, "{another:?}");
}

#[test]
fn process_that_starts_again_continues_after_the_last_moment() {
    let backed_up = BackedUp::into_folder();
    let mut writer = backed_up.writer();
    backed_up.add("first");
    backed_up.state(&mut writer);
    let mut writer = backed_up.writer();
    assert!(writer.last_state_at().is_some());
    backed_up.add("second");
    let segment = backed_up.segment(&mut writer).unwrap();
    let content = backed_up.content();
    assert_eq!(backed_up.restored(&segment.name).unwrap(), content);
}

#[test]
fn restored_site_continues_with_a_state_and_both_histories_remain() {
    let backed_up = BackedUp::into_folder();
    let mut all = moments(&backed_up);
    let first = MomentName::parse(&all[0].0.name).unwrap();
    let other = folder();
    let data = other.path().join("data");
    backed_up
        .restore(&RestorePoint::Moment(first), &data)
        .unwrap();
    let store = RedbStore::open(data.join("galley.redb"), DEFAULT_CACHE_BYTES).unwrap();
    let continued = BackedUp {
        clocked: ClockedSite::at(backed_up.now(), store),
        folder: other,
        to: backed_up.to.clone(),
        _bucket: None,
    };
    // Up to the revision of the last moment, with other records.
    let last = all.last().unwrap().0.revision;
    let revision = || continued.clocked.site.current().catalog.revision;
    while revision() < last {
        continued.add(&format!("another history {}", revision()));
    }
    assert_eq!(revision(), last);
    let mut writer = continued.writer();
    assert_eq!(writer.last_state_at(), None);
    continued.add_upload("images/other.svg", "<svg>other</svg>");
    all.push((continued.state(&mut writer), continued.content()));
    writer
        .delete_old(continued.now(), Duration::from_secs(86_400))
        .unwrap();
    continued.add("more");
    all.push((continued.segment(&mut writer).unwrap(), continued.content()));
    for (moment, content) in all {
        assert_eq!(backed_up.restored(&moment.name).unwrap(), content);
    }
    assert_eq!(backed_up.damages(), [""; 0]);
}

#[test]
fn large_change_is_a_state_and_no_commit_is_lost() {
    let backed_up = BackedUp::into_folder();
    let mut writer = backed_up.writer();
    backed_up.add("first");
    backed_up.state(&mut writer);
    let site = &backed_up.clocked.site;
    site.write(|change| {
        for number in 0..1100 {
            change.add_integration(&format!("number {number}"), None)?;
        }
        Ok(())
    })
    .unwrap();
    assert!(writer.collect(site).unwrap());
    assert_eq!(writer.last_state_at(), None);
    assert_eq!(backed_up.segment(&mut writer), None);
    let state = backed_up.state(&mut writer);
    assert_eq!(
        backed_up.restored(&state.name).unwrap(),
        backed_up.content()
    );
}

#[test]
fn old_moments_and_what_only_they_needed_are_deleted() {
    let backed_up = BackedUp::into_folder();
    let mut writer = backed_up.writer();
    let mut all = Vec::new();
    const DAY: i64 = 86_400;
    for day in 0..6 {
        backed_up.add_upload("themes/plain/index.hbs", &format!("<p>{day}</p>"));
        backed_up.add(&format!("day {day}"));
        all.push((backed_up.state(&mut writer), backed_up.content()));
        writer
            .delete_old(backed_up.now(), Duration::from_secs(2 * DAY as u64))
            .unwrap();
        backed_up.pass(DAY / 2);
        let passing = format!("images/passing {day}.svg");
        backed_up.add_upload(&passing, &format!("<svg>{day}</svg>"));
        backed_up.add(&format!("noon {day}"));
        all.push((backed_up.segment(&mut writer).unwrap(), backed_up.content()));
        fs::remove_file(backed_up.data().join(passing)).unwrap();
        backed_up.pass(DAY / 2);
    }
    let remaining = History::read(&backed_up.location()).unwrap();
    let remaining: Vec<String> = remaining.moments().map(|moment| moment.name).collect();
    // Two days before the last state, and the moments since the state before that.
    let expected: Vec<&str> = all[6..].iter().map(|(moment, _)| &*moment.name).collect();
    assert_eq!(remaining, expected);
    for (moment, content) in &all[6..] {
        assert_eq!(&backed_up.restored(&moment.name).unwrap(), content);
    }
    assert_eq!(backed_up.damages(), [""; 0]);
    let chunks = names_in(&backed_up.backups().join("chunks")).len();
    let verdict = check_location(&backed_up.location(), &NoProgress).unwrap();
    assert_eq!(
        (verdict.states, verdict.segments, verdict.chunks),
        (3, 3, chunks)
    );
}

#[test]
fn wrong_list_deletes_nothing() {
    let (backed_up, bucket) = BackedUp::into_bucket();
    let mut writer = backed_up.writer();
    backed_up.add("first");
    backed_up.state(&mut writer);
    backed_up.pass(1_000_000);
    backed_up.add("second");
    backed_up.state(&mut writer);
    let keys = bucket.keys();
    bucket.misbehave("GET", "list-type", Misbehaviour::EmptyList);
    let now = backed_up.now() + SignedDuration::from_hours(999);
    let refused = writer.delete_old(now, Duration::from_secs(1)).unwrap_err();
    assert!(refused.to_string().contains("does not list"), "{refused}");
    assert_eq!(bucket.keys(), keys);
    bucket.behave();
    writer.delete_old(now, Duration::from_secs(1)).unwrap();
    assert!(bucket.keys().len() < keys.len());
    assert_eq!(backed_up.damages(), [""; 0]);
}

#[test]
fn damaged_and_missing_objects_are_named_and_nothing_is_restored() {
    let backed_up = BackedUp::into_folder();
    let all = moments(&backed_up);
    let path = |name: &str| backed_up.backups().join(name);

    // Every object, once.
    for folder in ["states", "segments", "chunks"] {
        for name in names_in(&path(folder)) {
            let name = format!("{folder}/{name}");
            let whole = fs::read(path(&name)).unwrap();
            let mut changed = whole.clone();
            *changed.last_mut().unwrap() ^= 1;
            let half = whole.len() / 2;
            for content in [&[], &whole[..half], &changed[..]] {
                fs::write(path(&name), content).unwrap();
                let damages = backed_up.damages();
                assert!(damages[0].starts_with(&name), "{damages:?}");
            }
            for (moment, expected) in &all {
                match backed_up.restored(&moment.name) {
                    Ok(restored) => assert_eq!(&restored, expected),
                    Err(error) => assert!(error.to_string().contains(&name), "{error}"),
                }
            }
            fs::write(path(&name), whole).unwrap();
        }
    }
    assert_eq!(backed_up.damages(), [""; 0]);

    // Without the second segment, the first one is restored and no later one until the next state.
    fs::remove_file(path(&all[2].0.name)).unwrap();
    let missing = format!(
        "{}: it is missing or damaged; {} follows it",
        all[2].0.name, all[3].0.name
    );
    assert_eq!(backed_up.damages(), [missing]);
    assert_eq!(backed_up.restored(&all[1].0.name).unwrap(), all[1].1);
    for later in [3, 4] {
        let error = backed_up.restored(&all[later].0.name).unwrap_err();
        let named = format!(
            "{}: it is missing; {} follows it",
            all[2].0.name, all[3].0.name
        );
        assert!(error.to_string().ends_with(&named), "{error}");
    }
    assert_eq!(backed_up.restored(&all[5].0.name).unwrap(), all[5].1);
}

#[test]
fn next_state_after_damage_is_whole() {
    let backed_up = BackedUp::into_folder();
    let all = moments(&backed_up);
    for name in names_in(&backed_up.backups().join("chunks")) {
        fs::write(backed_up.backups().join("chunks").join(name), b"torn").unwrap();
    }
    fs::remove_file(backed_up.backups().join(&all[6].0.name)).unwrap();
    let mut writer = backed_up.writer();
    let state = backed_up.state(&mut writer);
    assert_eq!(
        backed_up.restored(&state.name).unwrap(),
        backed_up.content()
    );
}

#[test]
fn location_has_one_writer_and_the_earlier_one_is_refused() {
    let backed_up = BackedUp::into_folder();
    let mut first = backed_up.writer();
    backed_up.add("first");
    backed_up.state(&mut first);
    let mut second = backed_up.writer();
    backed_up.add("second");
    let uploads = Uploads::in_data(&backed_up.data());
    let source = Source {
        site: &backed_up.clocked.site,
        uploads: &uploads,
    };
    let before = files_of(&backed_up.backups().join("states"));
    for refused in [
        first.write_segment(source, &NoProgress).map(drop),
        first.write_state(source, &NoProgress).map(drop),
    ] {
        let message = refused.unwrap_err().to_string();
        let data = backed_up.data().display().to_string();
        assert!(
            message.contains("belongs to another process now"),
            "{message}"
        );
        assert!(message.contains(&data), "{message}");
    }
    assert_eq!(files_of(&backed_up.backups().join("states")), before);
    let segment = backed_up.segment(&mut second).unwrap();
    assert_eq!(
        backed_up.restored(&segment.name).unwrap(),
        backed_up.content()
    );
    assert_eq!(backed_up.damages(), [""; 0]);
}

#[test]
fn temporary_files_are_not_claims() {
    let backed_up = BackedUp::into_folder();
    let mut writer = backed_up.writer();
    let leftovers = [
        "waiting-x",
        "9999999999-abc",
        "9999999999-0123abcd.json.part",
    ];
    for name in leftovers {
        write(backed_up.backups().join("owners").join(name), "{");
    }
    backed_up.add("first");
    backed_up.state(&mut writer);
    backed_up.state(&mut backed_up.writer());
    assert_eq!(backed_up.damages(), [""; 0]);
}

#[test]
fn emptied_location_is_reported_and_claimed_again() {
    let backed_up = BackedUp::into_folder();
    let mut writer = backed_up.writer();
    backed_up.add("first");
    backed_up.state(&mut writer);
    fs::remove_dir_all(backed_up.backups()).unwrap();
    backed_up.add("second");
    let uploads = Uploads::in_data(&backed_up.data());
    let source = Source {
        site: &backed_up.clocked.site,
        uploads: &uploads,
    };
    for refused in [
        writer.write_segment(source, &NoProgress).map(drop),
        writer.write_state(source, &NoProgress).map(drop),
    ] {
        let message = refused.unwrap_err().to_string();
        assert!(message.contains("its disk is not mounted"), "{message}");
    }
    assert!(!backed_up.backups().exists());
    let state = backed_up.state(&mut backed_up.writer());
    assert_eq!(
        backed_up.restored(&state.name).unwrap(),
        backed_up.content()
    );
}

#[test]
fn moments_of_the_future_do_not_hide_later_ones() {
    // Later than the clock of the system, too.
    const YEARS: i64 = 20 * 365 * 86_400;
    let backed_up = BackedUp::into_folder();
    let newest = || {
        let found = RestorePoint::find(&backed_up.to, backed_up.folder.path(), None);
        found.unwrap().name()
    };
    let mut writer = backed_up.writer();
    backed_up.pass(YEARS);
    backed_up.add("ahead");
    let ahead = backed_up.state(&mut writer);
    assert_eq!(newest(), ahead.name);

    backed_up.pass(-YEARS);
    backed_up.add("first");
    assert_eq!(backed_up.segment(&mut writer), None);
    let state = backed_up.state(&mut writer);
    assert!(state.created_at < ahead.created_at, "{state:?}");
    assert_eq!(newest(), state.name);
    let mut writer = backed_up.writer();
    backed_up.add("second");
    let segment = backed_up.segment(&mut writer).unwrap();
    assert_eq!(newest(), segment.name);
    assert_eq!(
        backed_up.restored(&segment.name).unwrap(),
        backed_up.content()
    );
    assert_eq!(backed_up.damages(), [""; 0]);
}

#[test]
fn damaged_moment_does_not_hide_another_one_of_its_second() {
    let backed_up = BackedUp::into_folder();
    let mut writer = backed_up.writer();
    backed_up.add("first");
    let state = backed_up.state(&mut writer);
    backed_up.add("second");
    backed_up.pass(-60);
    let segment = backed_up.segment(&mut writer).unwrap();
    assert_eq!(segment.created_at, state.created_at);
    let newest = || {
        let found = RestorePoint::find(&backed_up.to, backed_up.folder.path(), None);
        found.map(|point| point.name())
    };
    assert_eq!(newest().unwrap(), segment.name);
    fs::write(backed_up.backups().join(&segment.name), "torn").unwrap();
    assert_eq!(newest().unwrap(), state.name);
    fs::write(backed_up.backups().join(&state.name), "torn").unwrap();
    assert!(newest().unwrap_err().to_string().contains("it is damaged"));
    assert_eq!(backed_up.writer().last_state_at(), None);
}

#[test]
fn backup_is_read_without_galley() {
    let backed_up = BackedUp::into_folder();
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/examples/backups/read_backup.py"
    );
    for (moment, ((_, records), files)) in moments(&backed_up) {
        let out = folder();
        let run = Command::new("python3")
            .arg(script)
            .arg(backed_up.backups())
            .arg(&moment.name)
            .arg(out.path())
            .output()
            .unwrap();
        assert!(
            run.status.success(),
            "{}",
            String::from_utf8_lossy(&run.stderr)
        );
        let text = fs::read_to_string(out.path().join("records.jsonl")).unwrap();
        let read: BTreeMap<_, _> = text.split_terminator('\n').map(record).collect();
        assert_eq!(read, records);
        let mut read = files_of(out.path());
        read.retain(|(path, _)| path != Path::new("records.jsonl"));
        assert_eq!(read, files);
    }
    let chunk = names_in(&backed_up.backups().join("chunks")).remove(0);
    let verified = Command::new("sh")
        .arg("-c")
        .arg("gzip -dc \"$0\" | sha256sum")
        .arg(backed_up.backups().join("chunks").join(&chunk))
        .output()
        .unwrap();
    let hash = String::from_utf8(verified.stdout).unwrap();
    assert_eq!(hash.split(' ').next(), chunk.strip_suffix(".gz"));
}

fn record(line: &str) -> ((String, Vec<u8>), (u64, Vec<u8>)) {
    let record: Value = serde_json::from_str(line).unwrap();
    let bytes = |name: &str| match record[name].as_str() {
        Some(text) => text.as_bytes().to_vec(),
        None => {
            let text = record[format!("{name}64")].as_str().unwrap();
            BASE64.decode(text.as_bytes()).unwrap()
        }
    };
    let table = record["table"].as_str().unwrap().to_owned();
    let revision = record["revision"].as_u64().unwrap();
    ((table, bytes("key")), (revision, bytes("value")))
}
