//! Responses without the dates that differ between two sites of one folder.

use serde_json::Value;

/// Returns responses without the dates of changes, and without the order by them: the site that editors use has its own, so that
/// a save of what was before collides.
pub fn without_dates(replies: &str) -> String {
    let mut lines: Vec<String> = replies.lines().map(str::to_owned).collect();
    let list = lines
        .iter()
        .position(|line| line.starts_with("search-index/posts/"));
    let list = &mut lines[list.expect("the list by changes") + 1];
    let mut found: Value = serde_json::from_str(list).expect("JSON");
    let posts = found["posts"].as_array_mut().expect("posts");
    posts.sort_by_key(|post| post["id"].to_string());
    *list = found.to_string();
    let replies = lines.join("\n");
    let mut parts = replies.split("\"updated_at\":\"");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.split_once('"').map_or(part, |(_, rest)| rest)
    })
}
