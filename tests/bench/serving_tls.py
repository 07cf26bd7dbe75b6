"""The speed of responses over TLS, compared with nginx with the same certificate and the same cipher. Takes two minutes.

As in serving.py: servers run on one core and wrk on the other, with one worker each. They are measured in turns, and medians
are reported.
"""

import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import serving
from aims import Aim
from content import write_site
from serving import REQUESTS, SETTLED_S, UNVERIFIED, Server, Site

TOOLS = [*serving.TOOLS, "openssl"]
CIPHER = "TLS_AES_256_GCM_SHA384"
# The long list, the same list compressed, and short responses.
ASKED = [REQUESTS[0], REQUESTS[1], REQUESTS[3], REQUESTS[4]]
TLS_OF_NGINX = """ ssl;
        ssl_certificate {folder}/cert.pem;
        ssl_certificate_key {folder}/key.pem;
        ssl_protocols TLSv1.3;
        ssl_conf_command Ciphersuites {cipher}"""


def measure() -> list[Aim]:
    """Prints requests per second over TLS."""
    with tempfile.TemporaryDirectory(prefix="galley-bench-") as folder, ExitStack() as servers:
        Path(folder).chmod(0o755)  # nginx, when root starts it, reads as somebody else
        return measure_in(Path(folder), servers)


def measure_in(folder: Path, running: ExitStack) -> list[Aim]:
    site = Site(100, folder / "100")
    write_site(site.folder / "content", site.posts)
    make_certificate(folder)
    time.sleep(SETTLED_S)
    serving.seed(site)
    options = {
        "GALLEY_TLS_LISTEN": f"127.0.0.1:{serving.free_port()}",
        "GALLEY_TLS_CERT": str(folder / "cert.pem"),
        "GALLEY_TLS_KEY": str(folder / "key.pem"),
    }
    galley = running.enter_context(serving.start_galley(site, serving.SERVER_CORE, **options))
    tls = TLS_OF_NGINX.format(folder=folder, cipher=CIPHER)
    nginx = running.enter_context(serving.start_nginx(folder / "nginx", site, galley, tls, "https"))
    for server in (galley, nginx):
        check_cipher(server)
    print(f"Over TLS 1.3 with {CIPHER}. ", end="")
    return serving.print_beside_nginx(site, galley, nginx, ASKED)


def make_certificate(folder: Path) -> None:
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "2"]
    command += ["-keyout", folder / "key.pem", "-out", folder / "cert.pem"]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)


def check_cipher(server: Server) -> None:
    """Checks that both servers use the same cipher."""
    with socket.create_connection(("127.0.0.1", server.port)) as plain:
        with UNVERIFIED.wrap_socket(plain, server_hostname="localhost") as secure:
            if secure.cipher()[0] != CIPHER:
                sys.exit(f"{server.name} has chosen {secure.cipher()[0]}")
