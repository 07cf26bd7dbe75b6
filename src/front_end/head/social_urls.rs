//! The URLs of profiles on networks.

/// The networks of authors and sites, in the order of JSON-LD.
pub(super) const NETWORKS: [&str; 9] = [
    "facebook",
    "twitter",
    "threads",
    "bluesky",
    "mastodon",
    "tiktok",
    "youtube",
    "instagram",
    "linkedin",
];

/// Returns the URL of the profile `name` on a network; `None` for an unknown network. Names are not checked, so a URL in place
/// of a name, as on Mastodon, gets a second scheme (Ghost 6.65, recorded).
pub fn social_url(network: &str, name: &str) -> Option<String> {
    let without = |prefix: char| name.strip_prefix(prefix).unwrap_or(name);
    Some(match network {
        "facebook" => format!("https://www.facebook.com/{}", without('/')),
        "twitter" | "x" => format!("https://x.com/{}", without('@')),
        "threads" => format!("https://www.threads.net/@{}", without('@')),
        "bluesky" => format!("https://bsky.app/profile/{name}"),
        "mastodon" => format!("https://{name}"),
        "tiktok" => format!("https://www.tiktok.com/@{}", without('@')),
        "youtube" => format!("https://www.youtube.com/{name}"),
        "instagram" => format!("https://www.instagram.com/{name}"),
        "linkedin" => {
            let has_kind = ["in/", "company/", "school/", "pub/"]
                .iter()
                .any(|kind| name.starts_with(kind));
            let kind = if has_kind { "" } else { "in/" };
            format!("https://www.linkedin.com/{kind}{name}")
        }
        _ => return None,
    })
}
