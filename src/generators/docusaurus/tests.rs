//! Tests of admonitions, titles of code blocks and MDX.

use crate::generators::{docusaurus::Docusaurus, tables::*};

#[test]
fn docusaurus_admonitions_are_converted() {
    let around = |kind: &str, colour: &str, title: &str, content: &str| {
        format!(
            "<div class=\"theme-admonition theme-admonition-{kind} admonition alert alert--{colour}\"><div \
             class=\"admonition-heading\">{title}</div><div class=\"admonition-content\">\n\n{content}\n\n</div></div>"
        )
    };
    hold(
        &Docusaurus,
        &[
            (":::note\na\n:::", &around("note", "secondary", "note", "a")),
            (
                ":::tip[A *b*]\n\nc\n\n:::",
                &around("tip", "success", "A <em>b</em>", "\nc"),
            ),
            (
                ":::info A b\nc\n:::\n",
                &(around("info", "info", "A b", "c") + "\n"),
            ),
            (
                ":::danger{title=\"A\"}\nc\n:::",
                &around("danger", "danger", "A", "c"),
            ),
            (
                "::::caution\na\n\n:::note\nb\n:::\n::::",
                &around(
                    "caution",
                    "warning",
                    "caution",
                    &format!("a\n\n{}", around("note", "secondary", "note", "b")),
                ),
            ),
            ("```\n:::note\n:::\n```\n:::", "```\n:::note\n:::\n```\n:::"),
            ("a :b[c] ::d", "a :b[c] ::d"),
        ],
    );
    hold_with_remarks(
        &Docusaurus,
        &[(
            ":::odd\na\n:::",
            "<div class=\"odd\">\n\na\n\n</div>",
            &["1: the directive `:::odd` is not known; its content stays"],
        )],
    );
}

#[test]
fn code_block_titles_are_converted() {
    let code = "```js title=\"a.js\" {1}\nb\n```";
    let titled = format!("<div class=\"code-block-title\">a.js</div>\n\n{code}");
    hold(&Docusaurus, &[(code, &titled)]);
    hold(
        &Docusaurus,
        &[(
            "- ```js title='a'\n  b\n  ```",
            "- <div class=\"code-block-title\">a</div>\n\n  ```js title='a'\n  b\n  ```",
        )],
    );
}

#[test]
fn documents_are_included() {
    let text = "import Part from './_part.mdx';\n\na\n\n<Part number=\"2\" />\n\nb\n";
    let (made, reported) = expanded(text, &Docusaurus, &environment());
    assert_eq!(made, "\na\n\n## Part 2\n\nb\n");
    assert_eq!(
        reported,
        ["5: in ./_part.mdx:7: the component `Chart` is not known and is left out"]
    );
    let (made, reported) = expanded(text, &Docusaurus, &Environment::default());
    assert_eq!(made.split_whitespace().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(
        reported,
        ["5: the file `./_part.mdx` is not included: the file does not exist"]
    );
}

#[test]
fn tabs_become_sections_with_their_labels() {
    let section = |label: &str, content: &str| {
        format!(
            "<section class=\"tab\"><p class=\"tab-label\"><strong>{label}</strong></p>\n\n{content}\n\n</section>"
        )
    };
    let both = format!("{}\n\n{}", section("A", "a"), section("B", "b"));
    for text in [
        "<Tabs>\n  <TabItem value=\"x\" label=\"A\" default>\n  a\n  </TabItem>\n  <TabItem value=\"B\">\n  b\n  </TabItem>\n</Tabs>\n",
        "<Tabs values={[{value: 'x', label: 'A'}, {value: 'y', label: 'B'}]}>\n<TabItem value=\"x\">a</TabItem>\n<TabItem value=\"y\">b</TabItem>\n</Tabs>\n",
        "<Tabs items={['A', 'B']}>\n<Tabs.Tab>a</Tabs.Tab>\n<Tabs.Tab>b</Tabs.Tab>\n</Tabs>\n",
    ] {
        let (made, reported) = expanded(text, &Docusaurus, &environment());
        assert_eq!(made.trim(), both, "{text}");
        assert_eq!(reported, Vec::<String>::new());
    }
}

#[test]
fn diagnostics_have_line_numbers_of_the_original_file() {
    let text = "import A from './a';\n\n<Details summary=\"S\">\na\n</Details>\n\n:::odd\nx\n:::\n\n<Chart />\n";
    let text = expand(text, 10, &Docusaurus, &Environment::default());
    let lines: Vec<usize> = text.remarks.iter().map(|remark| remark.line).collect();
    assert_eq!(lines, [16, 20]);
    let line = text.text.lines().position(|line| line == "x").unwrap() + 1;
    assert_eq!(text.lines.of_source(line), 17);
}

#[test]
fn inclusions_are_bounded() {
    let text = format!("import A from './a.md'\n\n{}", "<A />\n\n".repeat(1_000));
    hold_inclusion_bounds(&Docusaurus, &text);
}

#[test]
fn components_at_the_beginning_of_items_leave_their_continuation() {
    for (text, expected) in [
        (
            "- <Badge>new</Badge> *a*\n  b\n\n  c\n- d",
            "- new *a*\n  b\n\n  c\n- d",
        ),
        (
            "1. <Chart /> a\n\n   b\n\n   ```js\n   c\n   ```\n2. d",
            "1. a\n\n   b\n\n   ```js\n   c\n   ```\n2. d",
        ),
        ("- <Chart />\n\n  b\n- d", "- b\n- d"),
    ] {
        let (made, _) = expanded(text, &Docusaurus, &environment());
        assert_eq!(made, expected, "{text}");
    }
}

#[test]
fn comments_for_highlighters_are_dropped_in_items_and_admonitions() {
    let text = "- a\n\n  ```js\n  // highlight-next-line\n  b\n  // highlight-start\n  c\n  // highlight-end\n  ```\n\n> ```py\n> # highlight-next-line\n> d\n> ```";
    let expected = "- a\n\n  ```js\n  b\n  c\n  ```\n\n> ```py\n> d\n> ```";
    let (made, _) = expanded(text, &Docusaurus, &environment());
    assert_eq!(made, expected);
}
