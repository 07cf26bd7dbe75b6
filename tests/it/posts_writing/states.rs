//! Tests of transitions of a post's status, and of its dates.

use galley::{
    admin::posts::{MailOptions, PostChange},
    domain::{
        newsletter::DEFAULT_SLUG,
        post::{PostKind, Status},
    },
    error::Kind,
};
use jiff::SignedDuration;

use super::post_site::{PostSite, integration, refusal, titled};

fn scheduled_in(post_site: &PostSite, time: SignedDuration) -> PostChange {
    PostChange {
        status: Some(Status::Scheduled),
        published_at: Some(Some(post_site.now() + time)),
        ..titled("Later")
    }
}

/// Returns options to mail a post to all subscribers of this newsletter.
fn to(newsletter: &str) -> MailOptions {
    MailOptions {
        newsletter: Some(newsletter.to_owned()),
        segment: None,
    }
}

const HOUR: SignedDuration = SignedDuration::from_hours(1);

fn status(status: Status) -> PostChange {
    PostChange {
        status: Some(status),
        ..PostChange::default()
    }
}

#[test]
fn scheduled_time_may_be_up_to_two_minutes_in_the_past() {
    let post_site = PostSite::new();
    let add = |seconds| {
        let change = scheduled_in(&post_site, SignedDuration::from_secs(seconds));
        post_site.add_as(&integration(), PostKind::Post, change)
    };
    assert!(add(-120).is_ok());
    assert_eq!(refusal(add(-121)), Some(Kind::Validation));
}

#[test]
fn overdue_scheduled_post_can_be_corrected() {
    let post_site = PostSite::new();
    let post = post_site.add(scheduled_in(&post_site, SignedDuration::from_mins(1)));
    post_site.advance_clock(SignedDuration::from_hours(1));
    let corrected = post_site.edit(&post, titled("Corrected before it came out"));
    assert_eq!(corrected.status, Status::Scheduled);
}

#[test]
fn published_post_without_a_date_gets_the_current_time() {
    let post_site = PostSite::new();
    let post = post_site.add(PostChange {
        status: Some(Status::Published),
        ..titled("Out")
    });
    assert_eq!(post.published_at, Some(post_site.now()));
    post_site.advance_clock(SignedDuration::from_hours(1));
    let undated = PostChange {
        published_at: Some(None),
        ..titled("Still out")
    };
    let dated = post_site.edit(&post, undated).published_at;
    assert_eq!(dated, Some(post_site.now()));
}

#[test]
fn email_only_post_becomes_and_stays_sent() {
    let post_site = PostSite::new();
    let post = post_site.add(PostChange {
        email_only: Some(true),
        ..titled("A letter")
    });
    let sent = post_site.edit(&post, status(Status::Published));
    assert_eq!(sent.status, Status::Sent);
    let named = PostChange {
        status: Some(Status::Published),
        ..titled("A letter, corrected")
    };
    let sent = post_site.edit(&sent, named);
    assert_eq!(sent.status, Status::Sent);
    let outcome = post_site.edit_as(&integration(), &sent, scheduled_in(&post_site, HOUR));
    assert_eq!(refusal(outcome), Some(Kind::Validation));
    let for_all = PostChange {
        email_only: Some(false),
        ..status(Status::Published)
    };
    let sent = post_site.edit(&sent, for_all);
    assert_eq!(sent.status, Status::Sent);
    let shown = post_site.edit(&sent, status(Status::Published));
    assert_eq!(shown.status, Status::Published);
}

#[test]
fn email_only_post_is_scheduled_only_with_a_newsletter() {
    let post_site = PostSite::new();
    let email_only = || PostChange {
        email_only: Some(true),
        ..scheduled_in(&post_site, HOUR)
    };
    let mailed = PostChange {
        mailing: to(DEFAULT_SLUG),
        ..email_only()
    };
    let added = post_site.add_as(&integration(), PostKind::Post, mailed.clone());
    assert_eq!(refusal(added), Some(Kind::Validation));
    let post = post_site.add(titled("A letter"));
    let outcome = post_site.edit_as(&integration(), &post, email_only());
    assert_eq!(refusal(outcome), Some(Kind::Validation));
    assert_eq!(post_site.edit(&post, mailed).status, Status::Scheduled);
}

#[test]
fn new_post_ignores_the_newsletter_parameter() {
    let post_site = PostSite::new();
    for change in [status(Status::Published), scheduled_in(&post_site, HOUR)] {
        for newsletter in [DEFAULT_SLUG, "no-such"] {
            let post = post_site.add(PostChange {
                title: Some("Added".to_owned()),
                mailing: to(newsletter),
                ..change.clone()
            });
            assert_eq!(post.newsletter, None);
        }
    }
}

#[test]
fn unknown_or_archived_newsletter_keeps_the_post_unchanged() {
    let post_site = PostSite::new();
    post_site.archive_newsletter(true);
    let post = post_site.add(titled("To be mailed"));
    for newsletter in [DEFAULT_SLUG, "no-such"] {
        for change in [status(Status::Published), scheduled_in(&post_site, HOUR)] {
            let change = PostChange {
                mailing: to(newsletter),
                ..change
            };
            let outcome = post_site.edit_as(&integration(), &post, change);
            assert_eq!(refusal(outcome), Some(Kind::BadRequest));
        }
    }
    assert_eq!(post_site.read(post.id).unwrap(), post);
    // The newsletter is not checked if no mail is sent.
    let draft = PostChange {
        mailing: to("no-such"),
        ..titled("Still a draft")
    };
    assert_eq!(post_site.edit(&post, draft).newsletter, None);
}

#[test]
fn post_of_an_archived_newsletter_stays_scheduled_until_reactivation() {
    let post_site = PostSite::new();
    let post = post_site.add(titled("To be mailed"));
    let post = post_site.edit(
        &post,
        PostChange {
            mailing: to(DEFAULT_SLUG),
            ..scheduled_in(&post_site, HOUR)
        },
    );
    post_site.archive_newsletter(true);
    let outcome = post_site.edit_as(&integration(), &post, status(Status::Published));
    assert_eq!(refusal(outcome), Some(Kind::BadRequest));
    post_site.advance_clock(HOUR);
    post_site.publish_due_posts(&[post.id]);
    assert_eq!(post_site.read(post.id).unwrap().status, Status::Scheduled);
    post_site.archive_newsletter(false);
    post_site.publish_due_posts(&[post.id]);
    assert_eq!(post_site.read(post.id).unwrap().status, Status::Published);
}

#[test]
fn post_scheduled_without_a_newsletter_gets_one_at_publication() {
    let post_site = PostSite::new();
    let post = post_site.add(scheduled_in(&post_site, HOUR));
    let corrected = PostChange {
        mailing: to(DEFAULT_SLUG),
        ..titled("Corrected")
    };
    let post = post_site.edit(&post, corrected);
    assert_eq!(post.newsletter, None);
    let published = PostChange {
        mailing: to(DEFAULT_SLUG),
        ..status(Status::Published)
    };
    assert!(post_site.edit(&post, published).newsletter.is_some());
}

#[test]
fn emailed_post_keeps_newsletter_and_segment_as_a_draft() {
    let post_site = PostSite::new();
    let post = post_site.add(titled("Mailed"));
    let published = PostChange {
        mailing: MailOptions {
            segment: Some("status:free".to_owned()),
            ..to(DEFAULT_SLUG)
        },
        ..status(Status::Published)
    };
    let mailed = post_site.edit(&post, published);
    let draft = post_site.edit(&mailed, status(Status::Draft));
    assert_eq!(
        (draft.newsletter, &draft.email_segment),
        (mailed.newsletter, &mailed.email_segment)
    );
    assert!(draft.newsletter.is_some() && draft.email_segment.is_some());
}

#[test]
fn newsletter_is_set_at_publication_and_cleared_by_unpublishing() {
    let post_site = PostSite::new();
    let mailing = MailOptions {
        newsletter: Some(DEFAULT_SLUG.to_owned()),
        segment: Some("status:free".to_owned()),
    };
    let post = post_site.add(PostChange {
        mailing: mailing.clone(),
        ..titled("To be mailed")
    });
    assert_eq!(post.newsletter, None);
    let out = PostChange {
        mailing: mailing.clone(),
        ..scheduled_in(&post_site, SignedDuration::from_hours(1))
    };
    let post = post_site.edit(&post, out);
    assert!(post.newsletter.is_some());
    assert_eq!(post.email_segment.as_deref(), Some("status:free"));
    let post = post_site.edit(&post, status(Status::Draft));
    assert_eq!((post.newsletter, &post.email_segment), (None, &None));

    let broken = PostChange {
        mailing: MailOptions {
            segment: Some("status:(".to_owned()),
            ..mailing
        },
        ..status(Status::Published)
    };
    let outcome = post_site.edit_as(&integration(), &post, broken);
    assert_eq!(refusal(outcome), Some(Kind::BadRequest));
}

#[test]
fn pages_are_never_mailed() {
    let post_site = PostSite::new();
    let change = PostChange {
        status: Some(Status::Published),
        email_only: Some(true),
        mailing: MailOptions {
            newsletter: Some(DEFAULT_SLUG.to_owned()),
            segment: None,
        },
        ..titled("About")
    };
    let page = post_site
        .add_as(&integration(), PostKind::Page, change)
        .unwrap();
    assert_eq!((page.status, page.newsletter), (Status::Published, None));
}
