//! Tests of the pages of the built-in theme.

use std::io::{Cursor, Read};

use galley_tests::{Request, TestSite, Who, command_line::run, folder::Folder, owner};
use serde_json::json;
use zip::ZipArchive;

use super::{activate, download, get, pages::publish, upload};

fn site() -> TestSite {
    TestSite::builder()
        .option("front_end", "theme")
        .staffed()
        .start()
}

fn set(site: &TestSite, key: &str, value: &serde_json::Value) {
    let settings = json!({"settings": [{"key": key, "value": value}]});
    site.put_as(&owner(), "/settings/", &settings);
}

fn choose(site: &TestSite, key: &str, value: &str) {
    let chosen = json!({"custom_theme_settings": [{"key": key, "value": value}]});
    site.put_as(&owner(), "/custom_theme_settings/", &chosen);
}

fn page(site: &TestSite, path: &str) -> String {
    let response = get(site, path);
    assert_eq!(response.status, 200, "{path}");
    response.text().to_owned()
}

/// Returns the text between the first `from` and the next `to`.
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) = text
        .split_once(from)
        .unwrap_or_else(|| panic!("expected {from} in {text}"));
    rest.split(to).next().unwrap()
}

/// Publishes posts with these titles and years, in this order.
fn publish_posts(site: &TestSite, posts: &[(&str, u32)]) {
    for (title, year) in posts {
        let date = format!("{year}-05-04T09:00:00.000Z");
        publish(
            site,
            "posts",
            json!({"title": title, "html": "<p>Words.</p>", "published_at": date, "tags": [{"name": "Sea"}]}),
        );
    }
}

#[test]
fn downloaded_theme_passes_the_check_and_renders_the_same_page() {
    let site = site();
    publish_posts(&site, &[("High water", 2025), ("Low water", 2024)]);
    let archive = download(&site, "source");
    let folder = Folder::with(&[]);
    std::fs::write(folder.top().join("tide.zip"), &archive).unwrap();
    let output = run(&folder, &["theme", "check", "tide.zip"]);
    assert!(
        output.out.contains("0 errors, 0 warnings"),
        "{}",
        output.out
    );

    let sum = |text: String| text.split("screen.css?v=").next().unwrap().to_owned();
    let main = |text: String| between(&text, "<main", "</main>").to_owned();
    let before = page(&site, "/");
    let uploaded = upload(&site, "tide.zip", &archive);
    assert_eq!(uploaded.status, 200, "{}", uploaded.text());
    activate(&site, "tide");
    let after = page(&site, "/");
    assert_eq!(main(after.clone()), main(before.clone()));
    assert_eq!(sum(after), sum(before));
}

#[test]
fn home_page_has_sections_and_the_featured_post_once() {
    let site = site();
    publish_posts(&site, &[("High water", 2025), ("Low water", 2024)]);
    // On a small site the list has all posts, so a section would only repeat them.
    assert!(!page(&site, "/").contains("section-title"));
    let older = ["Neap", "Spring", "Ebb", "Flood"].map(|title| (title, 2020));
    publish_posts(&site, &older);
    // All posts have the same tag, so its section would only repeat the list.
    assert!(!page(&site, "/").contains("section-title"));
    publish(
        &site,
        "posts",
        json!({"title": "Soup", "published_at": "2019-05-04T09:00:00.000Z", "tags": [{"name": "Kitchen"}]}),
    );
    let lead = |site: &TestSite| between(&page(site, "/"), "lead-post", "</article>").to_owned();
    assert!(lead(&site).contains("High water"));
    publish(
        &site,
        "posts",
        json!({"title": "Slack water", "featured": true, "published_at": "2023-05-04T09:00:00.000Z"}),
    );
    assert!(lead(&site).contains("Slack water"));
    let home = page(&site, "/");
    assert_eq!(home.matches(">Slack water</a>").count(), 1, "{home}");
    let section = between(&home, "section-title", "</section>");
    assert!(section.contains("/tag/sea/") && section.contains("High water"));

    choose(&site, "lead_post", "Latest post");
    assert!(lead(&site).contains("High water"));
    choose(&site, "lead_post", "None");
    assert!(!page(&site, "/").contains("lead-post"));
    for (layout, class) in [("Magazine", "front-magazine"), ("Notes", "front-notes")] {
        choose(&site, "layout", layout);
        assert!(page(&site, "/").contains(class), "{layout}");
    }
    choose(&site, "home_sections", "none");
    assert!(!page(&site, "/").contains("section-title"));
}

#[test]
fn archive_has_each_year_once() {
    let site = site();
    let mut posts = vec![("High water", 2025), ("Low water", 2025)];
    posts.extend((0..101).map(|_| ("Tide", 2024)));
    posts.push(("Ebb", 2019));
    publish_posts(&site, &posts);
    publish(
        &site,
        "pages",
        json!({"title": "All of it", "slug": "archive"}),
    );
    let archive = page(&site, "/archive/");
    let list = between(&archive, "class=\"archive\"", "</main>");
    let years: Vec<&str> = list.split("<h2>").skip(1).map(|rest| &rest[..4]).collect();
    assert_eq!(years, ["2025", "2024", "2019"]);
    assert_eq!(list.matches("<li>").count(), posts.len());
    assert_eq!(list.matches("<ul>").count(), list.matches("</ul>").count());
}

#[test]
fn gated_post_shows_an_invitation_and_a_private_site_a_password_form() {
    let site = site();
    publish(
        &site,
        "posts",
        json!({"title": "Gated", "visibility": "members", "html": "<p>Open.</p><!--members-only--><p>Gated.</p>"}),
    );
    let gated = page(&site, "/gated/");
    assert!(gated.contains("<p>Open.</p>") && !gated.contains("<p>Gated.</p>"));
    let invitation = between(&gated, "class=\"invitation\"", "</aside>");
    assert!(
        invitation.contains("The rest is for members"),
        "{invitation}"
    );
    assert!(invitation.contains("data-portal=\"signup\""));

    set(&site, "is_private", &json!(true));
    set(&site, "password", &json!("tide"));
    let password_page = page(&site, "/private/?r=%2F");
    assert!(
        password_page.contains("type=\"password\""),
        "{password_page}"
    );
    // These scripts are useful only after the password.
    for script in ["readers.min.js", "cards.min.js", "comment-counts.min.js"] {
        assert!(!password_page.contains(script), "{script}: {password_page}");
    }
}

#[test]
fn announcement_preview_is_shown_by_the_themes_script() {
    let site = site();
    let tried = "announcement_bg=dark&announcement=%3Cp%3EThe+%22pier%22&announcement_vis=visitors";
    let request = Request::new("POST", "/").header("x-ghost-preview", tried);
    let page = site.ask_as(&Who::Anonymous, &request);
    let script = between(page.text(), "readers.min.js", "></script>");
    assert!(
        script.contains(
            "data-tried-announcement=\"&lt;p&gt;The &quot;pier&quot;\" data-tried-background=\"dark\""
        ),
        "{script}"
    );
    assert!(!page.text().contains("//cdn."), "{}", page.text());
    let saved = json!(["visitors"]);
    set(&site, "announcement_content", &json!("<p>Saved."));
    set(&site, "announcement_visibility", &saved);
    let nothing = Request::new("POST", "/").header("x-ghost-preview", "c=%23ff0000");
    let without = site.ask_as(&Who::Anonymous, &nothing);
    let script = between(without.text(), "readers.min.js", "></script>");
    assert!(!script.contains("announcement"), "{script}");
}

#[test]
fn page_has_the_language_and_direction_of_the_site() {
    let site = site();
    publish_posts(&site, &[("High water", 2025), ("Low water", 2024)]);
    assert!(page(&site, "/").contains("<html lang=\"en\" dir=\"ltr\""));
    set(&site, "locale", &json!("ar"));
    let home = page(&site, "/");
    assert!(home.contains("<html lang=\"ar\" dir=\"rtl\""), "{home}");
    assert!(home.contains(">الأحدث</h2>"), "{home}");
    let missing = get(&site, "/nowhere/");
    assert_eq!(missing.status, 404);
    assert!(missing.text().contains("لا توجد صفحة هنا"));
}

#[test]
fn first_page_is_small() {
    let site = site();
    for number in 0..12 {
        publish(
            &site,
            "posts",
            json!({"title": format!("A title of some length, number {number}"), "html": format!("<p>{}</p>", "Words of an excerpt. ".repeat(60)), "tags": [{"name": "Sea"}, {"name": "Weather"}]}),
        );
    }
    let size = |path: &str| {
        let request = Request::new("GET", path).header("accept-encoding", "gzip");
        site.ask_as(&Who::Anonymous, &request).body.len()
    };
    let home = page(&site, "/");
    let query = between(&home, "assets/css/screen.css", "\"");
    let styles = size(&format!("/assets/css/screen.css{query}"));
    let cards = size("/public/cards.min.css") + size("/public/cards.min.js");
    assert!(styles < 15_000, "{styles} bytes of styles");
    let all = size("/") + styles + cards;
    assert!(all < 60_000, "{all} bytes");
    let mut scripts = 0;
    for path in [
        "theme/partials/scheme.hbs",
        "theme/partials/script.hbs",
        "theme/partials/content-script.hbs",
    ] {
        scripts += theme_file(&site, path.strip_prefix("theme/").unwrap()).len();
    }
    assert!(scripts < 10_000, "{scripts} bytes of scripts");
}

fn theme_file(site: &TestSite, path: &str) -> String {
    let mut archive = ZipArchive::new(Cursor::new(download(site, "source"))).unwrap();
    let mut text = String::new();
    archive
        .by_name(path)
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    text
}

#[test]
fn pages_without_a_description_get_a_default() {
    let site = site();
    publish_posts(&site, &[("High water", 2025)]);
    set(&site, "description", &json!(""));
    let described = |path: &str| {
        let page = page(&site, path);
        between(&page, "<meta name=\"description\" content=\"", "\"").to_owned()
    };
    assert_eq!(described("/high-water/"), "Words.");
    assert_eq!(described("/tag/sea/"), format!("Sea - {}", title(&site)));
    assert_eq!(described("/"), title(&site));

    set(&site, "description", &json!("Letters from a harbour"));
    assert_eq!(described("/"), "Letters from a harbour");
    assert_eq!(page(&site, "/").matches("name=\"description\"").count(), 1);
}

/// Returns the title of the site.
fn title(site: &TestSite) -> String {
    let settings = site.ask("GET", "settings/?group=site", None).json();
    let settings = settings["settings"].as_array().unwrap().clone();
    let title = settings.iter().find(|setting| setting["key"] == "title");
    title.unwrap()["value"].as_str().unwrap().to_owned()
}
