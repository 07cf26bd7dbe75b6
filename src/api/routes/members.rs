//! Members, their labels and events, snippets, posts as e-mails, notifications and statistics.

use super::{
    parameters::{
        FILTER, LIMIT, LISTS, NEWSLETTER_ID, ORDER, PERIOD, PREVIEW, SEARCH, SELECTED_MEMBERS,
        STAFF_RECORDS, WELCOME,
    },
    route::{
        BUSY, CREATED,
        Input::{Form, Json, NoBody, Record, Single},
        NO_CONTENT, OK,
        Output::{Media, Nothing, Object, Page, Records},
        Route, delete, get, page, post, put, record,
    },
    shape::Shape::{AnyObject, File, List, Open, Ref, SizedList, Text},
};
use crate::{
    admin::email_previews::TEST_RECIPIENTS_MAX,
    api::admin::{
        email_previews, email_stats, emails, labels, member_events, member_lists, members,
        notifications, records, snippets, stats, stubs,
    },
    domain::{
        label::{LABELS_ADD, LABELS_BROWSE, LABELS_DELETE, LABELS_EDIT, Label},
        member::{
            MEMBERS_ADD, MEMBERS_BROWSE, MEMBERS_DELETE, MEMBERS_EDIT, MEMBERS_EVENTS,
            MEMBERS_EXPORT, MEMBERS_READ, MEMBERS_SIGN_IN_URL, MEMBERS_STATS,
        },
        notification::{NOTIFICATIONS_ADD, NOTIFICATIONS_BROWSE, NOTIFICATIONS_DISMISS},
        permission::{
            EMAIL_PREVIEWS_READ, EMAIL_PREVIEWS_SEND, STATS_BROWSE, STATS_MEMBER_COUNT, STATS_POSTS,
        },
        post_email::{EMAILS_BROWSE, EMAILS_READ, EMAILS_RETRY},
        snippet::{SNIPPETS_ADD, SNIPPETS_BROWSE, SNIPPETS_DELETE, SNIPPETS_EDIT, Snippet},
    },
};

/// The endpoints of this area, laid out as a table.
#[rustfmt::skip]
pub static ROUTES: &[Route] = &[
    // Members and their labels.
    get("admin/members/", &MEMBERS_BROWSE, members::browse)
        .named("adminBrowseMembers", "Browse members")
        .query(&[LISTS, STAFF_RECORDS, &[SEARCH]])
        .returns(OK, Page("members", Ref("Member"))),
    get("admin/members/{id}/", &MEMBERS_READ, members::read)
        .named("adminReadMembersById", "Read a member by ID")
        .query(&[STAFF_RECORDS])
        .returns(OK, Records("members", Ref("Member"))),
    get("admin/members/{id}/signin_urls/", &MEMBERS_SIGN_IN_URL, members::read_sign_in_url)
        .named("readMemberSignInAddress", "Create a sign-in URL for a member")
        .returns(OK, Records("member_signin_urls", AnyObject)),
    post("admin/members/", &MEMBERS_ADD, members::add)
        .named("adminAddMembers", "Add a member")
        .query(&[WELCOME])
        .takes(Record("members", members::input::FIELDS))
        .returns(CREATED, Records("members", Ref("Member"))),
    put("admin/members/{id}/", &MEMBERS_EDIT, members::edit)
        .named("adminEditMembersById", "Edit a member")
        .takes(Record("members", members::input::FIELDS))
        .returns(OK, Records("members", Ref("Member"))),
    delete("admin/members/{id}/suppression/", &MEMBERS_EDIT, members::lift_suppression)
        .named("liftMemberSuppression", "Lift the e-mail suppression of a member")
        .returns(NO_CONTENT, Nothing),
    put("admin/members/bulk/", &MEMBERS_EDIT, members::bulk::edit)
        .named("editMembers", "Edit all members that match a filter or a search")
        .query(&[SELECTED_MEMBERS])
        .takes(Json(&[("bulk", Open(&[("action", Text)]))]))
        .returns(OK, Object("bulk")),
    delete("admin/members/{id}/", &MEMBERS_DELETE, members::delete)
        .named("adminDeleteMembersById", "Delete a member")
        .returns(NO_CONTENT, Nothing),
    delete("admin/members/", &MEMBERS_DELETE, members::bulk::delete)
        .named("deleteMembers", "Delete all members that match a filter or a search")
        .query(&[SELECTED_MEMBERS])
        .returns(OK, Object("meta")),
    get("admin/labels/", &LABELS_BROWSE, records::browse::<Label>)
        .named("adminBrowseLabels", "Browse labels")
        .query(&[LISTS, STAFF_RECORDS])
        .returns(OK, page::<Label>()),
    get("admin/labels/{id}/", &LABELS_BROWSE, records::read_by_id::<Label>)
        .named("adminReadLabelsById", "Read a label by ID")
        .query(&[STAFF_RECORDS])
        .returns(OK, record::<Label>()),
    get("admin/labels/slug/{slug}/", &LABELS_BROWSE, records::read_by_slug::<Label>)
        .named("adminReadLabelsSlug", "Read a label by slug")
        .query(&[STAFF_RECORDS])
        .returns(OK, record::<Label>()),
    post("admin/labels/", &LABELS_ADD, labels::add)
        .named("adminAddLabels", "Add a label")
        .takes(Record("labels", labels::FIELDS))
        .returns(CREATED, record::<Label>()),
    put("admin/labels/{id}/", &LABELS_EDIT, labels::edit)
        .named("adminEditLabelsById", "Edit a label")
        .takes(Record("labels", labels::FIELDS))
        .returns(OK, record::<Label>()),
    delete("admin/labels/{id}/", &LABELS_DELETE, records::delete::<Label>)
        .named("adminDeleteLabelsById", "Delete a label")
        .returns(NO_CONTENT, Nothing),
    // Snippets.
    get("admin/snippets/", &SNIPPETS_BROWSE, snippets::browse)
        .named("adminBrowseSnippets", "Browse snippets")
        .query(&[LISTS])
        .fails(BUSY)
        .returns(OK, page::<Snippet>()),
    get("admin/snippets/{id}/", &SNIPPETS_BROWSE, records::read_by_id::<Snippet>)
        .named("adminReadSnippetsById", "Read a snippet by ID")
        .fails(BUSY)
        .returns(OK, record::<Snippet>()),
    post("admin/snippets/", &SNIPPETS_ADD, snippets::add)
        .named("adminAddSnippets", "Add a snippet")
        .takes(Record("snippets", snippets::FIELDS))
        .fails(BUSY)
        .returns(CREATED, record::<Snippet>()),
    put("admin/snippets/{id}/", &SNIPPETS_EDIT, snippets::edit)
        .named("adminEditSnippetsById", "Edit a snippet")
        .takes(Record("snippets", snippets::FIELDS))
        .fails(BUSY)
        .returns(OK, record::<Snippet>()),
    delete("admin/snippets/{id}/", &SNIPPETS_DELETE, records::delete::<Snippet>)
        .named("adminDeleteSnippetsById", "Delete a snippet")
        .fails(BUSY)
        .returns(NO_CONTENT, Nothing),
    // Posts as e-mails.
    get("admin/email_previews/posts/{id}/", &EMAIL_PREVIEWS_READ, email_previews::read)
        .named("previewEmail", "Preview a post as an e-mail")
        .query(&[PREVIEW])
        .returns(OK, Records("email_previews", AnyObject)),
    post("admin/email_previews/posts/{id}/", &EMAIL_PREVIEWS_SEND, email_previews::send_test)
        .named("sendTestEmail", "Send a test e-mail of a post")
        .takes(Json(&[("emails", SizedList(1, TEST_RECIPIENTS_MAX, &Text))]))
        .returns(NO_CONTENT, Nothing),
    get("admin/emails/", &EMAILS_BROWSE, emails::browse)
        .named("adminBrowseEmails", "Browse emails")
        .query(&[LISTS])
        .returns(OK, Page("emails", Ref("Email"))),
    get("admin/emails/{id}/", &EMAILS_READ, emails::read)
        .named("adminReadEmailsById", "Read an email by ID")
        .returns(OK, Records("emails", Ref("Email"))),
    get("admin/emails/{id}/status/", &EMAILS_READ, emails::status)
        .named("readEmailStatus", "Read how far an e-mail has been sent")
        .returns(OK, Records("email_statuses", Ref("EmailProgress"))),
    get("admin/emails/{id}/batches/", &EMAILS_BROWSE, emails::batches)
        .named("browseEmailBatches", "Browse batches of an e-mail")
        .returns(OK, Records("batches", Ref("EmailBatch"))),
    get("admin/emails/{id}/recipient-failures/", &EMAILS_BROWSE, emails::recipient_failures)
        .named("browseEmailFailures", "Browse failed recipients of an e-mail")
        .returns(OK, Records("failures", Ref("EmailFailure"))),
    put("admin/emails/{id}/retry/", &EMAILS_RETRY, emails::retry)
        .named("retryEmail", "Retry an e-mail, for recipients it has not reached")
        .takes(NoBody)
        .returns(OK, Records("emails", Ref("Email"))),
    // Notifications for staff.
    get("admin/notifications/", &NOTIFICATIONS_BROWSE, notifications::browse)
        .named("adminBrowseNotifications", "Browse notifications")
        .query(&[LISTS])
        .returns(OK, Page("notifications", AnyObject)),
    post("admin/notifications/", &NOTIFICATIONS_ADD, notifications::add)
        .named("addNotification", "Add a notification for staff; a repeated one is not added")
        .takes(Single("notifications", &[("message", Text)]))
        .returns(&[200, 201], Records("notifications", AnyObject)),
    delete("admin/notifications/{id}/", &NOTIFICATIONS_DISMISS, notifications::dismiss)
        .named("dismissNotification", "Dismiss a notification, for the requesting user")
        .returns(NO_CONTENT, Nothing),
    // Member events, member lists, and statistics.
    get("admin/members/events/", &MEMBERS_EVENTS, member_events::browse)
        .named("browseMemberEvents", "Browse events of members, newest first")
        .query(&[&[FILTER]])
        .returns(OK, Records("events", AnyObject)),
    get("admin/members/stats/count/", &MEMBERS_STATS, stats::members)
        .named("countMembers", "Read the number of members by day")
        .query(&[PERIOD])
        .returns(OK, Records("data", AnyObject)),
    get("admin/members/stats/mrr/", &MEMBERS_STATS, stats::members_revenue)
        .named("readMemberRevenue", "Read the revenue from members: always empty")
        .returns(OK, Records("data", AnyObject)),
    get("admin/members/upload/", &MEMBERS_EXPORT, member_lists::export)
        .named("exportMembers", "Export members as CSV")
        .query(&[&[FILTER, SEARCH]])
        .returns(OK, Media("text/csv")),
    post("admin/members/upload/", &MEMBERS_ADD, member_lists::import)
        .named("importMembers", "Import a list of members from CSV")
        .takes(Form(&[("membersfile", File)]))
        .returns(CREATED, Object("meta")),
    get("admin/stats/member_count/", &STATS_MEMBER_COUNT, stats::member_count)
        .named("readMemberCount", "Read the number of members by day")
        .query(&[PERIOD])
        .returns(OK, Records("stats", AnyObject)),
    get("admin/stats/mrr/", &STATS_MEMBER_COUNT, stats::revenue)
        .named("readRevenue", "Read the revenue from members: always 0")
        .returns(OK, Records("stats", AnyObject)),
    get("admin/stats/subscriptions/", &STATS_MEMBER_COUNT, stats::subscriptions)
        .named("readSubscriptions", "Read paid subscriptions: always empty")
        .returns(OK, Records("stats", AnyObject)),
    get("admin/stats/subscriber-count/", &STATS_BROWSE, stats::subscribers)
        .named("readSubscriberCount", "Read the number of a newsletter's subscribers by day")
        .query(&[PERIOD, &[NEWSLETTER_ID]])
        .returns(OK, Records("stats", AnyObject)),
    get("admin/stats/referrers/", &STATS_BROWSE, stats::referrers)
        .named("readReferrers", "Read sign-ups by source and day")
        .returns(OK, Records("stats", AnyObject)),
    get("admin/stats/top-sources-growth/", &STATS_BROWSE, stats::sources)
        .named("readSources", "Read sign-ups by source")
        .returns(OK, Records("stats", AnyObject)),
    get("admin/stats/top-posts/", &STATS_BROWSE, stats::uncollected)
        .named("readTopPosts", "Read posts by sign-ups: not tracked")
        .returns(OK, Records("stats", AnyObject)),
    get("admin/stats/top-posts-views/", &STATS_BROWSE, email_stats::newest_posts)
        .named("readTopPostsByViews", "Read posts by views: not tracked, so the newest")
        .query(&[&[LIMIT]])
        .returns(OK, Records("stats", AnyObject)),
    get("admin/stats/top-content/", &STATS_BROWSE, stats::uncollected)
        .named("readTopContent", "Read content by views: not tracked")
        .returns(OK, Records("stats", AnyObject)),
    get("admin/stats/newsletter-stats/", &STATS_BROWSE, email_stats::of_newsletter)
        .named("readNewsletterStats", "Read the posts of a newsletter, with the numbers of recipients")
        .query(&[PERIOD, &[NEWSLETTER_ID, ORDER, LIMIT]])
        .returns(OK, Records("stats", AnyObject)),
    get("admin/stats/newsletter-basic-stats/", &STATS_BROWSE, email_stats::of_newsletter_without_clicks)
        .named("readNewsletterBasicStats", "Read the posts of a newsletter, without clicks")
        .query(&[PERIOD, &[NEWSLETTER_ID, ORDER, LIMIT]])
        .returns(OK, Records("stats", AnyObject)),
    get("admin/stats/newsletter-click-stats/", &STATS_BROWSE, stats::uncollected)
        .named("readNewsletterClickStats", "Read clicks in newsletters: not tracked")
        .returns(OK, Records("stats", AnyObject)),
    get("admin/stats/posts/{id}/stats/", &STATS_BROWSE, email_stats::of_post)
        .named("readPostStats", "Read statistics of a post: the recipients of its mail")
        .returns(OK, Records("stats", AnyObject)),
    get("admin/stats/posts/{id}/top-referrers/", &STATS_BROWSE, stats::uncollected_of_post)
        .named("readPostReferrers", "Read referrers of a post: not tracked")
        .returns(OK, Records("stats", AnyObject)),
    get("admin/stats/posts/{id}/growth/", &STATS_BROWSE, stats::growth)
        .named("readPostGrowth", "Read sign-ups at a post: not tracked")
        .returns(OK, Records("stats", AnyObject)),
    post("admin/stats/posts-member-counts/", &STATS_POSTS, stubs::post_member_counts)
        .named("countMembersOfPosts", "Read sign-ups by post: always 0")
        .takes(Json(&[("postIds", List(&Text))]))
        .returns(OK, Records("stats", AnyObject)),
    post("admin/stats/posts-visitor-counts/", &STATS_POSTS, stubs::post_visitor_counts)
        .named("countVisitorsOfPosts", "Read visitors by post: not tracked")
        .takes(Json(&[("postUuids", List(&Text))]))
        .returns(OK, Records("stats", AnyObject)),
];
