//! Properties of the templates of themes: a text is a template, or is rejected with a position in it; rendering is
//! deterministic and ends within its limits, with a page or with an error and its position; text without tags is
//! unchanged.

use std::time::Duration;

use galley::templates::{
    Helper, Limits, PlainObject, RenderError, Template, TemplatePosition, Templates, Value,
};
use serde_json::json;

/// The limits of rendering a page.
const LIMITS: Limits = Limits {
    depth: 100,
    output_bytes: 1 << 16,
    value_bytes: 1 << 16,
    steps: 20_000,
    time: Duration::from_secs(60),
};

/// Panics unless these properties hold for a template, which is used as a page, as its layout and as a partial of
/// itself.
pub fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let paths = ["page.hbs", "layout.hbs", "partials/a.hbs"];
    let mut templates = Templates::new();
    for path in paths {
        match Template::parse(path, &text) {
            Ok(template) => templates.insert(template),
            Err(error) => {
                assert_eq!(&*error.position.template, path);
                return check_position(&error.position, &text);
            }
        }
    }
    for error in templates.check(&[], |name| helper(name).is_some()) {
        check_position(&error.position, &text);
    }
    let page = rendered(&templates);
    match (&page, rendered(&templates)) {
        (Ok(page), Ok(again)) => assert_eq!(*page, again),
        (Err(error), Err(again)) => assert_eq!(error.to_string(), again.to_string()),
        _ => panic!("rendering succeeded once and failed once"),
    }
    match page {
        Ok(page) => {
            assert!(page.len() <= LIMITS.output_bytes);
            // A space may follow the text.
            let is_same = page == text || page == format!("{text} ");
            assert!(is_same || text.contains("{{"));
        }
        Err(error) => {
            let is_own = |position: &&TemplatePosition| paths.contains(&&*position.template);
            let position = error.position.iter().filter(is_own);
            position.for_each(|position| check_position(position, &text));
        }
    }
}

fn check_position(position: &TemplatePosition, text: &str) {
    // A space may follow the text.
    let line = text.split('\n').nth(position.line - 1).unwrap();
    assert!((1..=line.chars().count() + 2).contains(&position.column));
}

fn rendered(templates: &Templates) -> Result<String, RenderError> {
    let root = Value::from(&json!({
        "title": "A <b>", "a": {"b": {"c": 1.5}, "name": "A"}, "list": [1, null, "x", [2], {"a": "y"}],
        "none": null, "yes": true, "zero": 0, "html": "<p>",
    }));
    let site = PlainObject::new().with("title", "Harbour");
    templates.render(
        "page",
        &root,
        &[("site", site.into())],
        &(),
        helper,
        &LIMITS,
    )
}

fn helper(name: &str) -> Option<Helper<()>> {
    Some(match name {
        "echo" => |call| Ok(call.argument(0)),
        "html" => |call| Ok(Value::html(call.argument(0).to_string())),
        "set" => |call| {
            for (name, value) in call.hash().to_vec() {
                call.set_in_context(&name, value);
            }
            Ok(Value::Undefined)
        },
        "box" => |call| {
            let value = call.argument(0);
            let data = [("index", Value::from(1_usize))];
            let block = call.capture(|call| {
                call.render_block(&value, &data, std::slice::from_ref(&value))?;
                call.render_inverse(&value, &data)
            })?;
            call.write(&block);
            Ok(call.property("title"))
        },
        "menu" => |call| {
            let this = call.this().clone();
            call.render_partial("menu", "{{> a}}{{title}}", &this, &[])?;
            Ok(Value::Undefined)
        },
        _ => return None,
    })
}
