//! How far a post has come, and the dates on the way.

use galley::{
    admin::posts::{Mailing, PostChange},
    domain::{
        newsletter::DEFAULT_SLUG,
        post::{PostKind, Status},
    },
    error::Kind,
};
use jiff::SignedDuration;

use super::desk::{Desk, integration, refusal, titled};

fn scheduled_in(desk: &Desk, time: SignedDuration) -> PostChange {
    PostChange {
        status: Some(Status::Scheduled),
        published_at: Some(Some(desk.now() + time)),
        ..titled("Later")
    }
}

fn status(status: Status) -> PostChange {
    PostChange {
        status: Some(status),
        ..PostChange::default()
    }
}

#[test]
fn what_is_scheduled_may_be_two_minutes_late_and_no_more() {
    let desk = Desk::new();
    let add = |seconds| {
        let change = scheduled_in(&desk, SignedDuration::from_secs(seconds));
        desk.add_as(&integration(), PostKind::Post, change)
    };
    assert!(add(-120).is_ok());
    assert_eq!(refusal(add(-121)), Some(Kind::Validation));
}

#[test]
fn what_was_scheduled_long_ago_can_still_be_corrected() {
    let desk = Desk::new();
    let post = desk.add(scheduled_in(&desk, SignedDuration::from_mins(1)));
    desk.wait(SignedDuration::from_hours(1));
    let corrected = desk.edit(&post, titled("Corrected before it came out"));
    assert_eq!(corrected.status, Status::Scheduled);
}

#[test]
fn a_date_that_is_taken_from_what_is_published_comes_back() {
    let desk = Desk::new();
    let post = desk.add(PostChange {
        status: Some(Status::Published),
        ..titled("Out")
    });
    assert_eq!(post.published_at, Some(desk.now()));
    desk.wait(SignedDuration::from_hours(1));
    let undated = PostChange {
        published_at: Some(None),
        ..titled("Still out")
    };
    assert_eq!(desk.edit(&post, undated).published_at, post.published_at);
}

#[test]
fn what_went_out_by_mail_alone_is_sent_when_it_is_published_and_stays_so() {
    let desk = Desk::new();
    let post = desk.add(PostChange {
        email_only: Some(true),
        ..titled("A letter")
    });
    let sent = desk.edit(&post, status(Status::Published));
    assert_eq!(sent.status, Status::Sent);
    let named = PostChange {
        status: Some(Status::Published),
        ..titled("A letter, corrected")
    };
    let sent = desk.edit(&sent, named);
    assert_eq!(sent.status, Status::Sent);
    let outcome = desk.edit_as(&integration(), &sent, status(Status::Scheduled));
    assert_eq!(refusal(outcome), Some(Kind::Validation));
}

#[test]
fn a_newsletter_counts_when_a_draft_comes_out_and_goes_when_it_is_one_again() {
    let desk = Desk::new();
    let mailing = Mailing {
        newsletter: Some(DEFAULT_SLUG.to_owned()),
        segment: Some("status:free".to_owned()),
    };
    let post = desk.add(PostChange {
        mailing: mailing.clone(),
        ..titled("To be mailed")
    });
    assert_eq!(post.newsletter, None);
    let out = PostChange {
        mailing: mailing.clone(),
        ..scheduled_in(&desk, SignedDuration::from_hours(1))
    };
    let post = desk.edit(&post, out);
    assert!(post.newsletter.is_some());
    assert_eq!(post.email_segment.as_deref(), Some("status:free"));
    let post = desk.edit(&post, status(Status::Draft));
    assert_eq!((post.newsletter, &post.email_segment), (None, &None));

    let broken = PostChange {
        mailing: Mailing {
            segment: Some("status:(".to_owned()),
            ..mailing
        },
        ..status(Status::Published)
    };
    let error = desk.edit_as(&integration(), &post, broken).unwrap_err();
    assert_eq!(error.property_name(), Some("email_segment"));
}

#[test]
fn pages_are_never_mailed() {
    let desk = Desk::new();
    let change = PostChange {
        status: Some(Status::Published),
        email_only: Some(true),
        mailing: Mailing {
            newsletter: Some(DEFAULT_SLUG.to_owned()),
            segment: None,
        },
        ..titled("About")
    };
    let page = desk.add_as(&integration(), PostKind::Page, change).unwrap();
    assert_eq!((page.status, page.newsletter), (Status::Published, None));
}
