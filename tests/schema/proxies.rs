//! Tests that the configurations of proxies forward the paths that the program lists.

use galley::api::public_paths::{PUBLIC_PATHS, PublicPath};

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
