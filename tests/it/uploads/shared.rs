//! Tests of uploads in a folder that several processes share.

use std::{
    collections::BTreeSet,
    fs::{self, FileTimes},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, SystemTime},
};

use galley::{
    app::OpenSite,
    backup::{self, BackupOptions, BackupTarget},
    clock::SystemClock,
    config::Config,
    progress::{NoProgress, Progress},
    site::Site,
    store::redb::{DEFAULT_CACHE_BYTES, RedbStore},
    themes::{self, IncomingTheme, Themes},
    uploads::Uploads,
};
use galley_tests::{TestSite, multipart::Form};
use image::ImageFormat;
use tempfile::TempDir;

use super::{
    data_folder, files_below, path_of,
    sample_images::{dimensions, sample_image},
    send, served, upload_image,
};

fn site(shared: &TempDir) -> TestSite {
    let folder = shared.path().to_str().unwrap();
    TestSite::builder().option("uploads.folder", folder).start()
}

#[test]
fn upload_to_one_process_is_served_by_the_other() {
    let shared = tempfile::tempdir().unwrap();
    let (one, other) = (site(&shared), site(&shared));
    let content = sample_image(1200, 40, ImageFormat::Png);
    let path = upload_image(&one, "Harbour.png", "image/png", &content);
    assert_eq!(served(&other, &path), served(&one, &path));
    let small = path.replace("/images/", "/images/size/w600/");
    assert_eq!(dimensions(&served(&other, &small)), (600, 20));

    let video = b"\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41 and so on";
    let form = Form::default().file("file", "ferry.mp4", "video/mp4", video);
    let sent = send(&other, "POST", "media/upload/", form);
    assert_eq!(sent.status, 201, "{}", sent.text());
    let video_path = path_of(&other, &sent.json()["media"][0]["url"]);
    assert_eq!(served(&one, &video_path), video);
    let form = Form::default()
        .file("file", "frame.png", "image/png", &content)
        .field("url", &video_path);
    let sent = send(&one, "PUT", "media/thumbnail/upload/", form);
    assert_eq!(sent.status, 200, "{}", sent.text());
    let thumbnail = path_of(&one, &sent.json()["media"][0]["url"]);
    assert_eq!(served(&other, &thumbnail), served(&one, &thumbnail));

    let names = files_below(shared.path());
    assert_eq!(names.len(), 4, "{names:?}");
    // Resized images are the only files of uploads in the data folders.
    for app in [&one, &other] {
        let own = files_below(&data_folder(app));
        let is_upload = |name: &&String| name.contains("Harbour") || name.contains("ferry");
        let uploads: Vec<&String> = own.iter().filter(is_upload).collect();
        assert!(
            uploads.iter().all(|name| name.starts_with("images/size/")),
            "{uploads:?}"
        );
    }
}

#[test]
fn processes_never_store_two_files_under_one_name() {
    let shared = tempfile::tempdir().unwrap();
    let sites = [site(&shared), site(&shared)];
    let paths: BTreeSet<(String, Vec<u8>)> = thread::scope(|scope| {
        let upload = |number: usize, app: &TestSite| {
            let text = format!("list {number}");
            let form = Form::default().file("file", "list.txt", "text/plain", text.as_bytes());
            let sent = send(app, "POST", "files/upload/", form);
            assert_eq!(sent.status, 201, "{}", sent.text());
            (path_of(app, &sent.json()["files"][0]["url"]), text.into())
        };
        let threads: Vec<_> = (0..24)
            .map(|number| {
                let app = &sites[number % 2];
                scope.spawn(move || upload(number, app))
            })
            .collect();
        let threads = threads.into_iter();
        threads.map(|thread| thread.join().unwrap()).collect()
    });
    let names: BTreeSet<&String> = paths.iter().map(|(path, _)| path).collect();
    assert_eq!(names.len(), 24, "{names:?}");
    for (path, content) in &paths {
        for app in &sites {
            assert_eq!(served(app, path), *content);
        }
    }
}

#[test]
fn theme_added_by_one_process_is_available_to_the_other() {
    let shared = tempfile::tempdir().unwrap();
    let theme = tempfile::tempdir().unwrap();
    fs::write(theme.path().join("index.hbs"), "A theme.").unwrap();
    let [one, other] = [(); 2].map(|()| Themes::of(&Uploads::in_shared(shared.path())));
    let incoming = IncomingTheme::from_folder(&one, theme.path()).unwrap();
    // A process that starts must not delete a theme that another process is installing.
    themes::clear_abandoned(&Uploads::in_shared(shared.path())).unwrap();
    incoming.install("tide").unwrap().keep();
    assert!(other.find("tide").is_some());
}

#[test]
fn missing_folder_is_an_error_at_start() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("not-mounted");
    let config = Config {
        data: folder.path().join("data"),
        uploads_folder: Some(missing.clone()),
        ..Config::read(&Default::default(), None).unwrap()
    };
    let refused = OpenSite::open(&config).map(drop).unwrap_err().to_string();
    assert!(refused.contains("not-mounted"), "{refused}");
    assert!(refused.contains("uploads.folder"), "{refused}");
    assert!(!missing.exists());
}

#[cfg(feature = "postgres")]
#[test]
fn shared_store_with_unshared_uploads_is_an_error_at_start() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config {
        data: folder.path().join("data"),
        store_url: Some("postgres://galley@127.0.0.1:9/galley".parse().unwrap()),
        ..Config::read(&Default::default(), None).unwrap()
    };
    let refused = OpenSite::open(&config).map(drop).unwrap_err().to_string();
    assert!(refused.contains("uploads.folder"), "{refused}");
    assert!(!config.data.exists());
}

#[test]
fn recent_temporary_files_are_not_removed_from_a_shared_folder() {
    let shared = tempfile::tempdir().unwrap();
    let staging = shared.path().join("importing-1");
    fs::create_dir(&staging).unwrap();
    let waiting = shared.path().join("waiting-1");
    // The age of a file does not depend on its modification time, because an archive may set it.
    let long_ago = SystemTime::now() - Duration::from_hours(48);
    let file = fs::File::create(&waiting).unwrap();
    file.set_times(FileTimes::new().set_modified(long_ago))
        .unwrap();
    let _app = site(&shared);
    assert!(staging.exists() && waiting.exists());
}

fn write(path: &Path, content: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Returns a backup of a site with an image and a theme in a shared folder.
fn backup_of_shared(folder: &Path) -> std::path::PathBuf {
    let (data, shared) = (folder.join("data"), folder.join("shared"));
    write(&shared.join("images/a.png"), "a picture");
    write(&shared.join("themes/tide/index.hbs"), "A theme.");
    write(&shared.join("waiting-1"), "half");
    write(&data.join("images/size/a.png/w600.png"), "a copy");
    let store = RedbStore::open(data.join("galley.redb"), DEFAULT_CACHE_BYTES).unwrap();
    let site = Site::open(Box::new(store), Arc::new(SystemClock)).unwrap();
    let target = folder.join("site.zip");
    let order = BackupOptions {
        target: BackupTarget::File(target.clone()),
        overwrites: false,
    };
    backup::write(
        &site,
        &data,
        &Uploads::in_shared(&shared),
        &order,
        &NoProgress,
    )
    .unwrap();
    target
}

#[test]
fn backup_restores_uploads_into_the_shared_folder() {
    let folder = tempfile::tempdir().unwrap();
    let target = backup_of_shared(folder.path());
    let (data, shared) = (folder.path().join("restored"), folder.path().join("new"));
    fs::create_dir(&shared).unwrap();
    let uploads = Uploads::in_shared(&shared);
    backup::restore(&target, &data, &uploads, &NoProgress).unwrap();
    let files = ["images/a.png", "themes/tide/index.hbs"];
    assert_eq!(files_below(&shared), files);
    assert_eq!(files_below(&data), ["galley.lock", "galley.redb"]);

    // A restore into a folder with uploads is refused and changes nothing.
    let other = folder.path().join("other");
    let refused = backup::restore(&target, &other, &uploads, &NoProgress);
    let refused = refused.map(drop).unwrap_err().to_string();
    assert!(refused.contains("new/images is not empty"), "{refused}");
    assert!(!other.exists());
    assert_eq!(files_below(&shared), files);
}

/// A progress report that cancels after a number of calls.
struct CountedProgress {
    calls: AtomicUsize,
    calls_max: usize,
}

impl CountedProgress {
    fn ending_after(calls_max: usize) -> Self {
        Self {
            calls: AtomicUsize::new(0),
            calls_max,
        }
    }
}

impl Progress for CountedProgress {
    fn advance(&self, _done: u64, _total: u64) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    fn is_cancelled(&self) -> bool {
        self.calls.load(Ordering::Relaxed) > self.calls_max
    }
}

#[test]
fn killed_or_cancelled_restore_leaves_no_uploads_in_the_shared_folder() {
    let folder = tempfile::tempdir().unwrap();
    let target = backup_of_shared(folder.path());
    let (data, shared) = (folder.path().join("restored"), folder.path().join("new"));
    fs::create_dir(&shared).unwrap();
    let uploads = Uploads::in_shared(&shared);
    let total = {
        let counted = CountedProgress::ending_after(usize::MAX);
        let measured = tempfile::tempdir().unwrap();
        let to = Uploads::in_shared(measured.path());
        backup::restore(&target, &measured.path().join("data"), &to, &counted).unwrap();
        counted.calls.into_inner()
    };
    // The last calls are made for extracted files.
    for stop in total - 3..total {
        let cancel = CountedProgress::ending_after(stop);
        backup::restore(&target, &data, &uploads, &cancel)
            .map(drop)
            .unwrap_err();
        assert_eq!(fs::read_dir(&shared).unwrap().count(), 0, "call {stop}");
        assert!(!data.join("restoring").exists(), "call {stop}");
    }

    // The restore was killed after the images and before the themes were moved. In the meantime, another process has written a
    // file into a folder that the backup does not contain.
    let staging = shared.join("restoring-1");
    write(&staging.join("themes/tide/index.hbs"), "A theme.");
    write(&shared.join("images/a.png"), "a picture");
    write(&shared.join("files/others.txt"), "of others");
    let named = serde_json::json!({"from": staging, "to": shared, "folders": ["images", "themes"]});
    write(&data.join("restoring/uploads.json"), &named.to_string());
    backup::clear_abandoned(&data).unwrap();
    assert_eq!(files_below(&shared), ["files/others.txt"]);
    assert!(!data.join("restoring").exists());
}
