//! All responses of the Content API of a site, as one text for comparisons.

use serde_json::Value;

/// Every list, with all parameters that add content.
const LISTS: &[(&str, &str)] = &[
    (
        "posts",
        "include=tags,authors,tiers&formats=html,plaintext&",
    ),
    (
        "pages",
        "include=tags,authors,tiers&formats=html,plaintext&",
    ),
    ("authors", "include=count.posts&"),
    ("tags", "include=count.posts&"),
    ("tiers", "include=monthly_price,yearly_price,benefits&"),
    ("newsletters", ""),
    ("settings", ""),
    ("search-index/posts", ""),
    ("search-index/tags", ""),
    ("search-index/authors", ""),
];

/// Returns all responses, page by page. `get` returns the body of the response to a path below `/ghost/api/content/`.
pub fn all(get: impl Fn(&str) -> String) -> String {
    let mut responses = String::new();
    for (list, query) in LISTS {
        let mut page = Some(1);
        while let Some(number) = page {
            let target = format!("{list}/?{query}limit=100&page={number}");
            let body = get(&target);
            let response: Value = serde_json::from_str(&body).expect("replies are JSON");
            assert!(response.get("errors").is_none(), "{target}: {response}");
            page = response["meta"]["pagination"]["next"].as_u64();
            responses += &format!("{target}\n{body}\n");
        }
    }
    responses
}

/// Returns responses without modification dates, and without the order that depends on them: the edited site has
/// different dates, so that a save of an older version collides.
pub fn without_dates(responses: &str) -> String {
    let mut lines: Vec<String> = responses.lines().map(str::to_owned).collect();
    let list = lines
        .iter()
        .position(|line| line.starts_with("search-index/posts/"));
    let list = &mut lines[list.expect("the list by changes") + 1];
    let mut found: Value = serde_json::from_str(list).expect("JSON");
    let posts = found["posts"].as_array_mut().expect("posts");
    posts.sort_by_key(|post| post["id"].to_string());
    *list = found.to_string();
    let responses = lines.join("\n");
    let mut parts = responses.split("\"updated_at\":\"");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.split_once('"').map_or(part, |(_, rest)| rest)
    })
}
