//! Numbers of members, day by day (UTC).
//!
//! The store holds the current members and the changes since; past days are computed from both.
//! Deleted members are not counted, not even on days when they existed, because nothing is stored
//! about them.

use std::{
    collections::{BTreeMap, HashMap},
    ops::ControlFlow,
};

use jiff::{Span, Timestamp, civil::Date, tz::TimeZone};

use crate::{
    domain::{
        member::Status,
        member_event::{EventSource, MemberEventKind},
    },
    error::Result,
    id::Id,
    site::SiteSnapshot,
};

/// Maximum number of days in a response: about eleven years. Earlier changes are added to the first
/// of them.
pub const DAYS_MAX: usize = 4000;

/// The number of members of each status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Members without a tier.
    pub free: i64,
    /// Members who pay for a tier.
    pub paid: i64,
    /// Members with a complimentary tier.
    pub comped: i64,
}

impl Counts {
    /// Returns the number of all members.
    pub fn total(&self) -> i64 {
        self.free + self.paid + self.comped
    }

    fn add(&mut self, status: Status, difference: i64) {
        let count = match status {
            Status::Free => &mut self.free,
            Status::Paid => &mut self.paid,
            Status::Comped => &mut self.comped,
        };
        *count += difference;
    }
}

/// The member counts at the end of a day, and the changes of the day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Day {
    /// The members.
    pub counts: Counts,
    /// The number of members who started to pay that day.
    pub began_to_pay: i64,
    /// The number of members who stopped paying that day.
    pub ceased_to_pay: i64,
}

/// The days from the first to the last.
#[derive(Clone, Copy, Debug)]
pub struct Period {
    /// The first day; by default the day before the first change.
    pub from: Option<Date>,
    /// The last day.
    pub to: Date,
}

/// Returns the day of a timestamp.
pub fn day_of(time: Timestamp) -> Date {
    time.to_zoned(TimeZone::UTC).date()
}

/// Returns the member counts at `now`.
///
/// # Errors
///
/// If the store cannot be read.
pub fn at(snapshot: &SiteSnapshot, now: Timestamp) -> Result<Counts> {
    let mut counts = Counts::default();
    for member in snapshot.catalog.members.at(now).iter() {
        counts.add(member.status(), 1);
    }
    Ok(counts)
}

/// Returns the member counts for each day of a period, as of `now`.
///
/// # Errors
///
/// If the store cannot be read.
pub fn by_day(snapshot: &SiteSnapshot, period: Period, now: Timestamp) -> Result<Vec<(Date, Day)>> {
    let mut changes: BTreeMap<Date, Day> = BTreeMap::new();
    let mut first_status: HashMap<Id, Status> = HashMap::new();
    let mut count = |member: Id, from: Status, to: Status, at: Timestamp| {
        // Changes are visited from oldest to newest, so the first one has the status at sign-up.
        first_status.entry(member).or_insert(from);
        let day = changes.entry(day_of(at)).or_default();
        day.counts.add(from, -1);
        day.counts.add(to, 1);
        day.began_to_pay += i64::from(to == Status::Paid);
        day.ceased_to_pay += i64::from(from == Status::Paid);
    };
    snapshot.visit_status_changes(|event| {
        if let MemberEventKind::StatusChanged { from, to } = event.happening {
            count(event.member, from, to, event.created_at);
        }
        ControlFlow::Continue(())
    })?;
    let members = &snapshot.catalog.members;
    // The scheduler has not recorded these changes yet.
    for member in members.ended(now) {
        let (from, to) = (member.status(), member.at(now).status());
        if from != to {
            count(member.id, from, to, now);
        }
    }
    // A member without a change of status has had the current status since sign-up.
    for member in members.iter() {
        let first = first_status.get(&member.id).copied();
        let day = changes.entry(day_of(member.created_at)).or_default();
        day.counts.add(first.unwrap_or(member.status()), 1);
    }
    let mut sum = Counts::default();
    Ok(days(&changes, period, |changed: Option<&Day>| {
        let changed = changed.copied().unwrap_or_default();
        sum.free += changed.counts.free;
        sum.paid += changed.counts.paid;
        sum.comped += changed.counts.comped;
        Day {
            counts: sum,
            ..changed
        }
    }))
}

/// Returns the number of subscribers of a newsletter for each day of a period.
///
/// # Errors
///
/// If the store cannot be read.
pub fn subscribers_by_day(
    snapshot: &SiteSnapshot,
    newsletter: Id,
    period: Period,
) -> Result<Vec<(Date, i64)>> {
    let mut changes: BTreeMap<Date, i64> = BTreeMap::new();
    // The newest changes are visited first, so the last insert for a member is the oldest change,
    // which implies the initial state.
    let mut oldest: HashMap<Id, bool> = HashMap::new();
    snapshot.visit_member_events(|event| {
        match event.happening {
            MemberEventKind::Newsletter {
                newsletter: which,
                subscribed,
            } if which == newsletter => {
                oldest.insert(event.member, subscribed);
                let difference = if subscribed { 1 } else { -1 };
                *changes.entry(day_of(event.created_at)).or_default() += difference;
            }
            _ => {}
        }
        ControlFlow::Continue(())
    })?;
    for member in snapshot.catalog.members.iter() {
        let began_with_it = match oldest.get(&member.id) {
            Some(subscribed) => !subscribed,
            None => member.newsletters.contains(&newsletter),
        };
        if began_with_it {
            *changes.entry(day_of(member.created_at)).or_default() += 1;
        }
    }
    let mut sum = 0;
    Ok(days(&changes, period, |changed: Option<&i64>| {
        sum += changed.copied().unwrap_or_default();
        sum
    }))
}

/// Returns the number of sign-ups for each day, by source. Sign-ups that predate the recording of
/// events are missing.
///
/// # Errors
///
/// If the store cannot be read.
pub fn sign_ups_by_day(snapshot: &SiteSnapshot) -> Result<BTreeMap<(Date, EventSource), u64>> {
    let mut sign_ups = BTreeMap::new();
    snapshot.visit_member_events(|event| {
        if event.happening == MemberEventKind::SignedUp {
            let day = day_of(event.created_at);
            *sign_ups.entry((day, event.source)).or_default() += 1;
        }
        ControlFlow::Continue(())
    })?;
    Ok(sign_ups)
}

/// Returns the days of a period, each with the result of `add_up` for its changes. The changes are
/// passed in order, including those of earlier days.
fn days<C, T>(
    changes: &BTreeMap<Date, C>,
    period: Period,
    mut add_up: impl FnMut(Option<&C>) -> T,
) -> Vec<(Date, T)> {
    let before = |date: Date, days: i64| date.saturating_sub(Span::new().days(days));
    let begins = changes.keys().next().map(|first| before(*first, 1));
    let from = period.from.or(begins).unwrap_or(period.to);
    let first = from.max(before(period.to, DAYS_MAX as i64 - 1));
    for (_, change) in changes.range(..first) {
        add_up(Some(change));
    }
    first
        .series(Span::new().days(1))
        .take_while(|date| *date <= period.to)
        .map(|date| (date, add_up(changes.get(&date))))
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::domain::member::TierGrant;
    use std::sync::Arc;

    use jiff::SignedDuration;

    use super::*;
    use crate::{
        clock::ManualClock, domain::member::Member, site::Site, store::memory::MemoryStore,
    };

    /// Returns a site at noon of the fifth of March.
    fn site() -> (Site, Arc<ManualClock>) {
        let clock = Arc::new(ManualClock::new("2026-03-05T12:00:00Z".parse().unwrap()));
        let site = Site::open(Box::new(MemoryStore::new()), clock.clone()).unwrap();
        (site, clock)
    }

    /// Adds a member who signed up `days_ago` and receives every newsletter. `is_noted` says
    /// whether an event was recorded.
    fn sign_up(site: &Site, email: &str, days_ago: i64, is_noted: bool) -> Member {
        let created_at = site.now() - SignedDuration::from_hours(24 * days_ago);
        let newsletters = site
            .current()
            .catalog
            .newsletters
            .iter()
            .map(|one| one.id)
            .collect();
        site.write_once(|change| {
            let id = Id::generate(change.now()).unwrap();
            let member = Member {
                newsletters,
                ..Member::new(id, email, created_at)
            };
            change.save_member(member.clone())?;
            if is_noted {
                change.record_member_change(None, &member, EventSource::Import)?;
            }
            Ok(member)
        })
        .unwrap()
    }

    fn edit(site: &Site, before: &Member, after: &Member) {
        site.write(|change| {
            change.save_member(after.clone())?;
            change.record_member_change(Some(before), after, EventSource::Admin)
        })
        .unwrap();
    }

    #[test]
    fn past_days_are_computed_from_sign_ups_and_later_changes() {
        let (site, _) = site();
        let ana = sign_up(&site, "ana@example.com", 3, true);
        let ben = sign_up(&site, "ben@example.com", 1, false);
        let paying = Member {
            pays: true,
            ..ana.clone()
        };
        edit(&site, &ana, &paying);
        let comped = Member {
            tiers: vec![TierGrant {
                tier: Id::derive("tier", "gold"),
                expires_at: None,
            }],
            ..ben.clone()
        };
        edit(&site, &ben, &comped);

        let period = Period {
            from: Some(date(1)),
            to: date(5),
        };
        let result = by_day(&site.current(), period, site.now()).unwrap();

        let counts = |day: &Day| (day.counts.free, day.counts.paid, day.counts.comped);
        let result: Vec<_> = result
            .iter()
            .map(|(date, day)| (date.day(), counts(day), day.began_to_pay))
            .collect();
        assert_eq!(
            result,
            [
                (1, (0, 0, 0), 0),
                (2, (1, 0, 0), 0),
                (3, (1, 0, 0), 0),
                (4, (2, 0, 0), 0),
                (5, (0, 1, 1), 1),
            ]
        );
        assert_eq!(at(&site.current(), site.now()).unwrap().total(), 2);
    }

    #[test]
    fn subscribers_are_known_for_days_before_events_were_recorded() {
        let (site, clock) = site();
        let newsletter = site.current().catalog.newsletters.iter().next().unwrap().id;
        let ana = sign_up(&site, "ana@example.com", 3, false);
        sign_up(&site, "ben@example.com", 2, true);
        clock.set("2026-03-06T12:00:00Z".parse().unwrap());
        let unsubscribed = Member {
            newsletters: Vec::new(),
            ..ana.clone()
        };
        edit(&site, &ana, &unsubscribed);

        let period = Period {
            from: None,
            to: date(6),
        };
        let result = subscribers_by_day(&site.current(), newsletter, period).unwrap();

        let result: Vec<_> = result
            .iter()
            .map(|(date, count)| (date.day(), *count))
            .collect();
        assert_eq!(result, [(1, 0), (2, 1), (3, 2), (4, 2), (5, 2), (6, 1)]);
        let sign_ups = sign_ups_by_day(&site.current()).unwrap();
        assert_eq!(
            sign_ups,
            BTreeMap::from([((date(3), EventSource::Import), 1)])
        );
    }

    fn date(day: i8) -> Date {
        Date::constant(2026, 3, day)
    }

    fn summed(changes: &[(i8, i64)], from: Option<i8>, to: i8) -> Vec<(i8, i64)> {
        let changes = changes.iter().map(|(day, change)| (date(*day), *change));
        let period = Period {
            from: from.map(date),
            to: date(to),
        };
        let mut sum = 0;
        let result = days(&changes.collect(), period, |change: Option<&i64>| {
            sum += change.copied().unwrap_or_default();
            sum
        });
        result
            .into_iter()
            .map(|(date, sum)| (date.day(), sum))
            .collect()
    }

    #[test]
    fn every_day_of_a_period_includes_earlier_changes() {
        assert_eq!(
            summed(&[(2, 1), (4, 2)], None, 5),
            [(1, 0), (2, 1), (3, 1), (4, 3), (5, 3)]
        );
        assert_eq!(summed(&[(2, 1), (4, 2)], Some(4), 5), [(4, 3), (5, 3)]);
        assert_eq!(summed(&[], None, 5), [(5, 0)]);
        assert_eq!(summed(&[(2, 1)], Some(7), 5), []);
    }

    #[test]
    fn changes_before_the_limit_count_for_the_first_day() {
        let early = Date::constant(1970, 1, 1);
        let period = Period {
            from: None,
            to: date(5),
        };
        let changes = BTreeMap::from([(early, 7_i64)]);
        let result = days(&changes, period, |change: Option<&i64>| {
            change.copied().unwrap_or_default()
        });
        assert_eq!(result.len(), DAYS_MAX);
        assert_eq!(result.last().unwrap().0, date(5));
    }
}
