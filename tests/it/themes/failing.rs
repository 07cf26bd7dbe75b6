//! Tests of pages whose template fails, and of rejected calls of `{{#get}}`.

use serde_json::json;

use super::{
    get,
    pages::{publish, site_with},
};

/// A call that fails in every template.
const FAILS: &str = "{{price 5 currency=\"nope\"}}";

/// Ghost 6.65: the error page has the contexts of the failed page, but not its record.
#[test]
fn error_page_of_a_failing_template_has_the_contexts_of_the_page() {
    let error = "{{statusCode}}:{{context}}:{{#is \"post\"}}P{{/is}}:{{post.title}}{{title}}:{{@page.show_title_and_feature_image}}\n{{ghost_head}}";
    let site = site_with(&[
        ("index.hbs", FAILS),
        ("post.hbs", FAILS),
        ("tag.hbs", FAILS),
        ("error.hbs", error),
    ]);
    let tagged = json!({"title": "High water", "tags": [{"name": "Sea"}]});
    publish(&site, "posts", tagged);
    for (path, first_line, kind) in [
        ("/high-water/", "400:post:P::true", "article"),
        ("/tag/sea/", "400:tag:::", "website"),
        ("/", "400:home,index:::", "website"),
    ] {
        let page = get(&site, path);
        assert_eq!(page.status, 400, "{path}");
        let text = page.text();
        assert_eq!(text.lines().next(), Some(first_line), "{path}");
        let kind = format!("<meta property=\"og:type\" content=\"{kind}\">");
        assert!(text.contains(&kind), "{path}: {text}");
        assert!(text.contains("<link rel=\"canonical\""), "{path}: {text}");
        assert!(!text.contains("High water"), "{path}: {text}");
    }
    let missing = get(&site, "/nowhere/");
    let missing = missing.text();
    assert_eq!(missing.lines().next(), Some("404::::"));
    assert!(!missing.contains("canonical"), "{missing}");
}

#[test]
fn get_rejects_empty_or_invalid_arguments_with_ghosts_messages() {
    const LIMIT: &str = "Validation (matches) failed for limit";
    const REQUEST: &str = "Could not understand request.";
    for (arguments, found) in [
        ("limit=@custom.none", LIMIT),
        ("limit=\"\"", LIMIT),
        ("limit=\"2.5\"", LIMIT),
        ("limit=0", "1"),
        ("page=@custom.none", "Validation (matches) failed for page"),
        ("order=\"\"", "Validation (matches) failed for order"),
        (
            "include=\"\"",
            "The model layer expects using `withRelated`.",
        ),
        ("filter=\"\"", "1"),
        ("filter=@custom.none", "1"),
        ("filter=\"tide:high\"", REQUEST),
        (
            "filter=\"slug:'{{@root.posts.[0].slug}}'\"",
            "Error parsing filter",
        ),
        ("fields=\"title,tags\"", REQUEST),
        (
            "formats=\"word\"",
            "Validation (AllowedValues) failed for formats",
        ),
        ("slug=\"High water\"", "Validation (isSlug) failed for slug"),
        ("id=\"high\"", "Validation (matches) failed for id"),
        ("slug=\"high-water\"", "1"),
    ] {
        let index = format!(
            "{{{{#get \"posts\" {arguments}}}}}{{{{posts.length}}}}{{{{else}}}}{{{{{{@error}}}}}}{{{{/get}}}}"
        );
        let site = site_with(&[("index.hbs", &index)]);
        publish(&site, "posts", json!({"title": "High water"}));
        assert_eq!(get(&site, "/").text().trim(), found, "{arguments}");
    }
}

#[test]
fn requested_fields_omit_post_counts() {
    let index = "{{#get \"tags\" fields=\"name\" include=\"count.posts\"}}{{#foreach tags}}{{name}}{{count.posts}},{{/foreach}}{{/get}}\
        {{#get \"tags\" include=\"count.posts\"}}{{#foreach tags}}{{name}}{{count.posts}},{{/foreach}}{{/get}}\
        {{#get \"posts\" fields=\"title,reading_time\"}}{{#foreach posts}}{{title}}{{this.reading_time}},{{/foreach}}{{/get}}\
        {{#get \"posts\" fields=\"title,html,reading_time\"}}{{#foreach posts}}{{title}}{{this.reading_time}},{{/foreach}}{{/get}}";
    let site = site_with(&[("index.hbs", index)]);
    let post =
        json!({"title": "Ebb", "html": "<p>Words of the sea.</p>", "tags": [{"name": "Sea"}]});
    publish(&site, "posts", post);
    let page = get(&site, "/");
    assert_eq!(page.text().trim(), "Sea,Sea1,Ebb,Ebb0,");
}

/// Ghost renders asynchronous blocks such as `{{#get}}` last, after the layout.
#[test]
fn content_of_asynchronous_blocks_is_not_in_the_layout() {
    let site = site_with(&[
        (
            "default.hbs",
            "[{{{block \"aside\"}}}]{{#get \"posts\"}}<{{{block \"aside\"}}}>{{/get}}",
        ),
        (
            "index.hbs",
            "{{!< default}}\n{{#get \"posts\"}}{{#contentFor \"aside\"}}late{{/contentFor}}{{/get}}\
             {{#foreach posts}}{{#contentFor \"aside\"}}{{title}}{{/contentFor}}{{/foreach}}\
             {{#get \"none\"}}{{else}}{{#contentFor \"aside\"}}refused{{/contentFor}}{{/get}}",
        ),
    ]);
    publish(&site, "posts", json!({"title": "High water"}));
    let page = get(&site, "/");
    assert_eq!(
        page.text().trim(),
        "[High water\nrefused]<late\nHigh water\nrefused>"
    );
}

#[test]
fn layout_outside_the_theme_is_not_found() {
    let site = site_with(&[
        ("default.hbs", "{{{body}}}"),
        ("index.hbs", "{{!< ../default}}\nbody"),
        ("error.hbs", "{{statusCode}}"),
    ]);
    let page = get(&site, "/");
    assert_eq!((page.status, page.text().trim()), (400, "400"));
}

#[test]
fn helpers_interpret_unusual_arguments_as_ghost_does() {
    for (template, expected) in [
        (
            "{{#foreach (concat \"a\" \"b\")}}[{{this}}]{{else}}none{{/foreach}}",
            "[ab]",
        ),
        (
            "{{#foreach posts}}{{#has any=\"tags.[0].name\"}}yes{{else}}no{{/has}}{{/foreach}}",
            "yes",
        ),
        (
            "{{#foreach posts}}{{#has any=\"tags.[1].name\"}}yes{{else}}no{{/has}}{{/foreach}}",
            "no",
        ),
        ("{{#if (get \"posts\")}}yes{{else}}no{{/if}}", "yes"),
        (
            "{{#get \"posts\" \"tags\"}}yes{{else}}no{{/get}}",
            "undefined",
        ),
        ("{{#get \"posts\" order=5}}yes{{else}}no{{/get}}", "no"),
        ("{{social_url \"tide\" type=\"twitter\"}}", ""),
        ("{{price 500 currency=\"XXX\"}}", "¤5"),
        ("{{ghost_head exclude=5}}", ""),
        ("{{recommendations limit=\"x\"}}", ""),
    ] {
        let site = site_with(&[("index.hbs", template)]);
        let tagged = json!({"title": "High water", "tags": [{"name": "Sea"}]});
        publish(&site, "posts", tagged);
        let page = get(&site, "/");
        assert_eq!(page.text().trim(), expected, "{template}");
    }
    let fails = "{{#foreach posts}}{{tags visibility=5}}{{/foreach}}";
    let site = site_with(&[("index.hbs", fails)]);
    let tagged = json!({"title": "High water", "tags": [{"name": "Sea"}]});
    publish(&site, "posts", tagged);
    assert_eq!(get(&site, "/").status, 400);
}
