//! Statistics (shapes as observed with Ghost 6.65). Galley counts members, and recipients of mails in
//! `email_stats`; it takes no payments and tracks no readers or clicks, so all other statistics are
//! zeros and empty lists.

use jiff::civil::Date;
use serde_json::{Value, json};

use super::{Reply, Request};
use crate::{
    admin::member_counts::{self, Counts, Period},
    domain::member_event::EventSource,
    error::{Error, Kind, Result},
    id::Id,
};

/// `GET admin/stats/member_count/`: the number of members on each day from `date_from` to
/// `date_to`.
pub fn member_count(request: &Request) -> Result<Reply> {
    let days = member_counts::by_day(request.snapshot, period(request)?, request.now)?;
    let stats: Vec<Value> = days
        .iter()
        .map(|(date, day)| {
            let mut row = counts(&day.counts);
            row["date"] = json!(date.to_string());
            row["paid_subscribed"] = json!(day.began_to_pay);
            row["paid_canceled"] = json!(day.ceased_to_pay);
            row
        })
        .collect();
    let totals = counts(&member_counts::at(request.snapshot, request.now)?);
    Ok(Reply::value(
        &json!({ "stats": stats, "meta": { "totals": totals } }),
    ))
}

/// `GET admin/members/stats/count/`: the same in the form of older clients.
pub fn members(request: &Request) -> Result<Reply> {
    let days = member_counts::by_day(request.snapshot, period(request)?, request.now)?;
    let total = member_counts::at(request.snapshot, request.now)?.total();
    let rows = days.iter().map(|(date, day)| {
        let mut row = counts(&day.counts);
        row["date"] = json!(date.to_string());
        row
    });
    // Days before the first member are omitted here.
    let rows: Vec<Value> = rows
        .filter(|row| row["free"] != 0 || row["paid"] != 0 || row["comped"] != 0)
        .collect();
    Ok(Reply::value(
        &json!({ "resource": "members", "total": total, "data": rows }),
    ))
}

/// `GET admin/members/stats/mrr/`: there are no payments.
pub fn members_revenue(_request: &Request) -> Result<Reply> {
    Ok(Reply::value(&json!({ "resource": "mrr", "data": [] })))
}

/// `GET admin/stats/mrr/`: there are no payments.
pub fn revenue(request: &Request) -> Result<Reply> {
    let today = member_counts::day_of(request.now).to_string();
    Ok(Reply::value(&json!({
        "stats": [{ "date": today, "mrr": 0, "currency": "usd" }],
        "meta": { "totals": [{ "currency": "usd", "mrr": 0 }] },
    })))
}

/// `GET admin/stats/subscriptions/`: there are no payments.
pub fn subscriptions(_request: &Request) -> Result<Reply> {
    Ok(Reply::value(&json!({
        "stats": [],
        "meta": { "cadences": [], "tiers": [], "totals": [] },
    })))
}

/// `GET admin/stats/subscriber-count/`: subscribers of the newsletter `newsletter_id` on each day.
pub fn subscribers(request: &Request) -> Result<Reply> {
    let days = match newsletter(request)? {
        Some(id) => member_counts::subscribers_by_day(request.snapshot, id, period(request)?)?,
        None => Vec::new(),
    };
    let total = days.last().map_or(0, |(_, count)| *count);
    let values: Vec<Value> = days
        .iter()
        .map(|(date, count)| json!({ "date": date.to_string(), "value": count }))
        .collect();
    Ok(Reply::value(
        &json!({ "stats": [{ "total": total, "values": values }] }),
    ))
}

/// `GET admin/stats/referrers/`: sign-ups on each day, by source.
pub fn referrers(request: &Request) -> Result<Reply> {
    let sign_ups = member_counts::sign_ups_by_day(request.snapshot)?;
    let stats: Vec<Value> = sign_ups
        .iter()
        .map(|((date, source), count)| {
            json!({
                "date": date.to_string(),
                "signups": count,
                "source": referrer(*source),
                "paid_conversions": 0,
            })
        })
        .collect();
    Ok(Reply::value(&json!({ "stats": stats, "meta": {} })))
}

/// `GET admin/stats/top-sources-growth/`: sign-ups by source, for all days together.
pub fn sources(request: &Request) -> Result<Reply> {
    let mut by_referrer: Vec<(Option<&str>, u64)> = Vec::new();
    for ((_, source), count) in member_counts::sign_ups_by_day(request.snapshot)? {
        let referrer = referrer(source);
        match by_referrer.iter_mut().find(|(known, _)| *known == referrer) {
            Some((_, sum)) => *sum += count,
            None => by_referrer.push((referrer, count)),
        }
    }
    by_referrer.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let stats: Vec<Value> = by_referrer
        .iter()
        .map(|(referrer, count)| {
            json!({ "source": referrer, "signups": count, "paid_conversions": 0, "mrr": 0 })
        })
        .collect();
    Ok(Reply::value(&json!({ "stats": stats, "meta": {} })))
}

/// `GET admin/stats/posts/{id}/growth/`: sign-ups are not attributed to posts.
pub fn growth(request: &Request) -> Result<Reply> {
    // Only validates the identifier.
    request.id(0)?;
    Ok(Reply::value(&json!({ "stats": [{
        "post_id": request.variable(),
        "free_members": 0,
        "paid_members": 0,
        "mrr": 0,
    }] })))
}

/// Responds to requests for statistics of a post that are not collected: referrers.
pub fn uncollected_of_post(request: &Request) -> Result<Reply> {
    // Only validates the identifier.
    request.id(0)?;
    uncollected(request)
}

/// Responds to requests for statistics that are not collected: views and clicks.
pub fn uncollected(_request: &Request) -> Result<Reply> {
    Ok(Reply::value(&json!({ "stats": [] })))
}

/// Returns the source of a sign-up, in Ghost's words, if it is known.
pub fn referrer(source: EventSource) -> Option<&'static str> {
    (source == EventSource::Admin).then_some("Created manually")
}

fn counts(counts: &Counts) -> Value {
    json!({ "paid": counts.paid, "free": counts.free, "comped": counts.comped, "gift": 0 })
}

/// Returns the requested period, which by default ends today.
fn period(request: &Request) -> Result<Period> {
    Ok(Period {
        from: date(request, "date_from")?,
        to: date(request, "date_to")?.unwrap_or_else(|| member_counts::day_of(request.now)),
    })
}

/// Returns the newsletter that the parameter `newsletter_id` names.
///
/// # Errors
///
/// `Validation` if it is not an identifier.
pub fn newsletter(request: &Request) -> Result<Option<Id>> {
    let Some(id) = request.parameters.all("newsletter_id").next() else {
        return Ok(None);
    };
    id.parse().map(Some).map_err(|_| {
        Error::new(
            Kind::Validation,
            format!("\"{id}\" is not a valid newsletter id."),
        )
    })
}

/// Returns the day that a parameter names.
///
/// # Errors
///
/// `Validation` if it is not a date.
pub fn date(request: &Request, name: &str) -> Result<Option<Date>> {
    let given = request.parameters.all(name).next();
    let Some(text) = given.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    text.parse().map(Some).map_err(|_| {
        Error::new(
            Kind::Validation,
            format!(
                "\"{text}\" is not a valid date for \"{name}\"; a valid one looks like 2026-03-14."
            ),
        )
    })
}
