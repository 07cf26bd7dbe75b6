// A mail server for tests, which accepts and records every e-mail.

import { once } from "node:events";
import { createServer } from "node:net";

import { eventually } from "../../examples/galley.js";

/** Starts the server. `url` is the value for `mail.url`; `received` contains the recipients and the text of each e-mail. */
export async function openMailbox() {
  const received = [];
  const server = createServer((socket) => converse(socket, received)).listen(0, "127.0.0.1");
  await once(server, "listening");
  // The server does not keep the process alive after the tests.
  server.unref();
  return {
    url: `smtp://127.0.0.1:${server.address().port}`,
    received,
    /** Waits until an e-mail to `receiver` matches `pattern`, and resolves to the match in the newest such e-mail. */
    find(receiver, pattern) {
      return eventually(`mail to ${receiver} with ${pattern}`, () => {
        const mails = received.filter(({ to }) => to.includes(receiver)).reverse();
        return mails.map(({ text }) => pattern.exec(text)).find(Boolean);
      });
    },
    close: () => server.close(),
  };
}

/** Serves a connection with the needed subset of SMTP (RFC 5321). */
function converse(socket, received) {
  let unread = "";
  let to = [];
  let isData = false;
  const say = (line) => socket.write(`${line}\r\n`);
  socket.setEncoding("utf8").on("error", () => {});
  say("220 mail.example.com");
  socket.on("data", (text) => {
    unread += text;
    for (;;) {
      const end = isData ? unread.indexOf("\r\n.\r\n") : unread.indexOf("\r\n");
      if (end < 0) return;
      const taken = unread.slice(0, end);
      unread = unread.slice(end + (isData ? 5 : 2));
      if (isData) {
        received.push({ to, text: decoded(taken) });
        [to, isData] = [[], false];
        say("250 taken");
      } else if (/^DATA/i.test(taken)) {
        isData = true;
        say("354 continue");
      } else if (/^QUIT/i.test(taken)) {
        say("221 bye");
        socket.end();
      } else {
        const receiver = /^RCPT TO:<(.*)>/i.exec(taken);
        if (receiver) to.push(receiver[1]);
        say("250 mail.example.com");
      }
    }
  });
}

/** Returns an e-mail with its quoted-printable and Base64 parts decoded (RFC 2045). */
function decoded(mail) {
  return mail
    .split(/^--\S+\r?$/m)
    .map((part) => {
      const [head, ...paragraphs] = part.trimStart().split("\r\n\r\n");
      const body = paragraphs.join("\r\n\r\n");
      if (/^content-transfer-encoding: base64/im.test(head)) {
        return `${head}\n\n${Buffer.from(body, "base64").toString()}`;
      }
      if (!/^content-transfer-encoding: quoted-printable/im.test(head)) return part;
      const bytes = body
        .replace(/=\r\n/g, "")
        .replace(/=([0-9A-F]{2})/g, (_, digits) => String.fromCharCode(parseInt(digits, 16)));
      return `${head}\n\n${Buffer.from(bytes, "latin1").toString()}`;
    })
    .join("\n");
}
