//! Tests that damaged and missing objects are named, and do not affect other moments.

use super::*;

#[test]
fn damaged_and_missing_objects_are_named_and_nothing_is_restored() {
    let backed_up = BackedUp::into_folder();
    let all = moments(&backed_up);
    let path = |name: &str| backed_up.backups().join(name);

    // Each object is damaged once.
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

    // Without the second segment, moments are restored up to the first segment and again from the next state.
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
fn next_state_after_damage_is_complete() {
    let backed_up = BackedUp::into_folder();
    let all = moments(&backed_up);
    for name in names_in(&backed_up.backups().join("chunks")) {
        fs::write(backed_up.backups().join("chunks").join(name), b"torn").unwrap();
    }
    fs::remove_file(backed_up.backups().join(&all[6].0.name)).unwrap();
    let mut writer = backed_up.writer();
    let state = backed_up.state(&mut writer);
    backed_up.assert_restores(&state);
}

#[test]
fn damaged_moment_does_not_hide_another_one_of_the_same_second() {
    let backed_up = BackedUp::into_folder();
    let mut writer = backed_up.writer();
    backed_up.add("first");
    let state = backed_up.state(&mut writer);
    backed_up.add("second");
    backed_up.advance_clock(-60);
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
fn running_writer_does_not_rely_on_missing_objects() {
    let (in_bucket, bucket) = BackedUp::into_bucket();
    for (backed_up, bucket) in [(BackedUp::into_folder(), None), (in_bucket, Some(bucket))] {
        let remove = |start: &str| match &bucket {
            Some(bucket) => {
                let keys = bucket.keys().into_iter();
                let keys = keys.filter(|key| key.starts_with(&format!("stored/{start}")));
                keys.for_each(|key| bucket.remove(&key));
            }
            None => {
                let files = files_of(&backed_up.backups()).into_iter();
                let files = files.filter(|(path, _)| path.to_str().unwrap().starts_with(start));
                files
                    .for_each(|(path, _)| fs::remove_file(backed_up.backups().join(path)).unwrap());
            }
        };
        let mut writer = backed_up.writer();
        backed_up.add_upload("images/ferry.svg", "<svg/>");
        backed_up.add("first");
        backed_up.state(&mut writer);
        remove("chunks/");
        backed_up.add("second");
        let state = backed_up.state(&mut writer);
        backed_up.assert_restores(&state);

        backed_up.add("third");
        let segment = backed_up.segment(&mut writer).unwrap();
        assert!(writer.has_last().unwrap());
        remove(&segment.name);
        assert!(!writer.has_last().unwrap());
        backed_up.add("fourth");
        assert_eq!(backed_up.segment(&mut writer), None);
        let state = backed_up.state(&mut writer);
        backed_up.assert_restores(&state);
    }
}

#[test]
fn nothing_is_deleted_if_the_last_state_lacks_chunks() {
    let backed_up = BackedUp::into_folder();
    let mut writer = backed_up.writer();
    for name in ["first", "second"] {
        backed_up.add(name);
        backed_up.state(&mut writer);
    }
    let chunks = backed_up.backups().join("chunks");
    for name in names_in(&chunks) {
        fs::remove_file(chunks.join(name)).unwrap();
    }
    let before = files_of(&backed_up.backups());
    let at_once = RetentionTime {
        retention: Duration::ZERO,
        every: DAY,
    };
    writer.delete_old(at_once).unwrap_err();
    assert_eq!(files_of(&backed_up.backups()), before);
}

#[test]
fn error_names_the_last_moment_that_can_be_restored() {
    let backed_up = BackedUp::into_folder();
    let all = moments(&backed_up);
    let damage = |name: &str| fs::write(backed_up.backups().join(name), "torn").unwrap();
    let error_of = |moment: usize| backed_up.restored(&all[moment].0.name).unwrap_err();
    let assert_named = |error: BackupError, moment: usize| {
        let time = all[moment].0.created_at;
        let advice = format!("`--at {time}` restores the last moment before this damage");
        assert!(error.to_string().contains(&advice), "{error}");
        let found = RestorePoint::find(&backed_up.to, backed_up.folder.path(), Some(time));
        assert_eq!(found.unwrap().name(), all[moment].0.name);
        assert_eq!(
            backed_up.restored(&all[moment].0.name).unwrap(),
            all[moment].1
        );
    };
    // The chunk of a file that the third moment added.
    let late = "<svg>1</svg>";
    let digest = <sha2::Sha256 as sha2::Digest>::digest(late);
    let chunk = format!("chunks/{}.gz", data_encoding::HEXLOWER.encode(&digest));
    let whole = fs::read(backed_up.backups().join(&chunk)).unwrap();
    damage(&chunk);
    assert_named(error_of(4), 1);
    fs::write(backed_up.backups().join(&chunk), whole).unwrap();
    damage(&all[6].0.name);
    assert_named(error_of(6), 5);
    damage(&all[5].0.name);
    assert_named(error_of(5), 4);
    damage(&all[2].0.name);
    assert_named(error_of(4), 1);
    damage(&all[0].0.name);
    let error = error_of(0).to_string();
    assert!(!error.contains("--at"), "{error}");
}
