"""A receiver of webhooks."""

import http.server
import json
import threading
from collections.abc import Mapping
from typing import Self


class WebhookReceiver:
    """Receives webhooks within the block, and passes each to `take`, with any path."""

    def __enter__(self) -> Self:
        receiver = self

        class Taking(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                receiver.take(self.path, self.headers, body)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Taking)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def take(self, path: str, headers: Mapping[str, str], body: dict) -> None:
        raise NotImplementedError
