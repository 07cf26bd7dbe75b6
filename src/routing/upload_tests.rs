//! Tests of the rules for uploaded routes files.

use super::{parse, read_routes, upload_rules::RESERVED};

fn code_of(text: &str) -> Option<String> {
    let error = read_routes(text.as_bytes()).err()?;
    error.code_name().map(str::to_owned)
}

fn with_data(data: &str) -> String {
    format!("routes:\n  /f/:\n    data: {data}\n")
}

#[test]
fn names_that_mean_something_else_are_reserved() {
    for name in RESERVED {
        for entry in ["tag.a", "{type: read, resource: tags, slug: a}"] {
            let file = with_data(&format!("{{{name}: {entry}}}"));
            assert_eq!(code_of(&file).as_deref(), Some("INVALID_DATA"), "{file}");
        }
    }
    for name in [
        "tag", "post", "page", "posts", "authors", "Author", "fields", "title",
    ] {
        let file = with_data(&format!("{{{name}: tag.a}}"));
        assert_eq!(code_of(&file), None, "{file}");
    }
    assert_eq!(code_of(&with_data("author.ada")), None);
}

#[test]
fn data_names_records_that_there_are() {
    for (data, code) in [
        ("tags.a", Some("INVALID_RESOURCE")),
        ("Tag.a", Some("INVALID_RESOURCE")),
        ("user.a", Some("INVALID_RESOURCE")),
        ("'tag. a'", Some("INVALID_DATA")),
        ("{x: tags.a}", Some("INVALID_RESOURCE")),
        (
            "{x: {type: read, resource: users, slug: a}}",
            Some("INVALID_RESOURCE"),
        ),
        (
            "{x: {type: browse, resource: null}}",
            Some("INVALID_RESOURCE"),
        ),
        ("{x: {type: read, resource: tags}}", Some("INVALID_DATA")),
        (
            "{x: {type: read, resource: tags, slug: ''}}",
            Some("INVALID_DATA"),
        ),
        ("{x: {type: read, resource: tags, slug: a b}}", None),
        ("{x: {type: browse, resource: authors}}", None),
        ("{}", None),
    ] {
        assert_eq!(code_of(&with_data(data)).as_deref(), code, "{data}");
    }
}

#[test]
fn settings_have_the_types_of_ghost() {
    let of_data = |setting: &str| {
        with_data(&format!(
            "{{x: {{type: browse, resource: tags, {setting}}}}}"
        ))
    };
    for setting in [
        "limit: '5'",
        "limit: 1.5",
        "limit: all",
        "limit: ",
        "page: 0",
        "filter: ",
    ] {
        assert_eq!(code_of(&of_data(setting)), None, "{setting}");
    }
    for setting in [
        "limit: x",
        "limit: true",
        "limit: [5]",
        "page: '2'",
        "page: ",
        "order: 1",
        "fields: 1",
    ] {
        let code = code_of(&of_data(setting));
        assert_eq!(code.as_deref(), Some("INVALID_DATA"), "{setting}");
    }
    let of_record = |setting: &str| {
        with_data(&format!(
            "{{x: {{type: read, resource: tags, slug: a, {setting}}}}}"
        ))
    };
    assert_eq!(code_of(&of_record("limit: x")), None);
    assert_eq!(
        code_of(&of_record("redirect: x")).as_deref(),
        Some("INVALID_DATA")
    );
    let of_route = |setting: &str| format!("routes:\n  /f/:\n    template: a\n    {setting}\n");
    for setting in ["rss: x", "limit: x", "filter: 1", "content_type: 1"] {
        let code = code_of(&of_route(setting));
        assert_eq!(code.as_deref(), Some("INVALID_ROUTE_SETTINGS"), "{setting}");
    }
    for setting in ["rss:", "limit: 0", "filter:", "other: 1"] {
        assert_eq!(code_of(&of_route(setting)), None, "{setting}");
    }
}

#[test]
fn stored_routes_stay_in_use() {
    let routes = parse(&with_data("{author: tag.a}")).unwrap();
    assert_eq!(routes.routes.len(), 1);
}
