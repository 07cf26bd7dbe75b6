//! A TLS client and certificates for tests.

use std::{
    fs,
    net::{SocketAddr, TcpStream},
    path::Path,
    sync::Arc,
};

use rcgen::{CertificateParams, KeyPair};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned, SupportedProtocolVersion,
    crypto::ring,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};

use crate::{http_client::Client, wait::PATIENCE};

/// A client over TLS.
pub type TlsClient = Client<StreamOwned<ClientConnection, TcpStream>>;

/// A self-signed certificate, with its key, in PEM.
pub struct TestCertificate {
    /// The certificate, in PEM.
    pub certificate: String,
    /// The private key, in PEM.
    pub key: String,
}

impl TestCertificate {
    /// Creates a certificate for these names.
    pub fn new(names: &[&str]) -> Self {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(names).unwrap();
        Self {
            certificate: certificate.self_signed(&key).unwrap().pem(),
            key: key.serialize_pem(),
        }
    }

    /// Writes `cert.pem` and `key.pem` into a folder.
    pub fn write(&self, folder: &Path) {
        fs::write(folder.join("cert.pem"), &self.certificate).unwrap();
        fs::write(folder.join("key.pem"), &self.key).unwrap();
    }

    /// Returns a client configuration that trusts this certificate.
    pub fn trust(&self) -> ClientConfig {
        trust(&self.certificate, rustls::DEFAULT_VERSIONS)
    }
}

/// Returns a client configuration that trusts a certificate in PEM and supports these versions.
pub fn trust(pem: &str, versions: &[&'static SupportedProtocolVersion]) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    let root = CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
    roots.add(root).unwrap();
    ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth()
}

/// Connects to `address` and performs a handshake with the server named `name`.
///
/// # Errors
///
/// If the handshake fails.
pub fn connect(
    address: SocketAddr,
    name: &str,
    config: &ClientConfig,
) -> Result<TlsClient, std::io::Error> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    let name = ServerName::try_from(name.to_owned()).unwrap();
    let mut session = ClientConnection::new(Arc::new(config.clone()), name).unwrap();
    while session.is_handshaking() {
        session.complete_io(&mut stream)?;
    }
    Ok(Client::over(StreamOwned::new(session, stream)))
}
