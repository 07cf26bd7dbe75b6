//! Tests that private fields cannot be probed: conditions on them are ignored anywhere in a filter.

use super::fixture;
use galley_tests::test_site::filtered;

/// Private names of each resource, in addition to [`PRIVATE_EVERYWHERE`].
const PRIVATE: &[(&str, &str)] = &[
    (
        "posts",
        "show_title_and_feature_image authors.email authors.EMAIL authors.password authors.status \
         authors.visibility authors.last_seen authors.created_at authors.updated_at authors.roles \
         authors.tour authors.accessibility authors.comment_notifications tags.created_at \
         tags.updated_at tags.parent_id tags.parent author.email posts.html post_revisions.lexical \
         mobiledoc_revisions.mobiledoc",
    ),
    ("pages", "email_subject authors.email tags.created_at"),
    ("tags", "created_at updated_at parent_id parent parent.name"),
    (
        "authors",
        "status visibility last_seen created_at updated_at roles roles.name tour accessibility \
         comment_notifications free_member_signup_notification milestone_notifications",
    ),
];

const PRIVATE_EVERYWHERE: &str = "password email email_only html plaintext lexical mobiledoc locale \
    newsletter_id email_recipient_filter published_by post_revisions mobiledoc_revisions EMAIL Html";

/// A condition with every operator, each of which would reveal something about a private value.
const OPERATORS: [&str; 8] = [
    "HIDDEN",
    "-HIDDEN",
    "~'HIDDEN'",
    "-~'HIDDEN'",
    ">a",
    "<=z",
    "null",
    "[HIDDEN,x]",
];

#[test]
fn condition_on_a_private_field_is_ignored() {
    let app = fixture::site();
    for (resource, private) in PRIVATE {
        let all = app.slugs(&format!("{resource}/"));
        for name in private
            .split_whitespace()
            .chain(PRIVATE_EVERYWHERE.split_whitespace())
        {
            for operator in OPERATORS {
                let request = filtered(resource, &format!("{name}:{operator}"));
                assert_eq!(app.slugs(&request), all, "{resource} {name}:{operator}");
            }
        }
    }
}

#[test]
fn remaining_conditions_apply() {
    let app = fixture::site();
    for filter in [
        "featured:true+html:~'HIDDEN'",
        "html:-~'HIDDEN'+featured:true",
        "featured:true,html:~'HIDDEN'",
        "featured:true+(html:~'a',plaintext:~'b')",
        "(authors.email:~'HIDDEN',featured:true)",
        "featured:true+(email:x,featured:[true,false])",
    ] {
        assert_eq!(
            app.slugs(&filtered("posts", filter)),
            ["night-ferry"],
            "{filter}"
        );
    }
}

#[test]
fn private_condition_next_to_one_on_the_same_author_leaks_nothing() {
    let app = fixture::site();
    let by_ben = app.slugs(&filtered("posts", "author:ben"));
    for filter in [
        "author:ben+authors.email:~'ada'",
        "author:ben+authors.email:~'ben'",
    ] {
        assert_eq!(app.slugs(&filtered("posts", filter)), by_ben, "{filter}");
    }
}
