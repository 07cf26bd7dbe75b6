//! Tests that the configurations of proxies forward the paths that the program lists.

use fancy_regex::Regex;
use galley::{
    api::{
        feeds::SitemapKind,
        public_paths::{PUBLIC_PATHS, PublicPath},
    },
    front_end::SCRIPTS_PATH,
};

use crate::{assert_committed, read};

/// Compares the lines between two comments of a file with `lines`.
fn assert_lines(path: &str, lines: &str) {
    const BEGIN: &str = "# Paths of Galley: begin\n";
    const END: &str = "# Paths of Galley: end\n";
    let text = read(path);
    let (before, rest) = text.split_once(BEGIN).expect(path);
    let (_, after) = rest.split_once(END).expect(path);
    assert_committed(path, &format!("{before}{BEGIN}{lines}{END}{after}"));
}

#[test]
fn configurations_beside_a_front_end_forward_every_public_path() {
    let expressions: Vec<String> = PUBLIC_PATHS
        .iter()
        .map(PublicPath::regular_expression)
        .collect();
    let location = format!("location ~ {} {{\n", expressions.join("|"));
    assert_lines("examples/nginx/front-end.conf", &location);
    let patterns: Vec<&str> = PUBLIC_PATHS.iter().map(|path| path.pattern).collect();
    let matcher = format!("@galley path {}\n", patterns.join(" "));
    assert_lines("examples/caddy/front-end.Caddyfile", &matcher);
}

fn is_public(path: &str) -> bool {
    PUBLIC_PATHS.iter().any(|public| {
        let expression = Regex::new(&public.regular_expression()).unwrap();
        expression.is_match(path).unwrap()
    })
}

#[test]
fn paths_of_galley_are_public_and_those_of_a_front_end_are_not() {
    let of_galley = [
        "/ghost",
        "/ghost/",
        "/ghost/api/content/posts/",
        "/content/images/a.png",
        "/members/api/session/",
        "/unsubscribe",
        "/unsubscribe/",
        "/p/6f/",
        "/email/6f/",
        "/rss",
        "/rss/",
        "/tag/night/rss",
        "/tag/night/rss/",
        "/author/ada/feed.json",
        "/sitemap.xml",
        "/sitemap.xsl",
        "/sitemap-posts-2.xml",
        SCRIPTS_PATH,
    ];
    for path in of_galley {
        assert!(is_public(path), "{path}");
    }
    for kind in SitemapKind::ALL {
        assert!(is_public(&format!("/sitemap-{}.xml", kind.name())));
    }
    for path in [
        "/",
        "/a-post/",
        "/ghostly",
        "/ghostly/",
        "/unsubscribed",
        "/first-rss",
        "/about/content/",
        "/rss-feeds/",
    ] {
        assert!(!is_public(path), "{path}");
    }
}
