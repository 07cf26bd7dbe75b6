//! Statistics of posts that were sent by mail (shapes as observed with Ghost 6.65). Recipients are
//! counted; opens, clicks and views are not tracked.

use std::{cmp::Reverse, sync::Arc};

use jiff::{Timestamp, civil::Date, tz::TimeZone};
use serde_json::{Value, json};

use super::{
    Reply, Request,
    stats::{date, newsletter},
};
use crate::{
    api::listing::written_time,
    domain::post::{Post, PostKind, Status},
    error::Result,
};

/// Default number of posts in the list of a newsletter (Ghost 6.65, observed).
const LISTED_DEFAULT: usize = 20;

/// Default number of posts in the list of the most viewed posts (Ghost 6.65, observed).
const TOP_DEFAULT: usize = 5;

/// Most posts in a list.
const LISTED_MAX: usize = 1000;

/// A post and the number of recipients of its mail.
type SentPost = (Arc<Post>, u32);

/// `GET admin/stats/newsletter-stats/`: the posts of the newsletter `newsletter_id`.
pub fn of_newsletter(request: &Request) -> Result<Reply> {
    rows(request, true)
}

/// `GET admin/stats/newsletter-basic-stats/`: the same, but with clicks only if the list is ordered by
/// them.
pub fn of_newsletter_without_clicks(request: &Request) -> Result<Reply> {
    let order = request.parameters.all("order").next().unwrap_or_default();
    rows(request, order.starts_with("click_rate"))
}

/// `GET admin/stats/posts/{id}/stats/`; empty for a post that is not published.
pub fn of_post(request: &Request) -> Result<Reply> {
    let posts = &request.snapshot.catalog.posts;
    let post = request.id(0)?.and_then(|id| posts.get(id));
    let published = post.filter(|post| post.status == Status::Published);
    let stats: Vec<Value> = published
        .map(|post| {
            json!({
                "id": post.id,
                "recipient_count": nonzero(recipients(request, post)),
                "opened_count": null,
                "open_rate": null,
                "member_delta": 0,
                "free_members": 0,
                "paid_members": 0,
                "visitors": 0,
            })
        })
        .into_iter()
        .collect();
    Ok(Reply::value(&json!({ "stats": stats })))
}

/// `GET admin/stats/top-posts-views/`: views are not tracked, so these are the newest posts (Ghost
/// 6.65, observed).
pub fn newest_posts(request: &Request) -> Result<Reply> {
    let catalog = &request.snapshot.catalog;
    let published =
        |post: &&Arc<Post>| post.kind == PostKind::Post && post.status == Status::Published;
    let mut posts: Vec<&Arc<Post>> = catalog.posts.iter().filter(published).collect();
    posts.sort_by_key(|post| Reverse((post.published_at, post.id)));
    let listed = posts.into_iter().take(limit(request, TOP_DEFAULT));
    let stats: Vec<Value> = listed
        .map(|post| {
            let image = post.feature_image.as_deref();
            let authors = catalog.users.all(&post.authors);
            let authors: Vec<&str> = authors.iter().map(|author| &*author.name).collect();
            json!({
                "post_id": post.id,
                "title": post.title,
                "published_at": post.published_at.map(written_time),
                "feature_image": image.map(|image| request.site_urls.absolute(image)),
                "status": post.status.name(),
                "authors": authors.join(", "),
                "views": 0,
                "sent_count": nonzero(recipients(request, post)),
                "opened_count": null,
                "open_rate": null,
                "clicked_count": 0,
                "click_rate": null,
                "members": 0,
                "free_members": 0,
                "paid_members": 0,
            })
        })
        .collect();
    Ok(Reply::value(&json!({ "stats": stats })))
}

fn rows(request: &Request, has_clicks: bool) -> Result<Reply> {
    let stats: Vec<Value> = sent_posts(request)?
        .iter()
        .map(|(post, recipients)| {
            let mut row = json!({
                "post_id": post.id,
                "post_title": post.title,
                "send_date": post.published_at.map(written_time),
                "sent_to": recipients,
                "total_opens": 0,
                "open_rate": 0,
            });
            if has_clicks {
                row["total_clicks"] = json!(0);
                row["click_rate"] = json!(0);
            }
            row
        })
        .collect();
    Ok(Reply::value(&json!({ "stats": stats })))
}

/// Returns the requested posts; none without a newsletter, or in an unknown order (Ghost 6.65,
/// observed).
fn sent_posts(request: &Request) -> Result<Vec<SentPost>> {
    let Some(newsletter) = newsletter(request)? else {
        return Ok(Vec::new());
    };
    let begin = date(request, "date_from")?.and_then(|from| beginning(request, from));
    // The period includes its last day.
    let next_day = date(request, "date_to")?.and_then(|to| to.tomorrow().ok());
    let end = next_day.and_then(|next_day| beginning(request, next_day));
    let order = request.parameters.all("order").next();
    let order = order.unwrap_or("date desc");
    let (field, direction) = order.split_once(' ').unwrap_or((order, "desc"));
    let is_listed = |post: &&Arc<Post>| {
        let at = post.published_at;
        post.newsletter == Some(newsletter)
            && matches!(post.status, Status::Published | Status::Sent)
            && begin.is_none_or(|begin| at.is_some_and(|at| begin <= at))
            && end.is_none_or(|end| at.is_some_and(|at| at < end))
    };
    let posts = request.snapshot.catalog.posts.iter().filter(is_listed);
    let mut posts: Vec<SentPost> = posts
        .map(|post| (Arc::clone(post), recipients(request, post)))
        .collect();
    posts.sort_by_key(|(post, _)| (post.published_at, post.id));
    match field {
        // No opens or clicks are counted, so ordering by them keeps the order by date.
        "date" | "open_rate" | "click_rate" => {}
        // The sort is stable, so posts with equal numbers of recipients remain ordered by date.
        "sent_to" => posts.sort_by_key(|(_, recipients)| *recipients),
        _ => return Ok(Vec::new()),
    }
    match direction.to_lowercase().as_str() {
        "asc" => {}
        "desc" => posts.reverse(),
        _ => return Ok(Vec::new()),
    }
    posts.truncate(limit(request, LISTED_DEFAULT));
    Ok(posts)
}

/// Returns the beginning of a day in the time zone of the parameter `timezone`, by default UTC.
fn beginning(request: &Request, day: Date) -> Option<Timestamp> {
    let zone = request.parameters.all("timezone").next();
    let zone = zone.and_then(|name| TimeZone::get(name).ok());
    let begin = day.to_zoned(zone.unwrap_or(TimeZone::UTC)).ok()?;
    Some(begin.timestamp())
}

fn limit(request: &Request, default: usize) -> usize {
    let limit = request.parameters.all("limit").next();
    let limit = limit.and_then(|limit| limit.parse().ok());
    limit
        .filter(|limit| *limit > 0)
        .unwrap_or(default)
        .min(LISTED_MAX)
}

fn recipients(request: &Request, post: &Post) -> u32 {
    let email = request.snapshot.catalog.emails.of_post(post.id);
    email.map_or(0, |email| email.recipients)
}

/// Returns the number, or `None` for 0 (Ghost 6.65, observed).
fn nonzero(number: u32) -> Option<u32> {
    (number > 0).then_some(number)
}
