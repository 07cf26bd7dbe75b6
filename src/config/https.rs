//! The options of a site that is served over https.

use std::{collections::BTreeSet, net::SocketAddr, path::PathBuf};

use url::{Host, Url};

use super::{error::ConfigError, values::Values};
use crate::certificates::{AcmeOptions, CertificateSource};

/// The address that a site at https listens on for http, if none is configured.
const HTTP_LISTEN: &str = "[::]:80";

/// The https settings of a site.
#[derive(Clone, Debug)]
pub struct HttpsConfig {
    /// The names of the site, the one of its URL first; none if only the certificate has them.
    pub names: Vec<String>,
    /// The source of its certificate.
    pub source: CertificateSource,
    /// The listen address.
    pub listen: SocketAddr,
    /// The port in redirects; `None` for the one that is listened on.
    pub redirect_port: Option<u16>,
    /// Time during which browsers may use nothing but https, in seconds.
    pub hsts_s: u64,
}

impl HttpsConfig {
    /// Reads the options; `None` for a site at http.
    pub(super) fn of(values: &Values) -> Result<Option<Self>, ConfigError> {
        let names = values.list("domain").into_iter().map(|name| {
            domain_name(&name)
                .ok_or_else(|| values.invalid("domain", "a list of names such as example.com"))
        });
        let names: Vec<String> = names.collect::<Result<_, _>>()?;
        if names.iter().collect::<BTreeSet<_>>().len() < names.len() {
            return Err(values.invalid("domain", "a list of different names"));
        }
        let path = |key: &str| values.given(key).filter(|path| !path.is_empty());
        let source = match (path("tls.cert"), path("tls.key")) {
            (Some(certificate), Some(key)) => CertificateSource::Files {
                certificate: PathBuf::from(certificate),
                key: PathBuf::from(key),
            },
            (Some(_), None) => {
                let expected = "the file of the private key of that certificate";
                return Err(values.missing("tls.cert", "tls.key", expected));
            }
            (None, Some(_)) => {
                let expected = "the file of the certificate of that key";
                return Err(values.missing("tls.key", "tls.cert", expected));
            }
            (None, None) if names.is_empty() => return Ok(None),
            (None, None) => CertificateSource::Acme(acme_options(values)),
        };
        let url = values.given("url").and_then(|url| Url::parse(url).ok());
        let standard = (!names.is_empty()).then_some(443);
        Ok(Some(Self {
            redirect_port: url.and_then(|url| url.port_or_known_default()).or(standard),
            names,
            source,
            listen: values.listen_address("tls.listen")?,
            hsts_s: values.number("tls.hsts_s")?,
        }))
    }

    /// Returns the public URL of the site by its names; `None` if only the certificate has names.
    pub fn url(&self) -> Option<String> {
        let first = self.names.first();
        first.map(|name| format!("https://{name}"))
    }
}

fn acme_options(values: &Values) -> AcmeOptions {
    let given = |key: &str| values.given(key).filter(|text| !text.is_empty());
    AcmeOptions {
        directory: values.text("tls.acme_directory").to_owned(),
        contact: given("tls.acme_contact").map(str::to_owned),
        root: given("tls.acme_root").map(PathBuf::from),
        retry_min: AcmeOptions::RETRY_MIN,
    }
}

/// Returns the address for http.
pub(super) fn listen_for_http(
    values: &Values,
    https: Option<&HttpsConfig>,
) -> Result<SocketAddr, ConfigError> {
    match (values.given("listen"), https) {
        (None, Some(_)) => super::listen_address(HTTP_LISTEN)
            .map_err(|expected| values.invalid("listen", expected)),
        _ => values.listen_address("listen"),
    }
}

/// Returns a name as certificates have it, in lower case and ASCII, without the dot of the root; `None` for an IP address, a
/// wildcard and other text.
pub fn domain_name(text: &str) -> Option<String> {
    match Host::parse(text.strip_suffix('.').unwrap_or(text)).ok()? {
        Host::Domain(name) if !name.contains('*') => Some(name),
        _ => None,
    }
}
