//! Tests of `galley build --site`, which writes the site's pages as files.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use galley::{
    admin::{
        redirects::{self, RedirectFormat},
        routes_file,
    },
    domain::actor::Actor,
};
use galley_tests::{
    TestSite,
    command_line::{CommandOutput, response_to, run},
    folder::{Folder, post, post_with},
    galley_process::GalleyProcess,
};
use serde_json::{Value, json};

use super::build::{files, public};

const URL: &str = "https://harbour.example";

/// A theme whose pages load an asset and show the name of their template.
const THEME: &[(&str, &str)] = &[
    (
        "package.json",
        r#"{"name": "tide", "version": "1.0.0", "config": {"posts_per_page": 2, "image_sizes": {"s": {"width": 300}}}}"#,
    ),
    (
        "default.hbs",
        "<html><head>{{ghost_head}}<link rel=\"stylesheet\" href=\"{{asset \"css/screen.css\"}}\"></head><body>{{{body}}}</body></html>",
    ),
    (
        "index.hbs",
        "{{!< default}}\n{{#foreach posts}}<a href=\"{{url}}\">{{title}}</a><img src=\"{{img_url feature_image size=\"s\"}}\">{{comment_count}}{{/foreach}}{{pagination}}",
    ),
    (
        "post.hbs",
        "{{!< default}}\n{{#post}}<h1>{{title}}</h1>{{content}}{{authors}}{{tags}}{{/post}}",
    ),
    ("error.hbs", "{{!< default}}\n<h1>{{statusCode}}</h1>"),
    ("assets/css/screen.css", "body { color: navy }"),
];

/// Returns a site with lists of two pages, gated posts, aliases and an image.
fn content() -> Folder {
    let folder = Folder::with(&[
        ("site.toml", "title = \"Harbour\"\n"),
        ("authors/ada.toml", "name = \"Ada\"\n"),
        (
            "posts/a.md",
            &post_with(
                "A",
                "tags = [\"Sea\"]\nfeature_image = \"/images/a.svg\"",
                "[B](b.md)",
            ),
        ),
        (
            "posts/b.md",
            &post_with("B", "aliases = [\"/2019/b.html\"]", ""),
        ),
        (
            "posts/c.md",
            &post_with("C", "visibility = \"members\"", "Secret"),
        ),
        ("pages/about.md", &post("About", "")),
        (
            "images/a.svg",
            "<svg xmlns=\"http://www.w3.org/2000/svg\"><circle r=\"5\"/></svg>",
        ),
    ]);
    write_theme(folder.top(), THEME);
    folder
}

fn write_theme(top: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = top.join("theme").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn build(top: &(impl AsRef<Path> + ?Sized), arguments: &[&str]) -> CommandOutput {
    let build = ["build", "--site", "public", "--json", "--theme", "theme"];
    run(top, &[&build, arguments].concat())
}

/// Builds the site with readable output instead of JSON.
fn build_with_text_output(folder: &Folder, arguments: &[&str]) -> CommandOutput {
    let build = [
        "build", "--site", "public", "--theme", "theme", "--url", URL,
    ];
    run(folder, &[&build, arguments].concat())
}

fn built(folder: &Folder, arguments: &[&str]) -> Value {
    let output = build(folder, &[&["--url", URL], arguments].concat());
    assert_eq!(output.code, Some(0), "{}{}", output.out, output.err);
    output.json()
}

fn text_of(folder: &Folder, path: &str) -> String {
    let path = public(folder).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the path at which hosts serve a file, or `None` if they only read it.
fn served_path(file: &str) -> Option<String> {
    match file {
        "_headers" | "_redirects" | ".htaccess" | "nginx-site.conf" | ".galley-build.json" => None,
        "404.html" => Some("/404/".to_owned()),
        file => Some(format!(
            "/{}",
            file.strip_suffix("index.html").unwrap_or(file)
        )),
    }
}

#[test]
fn every_file_equals_the_response_of_the_server() {
    let folder = content();
    let served = GalleyProcess::serve(&folder, &["--url", URL, "--theme", "theme"]);
    let output = build(&folder, &["--url", URL, "--data", "data"]);
    assert_eq!(output.code, Some(0), "{}", output.err);
    let files = files(&public(&folder));
    for path in [
        "index.html",
        "page/2/index.html",
        "a/index.html",
        "about/index.html",
        "tag/sea/index.html",
        "author/ada/index.html",
        "author/ada/page/2/index.html",
        "rss/index.html",
        "tag/sea/rss/index.html",
        "sitemap.xml",
        "robots.txt",
        "llms.txt",
        "llms-full.txt",
        "a.md",
        "about.md",
        "c.md",
        "404.html",
        "favicon.ico",
        "assets/css/screen.css",
        "public/cards.min.css",
        "content/images/size/w300/a.svg",
        "members/api/comments/counts/index.html",
    ] {
        assert!(files.contains_key(path), "{path}: {:?}", files.keys());
    }
    for (file, content) in &files {
        let Some(path) = served_path(file) else {
            continue;
        };
        let response = response_to(served.address(), &path);
        if (300..400).contains(&response.status) {
            assert!(path.starts_with("/content/images/size/"), "{path}");
            continue;
        }
        assert!(response.body == *content, "{path}: {}", response.text());
    }
    assert!(!files.contains_key("ghost/api/content/posts/index.html"));
}

#[test]
fn build_is_deterministic_and_an_unchanged_site_writes_nothing() {
    let (folder, other) = (content(), content());
    let report = built(&folder, &[]);
    assert!(report["written"].as_u64() > Some(20), "{report}");
    built(&other, &[]);
    assert_eq!(files(&public(&folder)), files(&public(&other)));
    let again = built(&folder, &[]);
    assert_eq!(
        (&again["written"], &again["removed"]),
        (&json!(0), &json!(0))
    );

    folder.write("posts/a.md", post("A new title", ""));
    let changed = built(&folder, &[]);
    assert!(changed["written"].as_u64() < report["written"].as_u64());
    assert!(text_of(&folder, "index.html").contains("A new title"));
    folder.remove("pages/about.md");
    built(&folder, &[]);
    assert!(!public(&folder).join("about").exists());
}

#[test]
fn site_in_a_subdirectory_has_links_and_files_below_it() {
    let folder = content();
    let output = build(&folder, &["--url", "https://harbour.example/blog"]);
    assert_eq!(output.code, Some(0), "{}", output.err);
    assert_eq!(output.json()["dead_links"], json!([]), "{}", output.out);
    let home = text_of(&folder, "blog/index.html");
    for link in [
        "href=\"/blog/a/\"",
        "href=\"/blog/assets/css/screen.css?v=",
        "src=\"/blog/content/images/size/w300/a.svg\"",
    ] {
        assert!(home.contains(link), "{link}: {home}");
    }
    let redirects = text_of(&folder, "_redirects");
    assert!(
        redirects.contains("/blog/2019/b.html /blog/b/ 301\n"),
        "{redirects}"
    );
    assert!(public(&folder).join("blog/404.html").exists());
    assert!(!public(&folder).join("index.html").exists());
}

#[test]
fn page_that_cannot_be_rendered_is_reported_and_its_file_preserved() {
    let folder = content();
    built(&folder, &[]);
    let before = text_of(&folder, "a/index.html");
    write_theme(
        folder.top(),
        &[(
            "post.hbs",
            "{{!< default}}\n<p>\n  {{#foreach}}{{/foreach}}\n",
        )],
    );
    folder.write("posts/d.md", post("D", ""));
    let output = build(&folder, &["--url", URL]);
    assert_eq!(output.code, Some(1));
    let report = output.json();
    let failed = report["failed_pages"].as_array().unwrap();
    let pages: Vec<&str> = failed
        .iter()
        .filter_map(|page| page["page"].as_str())
        .collect();
    assert_eq!(pages, ["/a/", "/about/", "/b/", "/c/", "/d/"]);
    let problem = &failed[0]["problem"];
    assert_eq!(
        (&problem["template"], &problem["line"], &problem["column"]),
        (&json!("post.hbs"), &json!(3), &json!(3)),
        "{problem}"
    );
    let output = build_with_text_output(&folder, &[]);
    assert!(
        output.err.contains("error: /a/: post.hbs:3:3: "),
        "{}",
        output.err
    );
    assert_eq!(text_of(&folder, "a/index.html"), before);
    assert!(!public(&folder).join("d").exists());
    assert!(text_of(&folder, "index.html").contains("/d/"));

    let home = text_of(&folder, "index.html");
    folder.write("posts/e.md", post("E", ""));
    let output = build(&folder, &["--url", URL, "--strict"]);
    assert_eq!(output.code, Some(1));
    assert!(output.err.contains("nothing is written"), "{}", output.err);
    assert_eq!(text_of(&folder, "index.html"), home);
}

#[test]
fn further_pages_of_a_failed_list_are_preserved() {
    let folder = content();
    for name in ["d", "e"] {
        folder.write(
            &format!("posts/{name}.md"),
            post_with(name, "tags = [\"Sea\"]", ""),
        );
    }
    built(&folder, &[]);
    let pages = ["tag/sea/index.html", "tag/sea/page/2/index.html"];
    let before = pages.map(|page| text_of(&folder, page));
    for template in [
        "{{asset}}",
        "{{#has number=\"2\"}}{{asset}}{{/has}}{{#is \"paged\"}}{{asset}}{{/is}}",
    ] {
        write_theme(folder.top(), &[("tag.hbs", template)]);
        let output = build(&folder, &["--url", URL]);
        assert_eq!(output.code, Some(1), "{template}");
        assert_eq!(output.json()["removed"], 0, "{template}: {}", output.out);
        assert_eq!(text_of(&folder, pages[1]), before[1], "{template}");
    }
    write_theme(folder.top(), &[("tag.hbs", "{{tag.name}}")]);
    folder.remove("posts/d.md");
    let report = built(&folder, &[]);
    assert!(report["removed"].as_u64() >= Some(2), "{report}");
    assert!(!public(&folder).join(pages[1]).exists());
}

#[test]
fn markdown_files_omit_gated_text_and_have_their_media_type() {
    let folder = content();
    built(&folder, &[]);
    let markdown = text_of(&folder, "a.md");
    assert!(markdown.contains("\n# A\n"), "{markdown}");
    assert!(!text_of(&folder, "c.md").contains("Secret"));
    assert!(text_of(&folder, "llms.txt").contains("https://harbour.example/a.md"));
    let conf = text_of(&folder, "nginx-site.conf");
    assert!(conf.contains("default_type \"text/markdown"), "{conf}");
}

#[test]
fn dead_link_is_reported_with_its_page() {
    let folder = content();
    assert_eq!(built(&folder, &[])["dead_links"], json!([]));
    write_theme(
        folder.top(),
        &[(
            "error.hbs",
            "<a href=\"/nowhere/\">1</a><img src=\"/content/images/none.png\"><a href=\"/b#end\">2</a><a href=\"/tag/sea/feed/\">3</a>\
             <a href=\"/2019/b.html\">4</a><a href=\"/ghost/\">5</a><a href=\"https://other.example/x/\">6</a><a href=\"#/portal/signup\">7</a>",
        )],
    );
    let dead_links = built(&folder, &[])["dead_links"].clone();
    assert_eq!(
        dead_links,
        json!([
            {"link": "/content/images/none.png", "page": "/404/", "pages": 1},
            {"link": "/nowhere/", "page": "/404/", "pages": 1},
        ])
    );
    let output = build_with_text_output(&folder, &["--strict"]);
    assert_eq!(output.code, Some(1));
    assert!(
        output
            .err
            .contains("/404/: the link /nowhere/ opens nothing"),
        "{}",
        output.err
    );
}

#[test]
fn features_that_need_a_server_are_reported_once() {
    let folder = content();
    let remarks = |report: &Value| -> Vec<String> {
        let remarks = report["remarks"].as_array().unwrap().iter();
        remarks
            .map(|remark| remark.as_str().unwrap().to_owned())
            .collect()
    };
    let report = built(&folder, &[]);
    let count = |text: &str| {
        let found = remarks(&report);
        found.iter().filter(|remark| remark.contains(text)).count()
    };
    for feature in ["Portal", "--search", "posts and pages for members: 1"] {
        assert_eq!(count(feature), 1, "{report}");
    }
    let report = built(&folder, &["--search"]);
    assert!(
        !remarks(&report)
            .iter()
            .any(|remark| remark.contains("--search"))
    );
    let api = public(&folder).join("ghost/api/content");
    assert!(api.join("search-index/posts/index.html").exists());
    assert!(api.join("search/index.json").exists() && !api.join("posts").exists());
    let output = build(&folder, &["--url", URL, "--page-size", "3"]);
    assert!(output.err.contains("add --api"), "{}", output.err);
    built(&folder, &["--api", "--page-size", "3"]);
    assert!(api.join("posts/slug/a/index.html").exists());
}

#[test]
fn host_files_not_from_a_build_are_preserved() {
    let folder = content();
    fs::create_dir(public(&folder)).unwrap();
    fs::write(public(&folder).join("_redirects"), "/x /y\n").unwrap();
    let report = built(&folder, &[]);
    let remarks = report["remarks"].to_string();
    assert!(
        remarks.contains("_redirects exists, but no build wrote it"),
        "{remarks}"
    );
    assert_eq!(text_of(&folder, "_redirects"), "/x /y\n");
}

/// Returns the folder that contains the content folder of a site in this process.
fn top_of(site: &TestSite) -> PathBuf {
    site.content_folder().parent().unwrap().to_owned()
}

/// Starts a site with these routes and redirects, and writes a theme next to its content folder.
fn site_with(routes: &str, custom_redirects: &str) -> TestSite {
    let site = TestSite::builder().url(URL).staffed().start();
    site.add("posts", json!({"title": "A", "status": "published"}));
    site.add("pages", json!({"title": "About", "status": "published"}));
    write_theme(&top_of(&site), THEME);
    let operator = Actor::Operator;
    let yaml = RedirectFormat::Yaml;
    redirects::upload(site.site(), &operator, yaml, custom_redirects.as_bytes()).unwrap();
    routes_file::upload(site.site(), &operator, routes.as_bytes()).unwrap();
    site
}

const COLLECTIONS: &str = "collections:\n  /:\n    permalink: /{slug}/\n    template: index\ntaxonomies:\n  tag: /tag/{slug}/\n  author: /author/{slug}/\n";

#[test]
fn redirects_are_written_for_each_host() {
    let owners = "301:\n  /rss/: https://feeds.example/harbour\n  /gone/: /a/\n  ^/old/(.*): /new/$1\n  ^/(\\d+)/x/$: https://other.example/$1\n  /café/: /a/\n  /lärm/: /geräusch/?q=ä\n  /other/: //other.example/\n302:\n  /near/: relative\n";
    let site = site_with(COLLECTIONS, owners);
    let top = top_of(&site);
    let output = build(&top, &["--data", "data"]);
    assert_eq!(output.code, Some(0), "{}", output.err);
    let read = |name: &str| fs::read_to_string(top.join("public").join(name)).unwrap();
    for (file, lines) in [
        (
            "_redirects",
            &[
                "/gone /a/ 301",
                "/gone/ /a/ 301",
                "/old/* /new/:splat 301",
                "/feed/ /rss/ 301",
                "/tag/:slug/feed/ /tag/:slug/rss/ 301",
                "/page/1/ / 301",
                "/:part1/:part2/amp/ /:part1/:part2/ 301",
            ][..],
        ),
        (
            "nginx-site.conf",
            &[
                "error_page 404 /404.html;",
                "rewrite \"^/gone/?$\" \"/a/\" permanent;",
                "rewrite \"^/(\\d+)/x/$\" \"https://other.example/$1\" permanent;",
                "rewrite \"^/café/?$\" \"/a/\" permanent;",
                "location ~ \"^/rss/(index\\.html)?$\" {",
                "location ~ \"^/feed\\.json$\" {",
                "    default_type \"application/feed+json; charset=utf-8\";",
                "rewrite \"^/([^/]+)/([^/]+)/amp/?$\" \"/$1/$2/\" permanent;",
                // Files that configure hosts are not served to readers.
                "location = /nginx-site.conf {",
                "location = /.htaccess {",
                "location = /_redirects {",
                "location = /_headers {",
                "location = /.galley-build.json {",
            ],
        ),
        (
            ".htaccess",
            &[
                "ErrorDocument 404 /404.html",
                "RedirectMatch 404 \"^(/nginx-site\\.conf|/\\.htaccess|/_redirects|/_headers|/\\.galley-build\\.json)$\"",
                "RedirectMatch 301 \"^/old/(.*)$\" \"/new/$1\"",
                // Apache percent-encodes the path of a target itself.
                "RedirectMatch 301 \"^/lärm/?$\" \"/geräusch/?q=%C3%A4\"",
                "RedirectMatch 301 \"^/other/?$\" \"https://other.example/\"",
                "<If \"%{REQUEST_URI} =~ m#/llms(-full)?\\.txt$#\">",
                "RedirectMatch 301 \"^/([^/]+)/amp/?$\" \"/$1/\"",
            ],
        ),
    ] {
        let text = read(file);
        for line in lines {
            assert!(
                text.lines().any(|written| written == *line),
                "{line}: {text}"
            );
        }
    }
    assert!(
        !top.join("public/rss").exists(),
        "a page is written at the path of a redirect"
    );
    let all_redirects = read("_redirects");
    assert!(
        all_redirects.contains("/rss/ https://feeds.example/author/"),
        "the redirect of feeds is missing for authors: {all_redirects}"
    );
    let remarks = output.json()["remarks"].to_string();
    assert!(
        remarks.contains("static hosts do not support: /near/"),
        "{remarks}"
    );
    assert!(remarks.contains("nginx and Apache support"), "{remarks}");
}

#[test]
fn routes_are_built_instead_of_the_pages_that_they_replace() {
    let routes = format!(
        "routes:\n  /who/:\n    data: page.about\n    template: post\n  /list.txt/:\n    template: post\n    content_type: text/plain\n  /all/:\n    controller: channel\n    template: index\n  /by/:w/: index\n{COLLECTIONS}"
    );
    let site = site_with(&routes, "301:\n  /a/: /who/\n");
    let top = top_of(&site);
    let output = build(&top, &["--data", "data"]);
    assert_eq!(output.code, Some(0), "{}", output.err);
    let remarks = output.json()["remarks"].to_string();
    let variable = "routes whose path has a variable: not available without a server: /by/:w/";
    assert!(remarks.contains(variable), "{remarks}");
    let files: BTreeMap<String, Vec<u8>> = files(&top.join("public"));
    for path in [
        "who/index.html",
        "all/index.html",
        "all/rss/index.html",
        "list.txt/index.html",
    ] {
        assert!(files.contains_key(path), "{path}: {:?}", files.keys());
    }
    assert!(!files.contains_key("about/index.html") && !files.contains_key("a/index.html"));
    let text = |name: &str| String::from_utf8(files[name].clone()).unwrap();
    assert!(text("_redirects").contains("/about/ /who/ 301\n"));
    for file in ["_headers", ".htaccess", "nginx-site.conf"] {
        assert!(text(file).contains("text/plain; charset=utf-8"), "{file}");
        assert!(text(file).contains("/all/rss/"), "{file}");
    }
}

#[test]
fn disabled_markdown_is_not_written() {
    let site = site_with(COLLECTIONS, "301: {}\n");
    let top = top_of(&site);
    let build = || {
        let output = build(&top, &["--data", "data", "--url", URL]);
        assert_eq!(output.code, Some(0), "{}", output.err);
        top.join("public/llms.txt").exists()
    };
    assert!(build());
    let off = json!({"settings": [{"key": "llms_enabled", "value": false}]});
    site.put_as(&galley_tests::owner(), "/settings/", &off);
    assert!(!build());
}

#[test]
fn private_site_is_not_built() {
    let site = site_with(COLLECTIONS, "301: {}\n");
    site.put_as(
        &galley_tests::owner(),
        "/settings/",
        &json!({"settings": [{"key": "is_private", "value": true}, {"key": "password", "value": "ebb"}]}),
    );
    let output = build(&top_of(&site), &["--data", "data"]);
    assert_eq!(output.code, Some(1));
    assert!(output.err.contains("the site is private"), "{}", output.err);
}
