//! Old moments are deleted, and nothing that another moment needs.

use super::*;

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
