//! Tiers, newsletters, offers and recommendations.

use super::{
    parameters::{LISTS, RECOMMENDATION_COUNTS, RECOMMENDATION_LISTS, STAFF_RECORDS},
    route::{
        CREATED,
        Input::{Json, Record, Single},
        NO_CONTENT, OK,
        Output::{Nothing, Records},
        Route, delete, get, page, post, put, record,
    },
    shape::Shape::{AnyObject, Text},
};
use crate::{
    api::admin::{newsletters, offers, recommendations, records, tiers},
    domain::{
        newsletter::{
            NEWSLETTERS_ADD, NEWSLETTERS_BROWSE, NEWSLETTERS_EDIT, NEWSLETTERS_READ, Newsletter,
        },
        offer::{OFFERS_ADD, OFFERS_BROWSE, OFFERS_EDIT, OFFERS_READ, Offer},
        recommendation::{RECOMMENDATIONS_BROWSE, RECOMMENDATIONS_EDIT, Recommendation},
        tier::{TIERS_ADD, TIERS_BROWSE, TIERS_EDIT, TIERS_READ, Tier},
    },
};

/// The endpoints of this area, laid out as a table.
#[rustfmt::skip]
pub static ROUTES: &[Route] = &[
    get("admin/newsletters/", &NEWSLETTERS_BROWSE, records::browse::<Newsletter>)
        .named("adminBrowseNewsletters", "Browse newsletters")
        .query(&[LISTS, STAFF_RECORDS])
        .returns(OK, page::<Newsletter>()),
    get("admin/newsletters/{id}/", &NEWSLETTERS_READ, records::read_by_id::<Newsletter>)
        .named("adminReadNewslettersById", "Read a newsletter by ID")
        .query(&[STAFF_RECORDS])
        .returns(OK, record::<Newsletter>()),
    post("admin/newsletters/", &NEWSLETTERS_ADD, newsletters::add)
        .named("adminAddNewsletters", "Add a newsletter")
        .takes(Record("newsletters", newsletters::FIELDS))
        .returns(CREATED, record::<Newsletter>()),
    put("admin/newsletters/{id}/", &NEWSLETTERS_EDIT, newsletters::edit)
        .named("adminEditNewslettersById", "Edit a newsletter")
        .takes(Record("newsletters", newsletters::FIELDS))
        .returns(OK, record::<Newsletter>()),
    put("admin/newsletters/verifications/", &NEWSLETTERS_EDIT, newsletters::verify)
        .named("verifySender", "Confirm a sender address with a token; none needs confirmation")
        .takes(Json(&[("token", Text)]))
        .returns(OK, record::<Newsletter>()),
    get("admin/offers/", &OFFERS_BROWSE, records::browse::<Offer>)
        .named("adminBrowseOffers", "Browse offers")
        .query(&[LISTS])
        .returns(OK, page::<Offer>()),
    get("admin/offers/{id}/", &OFFERS_READ, records::read_by_id::<Offer>)
        .named("adminReadOffersById", "Read an offer by ID")
        .returns(OK, record::<Offer>()),
    post("admin/offers/", &OFFERS_ADD, offers::add)
        .named("addOffer", "Add an offer")
        .takes(Record("offers", offers::FIELDS))
        .returns(OK, record::<Offer>()),
    put("admin/offers/{id}/", &OFFERS_EDIT, offers::edit)
        .named("adminEditOffersById", "Edit an offer")
        .takes(Record("offers", offers::FIELDS))
        .returns(OK, record::<Offer>()),
    get("admin/recommendations/", &RECOMMENDATIONS_BROWSE, recommendations::browse)
        .named("adminBrowseRecommendations", "Browse recommendations")
        .query(&[RECOMMENDATION_LISTS, &[RECOMMENDATION_COUNTS]])
        .returns(OK, page::<Recommendation>()),
    get("admin/recommendations/{id}/", &RECOMMENDATIONS_BROWSE, recommendations::read)
        .named("adminReadRecommendationsById", "Read a recommendation by ID")
        .query(&[&[RECOMMENDATION_COUNTS]])
        .returns(OK, record::<Recommendation>()),
    post("admin/recommendations/", &RECOMMENDATIONS_EDIT, recommendations::add)
        .named("adminAddRecommendations", "Add a recommendation")
        .takes(Record("recommendations", recommendations::FIELDS))
        .returns(CREATED, Records("recommendations", AnyObject)),
    post("admin/recommendations/check/", &RECOMMENDATIONS_EDIT, recommendations::check)
        .named("adminAddRecommendationsCheck", "Check whether a URL can be recommended")
        .takes(Single("recommendations", &[("url", Text)]))
        .returns(OK, Records("recommendations", AnyObject)),
    put("admin/recommendations/{id}/", &RECOMMENDATIONS_EDIT, recommendations::edit)
        .named("adminEditRecommendationsById", "Edit a recommendation")
        .takes(Record("recommendations", recommendations::FIELDS))
        .returns(OK, record::<Recommendation>()),
    delete("admin/recommendations/{id}/", &RECOMMENDATIONS_EDIT, records::delete::<Recommendation>)
        .named("adminDeleteRecommendationsById", "Delete a recommendation")
        .returns(NO_CONTENT, Nothing),
    get("admin/tiers/", &TIERS_BROWSE, records::browse::<Tier>)
        .named("adminBrowseTiers", "Browse tiers")
        .query(&[LISTS, STAFF_RECORDS])
        .returns(OK, page::<Tier>()),
    get("admin/tiers/{id}/", &TIERS_READ, records::read_by_id::<Tier>)
        .named("adminReadTiersById", "Read a tier by ID")
        .query(&[STAFF_RECORDS])
        .returns(OK, record::<Tier>()),
    post("admin/tiers/", &TIERS_ADD, tiers::add)
        .named("adminAddTiers", "Add a tier")
        .takes(Record("tiers", tiers::FIELDS))
        .returns(CREATED, record::<Tier>()),
    put("admin/tiers/{id}/", &TIERS_EDIT, tiers::edit)
        .named("adminEditTiersById", "Edit a tier")
        .takes(Record("tiers", tiers::FIELDS))
        .returns(OK, record::<Tier>()),
];
