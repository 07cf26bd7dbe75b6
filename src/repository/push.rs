//! Push webhooks: verification, and whether they concern the followed branch.
//!
//! GitHub, Gitea and Forgejo sign the body with the secret; GitLab sends the secret itself or, with a signing token, signs
//! as in the Standard Webhooks specification. The payload is only a hint: the repository is fetched.

use std::borrow::Cow;

use data_encoding::{BASE64, HEXLOWER_PERMISSIVE};
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use serde::Deserialize;
use sha2::Sha256;
use subtle::ConstantTimeEq;

/// Maximum length of a body, in bytes: hosts list commits and changed files in it.
pub const BODY_BYTES_MAX: u64 = 8 << 20;

/// Maximum age of a timestamped signature, in the past or the future, in seconds (Standard Webhooks).
const SIGNED_SECONDS_MAX: i64 = 300;

/// The prefix of secrets of the Standard Webhooks specification.
const STANDARD_SECRET: &str = "whsec_";

/// A received webhook.
pub struct Push<'a> {
    /// Returns the first value of a header field.
    pub header: &'a dyn Fn(&str) -> Option<&'a str>,
    /// The body: JSON, or a form with JSON in its field `payload`.
    pub body: &'a [u8],
}

/// The action that a webhook causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consequence {
    /// Pull the repository.
    Pull,
    /// Ignore: the event is not a push.
    OtherEvent,
    /// Ignore: the push is to another branch.
    OtherBranch,
}

/// The body of a webhook is malformed.
#[derive(Debug, thiserror::Error)]
#[error("the body is neither JSON nor a form with JSON in its field payload: {0}")]
pub struct UnreadablePush(#[from] serde_json::Error);

#[derive(Deserialize)]
struct Payload {
    #[serde(rename = "ref", default)]
    reference: Option<String>,
}

impl Push<'_> {
    /// Returns whether the sender knows the secret: there is at least one valid signature, and no invalid one.
    pub fn is_signed_with(&self, secret: &str, now: Timestamp) -> bool {
        let hexadecimal = [
            ("x-hub-signature-256", "sha256="),
            ("x-gitea-signature", ""),
            ("x-forgejo-signature", ""),
            ("x-gogs-signature", ""),
        ];
        let of_body = hexadecimal.iter().filter_map(|(name, prefix)| {
            let signature = (self.header)(name)?.trim().strip_prefix(prefix);
            let digest =
                signature.and_then(|text| HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok());
            // A malformed signature counts as an invalid one, not as a missing one.
            Some(digest.is_some_and(|digest| verifies(secret.as_bytes(), &[self.body], &digest)))
        });
        let token = (self.header)("x-gitlab-token");
        // In constant time, so that the duration does not reveal how many bytes match.
        let of_token = token.map(|token| token.as_bytes().ct_eq(secret.as_bytes()).into());
        let proofs: Vec<bool> = of_body
            .chain(of_token)
            .chain(self.standard_proof(secret, now))
            .collect();
        // Forgejo and Gitea send one signature in several of these headers.
        !proofs.is_empty() && proofs.into_iter().all(|is_valid| is_valid)
    }

    /// Verifies the signature of the Standard Webhooks specification; `None` if there is none.
    fn standard_proof(&self, secret: &str, now: Timestamp) -> Option<bool> {
        let signatures = (self.header)("webhook-signature")?;
        let id = (self.header)("webhook-id").unwrap_or_default();
        let signed_at = (self.header)("webhook-timestamp").unwrap_or_default();
        let seconds: Option<i64> = signed_at.parse().ok();
        let is_recent = seconds
            .is_some_and(|at| at.abs_diff(now.as_second()) <= SIGNED_SECONDS_MAX.unsigned_abs());
        let key: Option<Cow<'_, [u8]>> = match secret.strip_prefix(STANDARD_SECRET) {
            Some(encoded) => BASE64.decode(encoded.as_bytes()).ok().map(Cow::from),
            None => Some(secret.as_bytes().into()),
        };
        // With an empty key anyone could sign.
        let Some(key) = key.filter(|key| !key.is_empty()) else {
            return Some(false);
        };
        let parts = [id.as_bytes(), b".", signed_at.as_bytes(), b".", self.body];
        let is_valid = |signature: &str| {
            let digest = signature.strip_prefix("v1,");
            let digest = digest.and_then(|text| BASE64.decode(text.as_bytes()).ok());
            digest.is_some_and(|digest| verifies(&key, &parts, &digest))
        };
        // A host that rotates its secret signs with both for a while.
        Some(is_recent && signatures.split_whitespace().any(is_valid))
    }

    /// Returns the action that the webhook causes. `branch` is the followed branch, if it is known.
    ///
    /// # Errors
    ///
    /// If the body is malformed.
    pub fn consequence(&self, branch: Option<&str>) -> Result<Consequence, UnreadablePush> {
        // Forgejo and Gitea also send the headers of Gogs and GitHub, so the most specific name
        // comes first.
        let names = [
            "x-forgejo-event",
            "x-gitea-event",
            "x-gogs-event",
            "x-github-event",
            "x-gitlab-event",
        ];
        let event = names.iter().find_map(|name| (self.header)(name));
        // A webhook without an event was sent by a custom script, to request a pull.
        let is_push =
            event.is_none_or(|event| matches!(event, "push" | "Push Hook" | "System Hook"));
        if !is_push {
            return Ok(Consequence::OtherEvent);
        }
        let payload: Payload = serde_json::from_slice(&self.json())?;
        let pushed = payload.reference.as_deref();
        Ok(match (pushed, branch) {
            (Some(pushed), Some(branch)) if pushed.strip_prefix("refs/heads/") != Some(branch) => {
                Consequence::OtherBranch
            }
            // GitLab's system hooks report many other events, without naming a branch.
            (None, _) if event == Some("System Hook") => Consequence::OtherEvent,
            // Before the first pull, the name of the default branch is unknown, so any push may
            // concern it.
            _ => Consequence::Pull,
        })
    }

    fn json(&self) -> Cow<'_, [u8]> {
        let kind = (self.header)("content-type").unwrap_or_default();
        if !kind
            .trim_start()
            .starts_with("application/x-www-form-urlencoded")
        {
            return self.body.into();
        }
        // GitHub sends a form if the webhook is configured so.
        let payload = url::form_urlencoded::parse(self.body).find(|(name, _)| name == "payload");
        let (_, payload) = payload.unwrap_or_default();
        payload.into_owned().into_bytes().into()
    }
}

fn verifies(key: &[u8], parts: &[&[u8]], digest: &[u8]) -> bool {
    let mut code =
        Hmac::<Sha256>::new_from_slice(key).expect("invariant: HMAC accepts keys of any length");
    for part in parts {
        code.update(part);
    }
    code.verify_slice(digest).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = br#"{"ref":"refs/heads/main","commits":[]}"#;
    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn digest(key: &[u8], body: &[u8]) -> Vec<u8> {
        let mut code = Hmac::<Sha256>::new_from_slice(key).unwrap();
        code.update(body);
        code.finalize().into_bytes().to_vec()
    }

    fn value_of<'a>(fields: &[(&str, &'a str)], name: &str) -> Option<&'a str> {
        let field = fields.iter().find(|(own, _)| *own == name);
        field.map(|(_, value)| *value)
    }

    fn is_genuine(fields: &[(&str, &str)], secret: &str) -> bool {
        let header = |name: &str| value_of(fields, name);
        let push = Push {
            header: &header,
            body: BODY,
        };
        push.is_signed_with(secret, NOW)
    }

    fn consequence(fields: &[(&str, &str)], body: &[u8]) -> Consequence {
        let header = |name: &str| value_of(fields, name);
        Push {
            header: &header,
            body,
        }
        .consequence(Some("main"))
        .unwrap()
    }

    #[test]
    fn signatures_of_every_host_are_verified() {
        let right = HEXLOWER_PERMISSIVE.encode(&digest(b"secret", BODY));
        let github = format!("sha256={right}");
        assert!(is_genuine(&[("x-hub-signature-256", &github)], "secret"));
        assert!(is_genuine(&[("x-gitea-signature", &right)], "secret"));
        assert!(is_genuine(
            &[
                ("x-forgejo-signature", &right),
                ("x-gitea-signature", &right)
            ],
            "secret"
        ));
        assert!(is_genuine(&[("x-gitlab-token", "secret")], "secret"));
        assert!(!is_genuine(&[], "secret"));
        assert!(!is_genuine(&[("x-gitlab-token", "secre")], "secret"));
        assert!(!is_genuine(&[("x-hub-signature-256", &right)], "secret"));
        assert!(!is_genuine(&[("x-hub-signature-256", &github)], "another"));
        assert!(!is_genuine(
            &[("x-gitea-signature", &right), ("x-gitlab-token", "x")],
            "secret"
        ));
    }

    /// Any modification of a valid signature, of its input or of its encoding makes it invalid.
    #[test]
    fn wrong_and_truncated_signatures_are_refused() {
        let right = HEXLOWER_PERMISSIVE.encode(&digest(b"secret", BODY));
        let github = |signature: &str| {
            let signature = format!("sha256={signature}");
            is_genuine(&[("x-hub-signature-256", &signature)], "secret")
        };
        assert!(github(&right));
        for end in 0..right.len() {
            assert!(!github(&right[..end]), "{end}");
            assert!(!github(&right[end + 1..]), "{end}");
            let other = if &right[end..=end] == "0" { "1" } else { "0" };
            let mut flipped = right.clone();
            flipped.replace_range(end..=end, other);
            assert!(!github(&flipped), "{end}");
        }
        let longer = format!("{right}00");
        let twice = format!("{right}{right}");
        let of_other_body = HEXLOWER_PERMISSIVE.encode(&digest(b"secret", b"{}"));
        let of_no_key = HEXLOWER_PERMISSIVE.encode(&digest(b"", BODY));
        for wrong in [&longer, &twice, &of_other_body, &of_no_key, &"0".repeat(64)] {
            assert!(!github(wrong), "{wrong}");
        }
        for (name, value) in [
            ("x-hub-signature-256", "sha256="),
            ("x-hub-signature-256", "sha1=00"),
            ("x-gitea-signature", ""),
            ("x-gitlab-token", ""),
            ("x-gitlab-token", "secret2"),
            ("webhook-signature", ""),
            ("webhook-signature", "v1,"),
        ] {
            assert!(!is_genuine(&[(name, value)], "secret"), "{name}: {value}");
        }
    }

    #[test]
    fn secret_that_cannot_be_decoded_verifies_no_signature() {
        for secret in ["whsec_", "whsec_not base64!"] {
            let signed = [b"1.0.", BODY].concat();
            let signature = format!("v1,{}", BASE64.encode(&digest(b"", &signed)));
            let fields = [
                ("webhook-id", "1"),
                ("webhook-timestamp", "0"),
                ("webhook-signature", &*signature),
            ];
            assert!(!is_genuine(&fields, secret), "{secret}");
        }
    }

    #[test]
    fn timestamped_signatures_are_valid_for_five_minutes() {
        let secret = format!("whsec_{}", BASE64.encode(b"key"));
        let genuine = |time: &str| {
            let signed = [format!("1.{time}.").as_bytes(), BODY].concat();
            let signature = format!("v1,AAAA v1,{}", BASE64.encode(&digest(b"key", &signed)));
            let fields = [
                ("webhook-id", "1"),
                ("webhook-timestamp", time),
                ("webhook-signature", &signature),
            ];
            is_genuine(&fields, &secret)
        };
        assert!(genuine("0"));
        assert!(genuine("300"));
        assert!(genuine("-300"));
        assert!(!genuine("301"));
        assert!(!genuine("-301"));
        assert!(!genuine("soon"));
    }

    #[test]
    fn only_pushes_to_the_branch_cause_a_pull() {
        let push = [("x-github-event", "push")];
        assert_eq!(consequence(&push, BODY), Consequence::Pull);
        assert_eq!(
            consequence(&[("x-gitlab-event", "Push Hook")], BODY),
            Consequence::Pull
        );
        assert_eq!(
            consequence(&[("x-github-event", "ping")], b"{}"),
            Consequence::OtherEvent
        );
        assert_eq!(
            consequence(&[("x-gitlab-event", "System Hook")], b"{}"),
            Consequence::OtherEvent
        );
        let other = br#"{"ref":"refs/heads/draft"}"#;
        assert_eq!(consequence(&push, other), Consequence::OtherBranch);
        assert_eq!(
            consequence(&push, br#"{"ref":"refs/tags/main"}"#),
            Consequence::OtherBranch
        );
        let form = [
            push[0],
            ("content-type", "application/x-www-form-urlencoded"),
        ];
        assert_eq!(
            consequence(
                &form,
                b"payload=%7B%22ref%22%3A%22refs%2Fheads%2Fmain%22%7D"
            ),
            Consequence::Pull
        );
    }
}
