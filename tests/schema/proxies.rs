//! Tests that the example configurations of proxies forward the paths that the program lists.

use fancy_regex::Regex;
use galley::{
    api::{
        feeds::SitemapKind,
        public_paths::{PUBLIC_PATHS, PublicPath},
    },
    front_end::SCRIPTS_PATH,
};

use crate::{assert_committed, read, server::Server};

/// Compares the lines between the two comments of a file with `lines`.
fn assert_lines(path: &str, lines: &str) {
    const BEGIN: &str = "# Paths of Galley: begin\n";
    const END: &str = "# Paths of Galley: end\n";
    let text = read(path);
    let (before, rest) = text.split_once(BEGIN).expect(path);
    let (_, after) = rest.split_once(END).expect(path);
    assert_committed(path, &format!("{before}{BEGIN}{lines}{END}{after}"));
}

#[test]
fn configurations_with_a_front_end_forward_every_public_path() {
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

#[test]
fn paths_that_galley_redirects_to_public_ones_are_public() {
    let server = Server::with_options("front_end = \"https://front.test\"\n");
    let samples = PUBLIC_PATHS
        .iter()
        .map(|public| public.pattern.replace('*', ""));
    let mut redirected = Vec::new();
    for path in samples.filter(|path| path.ends_with('/')) {
        let without_slash = path.trim_end_matches('/');
        let response = server.get_at(without_slash, "");
        let location = response.header("location").unwrap_or_default();
        if location.ends_with(&path) && !location.contains("front.test") {
            assert!(is_public(without_slash), "{without_slash}");
            redirected.push(without_slash.to_owned());
        }
    }
    assert_eq!(redirected, ["/ghost", "/rss"]);
}
