//! Tests that a location has one writer: the one that claimed it last.

use super::*;

#[test]
fn location_has_one_writer_and_the_earlier_one_is_refused() {
    let backed_up = BackedUp::into_folder();
    let mut first = backed_up.writer();
    backed_up.add("first");
    backed_up.state(&mut first);
    let mut second = backed_up.writer();
    backed_up.add("second");
    let uploads = Uploads::in_data(&backed_up.data());
    let source = SiteSource {
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
            message.contains("now belongs to another process"),
            "{message}"
        );
        assert!(message.contains(&data), "{message}");
    }
    assert_eq!(files_of(&backed_up.backups().join("states")), before);
    let segment = backed_up.segment(&mut second).unwrap();
    backed_up.assert_restores(&segment);
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
    let source = SiteSource {
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
    backed_up.assert_restores(&state);
}
