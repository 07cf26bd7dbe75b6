//! What becomes of tags, family by family.

use super::*;

#[test]
#[ignore]
fn show() {
    let input = std::fs::read_to_string("/tmp/gen/d/in.txt").unwrap();
    for case in input.split("\n=====\n") {
        let (family, text) = case.split_once('\n').unwrap();
        let (family, is_mdx) = match family.trim() {
            "hugo" => (Family::Hugo, false),
            "zola" => (Family::Zola, false),
            "liquid" => (Family::Liquid, false),
            "11ty" => (Family::Eleventy, false),
            "docusaurus" => (Family::Docusaurus, false),
            "obsidian" => (Family::Obsidian, false),
            "astro" => (Family::Astro, true),
            _ => (Family::Next, true),
        };
        let environment = Environment {
            is_mdx,
            ..Environment::default()
        };
        let worked = work_out(text, 1, family, &environment);
        println!(
            "<<<<<\n{}>>>>>\n{:?}\n{:?}\n",
            worked.text,
            worked
                .remarks
                .iter()
                .map(|r| format!("{}: {}", r.line, r.text))
                .collect::<Vec<_>>(),
            worked.meta
        );
    }
}
