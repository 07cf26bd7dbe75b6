//! Tests that each moment is restored exactly, also without Galley, and that the work is proportional to the changes.

use super::*;

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
fn time_selects_the_last_moment_up_to_it() {
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
    let words = "with a long name ".repeat(9);
    for part in 0..30 {
        site.write(|transaction| {
            for number in 0..100 {
                let name = format!("Integration {part} {number} {words}");
                transaction.add_integration(&name, None)?;
            }
            Ok(())
        })
        .unwrap();
    }
    backed_up.add_upload("images/ferry.svg", &"<svg/>".repeat(100_000));
    let mut writer = backed_up.writer();
    let first = backed_up.state(&mut writer);
    assert!(first.objects > 20, "{first:?}");

    // Without a change, no request is sent.
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

    // Only the changed record, the audit log and the state itself are written.
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
fn restarted_process_continues_after_the_last_moment() {
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
fn restored_site_begins_with_a_state_and_both_histories_remain() {
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
    // The restored site reaches the revision of the last moment, with other records.
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
        .delete_old(RetentionTime {
            retention: DAY,
            every: DAY,
        })
        .unwrap();
    continued.add("more");
    all.push((continued.segment(&mut writer).unwrap(), continued.content()));
    for (moment, content) in all {
        assert_eq!(backed_up.restored(&moment.name).unwrap(), content);
    }
    assert_eq!(backed_up.damages(), [""; 0]);
}

#[test]
fn large_change_is_backed_up_by_a_state() {
    let backed_up = BackedUp::into_folder();
    let mut writer = backed_up.writer();
    backed_up.add("first");
    backed_up.state(&mut writer);
    let site = &backed_up.clocked.site;
    site.write(|transaction| {
        for number in 0..1100 {
            transaction.add_integration(&format!("number {number}"), None)?;
        }
        Ok(())
    })
    .unwrap();
    assert!(writer.collect(site).unwrap());
    assert_eq!(writer.last_state_at(), None);
    assert_eq!(backed_up.segment(&mut writer), None);
    let state = backed_up.state(&mut writer);
    backed_up.assert_restores(&state);
}

#[test]
fn moments_from_a_clock_ahead_do_not_hide_later_ones() {
    // Also later than the clock of the system.
    const YEARS: i64 = 20 * 365 * 86_400;
    let backed_up = BackedUp::into_folder();
    let newest = || {
        let found = RestorePoint::find(&backed_up.to, backed_up.folder.path(), None);
        found.unwrap().name()
    };
    let mut writer = backed_up.writer();
    backed_up.advance_clock(YEARS);
    backed_up.add("ahead");
    let ahead = backed_up.state(&mut writer);
    assert_eq!(newest(), ahead.name);

    backed_up.advance_clock(-YEARS);
    backed_up.add("first");
    assert_eq!(backed_up.segment(&mut writer), None);
    let state = backed_up.state(&mut writer);
    assert!(state.created_at < ahead.created_at, "{state:?}");
    assert_eq!(newest(), state.name);
    let mut writer = backed_up.writer();
    backed_up.add("second");
    let segment = backed_up.segment(&mut writer).unwrap();
    assert_eq!(newest(), segment.name);
    backed_up.assert_restores(&segment);
    assert_eq!(backed_up.damages(), [""; 0]);
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

#[test]
fn listed_length_of_a_state_includes_the_chunks_that_it_needs() {
    let backed_up = BackedUp::into_folder();
    backed_up.add_upload("images/ferry.svg", &"<svg/>".repeat(1000));
    // The same content is in one chunk.
    backed_up.add_upload("images/copy.svg", &"<svg/>".repeat(1000));
    let mut writer = backed_up.writer();
    let state = backed_up.state(&mut writer);
    let listed = || listed_backups(&backed_up.to, backed_up.folder.path()).unwrap();
    let folder = |name: &str| {
        let files = files_of(&backed_up.backups().join(name));
        files
            .iter()
            .map(|(_, content)| content.len() as u64)
            .sum::<u64>()
    };

    let whole = folder("states") + folder("chunks");
    assert_eq!(listed()[0].bytes, Some(whole));

    // A later state shares the chunks.
    backed_up.add("another");
    backed_up.state(&mut writer);
    let lengths: Vec<_> = listed().iter().map(|moment| moment.bytes).collect();
    assert_eq!(lengths[0], Some(whole));
    assert!(lengths[1].unwrap() > folder("states") / 2, "{lengths:?}");

    write(backed_up.backups().join(&state.name), "torn");
    assert_eq!(listed()[0].bytes, None);
}
