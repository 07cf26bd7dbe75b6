//! Links and codes in mails: requesting links, entering codes, and opening links.

use http::{HeaderValue, Method, StatusCode, header};
use serde_json::{Map, Value, json};
use url::{Position, Url};

use super::{
    call::{Call, text_of},
    inbox_links,
    replies::{empty_object, json_response, with_json},
    session, tokens,
};
use crate::{
    admin::member_sign_in::{self, LinkRequest, SignedIn, secret_of},
    api::{
        headers::{self, CacheControl},
        request::is_prefetch,
        response::Response,
    },
    domain::{
        member::NAME_CHARACTERS_MAX, member_link::LinkPurpose, member_session::MemberSession,
    },
    error::{Error, Kind, Result},
};

/// Parameters of a link that are not passed on to its target page.
const OWN_PARAMETERS: [&str; 3] = ["token", "r", "otc_verification"];

/// `POST members/api/send-magic-link`
pub fn send(call: &Call) -> Result<Response> {
    let body = call.body()?;
    // Checked first, so that requests of programs without a token cause neither a lookup nor a commit.
    tokens::check_integrity(call, &body)?;
    // A program gets the same response as a person, so that it does not notice.
    if is_of_program(&body) {
        return Ok(with_json(StatusCode::CREATED, &empty_object()));
    }
    let reference = request(call, &body)?;
    let mut response = empty_object();
    if let Some(reference) = reference {
        response["otc_ref"] = json!(reference);
    }
    let sender = call.settings().support_address(&call.mail_site().host);
    let email = text_of(&body, "email").unwrap_or_default();
    if let Some(links) = inbox_links::of(email.trim(), &sender) {
        response["inboxLinks"] = links;
    }
    let mut response = with_json(StatusCode::CREATED, &response);
    // Without a charset (Ghost 6.65, recorded).
    let kind = HeaderValue::from_static("application/json");
    response.headers.set(header::CONTENT_TYPE, kind);
    Ok(response)
}

/// Returns whether a program has filled in the form: a field that is hidden from people has a value.
pub fn is_of_program(body: &Map<String, Value>) -> bool {
    body.get("honeypot")
        .is_some_and(|value| *value != "" && !value.is_null())
}

/// Mails the link that a form requests, and returns the reference of its code if the form accepts codes.
///
/// # Errors
///
/// `BadRequest` if the address is missing or not accepted, or sign-up is disabled; `TooManyRequests` beyond a limit.
pub fn request(call: &Call, body: &Map<String, Value>) -> Result<Option<String>> {
    let email = text_of(body, "email").unwrap_or_default();
    if email.is_empty() {
        return Err(Error::new(
            Kind::BadRequest,
            "An e-mail address is missing.",
        ));
    }
    let name = text_of(body, "name").filter(|name| !name.is_empty());
    let name = name.map(|name| name.chars().take(NAME_CHARACTERS_MAX).collect::<String>());
    let mail_site = call.mail_site();
    member_sign_in::request_link(
        &call.sign_in(&mail_site),
        &LinkRequest {
            // Forms in old themes do not send the type.
            purpose: text_of(body, "emailType").unwrap_or("subscribe").to_owned(),
            email: email.to_owned(),
            name: name.map(Into::into),
            labels: texts(body.get("labels")).map(Into::into).collect(),
            newsletters: newsletters(body),
            return_to: return_page(call, body),
            takes_code: matches!(body.get("includeOTC"), Some(value) if *value == true || *value == "true"),
        },
    )
}

/// `POST members/api/verify-otc`
pub fn verify_code(call: &Call) -> Result<Response> {
    let url = enter_code(call, &call.body()?)?;
    Ok(json_response(&json!({ "redirectUrl": url })))
}

/// Returns the URL that signs in the client, if the form contains the right code.
///
/// # Errors
///
/// `BadRequest` if the form has no valid token or no code, or if the code is wrong or has expired.
pub fn enter_code(call: &Call, body: &Map<String, Value>) -> Result<String> {
    tokens::check_integrity(call, body)?;
    let (Some(code), Some(reference)) = (text_of(body, "otc"), text_of(body, "otcRef")) else {
        return Err(Error::new(Kind::BadRequest, "The request is incomplete.")
            .context("otc and otcRef are required.")
            .code("OTC_VERIFICATION_MISSING_PARAMS"));
    };
    let mail_site = call.mail_site();
    let page = return_page(call, body);
    member_sign_in::enter_code(&call.sign_in(&mail_site), reference, code, page.as_deref())
}

/// `GET` and `HEAD members/?token=…&action=…`. Only a GET by a person may redeem the link. A HEAD
/// request, as sent by programs that check links, has no effect. A prefetch is refused, so that the
/// browser sends the request again when the person opens the link.
///
/// # Errors
///
/// `Maintenance` for a prefetch.
pub fn open(call: &Call) -> Result<Response> {
    let head = &call.request.head;
    if is_prefetch(&head.headers) {
        let message = "A sign-in link cannot be prefetched.";
        return Err(Error::new(Kind::Maintenance, message));
    }
    // Mail services check links with HEAD before the reader opens them.
    if head.method != Method::HEAD {
        return redeem(call);
    }
    let mut response = Response::new(StatusCode::OK);
    response.headers = headers::without_body(CacheControl::Private);
    Ok(response)
}

/// Signs in, and redirects to the page where the link was requested, or to the front page.
fn redeem(call: &Call) -> Result<Response> {
    let given = |name| call.query.first(name);
    let token = given("token").unwrap_or_default();
    let redeemed = member_sign_in::redeem(&call.api.site, token, given("otc_verification"));
    let (signed_in, failure) = match redeemed {
        Ok(signed_in) => (Some(signed_in), None),
        // An internal error must not look like an invalid link, which the reader would discard.
        Err(error) if error.kind() == Kind::Internal => return Err(error),
        Err(error) => (None, error.code_name()),
    };
    let location = destination(call, signed_in.as_ref(), failure);
    let mut response = Response::redirect(false, &location, CacheControl::Private.value())
        .map_err(Error::internal)?;
    response.headers.set(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    // The link must not be sent to other sites as the referrer.
    response.headers.set(
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    );
    if let Some(SignedIn { member, .. }) = &signed_in {
        let session = MemberSession::new(member, call.api.site.now());
        let secret = secret_of(&call.snapshot.catalog)?;
        session::set(&mut response, &call.cache.site_urls, secret, &session);
    }
    Ok(response)
}

/// Returns the target of a link, with the result in the query.
fn destination(call: &Call, signed_in: Option<&SignedIn>, failure: Option<&str>) -> String {
    let front = call.front();
    let action = call.query.first("action");
    if signed_in.is_some()
        && matches!(action, Some("signup" | "subscribe"))
        && let Some(page) = welcome_page(call, signed_in)
    {
        return page;
    }
    // Anyone can change this parameter of a link, so it is checked again.
    let page = call.query.first("r").filter(|page| is_own(call, page));
    let page = page.and_then(|page| Url::parse(page).ok());
    // As in Ghost, a redirect to the front page contains only its path, unless it is on another host.
    let is_relative = page.is_none() && call.api.options.front_end.external().is_none();
    let page = page.or_else(|| Url::parse(&format!("{front}/")).ok());
    let Some(mut page) = page else {
        return format!("{front}/");
    };
    // The page may itself have been opened by such a link; the results of that link are removed.
    let pairs_left: Vec<(String, String)> = page
        .query_pairs()
        .filter(|(name, _)| !matches!(&**name, "success" | "action" | "errorCode"))
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    {
        let mut pairs = page.query_pairs_mut();
        pairs.clear().extend_pairs(pairs_left);
        if let Some(action) = action {
            pairs.append_pair("action", action);
        }
        for (name, value) in call.query.iter() {
            if name != "action" && !OWN_PARAMETERS.contains(&name) {
                pairs.append_pair(name, value);
            }
        }
        if let Some(code) = failure {
            pairs.append_pair("errorCode", code);
        }
        let success = if signed_in.is_some() { "true" } else { "false" };
        pairs.append_pair("success", success);
    }
    if is_relative {
        page[Position::BeforePath..].to_owned()
    } else {
        page.into()
    }
}

/// Returns the welcome page of the member's tier, if the staff has set one.
fn welcome_page(call: &Call, signed_in: Option<&SignedIn>) -> Option<String> {
    let tiers = &call.snapshot.catalog.tiers;
    let grant = signed_in.and_then(|signed_in| signed_in.member.tiers.first());
    let tier = match grant {
        Some(grant) => tiers.get(grant.tier),
        None => tiers.iter().find(|tier| tier.price.is_none()),
    };
    let page = tier?.welcome_page_url.as_deref()?;
    let base = Url::parse(&format!("{}/", call.front())).ok()?;
    // Without its leading slash, the path is resolved below the site's subdirectory.
    let mut url = base.join(page.trim_start_matches('/')).ok()?;
    if page.is_empty() || url.path() == base.path() {
        return None;
    }
    if url.origin() == base.origin() {
        url.query_pairs_mut()
            .append_pair("success", "true")
            .append_pair("action", LinkPurpose::SignUp.name());
    }
    Some(url.into())
}

/// Returns the page that opens after a link is redeemed: the page that the request names, or the page
/// that sent the request. `None` for pages of other sites.
fn return_page(call: &Call, body: &Map<String, Value>) -> Option<String> {
    if body.get("autoRedirect") == Some(&Value::Bool(false)) {
        return None;
    }
    let referrer = call.request.head.headers.get(header::REFERER);
    let named = text_of(body, "redirect").filter(|page| Url::parse(page).is_ok());
    let page = named.or_else(|| referrer?.to_str().ok())?;
    is_own(call, page).then(|| page.to_owned())
}

/// Returns whether a page is at the site's own origin or a listed one.
pub fn is_own(call: &Call, page: &str) -> bool {
    Url::parse(page).is_ok_and(|page| {
        let is_web = matches!(page.scheme(), "http" | "https");
        let has_user = !page.username().is_empty() || page.password().is_some();
        let origin = page.origin().ascii_serialization();
        is_web && !has_user && call.api.is_reader_origin(call.cache, &origin)
    })
}

fn texts(value: Option<&Value>) -> impl Iterator<Item = &str> {
    let list = value.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str)
}

/// Returns the names of the newsletters that a form selects; `None` if it contains no list of names.
fn newsletters(body: &Map<String, Value>) -> Option<Vec<String>> {
    let chosen = body.get("newsletters")?.as_array()?;
    let names = chosen
        .iter()
        .map(|one| Some(one["name"].as_str()?.to_owned()));
    names.collect()
}
