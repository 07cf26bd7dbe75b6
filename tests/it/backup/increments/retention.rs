//! Tests that old moments are deleted, but no object that another moment needs.

use super::*;

#[test]
fn old_moments_and_their_unshared_objects_are_deleted() {
    let backed_up = BackedUp::into_folder();
    let mut writer = backed_up.writer();
    let mut all = Vec::new();
    let half_a_day = DAY.as_secs() as i64 / 2;
    for day in 0..6 {
        backed_up.add_upload("themes/plain/index.hbs", &format!("<p>{day}</p>"));
        backed_up.add(&format!("day {day}"));
        all.push((backed_up.state(&mut writer), backed_up.content()));
        writer
            .delete_old(RetentionTime {
                retention: 2 * DAY,
                every: DAY,
            })
            .unwrap();
        backed_up.advance_clock(half_a_day);
        let passing = format!("images/passing {day}.svg");
        backed_up.add_upload(&passing, &format!("<svg>{day}</svg>"));
        backed_up.add(&format!("noon {day}"));
        all.push((backed_up.segment(&mut writer).unwrap(), backed_up.content()));
        fs::remove_file(backed_up.data().join(passing)).unwrap();
        backed_up.advance_clock(half_a_day);
    }
    let remaining = History::read(&backed_up.location()).unwrap();
    let remaining: Vec<String> = remaining.moments().map(|moment| moment.name).collect();
    // The moments of the two days before the last state remain, with earlier ones back to the state that they need.
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
    backed_up.advance_clock(1_000_000);
    backed_up.add("second");
    backed_up.state(&mut writer);
    let keys = bucket.keys();
    bucket.misbehave("GET", "list-type", Misbehaviour::EmptyList);
    let at_once = RetentionTime {
        retention: Duration::ZERO,
        every: DAY,
    };
    let refused = writer.delete_old(at_once).unwrap_err();
    assert!(refused.to_string().contains("does not list"), "{refused}");
    assert_eq!(bucket.keys(), keys);
    bucket.behave();
    writer.delete_old(at_once).unwrap();
    assert!(bucket.keys().len() < keys.len());
    assert_eq!(backed_up.damages(), [""; 0]);
}

#[test]
fn clock_ahead_deletes_nothing_early() {
    let backed_up = BackedUp::into_folder();
    let mut writer = backed_up.writer();
    let time = RetentionTime {
        retention: 3 * DAY,
        every: DAY,
    };
    let count = || names_in(&backed_up.backups().join("states")).len();
    let day = DAY.as_secs() as i64;
    for number in 0..6 {
        backed_up.add(&format!("day {number}"));
        backed_up.state(&mut writer);
        writer.delete_old(time).unwrap();
        backed_up.advance_clock(day - 60);
    }
    assert_eq!(count(), 4);
    // One process runs with a clock that is ahead, the next one with the right clock.
    backed_up.advance_clock(40 * day);
    let mut ahead = backed_up.writer();
    backed_up.state(&mut ahead);
    ahead.delete_old(time).unwrap();
    assert_eq!(count(), 5);
    backed_up.advance_clock(-40 * day);
    let mut right = backed_up.writer();
    backed_up.state(&mut right);
    right.delete_old(time).unwrap();
    // The oldest state has expired and is deleted; the state with the future time remains.
    assert_eq!(count(), 5);
}
