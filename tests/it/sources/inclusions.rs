//! Tests of included files: expanded within bounds, and read again when they change.

use super::projects::ProjectSite;

const POST: &str = "---\ntitle: Ferry\ndate: 2026-01-02\n---\n";

fn post(body: &str) -> String {
    format!("{POST}{body}")
}

#[test]
fn includes_follow_each_generators_search_path() {
    for (files, html) in [
        (
            &[
                ("docusaurus.config.js", ""),
                (
                    "docs/parts/_price.mdx",
                    "It costs {props.price}. ![lamp](./lamp.png)\n",
                ),
                ("docs/parts/lamp.png", "png"),
                (
                    "docs/ferry.mdx",
                    "---\ntitle: Ferry\n---\nimport Price from '@site/docs/parts/_price.mdx';\n\n<Price price=\"2\" />\n",
                ),
            ][..],
            "<p>It costs 2. <img src=\"__GHOST_URL__/content/images/docs/parts/lamp.png\" alt=\"lamp\" /></p>\n",
        ),
        (
            &[
                ("_config.yml", ""),
                (
                    "_includes/ticket.html",
                    "{% if include.price %}<b>{{ include.price }}</b>{% else %}<b>free</b>{% endif %}\n",
                ),
                ("_posts/_more/tides.md", "*Tides*\n"),
                (
                    "_posts/2026-01-02-ferry.md",
                    "---\ntitle: Ferry\n---\n{% include ticket.html price=\"2\" %} {% include ticket.html %}\n\n{% include_relative _more/tides.md %}\n",
                ),
            ],
            "<p><b>2</b> <b>free</b></p>\n<p><em>Tides</em></p>\n",
        ),
        (
            &[
                ("hugo.toml", ""),
                (
                    "content/includes/tides.md",
                    "---\ntitle: Tides\n---\n*Tides*\n",
                ),
                ("content/posts/_code.py", "print(1)\n"),
                (
                    "content/posts/ferry.md",
                    "---\ntitle: Ferry\ndate: 2026-01-02\n---\n{{% include \"tides.md\" %}}\n\n{{< readfile file=\"_code.py\" code=\"true\" lang=\"python\" >}}\n",
                ),
            ],
            "<p><em>Tides</em></p>\n<pre><code class=\"language-python\">print(1)\n</code></pre>\n",
        ),
        (
            &[
                (
                    "eleventy.config.js",
                    "export default { dir: { input: 'content', includes: '../_includes' } }",
                ),
                ("_includes/tides.md", "*Tides*\n"),
                (
                    "content/blog/ferry.md",
                    "---\ntitle: Ferry\ndate: 2026-01-02\n---\n{% include \"tides.md\" %}\n",
                ),
            ],
            "<p><em>Tides</em></p>\n",
        ),
    ] {
        let served = ProjectSite::of(files);
        assert_eq!(served.html("ferry"), html, "{files:?}");
        let about_includes = served.problems();
        let about_includes = about_includes
            .iter()
            .filter(|output| output.contains("includ"));
        assert_eq!(about_includes.count(), 0, "{:?}", served.problems());
    }
}

#[test]
fn changed_include_updates_its_documents() {
    let text = post("{% include ticket.html %}\n");
    let mut served = ProjectSite::of(&[
        ("_config.yml", ""),
        ("_includes/ticket.html", "{% include price.html %} euros"),
        ("_includes/price.html", "two"),
        ("_posts/2026-01-02-ferry.md", &text),
    ]);
    assert_eq!(served.html("ferry"), "<p>two euros</p>\n");
    served.write_with_hint("_includes/price.html", "three");
    assert_eq!(served.html("ferry"), "<p>three euros</p>\n");
    served.write("_includes/price.html", "four");
    assert_eq!(served.html("ferry"), "<p>four euros</p>\n");
    served.remove("_includes/price.html");
    assert_eq!(served.html("ferry"), "<p>euros</p>\n");
    assert_eq!(
        served.problems(),
        [
            "_posts/2026-01-02-ferry.md: in _includes/ticket.html:1: the include `price.html` is not known and is left out"
        ]
    );
    served.write("_includes/price.html", "five");
    assert_eq!(served.html("ferry"), "<p>five euros</p>\n");
    assert_eq!(served.problems(), Vec::<String>::new());
}

#[test]
fn include_cycles_are_reported_with_files_and_lines() {
    let text = post("import A from './_a.mdx';\n\n<A />\n");
    let served = ProjectSite::of(&[
        ("docusaurus.config.js", ""),
        ("blog/_a.mdx", "import B from './_b.mdx';\n\na <B />\n"),
        ("blog/_b.mdx", "import A from './_a.mdx';\n\nb\n\n<A />\n"),
        ("blog/2026-01-02-ferry.mdx", &text),
    ]);
    assert_eq!(
        served.problems(),
        [
            "blog/2026-01-02-ferry.mdx: in blog/_a.mdx:3: in blog/_b.mdx:5: the file `./_a.mdx` is not included: it includes itself \
          (blog/_a.mdx → blog/_b.mdx → blog/_a.mdx)"
        ]
    );
}

#[test]
fn hidden_files_and_files_outside_of_the_folder_are_not_included() {
    let text = post("{% include_relative ../../secret.md %}{% include_relative ../.env.md %}a\n");
    let served = ProjectSite::with(
        &[
            ("secret.md", "secret"),
            ("site/_config.yml", ""),
            ("site/.env.md", "secret"),
            ("site/_posts/2026-01-02-ferry.md", &text),
        ],
        "site",
        Default::default(),
    );
    assert_eq!(served.html("ferry"), "<p>a</p>\n");
}
