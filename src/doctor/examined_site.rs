//! The site that the checks examine.

use std::{net::SocketAddr, sync::OnceLock};

use url::{Host, Url};
use uuid::Uuid;

use crate::{
    config::Config,
    control::Examination,
    data_folder::Owner,
    dns::{DnsError, NameServers},
};

/// The source of DNS records.
#[derive(Clone, Copy, Debug, Default)]
pub enum NameService {
    /// The resolver and the name servers of the operating system.
    #[default]
    System,
    /// One name server.
    At(SocketAddr),
}

/// The site, its configuration, and the process that serves it.
pub(super) struct ExaminedSite {
    pub config: Config,
    pub name_service: NameService,
    /// The random challenge with which the site proves its identity.
    pub challenge: String,
    /// The values of the site, once they are known.
    pub site: OnceLock<SiteValues>,
}

/// The values of the site, and their source.
#[derive(Debug, Default)]
pub(super) struct SiteValues {
    /// The process that serves the site, if one does.
    pub server: Option<Owner>,
    /// The values; `None` if there is no site yet, or if they cannot be read, which is a separate finding.
    pub examination: Option<Examination>,
}

impl ExaminedSite {
    pub fn new(config: Config, name_service: NameService) -> Self {
        Self {
            config,
            name_service,
            challenge: Uuid::new_v4().simple().to_string(),
            site: OnceLock::new(),
        }
    }

    pub fn examination(&self) -> Option<&Examination> {
        self.site.get()?.examination.as_ref()
    }

    /// Returns the process that serves the site.
    pub fn server(&self) -> Option<&Owner> {
        self.site.get()?.server.as_ref()
    }

    /// Returns the public URL of the site, if it is configured.
    pub fn url(&self) -> Option<Url> {
        let of_site = self.examination().and_then(|site| site.url.clone());
        let url = of_site.or_else(|| self.config.url.clone())?;
        Url::parse(&url).ok()
    }

    /// Returns the host name in the public URL, unless it is an IP address or names only this machine.
    pub fn url_name(&self) -> Option<String> {
        let url = self.url()?;
        match url.host()? {
            Host::Domain(name) if name != "localhost" && !name.ends_with(".localhost") => {
                Some(name.to_owned())
            }
            _ => None,
        }
    }

    /// Returns the name servers for TXT records.
    pub fn name_servers(&self) -> NameServers {
        match self.name_service {
            NameService::System => NameServers::of_system(),
            NameService::At(server) => NameServers::at(server),
        }
    }

    /// Returns the TXT records of a name; empty if the name does not exist.
    pub fn texts(&self, name: &str) -> Result<Vec<String>, DnsError> {
        match self.name_servers().texts(name) {
            Err(DnsError::NoSuchName(_)) => Ok(Vec::new()),
            texts => texts,
        }
    }
}
