//! Checks the records by which receivers of mail judge the sender's domain: SPF, DKIM and DMARC.

use super::{examined_site::ExaminedSite, finding::UnnamedFinding};
use crate::dns::DnsError;

/// Names under which mail services usually publish their keys. The actual name appears only in the mails that are
/// signed with the key.
const SELECTORS: [&str; 16] = [
    "default",
    "dkim",
    "mail",
    "smtp",
    "s1",
    "s2",
    "k1",
    "k2",
    "selector1",
    "selector2",
    "google",
    "mandrill",
    "pm",
    "mxvault",
    "fm1",
    "zmail",
];

/// Maximum number of queries that a receiver makes for one SPF record (RFC 7208, section 4.6.4).
const SPF_QUERIES_MAX: usize = 10;

/// The characters before a term of an SPF record: what a match means for the mail (RFC 7208, section 4.6.1).
const QUALIFIERS: [char; 4] = ['+', '-', '~', '?'];

/// Looks up the records and explains them.
pub(super) fn check(examined: &ExaminedSite) -> Vec<UnnamedFinding> {
    let mail = &examined.config.mail;
    if mail.server.is_none() {
        return vec![UnnamedFinding::skipped(
            "mail.url is not set, so no mail is sent",
        )];
    }
    let domain = match &mail.from {
        Some(sender) => Some(sender.domain()),
        None => examined.url_name(),
    };
    // Other machines cannot send mail to such a sender.
    let Some(domain) = domain.filter(|domain| domain.contains('.')) else {
        return vec![UnnamedFinding::error(
            "the sender of mails has no domain, so receivers refuse them",
            "Set mail.from to an address of your domain, such as news@example.com.",
        )];
    };
    [spf, dkim, dmarc]
        .map(|find_record| {
            find_record(examined, &domain).unwrap_or_else(|error| {
                UnnamedFinding::warning(
                    error.to_string(),
                    "Check the network of this machine, or name another name server: `galley doctor --dns 9.9.9.9`.",
                )
            })
        })
        .into()
}

/// Checks which servers may send mail of the domain (RFC 7208).
fn spf(examined: &ExaminedSite, domain: &str) -> Result<UnnamedFinding, DnsError> {
    let texts = examined.texts(domain)?;
    let is_spf = |text: &&String| {
        let version = text.split_whitespace().next();
        version.is_some_and(|word| word.eq_ignore_ascii_case("v=spf1"))
    };
    let records: Vec<&String> = texts.iter().filter(is_spf).collect();
    let record = match records.as_slice() {
        [record] => record,
        [] => {
            return Ok(UnnamedFinding::warning(
                format!("SPF: {domain} does not say which servers may send its mail"),
                format!(
                    "Add a TXT record to {domain} as your mail service documents, such as \"v=spf1 include:spf.example.net -all\"."
                ),
            ));
        }
        several => {
            return Ok(UnnamedFinding::error(
                format!(
                    "SPF: {domain} has {} records, so receivers ignore all of them",
                    several.len()
                ),
                "Merge them into one TXT record.",
            ));
        }
    };
    Ok(explained_spf(record))
}

fn explained_spf(record: &str) -> UnnamedFinding {
    let terms: Vec<String> = record
        .split_whitespace()
        .skip(1)
        .map(str::to_lowercase)
        .collect();
    let queries = terms.iter().filter(|term| makes_query(term)).count();
    let message = format!("SPF: {record:?}");
    if queries > SPF_QUERIES_MAX {
        return UnnamedFinding::error(
            format!(
                "{message} needs {queries} queries, more than the {SPF_QUERIES_MAX} that receivers make"
            ),
            "Remove services that send no mail of this domain any more.",
        );
    }
    let all = |term: &&String| term.trim_start_matches(QUALIFIERS) == "all";
    let others = match terms.iter().find(all).map(String::as_str) {
        Some("-all") => "refused",
        Some("~all") => "marked as suspect",
        Some("all" | "+all") => {
            return UnnamedFinding::warning(
                format!("{message} allows every server to send mail of this domain"),
                "End it with -all or ~all instead.",
            );
        }
        // Receivers ignore a redirect next to `all` (RFC 7208, section 6.1).
        None if terms.iter().any(|term| term.starts_with("redirect=")) => {
            "judged by the record it refers to"
        }
        _ => {
            return UnnamedFinding::warning(
                format!("{message} says nothing about other servers"),
                "End it with -all or ~all.",
            );
        }
    };
    UnnamedFinding::ok(format!(
        "{message}: mail from other servers is {others}; your mail service must be among these"
    ))
}

/// Returns whether a receiver must make a query for a term.
fn makes_query(term: &str) -> bool {
    let term = term.trim_start_matches(QUALIFIERS);
    let name = term.split([':', '=', '/']).next().unwrap_or_default();
    matches!(name, "include" | "a" | "mx" | "ptr" | "exists" | "redirect")
}

/// Checks whether the domain publishes a key for signatures (RFC 6376).
fn dkim(examined: &ExaminedSite, domain: &str) -> Result<UnnamedFinding, DnsError> {
    let keys = format!("_domainkey.{domain}");
    let missing = || {
        UnnamedFinding::warning(
            format!("DKIM: {domain} publishes no key, so no mail of it is signed"),
            "Have your mail service sign: it names the record to add, NAME._domainkey. Galley itself does not sign.",
        )
    };
    match examined.name_servers().texts(&keys) {
        // If this name does not exist, no name below it exists either (RFC 8020).
        Err(DnsError::NoSuchName(_)) => return Ok(missing()),
        Err(error) => return Err(error),
        Ok(_) => {}
    }
    for selector in SELECTORS {
        let name = format!("{selector}.{keys}");
        let texts = examined.texts(&name)?;
        if let Some(key) = texts.iter().find(|text| text.contains("p=")) {
            return Ok(key_state(&name, key));
        }
    }
    Ok(UnnamedFinding::ok(format!(
        "DKIM: {domain} publishes keys, but under none of {} common names; the signature of a mail contains the name (s=)",
        SELECTORS.len()
    )))
}

fn key_state(name: &str, key: &str) -> UnnamedFinding {
    let mut tags = key.split(';').map(str::trim);
    if tags.any(|tag| tag == "p=") {
        return UnnamedFinding::warning(
            format!("DKIM: the key {name} is revoked"),
            "Have your mail service sign with another key.",
        );
    }
    UnnamedFinding::ok(format!(
        "DKIM: {name} is a key; your mail service signs with it"
    ))
}

/// Checks the policy for mail that fails both SPF and DKIM (RFC 7489).
fn dmarc(examined: &ExaminedSite, domain: &str) -> Result<UnnamedFinding, DnsError> {
    // The record of a parent domain applies as well.
    let mut candidate = domain;
    while candidate.contains('.') {
        let name = format!("_dmarc.{candidate}");
        let texts = examined.texts(&name)?;
        let is_dmarc =
            |text: &&String| text.to_lowercase().replace(' ', "").starts_with("v=dmarc1");
        let records: Vec<&String> = texts.iter().filter(is_dmarc).collect();
        match records.as_slice() {
            [] => {}
            [record] => return Ok(explained_dmarc(record)),
            several => {
                return Ok(UnnamedFinding::error(
                    format!(
                        "DMARC: {name} has {} records, so receivers ignore all of them",
                        several.len()
                    ),
                    "Leave one.",
                ));
            }
        }
        candidate = candidate.split_once('.').map_or("", |(_, above)| above);
    }
    Ok(UnnamedFinding::warning(
        format!(
            "DMARC: {domain} has no policy; large mail services refuse or mark newsletters without one"
        ),
        format!(
            "Add a TXT record to _dmarc.{domain}, such as \"v=DMARC1; p=none; rua=mailto:postmaster@{domain}\"."
        ),
    ))
}

fn explained_dmarc(record: &str) -> UnnamedFinding {
    let tags = record
        .split(';')
        .map(|tag| tag.trim().to_lowercase().replace(' ', ""));
    let policy = tags
        .into_iter()
        .find_map(|tag| tag.strip_prefix("p=").map(str::to_owned));
    let message = format!("DMARC: {record:?}");
    match policy.as_deref() {
        Some("none") => UnnamedFinding::ok(format!(
            "{message}: mail that SPF and DKIM do not confirm is delivered nevertheless"
        )),
        Some("quarantine") => UnnamedFinding::ok(format!(
            "{message}: mail that SPF and DKIM do not confirm goes to spam"
        )),
        Some("reject") => UnnamedFinding::ok(format!(
            "{message}: mail that SPF and DKIM do not confirm is refused"
        )),
        _ => UnnamedFinding::error(
            format!("{message} has no valid policy"),
            "Add p=none, p=quarantine or p=reject.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Verdict;

    #[test]
    fn spf_records_are_judged_by_their_end_and_their_queries() {
        let many = format!("v=spf1 {} -all", "include:a.example ".repeat(11));
        for (record, verdict) in [
            ("v=spf1 include:spf.example.net -all", Verdict::Ok),
            ("v=spf1 mx ~ALL", Verdict::Ok),
            ("v=spf1 redirect=_spf.example.net", Verdict::Ok),
            ("v=spf1 include:spf.club.football -all", Verdict::Ok),
            ("v=spf1 redirect=_spf.example.net ?all", Verdict::Warning),
            ("v=spf1 ip4:192.0.2.1", Verdict::Warning),
            ("v=spf1 mx ?all", Verdict::Warning),
            ("v=spf1 +all", Verdict::Warning),
            ("v=spf1 all", Verdict::Warning),
            (&many, Verdict::Error),
        ] {
            assert_eq!(explained_spf(record).verdict, verdict, "{record}");
        }
    }

    #[test]
    fn dmarc_records_need_a_policy() {
        for (record, verdict) in [
            ("v=DMARC1; p=none", Verdict::Ok),
            ("v=DMARC1;p = Reject; rua=mailto:a@example.com", Verdict::Ok),
            ("v=DMARC1; sp=none", Verdict::Error),
            ("v=DMARC1; p=sometimes", Verdict::Error),
        ] {
            assert_eq!(explained_dmarc(record).verdict, verdict, "{record}");
        }
    }
}
