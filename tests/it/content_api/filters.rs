//! Tests of filters on a record's columns: comparisons, groups and invalid filters.

use super::fixture;
use galley_tests::{TestSite, test_site::filtered};

/// Starts a site with four posts that differ in every kind of value: pie, tart, lodz and quote, from oldest to newest.
fn site() -> TestSite {
    TestSite::builder()
        .file("site.toml", "timezone = 'Asia/Tokyo'\n")
        .file(
            "posts/pie.md",
            "---\ntitle: Apple pie\ndate: 2024-01-01T00:00:00Z\nfeatured: true\nmeta_title: Bake\n---\n",
        )
        .file(
            "posts/tart.md",
            "---\ntitle: apple tart\ndate: 2024-06-18T00:00:00Z\ncustom_excerpt: Sweet\n---\n",
        )
        .file("posts/lodz.md", "---\ntitle: Łódź 100%\ndate: 2024-06-18T22:41:00Z\n---\n")
        .file(
            "posts/quote.md",
            "---\ntitle: It's \"q\" a_b\ndate: 2025-01-01T00:00:00Z\nog_title: O\n---\n",
        )
        .start()
}

const ALL: &[&str] = &["quote", "lodz", "tart", "pie"];
const NONE: &[&str] = &[];

/// Asserts the slugs of the posts that match each filter, newest first.
fn assert_found(app: &TestSite, cases: &[(&str, &[&str])]) {
    for (filter, expected) in cases {
        assert_eq!(app.slugs(&filtered("posts", filter)), *expected, "{filter}");
    }
}

#[test]
fn case_and_accents_are_ignored() {
    assert_found(
        &site(),
        &[
            ("title:'Apple pie'", &["pie"]),
            ("title:'ápple PIE'", &["pie"]),
            ("title:['APPLE TART',nosuch]", &["tart"]),
            ("title:-'apple pie'", &["quote", "lodz", "tart"]),
            ("title:'Apple pie '", NONE),
            ("visibility:PUBLIC+title:~'apple'", &["tart", "pie"]),
            ("slug:[TART,Pie]", &["tart", "pie"]),
            ("title:~'APPLE'", &["tart", "pie"]),
            ("title:-~'APPLE'", &["quote", "lodz"]),
            ("title:~^'apple'", &["tart", "pie"]),
            ("title:~^'pie'", NONE),
            ("title:-~^'apple'", &["quote", "lodz"]),
            ("title:~$'PIE'", &["pie"]),
            ("title:-~$'PIE'", &["quote", "lodz", "tart"]),
            ("title:~'łÓDŹ'", &["lodz"]),
            ("title:~'lodz'", &["lodz"]),
        ],
    );
}

#[test]
fn special_characters_of_other_query_languages_are_literal() {
    assert_found(
        &site(),
        &[
            ("title:~'%'", &["lodz"]),
            ("title:~'_'", &["quote"]),
            ("title:~'a_b'", &["quote"]),
            ("title:~'.*'", NONE),
            ("title:~'^A'", NONE),
            ("title:~'e$'", NONE),
            (r#"title:'It\'s \"q\" a_b'"#, &["quote"]),
            ("title:'x\\' OR 1=1 --'", NONE),
        ],
    );
}

#[test]
fn list_matches_any_and_negated_list_none() {
    assert_found(
        &site(),
        &[
            ("slug:[pie,tart]", &["pie", "tart"]),
            ("slug:[ tart , nosuch ]", &["tart"]),
            ("slug:-[pie,tart]", &["quote", "lodz"]),
            ("slug:-[nosuch]", ALL),
            ("slug:[pie+tart]", NONE),
            ("featured:[true,false]", ALL),
        ],
    );
}

#[test]
fn signs_sort_before_letters_and_case_is_ignored() {
    assert_found(
        &site(),
        &[
            ("title:>'a'", ALL),
            ("title:<'a'", NONE),
            ("title:>='APPLE TART'", &["quote", "lodz", "tart"]),
            ("title:<='apple pie'", &["pie"]),
            ("title:>='lodz'+title:<'lodzz'", &["lodz"]),
        ],
    );
}

#[test]
fn booleans_match_numbers() {
    assert_found(
        &site(),
        &[
            ("featured:true", &["pie"]),
            ("featured:TRUE", &["pie"]),
            ("featured:1", &["pie"]),
            ("featured:0", &["quote", "lodz", "tart"]),
            ("featured:-true", &["quote", "lodz", "tart"]),
            ("featured:'true'", &["pie"]),
            ("featured:'1'", &["pie"]),
            ("featured:2", NONE),
        ],
    );
}

#[test]
fn times_in_filters_are_utc() {
    assert_found(
        &site(),
        &[
            ("published_at:>'2024-06-18'", &["quote", "lodz"]),
            ("published_at:>=2024-06-18", &["quote", "lodz", "tart"]),
            ("published_at:<'2024-06-18'", &["pie"]),
            ("published_at:'2024-06-18'", &["tart"]),
            ("published_at:'2024-06-18 22:41:00'", &["lodz"]),
            ("published_at:<'2024-06-18 22:41:00'", &["tart", "pie"]),
            ("published_at:'2024-06-18T22:41:00Z'", &["lodz"]),
            ("published_at:'2024-06-18T22:41:00.000Z'", &["lodz"]),
            ("published_at:'2024-06-19T07:41:00+09:00'", &["lodz"]),
            (
                "published_at:>2024-06-18T00:00:00Z+published_at:<'2025-01-01'",
                &["lodz"],
            ),
        ],
    );
}

#[test]
fn dates_match_in_every_accepted_format() {
    assert_found(
        &site(),
        &[
            ("published_at:'2024-6-18'", &["tart"]),
            ("published_at:2024/06/18", &["tart"]),
            ("published_at:'20240618'", &["tart"]),
            ("published_at:' 2024-06-18 '", &["tart"]),
            ("published_at:>'2024-6-18'", &["quote", "lodz"]),
            ("published_at:'2024-06-18 22:41'", &["lodz"]),
            ("published_at:'2024-06-18T22:41Z'", &["lodz"]),
            ("published_at:-'2024/6/18'", &["quote", "lodz", "pie"]),
            ("published_at:['2024-1-1','20240618']", &["tart", "pie"]),
            ("published_at:-['2024-1-1','20240618']", &["quote", "lodz"]),
            ("published_at:<'9999-12-31'", ALL),
            ("published_at:~^'2024-06'", &["lodz", "tart"]),
            ("created_at:>'0001-01-01'", ALL),
        ],
    );
}

#[test]
fn comparing_a_time_with_an_invalid_date_is_rejected() {
    let app = site();
    for (field, value) in [
        ("published_at", "'undefined'"),
        ("published_at", "undefined"),
        ("published_at", "'2024'"),
        ("published_at", "'2024-03'"),
        ("published_at", "'2024-02-31'"),
        ("published_at", "'2024-01-01 24:00:00'"),
        ("published_at", "'1704067200'"),
        ("published_at", "now"),
        ("published_at", "0"),
        ("published_at", "20240101"),
        ("published_at", "true"),
        ("posts.updated_at", "'garbage'"),
    ] {
        for filter in [
            format!("{field}:{value}"),
            format!("{field}:-{value}"),
            format!("{field}:<={value}"),
            format!("{field}:[2024-01-01,{value}]"),
            format!("slug:pie,(title:pie+{field}:>{value})"),
        ] {
            let response = app.content(&filtered("posts", &filter));
            let error = &response.json()["errors"][0];
            assert_eq!(response.status, 422, "{filter}: {error}");
            assert_eq!(error["type"], "ValidationError", "{filter}");
            let message = error["message"].as_str().unwrap();
            let named = value.trim_matches('\'');
            assert!(message.contains(&format!("\"{named}\"")), "{message}");
            assert!(message.contains(field), "{message}");
        }
    }
}

#[test]
fn dates_for_private_fields_are_not_validated() {
    let app = site();

    let response = app.content(&filtered("tags", "created_at:'undefined'"));

    assert_eq!(response.status, 200);
}

#[test]
fn numbers_and_text_are_not_compared() {
    assert_found(
        &site(),
        &[
            ("featured:yes", NONE),
            ("featured:<'m'", NONE),
            ("featured:>'m'", NONE),
            ("featured:-yes", ALL),
            ("featured:[yes,1]", &["pie"]),
            ("featured:-[yes,1]", &["quote", "lodz", "tart"]),
            ("featured:<0.5", &["quote", "lodz", "tart"]),
            ("featured:>'-0.5'", ALL),
            ("featured:>0.5", &["pie"]),
            ("featured:'1.0'", &["pie"]),
            ("featured:<99999999999999999999", ALL),
            ("title:0", NONE),
            ("title:<5", NONE),
        ],
    );
}

#[test]
fn null_matches_only_null() {
    assert_found(
        &site(),
        &[
            ("custom_excerpt:null", &["quote", "lodz", "pie"]),
            ("custom_excerpt:-null", &["tart"]),
            ("custom_excerpt:-Sweet", NONE),
            ("custom_excerpt:-other", &["tart"]),
            ("custom_excerpt:-[a,b]", &["tart"]),
            ("custom_excerpt:-~'x'", &["tart"]),
            ("custom_excerpt:<'Z'", &["tart"]),
            ("custom_excerpt:[null,Sweet]", ALL),
        ],
    );
}

#[test]
fn negated_meta_filter_skips_posts_without_meta() {
    assert_found(
        &site(),
        &[
            ("meta_title:Bake", &["pie"]),
            ("posts_meta.meta_title:Bake", &["pie"]),
            ("posts_meta.og_title:O", &["quote"]),
            ("meta_title:null", &["quote", "lodz", "tart"]),
            ("meta_title:-null", &["pie"]),
            ("meta_title:-Bake", &["quote", "lodz", "tart"]),
            ("meta_title:-[Bake,x]", &["quote", "lodz", "tart"]),
            ("meta_title:-~'x'", &["pie"]),
            ("meta_title:null,featured:true", ALL),
        ],
    );
}

#[test]
fn reading_time_is_a_null_column_in_filters() {
    assert_found(
        &site(),
        &[
            ("reading_time:null", ALL),
            ("reading_time:>1", &[]),
            ("reading_time:0", &[]),
        ],
    );
}

#[test]
fn and_binds_tighter_than_or_and_parentheses_group() {
    assert_found(
        &site(),
        &[
            ("slug:tart,slug:pie+featured:true", &["tart", "pie"]),
            ("slug:pie,slug:tart+featured:true", &["pie"]),
            ("(slug:pie,slug:tart)+featured:true", &["pie"]),
            ("slug:tart,(slug:pie+featured:false)", &["tart"]),
            ("(featured:true)", &["pie"]),
            ("((featured:true))", &["pie"]),
            ("(featured:true),(slug:tart)", &["tart", "pie"]),
            ("((slug:pie),((slug:tart)))+((featured:false))", &["tart"]),
            (" ( slug: pie , slug: tart ) + featured: false ", &["tart"]),
            ("(og_title:O)", &["quote"]),
        ],
    );
}

#[test]
fn status_condition_is_ignored_and_type_applies() {
    assert_found(
        &site(),
        &[
            ("status:draft", ALL),
            ("status:published+featured:true", &["pie"]),
            ("status:draft,featured:true", &["pie"]),
            ("(status:[draft,scheduled])", ALL),
            ("type:post", ALL),
            ("type:page", NONE),
            ("type:page,featured:true", &["pie"]),
        ],
    );
}

#[test]
fn ids_match_individually_and_in_lists() {
    let app = site();
    let ids = app.values("posts/", "id");
    assert_eq!(
        app.slugs(&filtered("posts", &format!("id:{}", ids[1]))),
        ["lodz"]
    );
    assert_eq!(
        app.slugs(&filtered("posts", &format!("id:'{}'", ids[1]))),
        ["lodz"]
    );
    assert_eq!(
        app.slugs(&filtered("posts", &format!("id:-{}", ids[1]))),
        ["quote", "tart", "pie"]
    );
    let both = format!("id:[{},{}]", ids[3], ids[0]);
    assert_eq!(app.slugs(&filtered("posts", &both)), ["quote", "pie"]);
    let uuid = app.values("posts/", "uuid").remove(2);
    assert_eq!(
        app.slugs(&filtered("posts", &format!("uuid:{uuid}"))),
        ["tart"]
    );
}

#[test]
fn malformed_filter_is_rejected() {
    let app = fixture::site();
    for filter in [
        "title",
        "title:",
        ":a",
        "title:~word",
        "title:''",
        "title:\"a b\"",
        "title :a",
        "((",
        "featured:true)",
        "type:page),(type:page",
        "slug:[]",
        "slug:[a,b+c]",
        "slug:-[a+b]",
        "featured:true featured:false",
        "featured:true+",
        ",featured:true",
        "slug:a''",
    ] {
        for resource in ["posts", "pages", "tags", "authors"] {
            let response = app.content(&filtered(resource, filter));
            let error = &response.json()["errors"][0];
            assert_eq!(response.status, 400, "{resource} {filter}");
            assert_eq!(error["type"], "BadRequestError", "{filter}");
            assert_eq!(error["code"], serde_json::Value::Null, "{filter}");
        }
    }
}

#[test]
fn unknown_field_is_rejected_with_its_position() {
    let app = fixture::site();
    for filter in [
        "nosuch:1",
        "tags.nosuch:1",
        "authors.nosuch:1",
        "count.posts:>1",
        "url:x",
        "excerpt:x",
        "access:true",
        "tiers:x",
        "primary_tag.slug:x",
        "page:true",
        "featured:true,nosuch:1",
        "pages.title:x",
    ] {
        assert_eq!(
            app.content(&filtered("posts", filter)).status,
            400,
            "{filter}"
        );
    }
    for resource in ["pages", "tags", "authors"] {
        assert_eq!(
            app.content(&filtered(resource, "nosuch:1")).status,
            400,
            "{resource}"
        );
    }
    let response = app
        .content(&filtered("posts", "featured:true+nosuch:1"))
        .json();
    let context = response["errors"][0]["context"].as_str().unwrap();
    assert!(
        context.contains("\"nosuch\"") && context.contains("character 15"),
        "{context}"
    );
}

#[test]
fn hostile_filter_is_rejected_quickly() {
    let app = fixture::site();
    for filter in [
        "(".repeat(1_000),
        "a:b,".repeat(600) + "a:b",
        format!("slug:[{}a]", "a,".repeat(1_000)),
    ] {
        let started = std::time::Instant::now();
        assert_eq!(app.content(&filtered("posts", &filter)).status, 400);
        assert!(started.elapsed().as_secs() < 2);
    }
    let too_long = format!("slug:{}", "a".repeat(10_000));
    assert_eq!(app.content(&filtered("posts", &too_long)).status, 414);
}

#[test]
fn tags_and_authors_are_filtered_by_their_own_fields() {
    let app = fixture::site();
    for (resource, filter, expected) in [
        ("tags", "name:Letters", &["letters"][..]),
        ("tags", "tags.name:Letters", &["letters"]),
        ("tags", "visibility:internal", &["hash-note"]),
        ("tags", "slug:~^'hash-'", &["hash-note"]),
        ("tags", "description:-null", &["letters"]),
        ("tags", "accent_color:null", &["hash-note", "travel"]),
        ("tags", "name:'#note'", &["hash-note"]),
        ("tags", "slug:unused", &[]),
        ("authors", "location:Lisbon", &["ada"]),
        ("authors", "name:~'B'", &["ben"]),
        ("authors", "website:null", &["ben"]),
        ("authors", "slug:-ada", &["ben"]),
        ("authors", "slug:cleo", &[]),
        ("pages", "slug:-about", &["crew"]),
        ("pages", "visibility:members", &["crew"]),
        ("newsletters", "slug:weekly", &["weekly"]),
        ("newsletters", "slug:ended", &[]),
    ] {
        assert_eq!(
            app.slugs(&filtered(resource, filter)),
            expected,
            "{resource} {filter}"
        );
    }
}
