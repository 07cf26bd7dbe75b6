//! Tests of incremental backups: each moment is restored exactly, the work is proportional to the changes, damage is named,
//! and objects that a moment needs are not deleted.

mod damage;
mod moments;
mod one_writer;
mod retention;
mod uploads;

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
        BackupError, Destination, History, IncrementalWriter, Location, MomentName,
        RestoreInProgress, RestorePoint, RetentionTime, SiteSource, WrittenMoment, check_location,
        listed_backups,
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

const DAY: Duration = Duration::from_hours(24);

/// The revision of a store, and all its records: table and key to revision and value.
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
        site.write(|transaction| transaction.add_integration(name, None))
            .unwrap();
    }

    fn add_upload(&self, name: &str, content: &str) {
        write(self.data().join(name), content);
    }

    fn now(&self) -> Timestamp {
        self.clocked.site.now()
    }

    fn advance_clock(&self, seconds: i64) {
        self.clocked
            .advance_clock(SignedDuration::from_secs(seconds));
    }

    fn state(&self, writer: &mut IncrementalWriter) -> WrittenMoment {
        self.advance_clock(60);
        let uploads = Uploads::in_data(&self.data());
        let source = SiteSource {
            site: &self.clocked.site,
            uploads: &uploads,
        };
        writer.write_state(source, &NoProgress).unwrap()
    }

    fn segment(&self, writer: &mut IncrementalWriter) -> Option<WrittenMoment> {
        self.advance_clock(60);
        let uploads = Uploads::in_data(&self.data());
        let source = SiteSource {
            site: &self.clocked.site,
            uploads: &uploads,
        };
        let outcome = writer.write_segment(source, &NoProgress);
        outcome.unwrap().written()
    }

    fn content(&self) -> Content {
        let mut files = files_of(&self.data());
        files.retain(|(path, _)| path.starts_with("images") || path.starts_with("themes"));
        (records(&self.clocked.site), files)
    }

    fn restore(&self, point: &RestorePoint, data: &Path) -> Result<Content, BackupError> {
        let uploads = Uploads::in_data(data);
        let mut begun = RestoreInProgress::begin(data, &uploads)?;
        let file = begun.fetch_point(&self.to, point, &NoProgress)?;
        begun.complete(&file, &NoProgress)?;
        let store = RedbStore::open(data.join("galley.redb"), DEFAULT_CACHE_BYTES).unwrap();
        let site = Site::open(Box::new(store), Arc::new(SystemClock)).unwrap();
        let mut files = files_of(data);
        files.retain(|(path, _)| path.starts_with("images") || path.starts_with("themes"));
        Ok((records(&site), files))
    }

    /// Asserts that restoring a moment results in the current content.
    #[track_caller]
    fn assert_restores(&self, moment: &WrittenMoment) {
        assert_eq!(self.restored(&moment.name).unwrap(), self.content());
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

/// Writes a state, segments and another state, with changes of each kind between them. Returns the moments, each with the
/// content of the site at that time.
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
    site.write(|transaction| transaction.revoke_integration("number 1"))
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
