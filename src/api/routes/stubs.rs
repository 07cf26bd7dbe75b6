//! Features of Ghost that the site does not have.

use super::{
    parameters::{FILTER, LIMIT, LISTS, ORDER, PAGE},
    route::{
        BUSY, CREATED,
        Input::{Json, NoBody},
        NO_CONTENT, OK,
        Output::{EmptyObject, Nothing, Object, Page, Records, Schema},
        Route, delete, get, post, put,
    },
    shape::Shape::{AnyObject, Open, Ref, Text},
};
use crate::{
    api::admin::{members, stubs},
    domain::{
        member::{MEMBERS_EDIT, MEMBERS_METAFIELDS},
        permission::{
            AUTOMATED_EMAILS_BROWSE, AUTOMATIONS_BROWSE, COMMENTS_BROWSE, COMMENTS_EDIT,
            CONFIG_READ, FEEDBACK_BROWSE, GIFT_LINKS_BROWSE, IDENTITIES_READ,
            INCOMING_RECOMMENDATIONS_BROWSE, LINKS_BROWSE, LINKS_EDIT, MENTIONS_BROWSE, SLACK_TEST,
            TINYBIRD_TOKEN,
        },
        post_email::EMAILS_BROWSE,
        setting::SETTINGS_EDIT,
        tier::{TIERS_BROWSE, TIERS_READ},
    },
};

/// The endpoints of this area, laid out as a table.
#[rustfmt::skip]
pub static ROUTES: &[Route] = &[
    get("admin/comments/", &COMMENTS_BROWSE, stubs::comments)
        .named("adminBrowseComments", "Browse comments")
        .query(&[LISTS])
        .returns(OK, Page("comments", AnyObject)),
    get("admin/comments/{id}/", &COMMENTS_BROWSE, stubs::comment)
        .named("adminReadCommentsById", "Read a comment by ID")
        .returns(OK, Records("comments", AnyObject)),
    put("admin/comments/{id}/", &COMMENTS_EDIT, stubs::comment)
        .named("adminEditCommentsById", "Edit a comment")
        .takes(NoBody)
        .returns(OK, Records("comments", AnyObject)),
    get("admin/comments/{id}/replies/", &COMMENTS_BROWSE, stubs::replies)
        .named("adminReadCommentsReplies", "Browse replies to a comment")
        .query(&[LISTS])
        .returns(OK, Records("comments", AnyObject)),
    get("admin/comments/{id}/reports/", &COMMENTS_BROWSE, stubs::comment)
        .named("adminReadCommentsReports", "Browse reports of a comment")
        .returns(OK, Records("comments", AnyObject)),
    get("admin/comments/{id}/likes/", &COMMENTS_BROWSE, stubs::comment)
        .named("adminReadCommentsLikes", "Browse likes of a comment")
        .returns(OK, Records("comments", AnyObject)),
    get("admin/comments/{id}/dislikes/", &COMMENTS_BROWSE, stubs::comment)
        .named("adminReadCommentsDislikes", "Browse dislikes of a comment")
        .returns(OK, Records("comments", AnyObject)),
    post("admin/comments/", &COMMENTS_EDIT, stubs::refuse_comments)
        .named("adminAddComments", "Add a comment: always refused")
        .takes(NoBody)
        .returns(CREATED, Records("comments", AnyObject)),
    post("admin/members/{id}/commenting/disable/", &MEMBERS_EDIT, stubs::refuse_comments)
        .named("disableCommenting", "Disable comments of a member: always refused")
        .takes(NoBody)
        .returns(OK, Records("members", Ref("Member"))),
    post("admin/members/{id}/commenting/enable/", &MEMBERS_EDIT, stubs::refuse_comments)
        .named("enableCommenting", "Enable comments of a member: always refused")
        .takes(NoBody)
        .returns(OK, Records("members", Ref("Member"))),
    get("admin/comments/post/{id}/", &COMMENTS_BROWSE, stubs::comments)
        .named("adminReadCommentsPost", "Browse comments on a post")
        .query(&[LISTS])
        .returns(OK, Records("comments", AnyObject)),
    get("admin/links/", &LINKS_BROWSE, stubs::links)
        .named("adminBrowseLinks", "Browse links")
        .query(&[LISTS])
        .returns(OK, Page("links", AnyObject)),
    put("admin/links/bulk/", &LINKS_EDIT, stubs::edit_links)
        .named("editLinks", "Edit links in e-mails: there are none")
        .query(&[&[FILTER]])
        .takes(Json(&[("bulk", Open(&[("action", Text)]))]))
        .returns(OK, Object("bulk")),
    get("admin/feedback/{id}/", &FEEDBACK_BROWSE, stubs::feedback)
        .named("adminReadFeedbackById", "Browse feedback on a post")
        .query(&[&[ORDER, LIMIT, PAGE]])
        .returns(OK, Records("feedback", AnyObject)),
    get("admin/incoming_recommendations/", &INCOMING_RECOMMENDATIONS_BROWSE, stubs::incoming_recommendations)
        .named("browseIncomingRecommendations", "Browse recommendations by other sites: always empty")
        .query(&[&[LIMIT, PAGE]])
        .returns(OK, Records("recommendations", AnyObject)),
    get("admin/mentions/", &MENTIONS_BROWSE, stubs::mentions)
        .named("adminBrowseMentions", "Browse mentions")
        .query(&[LISTS])
        .returns(OK, Page("mentions", AnyObject)),
    get("admin/automated_emails/", &AUTOMATED_EMAILS_BROWSE, stubs::automated_emails)
        .named("adminBrowseAutomatedEmails", "Browse automated emails")
        .query(&[LISTS])
        .returns(OK, Page("automated_emails", AnyObject)),
    get("admin/automated_emails/{id}/", &AUTOMATED_EMAILS_BROWSE, stubs::automated_email)
        .named("adminReadAutomatedEmailsById", "Read an automated email by ID")
        .returns(OK, Records("automated_emails", AnyObject)),
    post("admin/automated_emails/", &AUTOMATED_EMAILS_BROWSE, stubs::add_automated_email)
        .named("adminAddAutomatedEmails", "Add an automated email: always refused")
        .takes(NoBody)
        .returns(CREATED, Records("automated_emails", AnyObject)),
    put("admin/automated_emails/{id}/", &AUTOMATED_EMAILS_BROWSE, stubs::add_automated_email)
        .named("adminEditAutomatedEmailsById", "Edit an automated email: always refused")
        .takes(NoBody)
        .returns(OK, Records("automated_emails", AnyObject)),
    get("admin/automated_emails/design/", &AUTOMATED_EMAILS_BROWSE, stubs::automated_email_design)
        .named("readAutomatedEmailDesign", "Read the design of automated emails: always empty")
        .returns(OK, Records("automated_email_design", AnyObject)),
    post("admin/automated_emails/{id}/preview/", &AUTOMATED_EMAILS_BROWSE, stubs::automated_email)
        .named("previewAutomatedEmail", "Preview an automated email: there is none")
        .takes(NoBody)
        .returns(OK, Records("automated_emails", AnyObject)),
    post("admin/automated_emails/{id}/test/", &AUTOMATED_EMAILS_BROWSE, stubs::automated_email)
        .named("sendTestOfAutomatedEmail", "Send a test of an automated email: there is none")
        .takes(NoBody)
        .returns(NO_CONTENT, Nothing),
    get("admin/automations/", &AUTOMATIONS_BROWSE, stubs::automations)
        .named("adminBrowseAutomations", "Browse automations")
        .query(&[LISTS])
        .returns(OK, Page("automations", AnyObject)),
    get("admin/automations/{id}/", &AUTOMATIONS_BROWSE, stubs::automation)
        .named("adminReadAutomationsById", "Read an automation by ID")
        .returns(OK, Records("automations", AnyObject)),
    put("admin/automations/{id}/", &AUTOMATIONS_BROWSE, stubs::edit_automation)
        .named("adminEditAutomationsById", "Edit an automation: always refused")
        .takes(NoBody)
        .returns(OK, Records("automations", AnyObject)),
    post("admin/automations/{id}/email_preview/", &AUTOMATIONS_BROWSE, stubs::automation)
        .named("previewAutomationEmail", "Preview an email of an automation: there is none")
        .takes(NoBody)
        .returns(OK, Records("automations", AnyObject)),
    post("admin/automations/{id}/email_test/", &AUTOMATIONS_BROWSE, stubs::automation)
        .named("sendTestOfAutomationEmail", "Send a test of an email of an automation: there is none")
        .takes(NoBody)
        .returns(NO_CONTENT, Nothing),
    get("admin/automations/{id}/actions/{action}/links/", &AUTOMATIONS_BROWSE, stubs::automation)
        .named("browseAutomationLinks", "Browse links in an email of an automation: there is none")
        .returns(OK, Records("links", AnyObject)),
    get("admin/identities/", &IDENTITIES_READ, stubs::identities)
        .named("adminBrowseIdentities", "Browse identities")
        .query(&[LISTS])
        .returns(OK, Page("identities", AnyObject)),
    get("admin/members/metafields/{namespace}/", &MEMBERS_METAFIELDS, stubs::metafields)
        .named("browseMemberMetafields", "Browse custom fields of members: always empty")
        .returns(OK, Records("members_metafields", AnyObject)),
    get("admin/members/metafields/{namespace}/{key}/", &MEMBERS_METAFIELDS, stubs::metafield)
        .named("readMemberMetafield", "Read a custom field of members: there is none")
        .returns(OK, Records("members_metafields", AnyObject)),
    get("admin/posts/{id}/gift_links/", &GIFT_LINKS_BROWSE, stubs::gift_links)
        .named("browsePostGiftLinks", "Browse gift links of a post: always empty")
        .fails(BUSY)
        .returns(OK, Records("gift_links", AnyObject)),
    get("admin/pages/{id}/gift_links/", &GIFT_LINKS_BROWSE, stubs::gift_links)
        .named("browsePageGiftLinks", "Browse gift links of a page: always empty")
        .fails(BUSY)
        .returns(OK, Records("gift_links", AnyObject)),
    put("admin/posts/{id}/gift_links/", &GIFT_LINKS_BROWSE, stubs::refuse_gift_links)
        .named("addPostGiftLink", "Add a gift link of a post: always refused")
        .takes(NoBody)
        .fails(BUSY)
        .returns(OK, Records("gift_links", AnyObject)),
    post("admin/posts/{id}/gift_links/", &GIFT_LINKS_BROWSE, stubs::refuse_gift_links)
        .named("replacePostGiftLink", "Replace the gift link of a post: always refused")
        .takes(NoBody)
        .fails(BUSY)
        .returns(CREATED, Records("gift_links", AnyObject)),
    put("admin/pages/{id}/gift_links/", &GIFT_LINKS_BROWSE, stubs::refuse_gift_links)
        .named("addPageGiftLink", "Add a gift link of a page: always refused")
        .takes(NoBody)
        .fails(BUSY)
        .returns(OK, Records("gift_links", AnyObject)),
    post("admin/pages/{id}/gift_links/", &GIFT_LINKS_BROWSE, stubs::refuse_gift_links)
        .named("replacePageGiftLink", "Replace the gift link of a page: always refused")
        .takes(NoBody)
        .fails(BUSY)
        .returns(CREATED, Records("gift_links", AnyObject)),
    put("admin/gift_links/remove_all/", &GIFT_LINKS_BROWSE, stubs::refuse_gift_links)
        .named("removeGiftLinks", "Remove all gift links: always refused")
        .takes(NoBody)
        .returns(OK, Records("gift_links", AnyObject)),
    get("admin/tiers/checkout_config/", &TIERS_BROWSE, stubs::checkout_configs)
        .named("browseCheckoutConfigs", "Browse checkout configurations: always empty")
        .returns(OK, Records("tiers_checkout_config", AnyObject)),
    get("admin/tiers/{id}/checkout_config/", &TIERS_READ, stubs::checkout_config)
        .named("readCheckoutConfig", "Read the checkout configuration of a tier: without custom fields")
        .returns(OK, Records("tiers_checkout_config", AnyObject)),
    put("admin/tiers/{id}/checkout_config/", &TIERS_READ, stubs::edit_checkout_config)
        .named("editCheckoutConfig", "Edit the checkout configuration of a tier: always refused")
        .takes(NoBody)
        .returns(OK, Records("tiers_checkout_config", AnyObject)),
    delete("admin/members/{id}/sessions/", &MEMBERS_EDIT, members::end_sessions)
        .named("adminDeleteMembersSessions", "End all sessions of a member")
        .returns(NO_CONTENT, Nothing),
    post("admin/members/{id}/subscriptions/", &MEMBERS_EDIT, stubs::subscription)
        .named("adminAddMembersSubscriptions", "Add a subscription to a member: always refused")
        .takes(NoBody)
        .returns(CREATED, Records("members", Ref("Member"))),
    put("admin/members/{id}/subscriptions/{subscription_id}/", &MEMBERS_EDIT, stubs::subscription)
        .named("adminEditMembersSubscriptions", "Edit a subscription of a member: always refused")
        .takes(NoBody)
        .returns(OK, Records("members", Ref("Member"))),
    get("admin/emails/{id}/analytics/", &EMAILS_BROWSE, stubs::email_analytics)
        .named("readEmailAnalytics", "Read the state of e-mail analytics: not running")
        .returns(OK, Object("latest")),
    put("admin/emails/{id}/analytics/", &EMAILS_BROWSE, stubs::schedule_email_analytics)
        .named("scheduleEmailAnalytics", "Schedule e-mail analytics: nothing is tracked")
        .takes(NoBody)
        .returns(OK, Records("emails", AnyObject)),
    delete("admin/emails/analytics/", &EMAILS_BROWSE, stubs::cancel_email_analytics)
        .named("cancelEmailAnalytics", "Cancel scheduled e-mail analytics: there is none")
        .returns(OK, Records("emails", Ref("Email"))),
    get("admin/tinybird/token/", &TINYBIRD_TOKEN, stubs::tinybird_token)
        .named("readTinybirdToken", "Read the web analytics token: always null")
        .returns(OK, Schema("TinybirdToken")),
    get("admin/featurebase/token/", &CONFIG_READ, stubs::featurebase_token)
        .named("readFeaturebaseToken", "Read a token for Featurebase: always refused")
        .returns(OK, Schema("FeaturebaseToken")),
    get("admin/members/stripe_connect/", &SETTINGS_EDIT, stubs::connect_stripe)
        .named("connectStripe", "Connect the payment provider: always refused")
        .returns(OK, EmptyObject),
    post("admin/slack/test/", &SLACK_TEST, stubs::test_slack)
        .named("testSlack", "Test the Slack integration: nothing is posted")
        .takes(NoBody)
        .returns(OK, EmptyObject),
];
