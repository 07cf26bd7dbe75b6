//! Tests the report of `sslscan`.

use std::{collections::BTreeMap, process::Command};

use crate::site::{HttpsSite, options_with_files};
use galley_tests::tls_client::TestCertificate;

#[test]
fn only_strong_ciphers_of_current_versions_are_offered() {
    let site = HttpsSite::new();
    let certificate = TestCertificate::new(&["localhost"]);
    certificate.write(site.folder.path());
    let _app = site.serve(&options_with_files(&site));
    let scan = Command::new("sslscan")
        .args(["--no-colour", "--xml=-", &site.https.to_string()])
        .output()
        .expect("sslscan is installed");
    let found = String::from_utf8_lossy(&scan.stdout).into_owned();
    let elements = |name: &str| -> Vec<BTreeMap<String, String>> {
        let begin = format!("<{name} ");
        let parts = found.split(begin.as_str()).skip(1);
        parts
            .map(|part| {
                let attributes = part.split('>').next().unwrap();
                let pairs = attributes.split('"').collect::<Vec<_>>();
                let pairs = pairs.chunks_exact(2);
                pairs
                    .map(|pair| {
                        (
                            pair[0].trim().trim_end_matches('=').to_owned(),
                            pair[1].to_owned(),
                        )
                    })
                    .collect()
            })
            .collect()
    };
    let enabled: Vec<String> = elements("protocol")
        .iter()
        .filter(|protocol| protocol["enabled"] == "1")
        .map(|protocol| format!("{} {}", protocol["type"], protocol["version"]))
        .collect();
    assert_eq!(enabled, ["tls 1.2", "tls 1.3"], "{found}");
    let ciphers = elements("cipher");
    assert!(ciphers.len() >= 5, "{found}");
    for cipher in ciphers {
        let name = &cipher["cipher"];
        let is_forward_secret = name.starts_with("TLS_") || name.starts_with("ECDHE-");
        let is_authenticated = name.contains("GCM") || name.contains("CHACHA20");
        assert!(is_forward_secret && is_authenticated, "{cipher:?}");
        assert!(
            matches!(&*cipher["strength"], "strong" | "acceptable"),
            "{cipher:?}"
        );
    }
    for (element, attribute) in [("compression", "supported"), ("heartbleed", "vulnerable")] {
        for found in elements(element) {
            assert_eq!(found[attribute], "0", "{element}");
        }
    }
}
