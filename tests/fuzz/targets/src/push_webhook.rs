//! Properties of push webhooks: a webhook without proof that the sender knows the secret does not start a pull, and a
//! signature is only valid for the body and the time that were signed.

use std::{
    path::Path,
    sync::{Arc, LazyLock},
};

use data_encoding::{BASE64, HEXLOWER};
use galley::{api::Api, repository::Pulls};
use hmac::{Hmac, KeyInit, Mac};
use http::{HeaderName, Method};
use memchr::memmem;
use sha2::Sha256;

use super::small_site::{self, NO_DATA, NOW, SmallSite};

/// The secret, and the placeholders in an input: for the two signatures of the body, and for the secret itself.
const SECRET: &str = "between the two of us";
const PLACEHOLDERS: [&str; 3] = ["HEXADECIMAL", "STANDARD", "SECRET"];

/// The identifier of a webhook that is signed according to the Standard Webhooks specification.
const ID: &str = "msg_1";

/// Separator between the header fields and the body of an input.
const BLANK_LINE: &str = "\n\n";

struct Fixture {
    _site: SmallSite,
    api: Api,
}

static FIXTURE: LazyLock<Fixture> = LazyLock::new(|| {
    let site = SmallSite::new(Path::new(NO_DATA));
    let pulls = Pulls::new(&site.site, Some(SECRET.to_owned()));
    let api = site.api_with(|options| options.pulls = Some(Arc::new(pulls)));
    Fixture { _site: site, api }
});

/// Panics unless these properties hold for a webhook: lines with header fields, a blank line, and the body.
pub fn check(input: &[u8]) {
    let start = memmem::find(input, BLANK_LINE.as_bytes());
    let (fields, body) = input.split_at(start.unwrap_or(input.len()));
    let body = body.get(BLANK_LINE.len()..).unwrap_or_default();
    let Ok(fields) = str::from_utf8(fields) else {
        return;
    };
    let signed = with_proofs(fields, body);
    if !is_accepted(&signed, body) {
        return;
    }
    assert!(
        PLACEHOLDERS.iter().any(|proof| fields.contains(proof)),
        "accepted without proof: {fields:?}"
    );
    if !fields.contains("SECRET") {
        let other_body = [body, b" "].concat();
        assert!(
            !is_accepted(&signed, &other_body),
            "accepted with another body: {fields:?}"
        );
    }
    let later = fields.replace(&NOW.to_string(), &(NOW + 301).to_string());
    // Only Standard Webhooks signatures include the time.
    let [hexadecimal, _, secret] = PLACEHOLDERS.map(|proof| fields.contains(proof));
    if !hexadecimal && !secret && later != fields {
        let signed = with_proofs(&later, body);
        assert!(
            !is_accepted(&signed, body),
            "accepted at another time: {later:?}"
        );
    }
}

/// Returns the header fields with the placeholders replaced by the secret and the signatures.
fn with_proofs(fields: &str, body: &[u8]) -> String {
    let code = |parts: &[&[u8]]| {
        let mut code = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
        for part in parts {
            code.update(part);
        }
        code.finalize().into_bytes()
    };
    let time = NOW.to_string();
    let standard = code(&[ID.as_bytes(), b".", time.as_bytes(), b".", body]);
    let hexadecimal = code(&[body]);
    fields
        .replace(PLACEHOLDERS[0], &HEXLOWER.encode(&hexadecimal))
        .replace(PLACEHOLDERS[1], &BASE64.encode(&standard))
        .replace(PLACEHOLDERS[2], SECRET)
}

/// Whether the site accepts the webhook as authentic.
fn is_accepted(fields: &str, body: &[u8]) -> bool {
    let fields = fields.lines().filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        let name = HeaderName::from_bytes(name.trim().as_bytes()).ok()?;
        Some((name, value.trim().as_bytes()))
    });
    let fields: Vec<(HeaderName, &[u8])> = fields.collect();
    let target = "/ghost/api/admin/git/push/";
    let client = small_site::new_client();
    let response = small_site::send(&FIXTURE.api, client, Method::POST, target, &fields, body);
    let status = response.map(|response| response.status.as_u16());
    match status {
        None => false,
        Some(200 | 202) => true,
        // This includes authentic webhooks whose body cannot be parsed.
        Some(400..=499) => false,
        Some(status) => panic!("{status}"),
    }
}
