//! All responses of the Content API about a site, as one text to compare.

use serde_json::Value;

/// Every list there is, with all that can be asked for.
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

/// All responses, page by page. `get` returns the body of the response to a path below `/ghost/api/content/`.
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
