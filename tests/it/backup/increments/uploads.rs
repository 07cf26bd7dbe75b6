//! Tests that uploads without a commit are in the next segment, and that a folder whose disk is unmounted is not mistaken for
//! an empty one.

use galley_tests::wait_until;

use super::*;

/// Tries to write a segment and a state, which must fail, and returns the messages.
fn refused(backed_up: &BackedUp, writer: &mut IncrementalWriter) -> [String; 2] {
    let uploads = Uploads::in_data(&backed_up.data());
    let source = SiteSource {
        site: &backed_up.clocked.site,
        uploads: &uploads,
    };
    let before = files_of(&backed_up.backups());
    let revision = backed_up.clocked.site.current().catalog.revision;
    backed_up.add(&format!("after {revision}"));
    let segment = writer.write_segment(source, &NoProgress).map(drop);
    let state = writer.write_state(source, &NoProgress).map(drop);
    let names = |folder: &str| names_in(&backed_up.backups().join(folder)).len();
    let is_moment = |path: &Path| !path.starts_with("chunks") && !path.starts_with("owners");
    let moments = before.iter().filter(|(path, _)| is_moment(path)).count();
    assert_eq!(names("states") + names("segments"), moments);
    [segment, state].map(|result| result.unwrap_err().to_string())
}

#[test]
fn missing_uploads_folder_fails_the_backup() {
    let backed_up = BackedUp::into_folder();
    let mut writer = backed_up.writer();
    let images = backed_up.data().join("images");
    let shown = images.display().to_string();
    backed_up.add_upload("images/2026/only.svg", "<svg/>");
    backed_up.state(&mut writer);
    fs::create_dir(backed_up.backups().join("segments")).unwrap();

    let away = backed_up.data().join("away");
    fs::rename(&images, &away).unwrap();
    for message in refused(&backed_up, &mut writer) {
        assert!(
            message.contains(&format!("{shown} is missing")),
            "{message}"
        );
    }
    write(images.clone(), "");
    for message in refused(&backed_up, &mut writer) {
        assert!(
            message.contains(&format!("{shown}: not a directory")),
            "{message}"
        );
    }
    // A restarted process reports the missing folder, too.
    fs::remove_file(&images).unwrap();
    let mut writer = backed_up.writer();
    refused(&backed_up, &mut writer);

    fs::rename(&away, &images).unwrap();
    let segment = backed_up.segment(&mut writer).unwrap();
    backed_up.assert_restores(&segment);
}

#[test]
fn all_uploads_may_be_deleted_at_once_only_if_they_are_few() {
    for count in [10, 11] {
        let backed_up = BackedUp::into_folder();
        let mut writer = backed_up.writer();
        let images = backed_up.data().join("images");
        for number in 0..count {
            backed_up.add_upload(&format!("images/{number}.svg"), "<svg/>");
        }
        backed_up.state(&mut writer);
        fs::create_dir(backed_up.backups().join("segments")).unwrap();
        fs::remove_dir_all(&images).unwrap();
        fs::create_dir(&images).unwrap();
        if count > 10 {
            for message in refused(&backed_up, &mut writer) {
                assert!(message.contains("has no files"), "{message}");
                assert!(message.contains("has 11 from it"), "{message}");
            }
            backed_up.add_upload("images/another.svg", "<svg/>");
        }
        let segment = backed_up.segment(&mut writer).unwrap();
        backed_up.assert_restores(&segment);
    }
}

#[test]
fn all_themes_may_be_deleted() {
    let backed_up = BackedUp::into_folder();
    let mut writer = backed_up.writer();
    for number in 0..11 {
        backed_up.add_upload(&format!("themes/plain/{number}.hbs"), "");
    }
    backed_up.state(&mut writer);
    fs::remove_dir_all(backed_up.data().join("themes/plain")).unwrap();
    let segment = backed_up.segment(&mut writer).unwrap();
    backed_up.assert_restores(&segment);
}

#[test]
fn upload_without_a_commit_is_in_the_next_segment() {
    let backed_up = BackedUp::into_folder();
    let mut writer = backed_up.writer();
    backed_up.add_upload("images/2026/first.svg", "<svg/>");
    backed_up.state(&mut writer);
    let site = &backed_up.clocked.site;
    // A folder that changed just before the state may be scanned again.
    let settle = |writer: &mut IncrementalWriter| {
        wait_until("nothing changes", || {
            assert_eq!(backed_up.segment(writer), None);
            !writer.collect(site).unwrap()
        });
    };
    settle(&mut writer);
    for name in [
        "images/2026/second.svg",
        "images/2027/third.svg",
        "files/notes.pdf",
        "themes/plain/index.hbs",
    ] {
        backed_up.add_upload(name, name);
        assert!(writer.collect(site).unwrap(), "{name}");
        let segment = backed_up.segment(&mut writer).unwrap();
        backed_up.assert_restores(&segment);
        settle(&mut writer);
    }
    fs::remove_file(backed_up.data().join("images/2026/second.svg")).unwrap();
    assert!(writer.collect(site).unwrap());
    let segment = backed_up.segment(&mut writer).unwrap();
    backed_up.assert_restores(&segment);
    assert_eq!(names_in(&backed_up.backups().join("segments")).len(), 5);
}
