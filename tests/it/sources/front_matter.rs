//! Tests of paths, front matter and bodies.

use galley::content_files::{BodyFormat, ContentFile, FileKind, PostFile, Status, kind_of};

use super::reading::{post, problem, read};

fn text<'p>(post: &'p PostFile, name: &str) -> Option<&'p str> {
    post.fields.texts.get(name).map(|text| text.as_str())
}

#[test]
fn file_type_follows_from_the_path() {
    for (path, kind) in [
        ("site.toml", Some(FileKind::Site)),
        ("site.yaml", Some(FileKind::Site)),
        ("posts/a.md", Some(FileKind::Post)),
        ("posts/2025/january/a.markdown", Some(FileKind::Post)),
        ("posts/a/index.html", Some(FileKind::Post)),
        ("blog/a.md", Some(FileKind::Post)),
        ("_posts/2025-01-05-a.md", Some(FileKind::Post)),
        ("_drafts/a.md", Some(FileKind::Post)),
        ("pages/about.md", Some(FileKind::Page)),
        ("authors/ada.toml", Some(FileKind::Author)),
        ("authors/ada.md", Some(FileKind::Author)),
        ("tags/letters.yml", Some(FileKind::Tag)),
        ("tiers/gold.toml", Some(FileKind::Tier)),
        ("newsletters/weekly.toml", Some(FileKind::Newsletter)),
        ("tiers/gold.md", None),
        ("posts/a.toml", None),
        ("posts/_index.md", None),
        ("posts/README.md", None),
        ("posts/a/photo.jpg", None),
        ("images/a.md", None),
        ("site.md", None),
        ("about.md", None),
        ("docs/site.toml", None),
        ("posts", None),
        ("", None),
    ] {
        assert_eq!(kind_of(path), kind, "{path}");
    }
}

#[test]
fn slug_is_the_file_or_folder_name_without_the_date() {
    for (path, stem) in [
        ("posts/night-ferry.md", "night-ferry"),
        ("posts/2025-01-05-night-ferry.md", "night-ferry"),
        ("posts/2025-01-05_night-ferry.md", "night-ferry"),
        ("posts/night-ferry/index.md", "night-ferry"),
        ("posts/2025/2025-01-05-night-ferry/index.md", "night-ferry"),
        ("posts/2025-01-05.md", "2025-01-05"),
        ("posts/2025-13-05-night.md", "2025-13-05-night"),
        ("posts/2025-01-05night.md", "2025-01-05night"),
        ("posts/Ünïcode names.md", "Ünïcode names"),
        ("posts/index.md", "index"),
    ] {
        assert_eq!(post(path, "+++\ntitle = 'T'\n+++\n").stem, stem, "{path}");
    }
}

#[test]
fn body_follows_front_matter_and_has_its_line() {
    let post = post("posts/a.md", "\n---\ntitle: T\n...\n\nText.\n\n---\n");
    assert_eq!(post.body.text(), "\nText.\n\n---\n");
    assert_eq!(post.body.first_line(), 5);
    assert_eq!(post.body.format, BodyFormat::Markdown);
}

#[test]
fn html_files_have_bodies() {
    let post = post("posts/a.html", "+++\ntitle = 'T'\n+++\n<p>Text");
    assert_eq!(
        (post.body.format, post.body.text()),
        (BodyFormat::Html, "<p>Text")
    );
}

#[test]
fn crlf_and_byte_order_mark_are_accepted() {
    let plain = "---\ntitle: T\ncustom_excerpt: |\n  a\n  b\n---\nText.\n\nMore.\n";
    for odd in [
        plain.replace('\n', "\r\n"),
        plain.replace('\n', "\r"),
        format!("\u{FEFF}{plain}"),
    ] {
        assert_eq!(post("posts/a.md", odd), post("posts/a.md", plain));
    }
}

#[test]
fn positions_are_counted_with_any_line_endings() {
    let problem = problem(
        "posts/a.md",
        "\u{FEFF}\r\n+++\r\ntitle = 'T'\r\nfeatured = 'é' # x\r\n+++\r\n",
    );
    let position = problem.position.unwrap();
    assert_eq!(
        (position.line, position.column, &*position.text),
        (4, 12, "featured = 'é' # x")
    );
}

#[test]
fn front_matter_may_end_the_file() {
    assert_eq!(post("posts/a.md", "+++\ntitle = 'T'\n+++").body.text(), "");
}

#[test]
fn files_in_a_drafts_folder_are_drafts_by_default() {
    let status = |path: &str, key: &str| {
        post(path, format!("---\ntitle: T\n{key}\n---\n"))
            .fields
            .status
    };
    assert_eq!(status("_drafts/a.md", ""), Some(Status::Draft));
    assert_eq!(status("posts/drafts/2025/a.md", ""), Some(Status::Draft));
    assert_eq!(status("_drafts/a.md", "draft: false"), None);
    assert_eq!(status("_drafts/a.md", "published: true"), None);
    assert_eq!(
        status("_drafts/a.md", "status: published"),
        Some(Status::Published)
    );
    assert_eq!(status("posts/a.md", "draft: true"), Some(Status::Draft));
    assert_eq!(
        status("posts/a.md", "published: false"),
        Some(Status::Draft)
    );
    assert_eq!(status("posts/a.md", ""), None);
}

#[test]
fn keys_ignore_case_and_dashes() {
    let post = post(
        "posts/a.md",
        "---\nTitle: T\nFeature-Image: a.png\nmetaTitle: M\n---\n",
    );
    assert_eq!(text(&post, "feature_image"), Some("a.png"));
    assert_eq!(text(&post, "meta_title"), Some("M"));
}

#[test]
fn old_url_supplies_the_slug() {
    for (permalink, slug) in [
        ("/about/", Some("about")),
        ("/2020/01/about-us.html", Some("about-us")),
        ("/about/index.html", Some("about")),
    ] {
        let post = post(
            "posts/a.md",
            format!("---\ntitle: T\npermalink: {permalink}\n---\n"),
        );
        assert_eq!(
            post.fields.slug.as_deref().map(String::as_str),
            slug,
            "{permalink}"
        );
    }
    for permalink in [
        "/:title/",
        "pretty",
        "\"posts/{{ page.fileSlug }}/\"",
        "/",
        "false",
    ] {
        let problem = problem(
            "posts/a.md",
            format!("---\ntitle: T\npermalink: {permalink}\n---\n"),
        );
        assert!(!problem.is_error(), "{permalink}");
    }
}

#[test]
fn data_files_may_be_toml_or_yaml() {
    let toml = read("tiers/a.toml", "name = 'Gold'\nbenefits = ['One']\n").value;
    let yaml = read("tiers/a.yaml", "name: Gold\nbenefits: [One]\n").value;
    assert!(
        matches!(&toml, Some(ContentFile::Tier(tier)) if tier.fields.name.as_deref() == Some("Gold"))
    );
    assert_eq!(toml, yaml);
}

#[test]
fn yaml_aliases_are_expanded() {
    let post = post(
        "posts/a.md",
        "---\ntitle: &t Ferry\nmeta_title: *t\nog_title: *t\n---\n",
    );
    assert_eq!(text(&post, "og_title"), Some("Ferry"));
}

#[test]
fn empty_value_clears_a_setting_but_is_ignored_in_posts() {
    let Some(ContentFile::Site(site)) = read("site.toml", "description = ''\nlocale = ''\n").value
    else {
        panic!("no site");
    };
    assert_eq!(
        serde_json::to_value(site.settings).unwrap(),
        serde_json::json!({ "description": "" })
    );
    let post = post(
        "posts/a.md",
        "---\ntitle: T\nimage: ''\ncover: a.png\nlastmod:\n---\n",
    );
    assert_eq!(text(&post, "feature_image"), Some("a.png"));
}
