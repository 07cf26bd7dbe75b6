//! The options of a site that is served over https.

use std::{collections::BTreeSet, net::SocketAddr, path::PathBuf};

use url::{Host, Url};

use super::{error::ConfigError, values::Values};
use crate::certificates::{AcmeOptions, CertificateSource};

/// The default listen address for http of a site that is served over https.
const HTTP_LISTEN: &str = "[::]:80";

/// The https settings of a site.
#[derive(Clone, Debug)]
pub struct HttpsConfig {
    /// The names of the site, starting with the one in its URL; empty if only the certificate contains names.
    pub names: Vec<String>,
    /// The source of the certificate.
    pub source: CertificateSource,
    /// The listen address.
    pub listen: SocketAddr,
    /// The port in redirects to https; `None` for the listen port.
    pub redirect_port: Option<u16>,
    /// Time for which browsers use only https for the site, in seconds.
    pub hsts_s: u64,
}

impl HttpsConfig {
    /// Reads the options; `None` if the site is not served over https.
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

    /// Returns the public URL of the site according to its names; `None` if only the certificate contains names.
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

/// Returns a domain name in the form of certificates: in lower case and ASCII, without a trailing dot. `None` for an IP
/// address, a wildcard and other text.
pub fn domain_name(text: &str) -> Option<String> {
    match Host::parse(text.strip_suffix('.').unwrap_or(text)).ok()? {
        Host::Domain(name) if !name.contains('*') => Some(name),
        _ => None,
    }
}
