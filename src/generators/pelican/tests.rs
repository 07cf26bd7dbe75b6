//! Tests of Pelican's links and of the tags of its plugins.

use crate::generators::{pelican::Pelican, tables::*};

#[test]
fn links_to_files_are_paths() {
    hold(
        &Pelican,
        &[
            ("[a]({filename}/posts/b.md#c)\n", "[a](/posts/b.md#c)\n"),
            ("![a]({static}../images/b.png)\n", "![a](../images/b.png)\n"),
            ("[a](|filename|b.md) | {c}\n", "[a](b.md) | {c}\n"),
            ("`{static}a`\n", "`{static}a`\n"),
        ],
    );
}

#[test]
fn tags_of_liquid_need_their_plugin() {
    let text = "{% img a.png %}\n";
    hold(&Pelican, &[(text, text)]);
    let with_plugin = || {
        let mut environment = environment();
        environment
            .site
            .insert("PLUGINS.liquid_tags".to_owned(), true.into());
        environment.partial = Some(&|_, path| {
            (path == "/code/a.py").then(|| IncludedFile {
                path: "code/a.py".to_owned(),
                text: "one\ntwo\nthree\n".to_owned(),
            })
        });
        environment
    };
    for (text, expected, remark) in [
        (
            "{% img left /a.png 30 40 The sea %}\n\nB\n",
            "<p><img src=\"/a.png\" class=\"left\" width=\"30\" height=\"40\" title=\"The sea\" alt=\"The sea\"></p>\n\nB\n",
            "",
        ),
        (
            "{% photo a.jpg 'Sea' 'Waves' %} at night\n",
            "<span><img src=\"a.jpg\" title=\"Sea\" alt=\"Waves\"></span> at night\n",
            "",
        ),
        (
            "A {% video /a.mp4 36 27 /a.png %}\n",
            "A <video src=\"/a.mp4\" width=\"36\" height=\"27\" poster=\"/a.png\" controls></video>\n",
            "",
        ),
        (
            "{% include_code a.py lang:python lines:2-3 Two of it %}\n",
            "<div class=\"code-block-title\">Two of it a.py</div>\n\n```python\ntwo\nthree\n```\n",
            "",
        ),
        (
            "{% include_code b.py %}\n",
            "\n",
            "1: the file `code/b.py` is not included: the file does not exist",
        ),
        (
            "`{% img a.png %}` `{% literal img a.png %}`\n",
            "`{% img a.png %}` `{% img a.png %}`\n",
            "",
        ),
        ("{% if a %} b\n", "{% if a %} b\n", ""),
        (
            "A {% notebook b.ipynb cells[2:] %}\n",
            "A \n",
            "1: the tag `notebook` is not known and is left out",
        ),
    ] {
        let (made, reported) = expanded(text, &Pelican, &with_plugin());
        assert_eq!(made, expected, "of {text}");
        assert_eq!(reported.join("\n"), remark, "of {text}");
    }
}
