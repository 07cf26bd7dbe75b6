//! Properties of Admin API tokens: a token with an invalid signature grants nothing; a valid token grants only what its
//! claims permit, and is invalid once a single character is changed.

use std::{collections::BTreeMap, path::Path, sync::LazyLock};

use galley::api::Api;
use http::{Method, StatusCode, header};
use serde_json::{Value, value::RawValue};

use super::small_site::{self, NO_DATA, NOW, SmallSite};

/// The maximum age of a token, in seconds.
const AGE_SECONDS_MAX: f64 = 300.0;

/// Placeholder in an input for the identifier of the key, which no input can contain.
const KEY_ID: &str = "KEY_ID";

/// The characters of base64url.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The site that checks the tokens.
struct Fixture {
    site: SmallSite,
    api: Api,
}

static FIXTURE: LazyLock<Fixture> = LazyLock::new(|| {
    let site = SmallSite::new(Path::new(NO_DATA));
    let api = site.api();
    Fixture { site, api }
});

/// Panics unless these properties hold for a token. An input of two lines, the first of which begins with a brace,
/// consists of the header and the claims of a token that is signed with the key; any other input is the token itself.
pub fn check(input: &[u8]) {
    let Some((header, claims)) = to_be_signed(input) else {
        assert!(!opens(input), "an unsigned token was accepted: {input:?}");
        return;
    };
    let token = FIXTURE.site.signed(&header, &claims);
    if !opens(token.as_bytes()) {
        return;
    }
    assert!(may_open(&header, &claims), "{header} {claims}");
    let mut spoilt = token.into_bytes();
    let index = (claims.len() * 31 + header.len()) % spoilt.len();
    let number = ALPHABET.iter().position(|one| *one == spoilt[index]);
    spoilt[index] = ALPHABET[number.map_or(0, |number| (number + 1) % ALPHABET.len())];
    assert!(!opens(&spoilt), "{}", String::from_utf8_lossy(&spoilt));
}

fn to_be_signed(input: &[u8]) -> Option<(String, String)> {
    let text = str::from_utf8(input).ok()?;
    let (header, claims) = text.split_once('\n')?;
    let id = FIXTURE.site.integration.admin_key.id.to_string();
    let is_header = header.starts_with('{');
    is_header.then(|| (header.replace(KEY_ID, &id), claims.to_owned()))
}

/// Whether a token grants access to the Admin API.
fn opens(token: &[u8]) -> bool {
    let peer = small_site::new_client();
    let credentials = [&b"Ghost "[..], token].concat();
    let header = (header::AUTHORIZATION, &credentials[..]);
    let target = "/ghost/api/admin/tags/";
    let response = small_site::ask(&FIXTURE.api, peer, Method::GET, target, Some(header));
    match response.map(|response| response.status) {
        None => false,
        Some(StatusCode::OK) => true,
        Some(StatusCode::UNAUTHORIZED | StatusCode::BAD_REQUEST | StatusCode::FORBIDDEN) => false,
        Some(status) => panic!("{status}"),
    }
}

/// Whether the specification permits access for a token with this header and these claims.
fn may_open(header: &str, claims: &str) -> bool {
    let (Ok(header), Ok(claims)) = (object(header), object(claims)) else {
        return false;
    };
    let claim = |name: &str| value(claims.get(name)?);
    let time = |name: &str| claim(name).filter(|value| !value.is_null());
    let is_past = |value: &Value| value.as_f64().is_some_and(|time| time <= NOW as f64);
    let id = FIXTURE.site.integration.admin_key.id.to_string();
    let is_for_admin = |audience: &Value| {
        let audience = audience.as_str().unwrap_or_default();
        audience.trim_end_matches('/').ends_with("admin")
    };
    let audience = match claim("aud") {
        Some(Value::Array(several)) => several.iter().any(is_for_admin),
        Some(one) => is_for_admin(&one),
        None => false,
    };
    let made = time("iat").and_then(|made| made.as_f64());
    let of_header = |name: &str| value(header.get(name)?);
    of_header("alg").is_some_and(|name| name == "HS256")
        && of_header("kid").is_some_and(|kid| kid == *id)
        && audience
        && made.is_some_and(|made| made + AGE_SECONDS_MAX > NOW as f64)
        && time("nbf").is_none_or(|start| is_past(&start))
        && time("exp").is_none_or(|exp| exp.is_number() && !is_past(&exp))
}

/// Parses an object without parsing its members, so that an irrelevant member may contain a number that is out of
/// range.
fn object(json: &str) -> serde_json::Result<BTreeMap<String, Box<RawValue>>> {
    serde_json::from_str(json)
}

fn value(json: &RawValue) -> Option<Value> {
    serde_json::from_str(json.get()).ok()
}
