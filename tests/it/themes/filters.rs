//! Tests of filters of `{{#get}}` and of lists that Ghost 6.65 interprets differently from filters of Galley's Content API.

use galley_tests::{TestSite, owner};
use serde_json::json;

use super::{
    get,
    pages::{publish, site_with},
    routed::send_routes,
};

/// Returns a site with two posts tagged Letters, one tagged Gardens and one without a tag; the first two posts are featured.
fn site_with_posts(files: &[(&str, &str)]) -> TestSite {
    let site = site_with(files);
    for (title, tag, featured) in [
        ("Alder", Some("Letters"), true),
        ("Birch", Some("Gardens"), true),
        ("Cedar", Some("Letters"), false),
        ("Dogwood", None, false),
    ] {
        let tags: Vec<_> = tag
            .into_iter()
            .map(|name| json!({ "name": name }))
            .collect();
        publish(
            &site,
            "posts",
            json!({"title": title, "tags": tags, "featured": featured}),
        );
    }
    site
}

/// Returns the front page's text for each filter: the names of the matching records in order, or the error.
fn found(resource: &str, filters: &[&str]) -> Vec<String> {
    let name = if resource == "posts" { "title" } else { "name" };
    let calls = filters.iter().map(|filter| {
        format!(
            "{{{{#get \"{resource}\" filter=\"{filter}\" order=\"{name} asc\"}}}}\
             {{{{#each {resource}}}}}{{{{this.{name}}}}} {{{{/each}}}}{{{{else}}}}{{{{@error}}}}{{{{/get}}}}\n"
        )
    });
    let site = site_with_posts(&[("index.hbs", &calls.collect::<String>())]);
    if resource == "tiers" {
        let tier = json!({"tiers": [{"name": "Bronze", "currency": "usd", "monthly_price": 500, "yearly_price": 5000,
            "benefits": ["A badge"], "trial_days": 7}]});
        site.post_as(&owner(), "/tiers/", &tier);
    }
    let page = get(&site, "/");
    let lines = page.text().lines().map(|line| line.trim().to_owned());
    lines.take(filters.len()).collect()
}

/// Ghost adds parentheses around the filter of a query of posts, and its query ignores groups in doubled parentheses.
#[test]
fn doubled_parentheses_do_not_filter_posts() {
    const ALL: &str = "Alder Birch Cedar Dogwood";
    let cases = [
        ("(tag:letters)", ALL),
        ("(tag:letters,tag:gardens)", ALL),
        ("(tag:letters,tag:gardens)+featured:true", "Alder Birch"),
        ("((tag:letters))+featured:true", "Alder Birch"),
        ("featured:true,((tag:letters))", "Alder Birch"),
        ("tag:letters+(featured:true,slug:cedar)", "Alder Cedar"),
        ("(tag:letters+(featured:true))", ALL),
        ("(tag:letters)+(featured:true)", "Alder"),
    ];
    let filters = cases.map(|(filter, _)| filter);
    assert_eq!(found("posts", &filters), cases.map(|(_, found)| found));
}

#[test]
fn null_conditions_on_tags_match_as_in_ghost() {
    let cases = [
        ("tag:null", ""),
        ("tag:-null", "Dogwood"),
        ("primary_tag:null", ""),
        ("primary_tag:-null", ""),
        ("primary_tag:-null,slug:cedar", "Cedar"),
        ("slug:-[cedar,null]", ""),
    ];
    let filters = cases.map(|(filter, _)| filter);
    assert_eq!(found("posts", &filters), cases.map(|(_, found)| found));
}

#[test]
fn single_letter_values_need_quotes_before_a_parenthesis() {
    const INVALID: &str = "Error parsing filter";
    let of_posts = [
        ("slug:c", INVALID),
        ("slug:'c'", ""),
        ("slug:-c+featured:true", "Alder Birch"),
        ("slug:[c,cedar]", INVALID),
    ];
    let filters = of_posts.map(|(filter, _)| filter);
    assert_eq!(found("posts", &filters), of_posts.map(|(_, found)| found));
    let of_tags = [
        ("slug:c", ""),
        ("(slug:c)", INVALID),
        ("(slug:letters)", "Letters"),
        ("((slug:letters))", "Gardens Letters"),
    ];
    let filters = of_tags.map(|(filter, _)| filter);
    assert_eq!(found("tags", &filters), of_tags.map(|(_, found)| found));
}

/// Ghost filters tiers in memory, with other field names and with strict case and types.
#[test]
fn tiers_are_filtered_by_their_field_names_and_values_in_memory() {
    let cases = [
        ("monthlyPrice:500+name:Bronze", "Bronze"),
        ("monthly_price:500", ""),
        ("name:bronze", ""),
        ("name:~'BRON'", "Bronze"),
        ("trialDays:7", "Bronze"),
        ("trial_days:7", ""),
        ("benefits:'A badge'", "Bronze"),
        ("((name:Bronze))", ""),
        ("((name:Bronze,name:Silver))", "Bronze"),
        ("(name:x)", "The NQL filter you passed was invalid."),
    ];
    let filters = cases.map(|(filter, _)| filter);
    assert_eq!(found("tiers", &filters), cases.map(|(_, found)| found));
}

/// The query of a list ignores the entire filter. Membership in a collection is tested in memory, where single parentheses apply.
#[test]
fn route_lists_interpret_parentheses_as_get_does() {
    let site = site_with_posts(&[("index.hbs", "{{#foreach posts}}{{url}} {{/foreach}}")]);
    send_routes(
        &site,
        "routes:\n\
         \x20 /all/: {controller: channel, filter: '(tag:letters)', order: title asc}\n\
         \x20 /some/: {controller: channel, filter: '(tag:letters,tag:gardens)+featured:true', order: title asc}\n\
         \x20 /none/: {controller: channel, filter: 'tag:c'}\n\
         collections:\n\
         \x20 /letters/: {permalink: '/letters/{slug}/', filter: '(tag:letters)', order: title asc}\n\
         \x20 /gardens/: {permalink: '/gardens/{slug}/', filter: '((tag:gardens))'}\n\
         \x20 /: {permalink: '/{slug}/'}\n",
    );
    let shown = |path: &str| {
        let page = get(&site, path);
        (page.status, page.text().trim().to_owned())
    };
    let paths = |text: &str| (200, text.to_owned());
    assert_eq!(
        shown("/all/"),
        paths("/letters/alder/ /birch/ /letters/cedar/ /dogwood/")
    );
    assert_eq!(shown("/some/"), paths("/letters/alder/ /birch/"));
    assert_eq!(shown("/none/").0, 400);
    assert_eq!(shown("/letters/"), paths("/letters/alder/ /letters/cedar/"));
    assert_eq!(get(&site, "/gardens/birch/").status, 301);
}

/// In Ghost, a blank next to a comma is part of the relation's name, which is therefore unknown.
#[test]
fn relations_next_to_blanks_are_not_included() {
    let call = |include: &str| {
        format!(
            "{{{{#get \"posts\" filter=\"slug:alder\" include=\"{include}\"}}}}{{{{#foreach posts}}}}\
             {{{{primary_tag.slug}}}}-{{{{authors.length}}}}{{{{/foreach}}}}{{{{/get}}}}\n"
        )
    };
    let calls = [
        "tags,authors",
        " tags,authors ",
        "tags, authors",
        "authors, tags",
    ]
    .map(call);
    let site = site_with_posts(&[("index.hbs", &calls.concat())]);
    assert_eq!(
        get(&site, "/").text().trim(),
        "letters-1\nletters-1\nletters-\n-1"
    );
}

#[test]
fn page_past_the_end_has_neighbours_and_order_by_metadata_fails() {
    let calls = "{{#get \"posts\" limit=\"2\" page=\"9\"}}{{pagination.prev}}-{{pagination.next}}{{/get}}\n\
        {{#get \"posts\" limit=\"9\" page=\"9\"}}{{pagination.prev}}-{{pagination.next}}{{/get}}\n\
        {{#get \"posts\" order=\"meta_title asc\"}}found{{else}}{{@error}}{{/get}}\n\
        {{#get \"posts\" order=\"meta_title\"}}found{{else}}{{@error}}{{/get}}\n";
    let site = site_with_posts(&[("index.hbs", calls)]);
    assert_eq!(
        get(&site, "/").text().trim(),
        "8-10\n-\nCould not understand request.\nfound"
    );
}
