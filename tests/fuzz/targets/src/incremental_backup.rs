//! Properties of incremental backups: a point in time is restored exactly as it was written, or not at all; whatever
//! states, segments and chunks contain, a restore writes only the files of a site.

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    ops::ControlFlow,
    path::Path,
    sync::{Arc, LazyLock},
};

use flate2::{Compression, write::GzEncoder};
use galley::{
    backup::{
        BackupError, Destination, History, IncrementalWriter, Location, MomentName,
        RestoreInProgress, RestorePoint, SiteSource, check_location,
    },
    clock::ManualClock,
    progress::NoProgress,
    site::Site,
    store::{Keys, Table, redb::RedbStore},
    uploads::Uploads,
};
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};

use super::{
    archives::{ListedFile, files_in, listing},
    backup::edited,
    small_site::NOW,
};

/// Prefix of an input that changes an object of an intact location. The object's number, a byte, and edits of it
/// follow.
const EDITS_MARK: &[u8] = b"edits";

/// The size of the store's cache, in bytes.
const CACHE_BYTES: usize = 1 << 20;

/// Files by path.
type Files = BTreeMap<String, Vec<u8>>;

/// Revisions and values of records, by table and key.
type Records = BTreeMap<(String, Vec<u8>), (u64, Vec<u8>)>;

/// The content of a site: its records, and its uploads.
type Content = (Records, Files);

/// The objects of an intact location with a state and two segments, and the content of each point in time by name.
static INTACT: LazyLock<(Files, BTreeMap<String, Content>)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    fs::create_dir_all(data.join("images")).unwrap();
    fs::write(data.join("images/a.png"), "an image").unwrap();
    let store = RedbStore::open(data.join("galley.redb"), CACHE_BYTES).unwrap();
    let clock = Arc::new(ManualClock::new(Timestamp::from_second(NOW).unwrap()));
    let site = Site::open(Box::new(store), Arc::clone(&clock) as Arc<_>).unwrap();
    let uploads = Uploads::in_data(&data);
    let source = SiteSource {
        site: &site,
        uploads: &uploads,
    };
    let to = folder.path().join("backups");
    let mut writer = IncrementalWriter::begin(location(&to), &site, &data).unwrap();
    let mut moments = BTreeMap::new();
    let mut note = |name: String| moments.insert(name, (records(&site), uploads_in(&data)));
    note(writer.write_state(source, &NoProgress).unwrap().name);
    for number in 0..2 {
        let name = format!("number {number}");
        site.write(|transaction| transaction.add_integration(&name, None))
            .unwrap();
        fs::write(data.join(format!("images/{number}.png")), name).unwrap();
        clock.set(site.now() + SignedDuration::from_mins(1));
        let segment = writer.write_segment(source, &NoProgress).unwrap();
        note(segment.written().unwrap().name);
    }
    let mut objects = files_in(&to);
    objects.retain(|name, _| !name.starts_with("owners/"));
    (objects, moments)
});

/// Panics unless these properties hold for a location: an intact one with an edited object, or one with the listed objects.
pub fn check(input: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("backups");
    match input.strip_prefix(EDITS_MARK) {
        Some([number, edits @ ..]) => check_edited(folder.path(), &to, *number, edits),
        Some([]) => {}
        None => {
            write_listed(&to, &listing(input).unwrap_or_default());
            check_listed(folder.path(), &to);
        }
    }
}

fn check_edited(folder: &Path, to: &Path, number: u8, edits: &[u8]) {
    let (objects, moments) = &*INTACT;
    for (index, (name, object)) in objects.iter().enumerate() {
        if index == usize::from(number) % objects.len() {
            put(to, name, &edited(object, edits));
        } else {
            put(to, name, object);
        }
    }
    let verdict = check_location(&location(to), &NoProgress).unwrap();
    let mut all_are_restored = true;
    for (name, content) in moments {
        match restored(folder, to, name) {
            Ok(found) => assert!(found == *content, "{name} is restored with other content"),
            Err(error) => {
                all_are_restored = false;
                assert!(
                    !verdict.damages.is_empty(),
                    "{name} is not damaged: {error}"
                );
            }
        }
    }
    assert_eq!(verdict.damages.is_empty(), all_are_restored, "{verdict:?}");
}

fn check_listed(folder: &Path, to: &Path) {
    let before = files_in(folder);
    match check_location(&location(to), &NoProgress) {
        Ok(_) => {}
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let names = match History::read(&location(to)) {
        Ok(history) => history.names().map(ToString::to_string).collect(),
        Err(_) => Vec::new(),
    };
    for name in names {
        if let Err(error) = restored(folder, to, &name) {
            assert!(!error.to_string().is_empty());
        }
    }
    assert!(files_in(folder) == before, "a restore changed other files");
}

/// Restores the point in time `name` into a subfolder of `folder`, which is deleted afterwards, and returns its
/// content.
fn restored(folder: &Path, to: &Path, name: &str) -> Result<Content, BackupError> {
    let data = folder.join("data");
    let uploads = Uploads::in_data(&data);
    let point = RestorePoint::Moment(MomentName::parse(name).unwrap());
    let mut begun = RestoreInProgress::begin(&data, &uploads)?;
    let from = Destination::Folder(to.to_owned());
    let file = begun.fetch_point(&from, &point, &NoProgress)?;
    begun.complete(&file, &NoProgress)?;
    let store = RedbStore::open(data.join("galley.redb"), CACHE_BYTES).unwrap();
    let clock = ManualClock::new(Timestamp::from_second(NOW).unwrap());
    let site = Site::open(Box::new(store), Arc::new(clock)).unwrap();
    let content = (records(&site), uploads_in(&data));
    drop(site);
    fs::remove_dir_all(&data).unwrap();
    Ok(content)
}

/// Writes listed objects under the names that their content requires. In a content, `{sha256:N}`, `{name:N}`,
/// `{bytes:N}` and `{stored:N}` are replaced by the hash, the name, the length and the compressed length of the object
/// with number N, counted from 0.
fn write_listed(to: &Path, objects: &[ListedFile<'_>]) {
    fs::create_dir_all(to).unwrap();
    let mut written: Vec<[(&str, String); 4]> = Vec::new();
    for ListedFile {
        name: kind,
        content,
    } in objects
    {
        let mut content = (*content).to_owned();
        for (number, values) in written.iter().enumerate() {
            for (key, value) in values {
                content = content.replace(&format!("{{{key}:{number}}}"), value);
            }
        }
        let sha256 = data_encoding::HEXLOWER.encode(&Sha256::digest(&content));
        let minute = written.len() % 60;
        let name = match *kind {
            "state" => format!("states/20260101T00{minute:02}00Z-{sha256}.json.gz"),
            "segment" => format!("segments/20260101T00{minute:02}00Z-{sha256}.jsonl.gz"),
            _ => format!("chunks/{sha256}.gz"),
        };
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(content.as_bytes()).unwrap();
        let stored = encoder.finish().unwrap();
        put(to, &name, &stored);
        written.push([
            ("sha256", sha256),
            ("name", name),
            ("bytes", content.len().to_string()),
            ("stored", stored.len().to_string()),
        ]);
    }
}

fn put(to: &Path, name: &str, object: &[u8]) {
    let path = to.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, object).unwrap();
}

fn location(to: &Path) -> Location {
    Location::new(Destination::Folder(to.to_owned()), to.parent().unwrap())
}

fn records(site: &Site) -> Records {
    let mut records = BTreeMap::new();
    let snapshot = site.current();
    for table in Table::ALL {
        let mut note = |key: &[u8], revision: u64, value: &[u8]| {
            let key = (table.name().to_owned(), key.to_vec());
            records.insert(key, (revision, value.to_vec()));
            ControlFlow::Continue(())
        };
        let stored = snapshot.stored();
        stored.scan(table, &Keys::all(), &mut note).unwrap();
    }
    records
}

fn uploads_in(data: &Path) -> Files {
    let mut files = files_in(data);
    files.retain(|path, _| path.starts_with("images/"));
    files
}
