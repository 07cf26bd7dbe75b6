//! Tests of MDX. Content of elements is split into paragraphs like in MDX 3.

use crate::generators::{next::Next, tables::*};

/// Tests a table of inputs and outputs without remarks.
fn hold_mdx(table: &[(&str, &str)]) {
    for (text, expected) in table {
        let (made, reported) = expanded(text, &Next, &in_mdx());
        assert_eq!(&made, expected, "of {text}");
        assert_eq!(reported, Vec::<String>::new(), "of {text}");
    }
}

#[test]
fn imports_are_resolved() {
    hold_mdx(&[
        (
            "import a from './a.png';\nimport { B } from 'b'\n\n<Image src={a} alt=\"A [b]\" />\n",
            "\n![A  b](./a.png)\n",
        ),
        (
            "import a from './a.png'\n\n![A]({a}) <img src={a.src} />\n",
            "\n![A](./a.png) <img src=\"./a.png\">\n",
        ),
        (
            "<img src={require('./a.png').default} />",
            "<img src=\"./a.png\">\n".trim_end(),
        ),
        (
            "import taxes rose\nexport of tea\n",
            "import taxes rose\nexport of tea\n",
        ),
    ]);
}

#[test]
fn exports_supply_front_matter() {
    let text = "import { ada } from '@/authors'\nimport cover from './cover.jpg'\n\nexport const meta = {\n  title: `A`,\n  date: '2020-01-02',\n\n  \
                authors: [ada],\n  image: cover,\n}\n\nexport default (props) => <Layout meta={meta} {...props} />\n\n# {meta.title}\n";
    let text = expand(text, 1, &Next, &in_mdx());
    let expected =
        json!({ "title": "A", "date": "2020-01-02", "authors": ["ada"], "image": "./cover.jpg" });
    assert_eq!(Value::Object(text.meta), expected);
    assert_eq!(text.text.trim(), "# A");
    assert_eq!(text.remarks, []);
    let metadata = "export const metadata = { a: 1 };\n\nb";
    assert_eq!(expand(metadata, 1, &Next, &in_mdx()).meta["a"], 1);
}

#[test]
fn constant_expressions_are_evaluated() {
    hold_mdx(&[
        (
            "{'a_b'} {\"c\"} {`d`} {1} {/* e */}f{' '}g",
            "a\\_b c d 1 f g",
        ),
        (
            "export const year = 2024;\n\n{year}, {frontmatter.title}",
            "\n2024, Night ferry",
        ),
        ("# A {#b}\n\n## C {/* #d */}\n", "# A {#b}\n\n## C {#d}\n"),
        (
            "\\{a} `{b}` $\\frac{a}{b}$\n\n$$\n{c}\n$$\n\n```js\n{d}\n```\n",
            "\\{a} `{b}` $\\frac{a}{b}$\n\n$$\n{c}\n$$\n\n```js\n{d}\n```\n",
        ),
        (
            "{true} {null}{undefined} <https://example.org> a < b { open",
            // Blanks at the beginning of a line would indent the text after them.
            "<https://example.org> a < b { open",
        ),
    ]);
}

#[test]
fn markdown_inside_elements_follows_mdx() {
    hold_mdx(&[
        ("<div>*a* b</div>\n", "<div><em>a</em> b</div>\n"),
        ("<div>\n*a*\nb\n</div>\n", "<div>\n\n*a*\nb\n\n</div>\n"),
        ("a <b>c</b> <br/> *d*\n", "a <b>c</b> <br> *d*\n"),
        (
            "<div className=\"a\" style={{maxWidth: 300, color: 'red'}} htmlFor=\"b\" onClick={() => {}} key=\"c\" hidden />\n",
            "<div class=\"a\" style=\"max-width:300px;color:red;\" for=\"b\" hidden></div>\n",
        ),
        (
            "<details>\n  <summary>*A*</summary>\n\n  b\n</details>\n",
            "<details>\n\n<summary><em>A</em></summary>\n\nb\n\n</details>\n",
        ),
        (
            "<p align=\"center\">\n  **a**\n</p>\n",
            "<div align=\"center\">\n\n**a**\n\n</div>\n",
        ),
        (
            "<a href=\"/b\">\n  <img src=\"c.png\" />\n</a>\n",
            "<a href=\"/b\">\n\n<img src=\"c.png\">\n\n</a>\n",
        ),
        ("    a\n\n        b\n", "a\n\nb\n"),
        ("- a\n\n    b\n\n      c\n", "- a\n\n    b\n\n      c\n"),
        (
            "<div>\n    - a\n      - b\n\n    ```js\n    c\n      d\n    ```\n</div>\n",
            "<div>\n\n- a\n  - b\n\n```js\nc\n  d\n```\n\n</div>\n",
        ),
        (
            "1. a\n\n   <div>\n     b\n   </div>\n\n2. c\n",
            "1. a\n\n   <div>\n\n   b\n\n   </div>\n\n2. c\n",
        ),
        ("> <span>a</span>\n> b\n", "> <span>a</span>\n> b\n"),
        ("<script>{`a`}</script>\n<!-- b -->\n<>c</>\n", "\n\nc\n"),
        (
            "<svg viewBox=\"0 0 1 1\"><path strokeWidth={2} /></svg>",
            "<svg viewBox=\"0 0 1 1\"><path stroke-width=\"2\"></path></svg>",
        ),
    ]);
}

#[test]
fn common_components_are_converted() {
    hold_mdx(&[
        (
            "<YouTube id=\"a\" />",
            "<iframe width=\"560\" height=\"315\" src=\"https://www.youtube.com/embed/a\" title=\"YouTube Video\" allowfullscreen></iframe>",
        ),
        (
            "<Callout type=\"warning\">\n  *a*\n</Callout>\n",
            "<div class=\"notice notice-warning\">\n\n*a*\n\n</div>\n",
        ),
        (
            "<Link to=\"/a\">*b*</Link> <Button href=\"/c\">d</Button>",
            "[*b*](/a) [d](/c)",
        ),
        (
            "<CodeBlock language=\"js\">\n{`a\nb`}\n</CodeBlock>\n",
            "```js\na\nb\n```\n",
        ),
        ("<Code code={`a`} lang=\"js\" />\n", "```js\na\n```\n"),
        (
            "<Figure src=\"a.png\" caption=\"C\" />",
            "<figure><img src=\"a.png\" alt=\"C\"><figcaption><p>C</p></figcaption></figure>",
        ),
        (
            "<Accordion title=\"A\">\nb\n</Accordion>\n",
            "<details><summary>A</summary>\n\nb\n\n</details>\n",
        ),
        (
            "<CardGrid>\n<LinkCard title=\"A\" href=\"/a\" description=\"b\" />\n</CardGrid>\n",
            "\n[A](/a): b\n\n\n",
        ),
        (
            "<ThemedImage alt=\"A\" sources={{light: './l.png', dark: './d.png'}} />",
            "![A](./l.png)",
        ),
    ]);
}

#[test]
fn unknown_components_are_reported_once() {
    let text = "<Odd a={b}>\n\n*c* {d}\n\n</Odd>\n\n<Odd />\n\n{list.map(x => <p>Don't</p>)}\n\nexport const f = () => 'x'\n\n<div title={e} />\n";
    let (made, reported) = expanded(text, &Next, &in_mdx());
    assert_eq!(
        made.split_whitespace().collect::<Vec<_>>(),
        ["*c*", "<div></div>"]
    );
    assert_eq!(
        reported,
        [
            "1: the component `Odd` is not known; its content stays",
            "3: the expression `{d}` is not evaluated and is left out",
            "9: the expression `{list.map(x => <p>Don't</p>)}` is not evaluated and is left out",
            "11: the export `f` is left out",
            "13: the attribute `title` of `<div>` is not evaluated and is left out",
        ]
    );
}
