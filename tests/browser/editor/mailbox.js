// A mail server of the tests' own: it takes every mail, and shows it.

import { once } from "node:events";
import { createServer } from "node:net";

import { eventually } from "../../examples/galley.js";

/** Starts it. `url` is what `mail.url` names, `received` has each mail with its receiver and text. */
export async function openMailbox() {
  const received = [];
  const server = createServer((socket) => converse(socket, received)).listen(0, "127.0.0.1");
  await once(server, "listening");
  // No test waits for more mail at the end.
  server.unref();
  return {
    url: `smtp://127.0.0.1:${server.address().port}`,
    received,
    /** The newest mail to `receiver` that `pattern` finds something in, once there is one: what it found. */
    find(receiver, pattern) {
      return eventually(`mail to ${receiver} with ${pattern}`, () => {
        const mails = received.filter(({ to }) => to.includes(receiver)).reverse();
        return mails.map(({ text }) => pattern.exec(text)).find(Boolean);
      });
    },
    close: () => server.close(),
  };
}

/** Speaks SMTP (RFC 5321), as much of it as is needed. */
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

/** A mail whose parts can be read (RFC 2045): quoted characters as themselves, Base64 as text. */
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
