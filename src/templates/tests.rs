//! Tests of the language. The expected output was recorded from Handlebars 4.7.9 with Ghost's options.

use std::time::Duration;

use jiff::Timestamp;

use super::{Helper, Limits, PlainObject, RenderError, Template, Templates, Value};

/// The state of the pages.
struct NoState;

fn helper(name: &str) -> Option<Helper<NoState>> {
    Some(match name {
        "echo" => |call| Ok(call.argument(0)),
        "html" => |call| {
            let texts = call.arguments().iter().map(ToString::to_string);
            Ok(Value::html(texts.collect::<String>()))
        },
        "raw" => |call| {
            let this = call.this().clone();
            call.render_block(&this, &[], &[])?;
            Ok(Value::Undefined)
        },
        "set" => |call| {
            for (name, value) in call.hash().to_vec() {
                call.set_in_context(&name, value);
            }
            Ok(Value::Undefined)
        },
        "box" => |call| {
            let value = call.argument(0);
            call.write("[");
            let data = [("lid", Value::from("L"))];
            call.render_block(&value, &data, std::slice::from_ref(&value))?;
            call.write("]");
            Ok(Value::Undefined)
        },
        "fail" => |call| Err(call.error("it fails")),
        "quiet" => |call| {
            let this = call.this().clone();
            let block = call.capture(|call| call.render_block(&this, &[], &[]));
            match block {
                Err(error) if error.is_limit => Err(error),
                Err(_) => Ok(Value::html("-")),
                Ok(block) => Ok(Value::html(block)),
            }
        },
        "built_in" => |call| {
            let this = call.this().clone();
            call.render_partial("menu", "<menu>{{title}}{{@lid}}</menu>", &this, &[])?;
            Ok(Value::Undefined)
        },
        _ => return None,
    })
}

fn templates(files: &[(&str, &str)]) -> Templates {
    let mut templates = Templates::new();
    for (path, text) in files {
        templates.insert(Template::parse(path, text).unwrap());
    }
    templates
}

fn root() -> Value {
    let root = serde_json::json!({
        "title": "A & \"B\"",
        "list": ["x", "y"],
        "posts": [{"title": "One", "tags": ["t"]}, {"title": "Two", "tags": []}],
        "site": {"name": "S", "deep": {"n": 1.5}},
        "empty": [], "none": null, "zero": 0, "no": false, "yes": true,
        "odd name": "odd",
        "echo": "data",
    });
    Value::from(&root)
}

fn rendered(files: &[(&str, &str)]) -> Result<String, RenderError> {
    rendered_by(&templates(files))
}

fn rendered_by(templates: &Templates) -> Result<String, RenderError> {
    let data = [("site", PlainObject::new().with("title", "T").into())];
    let limits = Limits::default();
    templates.render("main", &root(), &data, &NoState, helper, &limits)
}

/// Templates, and their output from Handlebars.
const RECORDED: &[(&str, &str)] = &[
    (
        "{{title}} {{{title}}} {{&title}}",
        r#"A &amp; &quot;B&quot; A & "B" A & "B""#,
    ),
    (
        "{{nope}}|{{nope.a}}|{{none}}|{{none.a}}|{{zero}}|{{no}}|{{yes}}",
        "||||0|false|true",
    ),
    (
        "{{list}}|{{posts}}|{{list.length}}|{{list.[1]}}|{{list.0.length}}|{{list.[01]}}|{{title.[0]}}",
        "x,y|[object Object],[object Object]|2|y|1||A",
    ),
    (
        "{{site.deep.n}}|{{site/name}}|{{[odd name]}}|{{this.title}}|{{./title}}",
        "1.5|S|odd|A &amp; &quot;B&quot;|A &amp; &quot;B&quot;",
    ),
    (
        "{{constructor}}|{{list.constructor}}|{{site.__proto__}}|{{title.length}}",
        "|||7",
    ),
    (
        r#"{{echo}}|{{this.echo}}|{{echo echo}}|{{echo this.echo}}|{{#with "p" as |echo|}}{{echo}}{{echo 1}}{{/with}}"#,
        "|data|data|data|pp",
    ),
    (
        r#"{{"title"}}|{{5}}|{{true}}|{{"odd name"}}"#,
        "A &amp; &quot;B&quot;|||odd",
    ),
    (
        r#"{{echo "a\"b"}}|{{echo 'q"'}}|{{echo -1.50}}|{{echo null}}|{{echo undefined}}|{{echo (echo (echo "in"))}}"#,
        "a&quot;b|q&quot;|-1.5|||in",
    ),
    (
        r#"{{html "<b>" title}}|{{{echo "<b>"}}}|{{echo (html "<b>")}}|{{echo "`="}}"#,
        r#"<b>A & "B"|<b>|<b>|&#x60;&#x3D;"#,
    ),
    (
        "{{#if title}}t{{else}}f{{/if}}{{#if zero}}t{{else}}f{{/if}}{{#if zero includeZero=true}}t{{/if}}{{#if empty}}t{{^}}f{{/if}}{{#unless none}}u{{/unless}}",
        "tftfu",
    ),
    (
        "{{#if none}}a{{else if no}}b{{else if yes}}c{{else}}d{{/if}}",
        "c",
    ),
    (
        "{{^if none}}n{{else}}y{{/if}}{{^none}}N{{/none}}{{^title}}N{{else}}T{{/title}}",
        "nNT",
    ),
    (
        "{{#each posts}}{{@index}}{{@key}}{{@first}}{{@last}}{{title}}{{../title}}{{#each tags}}{{this}}{{@../index}}{{@index}}{{else}}no{{/each}};{{/each}}",
        "00truefalseOneA &amp; &quot;B&quot;t00;11falsetrueTwoA &amp; &quot;B&quot;no;",
    ),
    (
        "{{#each site as |v k|}}{{k}}={{v}}{{@key}};{{/each}}{{#each none}}x{{else}}e{{/each}}{{#each title}}x{{else}}e{{/each}}",
        "name=Sname;deep=[object Object]deep;ee",
    ),
    (
        "{{#with site}}{{name}}{{../title}}{{#if deep}}{{deep.n}}{{../title}}{{/if}}{{@root.title}}{{/with}}{{#with none}}x{{else}}e{{/with}}{{#with zero}}z{{/with}}",
        "SA &amp; &quot;B&quot;1.5A &amp; &quot;B&quot;A &amp; &quot;B&quot;ez",
    ),
    (
        "{{#posts}}{{title}}{{@index}}{{/posts}}|{{#site}}{{name}}{{/site}}|{{#yes}}{{title}}{{/yes}}|{{#no}}x{{else}}e{{/no}}|{{#empty}}x{{else}}e{{/empty}}|{{#zero}}z{{/zero}}",
        "One0Two1|S|A &amp; &quot;B&quot;|e|e|z",
    ),
    (
        r#"{{lookup list 1}}|{{lookup site "name"}}|{{lookup none "a"}}|{{lookup (lookup posts 0) "title"}}"#,
        "y|S||One",
    ),
    (
        "{{#@root.site}}{{name}}{{/@root.site}}{{#@nope}}x{{/@nope}}{{@nope.x}}{{@nope}}",
        "S",
    ),
    (
        "{{#box site as |b|}}{{@lid}}{{b.name}}{{name}}{{../title}}{{/box}}|{{box 1}}|{{#nope}}x{{else}}e{{/nope}}|{{nope a=1}}",
        "[LSSA &amp; &quot;B&quot;]|[]|e|",
    ),
    (
        r#"{{> card}}|{{> card posts.[0]}}|{{> card kind="k"}}|{{> card posts.[1] kind=title}}|{{#each posts}}{{> card kind=@index}}{{/each}}"#,
        "(A &amp; &quot;B&quot;)|(One)|(A &amp; &quot;B&quot;k)|(TwoA &amp; &quot;B&quot;)|(One0)(Two1)",
    ),
    (
        r#"{{> (echo "card") kind=1}}|{{#> wrap}}b{{title}}{{/wrap}}|{{#> missing}}default{{/missing}}|{{#> wrap}}{{#> wrap}}in{{/wrap}}{{/wrap}}"#,
        "(A &amp; &quot;B&quot;1)|<bA &amp; &quot;B&quot;>|default|<<in>>",
    ),
    (
        r#"{{#*inline "part"}}P{{title}}{{n}}{{/inline}}{{> part n=1}}{{> slot}}|{{#> slot}}{{#*inline "part"}}Q{{/inline}}{{/slot}}|{{#each posts}}{{> part}}{{/each}}"#,
        "PA &amp; &quot;B&quot;1PA &amp; &quot;B&quot;|Q|POnePTwo",
    ),
    (
        "{{#if @partial-block}}x{{/if}}{{#> wrap}}{{#each list}}{{this}}{{../title}}{{/each}}{{/wrap}}",
        "<xA &amp; &quot;B&quot;yA &amp; &quot;B&quot;>",
    ),
    (
        r#"{{set title="new"}}{{title}}{{#with site}}{{set name="N"}}{{name}}{{@root.title}}{{../site.name}}{{/with}}{{site.name}}{{> card}}{{#each list}}{{../title}}{{/each}}"#,
        "newNnewNN(new)newnew",
    ),
    (
        "a\n{{#if yes}}\n  b\n{{else}}\n  c\n{{/if}}\nd",
        "a\n  b\nd",
    ),
    ("a\n  {{! c }}\nb\n{{!-- {{x}} --}}\nc", "a\nb\nc"),
    (
        "a {{~title~}} b\n{{~#if yes~}}\n x \n{{~/if~}}\n c",
        "aA &amp; &quot;B&quot;bxc",
    ),
    (
        "  {{> lines}}\nb {{> lines}} c\n\t{{> lines}}\n",
        "  one\ntwo\nb one\ntwo\n c\n\tone\ntwo\n",
    ),
    (
        "{{#each list}}\n- {{this}}\n{{/each}}\n{{#if yes}} {{/if}}\n",
        "- x\n- y\n \n",
    ),
    (
        "{{#if yes}}\n{{^}}\n{{/if}}\n\n{{^if yes}}\nx\n{{else}}\ny\n{{/if}}z",
        "\ny\nz",
    ),
    (
        r#"\{{title}} \\{{title}} \\\{{title}} a\b {{title}}\"#,
        r#"{{title}} \A &amp; &quot;B&quot; \\A &amp; &quot;B&quot; a\b A &amp; &quot;B&quot;\"#,
    ),
    (
        "{{{{raw}}}} {{title}} {{{{x}}}}{{{{/x}}}} {{{{/raw}}}}{{{{nope}}}}x{{{{/nope}}}}",
        " {{title}} {{{{x}}}}{{{{/x}}}} ",
    ),
    ("{ {{!}} } {{! a }}{{!-- }} --}}{{~! x ~}} b", "{  } b"),
    (
        r#"{{#if (echo yes)}}{{#if no}}{{else if (echo "")}}{{else}}deep{{/if}}{{/if}}"#,
        "deep",
    ),
    ("\r\n{{#if yes}}\r\nx\r\n{{/if}}\r\ny", "\r\nx\r\ny"),
];

#[test]
fn templates_write_what_handlebars_writes() {
    let partials = [
        ("partials/card.hbs", "({{title}}{{kind}}{{../title}})"),
        ("partials/wrap.hbs", "<{{> @partial-block}}>"),
        ("partials/slot.hbs", "{{> part}}"),
        ("partials/lines.hbs", "one\ntwo\n"),
    ];
    for (template, expected) in RECORDED {
        let mut files = partials.to_vec();
        files.push(("main.hbs", template));
        // Ghost appends a space to a template that ends with its first tag.
        let blank = if template.find("}}") == Some(template.len() - 2) {
            " "
        } else {
            ""
        };
        let html = rendered(&files).unwrap();
        assert_eq!(html, format!("{expected}{blank}"), "{template}");
    }
}

/// Ghost appends a space to a text of one UTF-16 unit. A character outside of the basic plane has two.
#[test]
fn texts_of_one_unit_get_a_blank() {
    for (text, expected) in [
        ("é", "[é ]"),
        ("\n", "[\n ]"),
        ("🌐", "[🌐]"),
        ("ab", "[ab]"),
    ] {
        let html = rendered(&[("main.hbs", "[{{> icon}}]"), ("partials/icon.hbs", text)]);
        assert_eq!(html.unwrap(), expected);
    }
}

#[test]
fn times_are_written_as_dates_of_javascript() {
    let time: Timestamp = "2026-03-02T23:30:05.250Z".parse().unwrap();
    let value = Value::from(time);
    let written = "Mon Mar 02 2026 23:30:05 GMT+0000 (Coordinated Universal Time)";
    assert_eq!(value.to_string(), written);
    assert!(value.is_true());
    assert_eq!(value.get("length").to_string(), "");
}

#[test]
fn layouts_nest_and_take_blocks() {
    let html = rendered(&[
        (
            "main.hbs",
            "\n{{! first }}{{!< sub/page}}<{{title}}>{{#contentFor \"foot\"}}{{title}}{{/contentFor}}{{#contentFor \"foot\"}}2{{/contentFor}}{{set title=\"lost\"}}",
        ),
        ("sub/page.hbs", "{{!< ../default}}[{{{body}}}|{{title}}]"),
        (
            "default.hbs",
            "{{{body}}}{{{block \"foot\"}}}{{#block \"none\"}}{{@site.title}}{{/block}}",
        ),
    ]);
    let expected = "[\n<A &amp; &quot;B&quot;>|A &amp; &quot;B&quot;]A &amp; &quot;B&quot;\n2T";
    assert_eq!(html.unwrap(), expected);
    // Without a space, the tag is a comment.
    let html = rendered(&[("main.hbs", "{{!<default}}x"), ("default.hbs", "no")]);
    assert_eq!(html.unwrap(), "x");
    let missing = rendered(&[("main.hbs", "{{!< none}}x")]).unwrap_err();
    assert_eq!(missing.message, "Could not read file none.hbs");
}

#[test]
fn errors_of_layouts_are_at_the_tag_that_names_them() {
    let position_of = |error: &RenderError| error.position.as_ref().map(ToString::to_string);
    let missing = rendered(&[("main.hbs", "one\n {{!< none}}x")]).unwrap_err();
    assert_eq!(position_of(&missing).as_deref(), Some("main.hbs:2:2"));
    assert!(missing.help.is_some_and(|help| help.contains("none.hbs")));
    for (files, message, position) in [
        (
            &[("main.hbs", "{{!< main}}")][..],
            "circular layout: main.hbs → main.hbs",
            "main.hbs:1:1",
        ),
        (
            &[("main.hbs", "{{!< a}}"), ("a.hbs", "\n{{!< main}}")],
            "circular layout: main.hbs → a.hbs → main.hbs",
            "a.hbs:2:1",
        ),
    ] {
        let error = rendered(files).unwrap_err();
        assert_eq!(error.message, message);
        assert_eq!(position_of(&error).as_deref(), Some(position), "{message}");
    }
}

#[test]
fn page_fails_with_the_error_of_the_text_that_it_uses() {
    for (files, position) in [
        (&[("main.hbs", "\n{{#if")][..], "main.hbs"),
        (
            &[("main.hbs", "{{> card}}"), ("partials/card.hbs", "\n{{#if")],
            "partials/card.hbs",
        ),
        (
            &[("main.hbs", "{{!< default}}x"), ("default.hbs", "{{#if")],
            "default.hbs",
        ),
    ] {
        let mut templates = Templates::new();
        let mut expected = None;
        for (path, text) in files {
            match Template::parse(path, text) {
                Ok(template) => templates.insert(template),
                Err(error) => {
                    expected = Some(error.clone());
                    templates.insert_broken(error);
                }
            }
        }
        let (error, expected) = (rendered_by(&templates).unwrap_err(), expected.unwrap());
        assert_eq!(error.message, expected.reason, "{position}");
        assert_eq!(error.position, Some(expected.position), "{position}");
    }
}

#[test]
fn messages_are_short_whatever_values_are_in_them() {
    let error = RenderError::new("é".repeat(5000));
    assert_eq!(error.message.chars().count(), 1001);
    assert!(error.message.ends_with("é…"));
}

#[test]
fn errors_have_the_position_of_the_innermost_tag() {
    for (template, position) in [
        ("é\n {{fail}}", "main.hbs:2:2"),
        (
            "{{#if yes}}\n{{#each list}}{{fail}}{{/each}}{{/if}}",
            "main.hbs:2:15",
        ),
        ("a {{> card}}", "partials/card.hbs:2:1"),
        ("{{echo (fail)}}", "main.hbs:1:8"),
        ("{{> none}}", "main.hbs:1:1"),
        ("{{none 1}}", "main.hbs:1:1"),
        ("{{if yes}}", "main.hbs:1:1"),
        (
            "{{#with 1 as |a|}}{{/with}}{{#if 1 as |a|}}{{a}}{{/if}}",
            "main.hbs:1:44",
        ),
    ] {
        let error = rendered(&[("main.hbs", template), ("partials/card.hbs", "\n{{fail}}")]);
        let error = error.unwrap_err();
        assert_eq!(error.position.unwrap().to_string(), position, "{template}");
        assert!(!error.is_limit);
    }
    // A helper may catch an error of its block; then nothing of the block is written.
    let html = rendered(&[("main.hbs", "a{{#quiet}}b{{fail}}{{/quiet}}c")]);
    assert_eq!(html.unwrap(), "a-c");
}

#[test]
fn helpers_render_partials_of_the_theme_before_built_in_ones() {
    let main = ("main.hbs", "{{#box site}}{{built_in}}{{/box}}{{built_in}}");
    assert_eq!(
        rendered(&[main]).unwrap(),
        "[<menu>L</menu>]<menu>A &amp; &quot;B&quot;</menu>"
    );
    // If no template of a theme uses a partial, Ghost ignores all its partials (6.65, recorded).
    let own = ("partials/menu.hbs", "own {{name}}.");
    let using = ("other.hbs", "{{> menu}}");
    assert_eq!(rendered(&[main, own]).unwrap(), rendered(&[main]).unwrap());
    assert_eq!(rendered(&[main, own, using]).unwrap(), "[own S.]own .");
}

#[test]
fn hostile_templates_end_at_a_limit() {
    let long = "{{#each list}}".repeat(30) + "x" + &"{{/each}}".repeat(30);
    let long = long.replace("{{#each list}}", "{{#each @root.list}}");
    for template in [
        "{{> card}}",
        "{{#*inline \"card\"}}{{#box yes}}{{> card}}{{/box}}{{/inline}}{{> card}}",
        "{{!< main}}x",
        long.as_str(),
        &("{{#box 1}}".repeat(201) + &"{{/box}}".repeat(201)),
        &format!("{{{{echo {}1{}}}}}", "(echo ".repeat(201), ")".repeat(201)),
        &format!("{{{{#if no}}}}{}{{{{/if}}}}", "{{else if no}}".repeat(201)),
        "{{#quiet}}{{> card}}{{/quiet}}",
    ] {
        let card = (
            "partials/card.hbs",
            "{{#> card}}{{> @partial-block}}{{/card}}",
        );
        let error = rendered(&[("main.hbs", template), card]).unwrap_err();
        assert!(error.is_limit, "{template}: {error}");
    }
    let small = Limits {
        output_bytes: 10,
        ..Limits::default()
    };
    let large = templates(&[("main.hbs", "{{#each list}}{{../title}}{{/each}}")]);
    let error = large.render("main", &root(), &[], &NoState, helper, &small);
    assert!(error.unwrap_err().is_limit);
}

#[test]
fn time_of_a_page_ends_at_the_position_that_it_has_reached() {
    let no_time = Limits {
        time: Duration::ZERO,
        ..Limits::default()
    };
    let main = format!("a\n{}", "{{#if yes}}b{{/if}}".repeat(20));
    let page = templates(&[("main.hbs", &main)]);
    let error = page.render("main", &root(), &[], &NoState, helper, &no_time);
    let error = error.unwrap_err();
    assert!(error.is_limit);
    let message = error.to_string();
    assert!(message.starts_with("main.hbs:2:"), "{message}");
    assert!(message.ends_with("longer than 0 s"), "{message}");
}

#[test]
fn values_of_helpers_are_bounded_although_they_are_not_written() {
    let small = Limits {
        value_bytes: 100,
        ..Limits::default()
    };
    let main = "{{#each @root.list}}{{#if (echo @root.title)}}{{/if}}{{/each}}".repeat(50);
    let page = templates(&[("main.hbs", &main)]);
    let error = page.render("main", &root(), &[], &NoState, helper, &small);
    let error = error.unwrap_err();
    assert!(error.is_limit, "{error}");
    assert!(error.position.is_some());
}

#[test]
fn texts_that_are_not_templates_are_refused_with_the_line() {
    for (template, line) in [
        ("{{#if a}}\n", 1),
        ("a\n{{/if}}", 2),
        ("{{#if a}}\n\n{{/each}}", 3),
        ("{{else}}", 1),
        ("{{#if a}}{{else}}{{else}}{{/if}}", 1),
        ("{{#if a}}{{else}}{{else if b}}{{/if}}", 1),
        ("{{^if a}}{{else if b}}{{/if}}", 1),
        ("\n{{title", 2),
        ("{{t \"a}}", 1),
        ("{{title}}}", 1),
        ("{{{title}}", 1),
        ("{{}}", 1),
        ("{{a (b}}", 1),
        ("{{a b)}}", 1),
        ("{{a b=}}", 1),
        ("{{a b=1 c}}", 1),
        ("{{a/}}", 1),
        ("{{a.this}}", 1),
        ("{{a.1}}", 1),
        ("{{a as |b|}}", 1),
        ("{{#a as ||}}{{/a}}", 1),
        ("{{a;b}}", 1),
        ("{{!-- no end }}", 1),
        ("{{{{raw}}}} {{{{/other}}}}", 1),
        ("{{#> layout}}{{else}}{{/layout}}", 1),
        ("{{* inline \"a\"}}", 1),
        ("{{> a b c}}", 1),
    ] {
        let error = Template::parse("a.hbs", template).expect_err(template);
        assert_eq!(error.position.line, line, "{template}: {error}");
    }
    let nested = |depth: usize| "{{#a}}".repeat(depth) + &"{{/a}}".repeat(depth);
    assert!(Template::parse("a.hbs", &nested(250)).is_ok());
    assert!(Template::parse("a.hbs", &nested(251)).is_err());
    let open = format!("{{{{a {}", "(b ".repeat(100_000));
    assert!(Template::parse("a.hbs", &open).is_err());
}

#[test]
fn templates_are_checked_against_each_other() {
    let checked = |files: &[(&str, &str)]| {
        let mut templates = Templates::new();
        let mut broken = Vec::new();
        for (path, text) in files {
            match Template::parse(path, text) {
                Ok(template) => templates.insert(template),
                Err(error) => broken.push(error),
            }
        }
        let errors = templates.check(&broken, |name| helper(name).is_some());
        let errors = errors.iter().map(ToString::to_string);
        errors.collect::<Vec<_>>().join("; ")
    };
    let unused = (
        "partials/unused.hbs",
        "{{#if a}}{{> none}}{{/if}}{{none 1}}",
    );
    let broken = ("partials/broken.hbs", "{{#if}}");
    for (template, expected) in [
        (
            "{{none}}{{#none}}{{/none}}{{@none}}{{a.b}}{{echo 1}}{{#contentFor \"a\"}}{{/contentFor}}",
            "",
        ),
        (
            "{{> card}}{{> @partial-block}}{{#> card}}x{{/card}}{{#> (echo 1)}}{{/undefined}}",
            "",
        ),
        (
            "{{#*inline \"row\"}}{{/inline}}{{> row}}{{#if a}}{{> row}}{{/if}}{{this 1}}",
            "",
        ),
        (
            "{{#*inline \"row\"}}{{/inline}}{{> row}}{{> in_card}}{{> card}}",
            "main.hbs:1:39: the partial \"in_card\" does not exist",
        ),
        (
            "{{#> none}}x{{/none}}",
            "main.hbs:1:1: the partial \"none\" does not exist",
        ),
        (
            "{{none 1}}",
            "main.hbs:1:1: the helper \"none\" does not exist",
        ),
        (
            "\n{{#none a=1}}{{/none}}",
            "main.hbs:2:1: the helper \"none\" does not exist",
        ),
        (
            "{{#if (none)}}{{/if}}",
            "main.hbs:1:7: the helper \"none\" does not exist",
        ),
        (
            "{{echo a=(a.b)}}",
            "main.hbs:1:10: the helper \"a.b\" does not exist",
        ),
        (
            "{{> none}}",
            "main.hbs:1:1: the partial \"none\" does not exist",
        ),
        (
            "{{#if a}}{{else}}{{> none}}{{/if}}",
            "main.hbs:1:18: the partial \"none\" does not exist",
        ),
        (
            "{{> (echo 1)}}",
            "main.hbs:1:1: a partial with a computed name must have a block",
        ),
        (
            "{{#unless a b}}{{/unless}}",
            "main.hbs:1:1: \"unless\" needs exactly one argument",
        ),
        (
            "{{> broken}}",
            "partials/broken.hbs:1:1: the block \"if\" is not closed",
        ),
        ("{{#", "main.hbs:1:4: the template ends inside a tag"),
    ] {
        let card = ("partials/card.hbs", "{{#*inline \"in_card\"}}{{/inline}}");
        assert_eq!(
            checked(&[("main.hbs", template), card, unused, broken]),
            expected,
            "{template}"
        );
    }
}

#[test]
fn templates_are_shared_between_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Templates>();
}
