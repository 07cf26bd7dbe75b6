//! Tests that URLs in responses are absolute, whatever their form in content files.

use galley_tests::TestSite;
use serde_json::Value;

use super::fixture;

/// Collects the texts of a response that contain URLs of this site without its host.
fn collect_relative_urls(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            let is_relative = text.contains("\"/")
                || text.contains("__GHOST_URL__")
                || text.starts_with("/content/");
            if is_relative {
                found.push(text.clone());
            }
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| collect_relative_urls(item, found)),
        Value::Object(fields) => fields
            .values()
            .for_each(|field| collect_relative_urls(field, found)),
        _ => {}
    }
}

const SITE_TOML: &str = "title = 'T'\nlogo = 'images/a.png'\ncover_image = '/content/images/a.png'\n\
                         og_image = 'images/a.png'\n\
                         codeinjection_head = '<link rel=\"me\" href=\"/me/\">'\n";

const POST: &str = "---\ntitle: P\ndate: 2025-01-01\ntags: [t]\nauthors: [a]\nfeature_image: ../images/a.png\n\
    og_image: /content/images/a.png\ntwitter_image: ../images/a.png\ncanonical_url: /p/\n\
    feature_image_caption: See <a href=\"q.md\">Q</a>\ncustom_excerpt: Or <a href=\"/q/\">Q</a>\n\
    codeinjection_foot: <img src=\"../images/a.png\"><script>`<a href='/js/'>`</script>\n---\n\
    [root](/q/) [beside](q.md) [heading](#h) [mail](mailto:a@b.example) ![i](/content/images/a.png)\n\n\
    <img src=\"../images/a.png\" srcset=\"../images/a.png 1x, /content/images/a.png 2x\">\n";

fn site(url: &str) -> TestSite {
    TestSite::builder()
        .file("site.toml", SITE_TOML)
        .file("images/a.png", "picture")
        .file(
            "authors/a.toml",
            "name = 'A'\nprofile_image = '../images/a.png'\ncover_image = '../images/a.png'\n",
        )
        .file(
            "tags/t.toml",
            "name = 'T'\nfeature_image = '../images/a.png'\nog_image = '/content/images/a.png'\n",
        )
        .file("posts/p.md", POST)
        .file("posts/q.md", "---\ntitle: Q\ndate: 2025-01-02\n---\nq\n")
        .url(url)
        .start()
}

#[test]
fn links_to_the_site_are_absolute() {
    for (url, base) in [
        ("https://harbour.example", "https://harbour.example"),
        ("https://harbour.example/", "https://harbour.example"),
        (
            "http://harbour.example:8080/a/b/",
            "http://harbour.example:8080/a/b",
        ),
    ] {
        let app = site(url);
        for request in [
            "posts/?include=tags,authors&formats=html,plaintext",
            "tags/",
            "authors/",
            "settings/",
            "search-index/posts/",
            "search-index/authors/",
        ] {
            let response = app.json(request);
            let mut relative = Vec::new();
            collect_relative_urls(&response, &mut relative);
            assert_eq!(relative, [""; 0], "{url} {request}");
        }
        let post = &app.json("posts/slug/p/?include=tags,authors")["posts"][0];
        assert_eq!(post["url"], format!("{base}/p/"));
        assert_eq!(post["canonical_url"], format!("{base}/p/"));
        let image = format!("{base}/content/images/a.png");
        for name in ["feature_image", "og_image", "twitter_image"] {
            assert_eq!(post[name], image, "{name}");
        }
        assert_eq!(
            post["feature_image_caption"],
            format!("See <a href=\"{base}/q/\">Q</a>")
        );
        assert_eq!(
            post["custom_excerpt"],
            format!("Or <a href=\"{base}/q/\">Q</a>")
        );
        assert_eq!(
            post["codeinjection_foot"],
            format!("<img src=\"{image}\"><script>`<a href='/js/'>`</script>"),
            "URLs in scripts are unchanged"
        );
        assert_eq!(
            app.json("settings/")["settings"]["codeinjection_head"],
            format!("<link rel=\"me\" href=\"{base}/me/\">")
        );
        assert_eq!(post["primary_tag"]["feature_image"], image);
        assert_eq!(post["primary_tag"]["url"], format!("{base}/tag/t/"));
        assert_eq!(post["primary_author"]["cover_image"], image);
        assert_eq!(post["primary_author"]["url"], format!("{base}/author/a/"));
        assert_eq!(
            post["html"],
            format!(
                "<p><a href=\"{base}/q/\">root</a> <a href=\"{base}/q/\">beside</a> <a href=\"#h\">heading</a> \
                 <a href=\"mailto:a@b.example\">mail</a> <img src=\"{image}\" alt=\"i\" /></p>\n\
                 <img src=\"{image}\" srcset=\"{image} 1x, {image} 2x\">\n"
            )
        );
    }
}

#[test]
fn site_url_defaults_to_the_listen_address() {
    let app = TestSite::builder()
        .file("posts/a.md", "---\ntitle: A\ndate: 2025-01-01\n---\n")
        .start();
    assert_eq!(
        app.values("posts/", "url"),
        [format!("http://{}/a/", app.address())]
    );
}

#[test]
fn operator_url_takes_precedence_over_the_site_file() {
    let site = "url = 'https://of-the-file.example/blog'\n";
    let post = "---\ntitle: A\ndate: 2025-01-01\n---\n";
    let app = TestSite::builder()
        .file("site.toml", site)
        .file("posts/a.md", post)
        .start();
    assert_eq!(
        app.values("posts/", "url"),
        ["https://of-the-file.example/blog/a/"]
    );
    let app = TestSite::builder()
        .file("site.toml", site)
        .file("posts/a.md", post)
        .url("https://of-the-operator.example")
        .start();
    assert_eq!(
        app.values("posts/", "url"),
        ["https://of-the-operator.example/a/"]
    );
}

#[test]
fn outbound_links_are_tagged_if_enabled() {
    let post = "---\ntitle: A\ndate: 2025-01-01\n---\n[x](https://other.example/a?b=1#c)\n";
    let with = |setting: &str| {
        let app = TestSite::builder()
            .file("site.toml", setting)
            .file("posts/a.md", post)
            .url(fixture::URL)
            .start();
        app.json("posts/?formats=html,plaintext")["posts"][0].clone()
    };
    let tagged = with("outbound_link_tagging = true\n");
    assert_eq!(
        tagged["html"],
        "<p><a href=\"https://other.example/a?b=1&ref=harbour.example#c\">x</a></p>\n"
    );
    assert!(!tagged["plaintext"].as_str().unwrap().contains("ref="));
    let plain = with("outbound_link_tagging = false\n");
    assert_eq!(
        plain["html"],
        "<p><a href=\"https://other.example/a?b=1#c\">x</a></p>\n"
    );
}
