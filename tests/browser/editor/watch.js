// Detects problems that must not occur while the app is used: errors, error messages, and requests to other hosts.

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";

/** Messages of the browser that are not errors of Galley, each with the reason. */
const EXPECTED = [
  // The app contains two copies of the library that its text fields share.
  /^console: Yjs was already imported/,
  // Sandboxed frames without scripts do not run the script of these tests (`reportMessages`) either.
  /^console: Blocked script execution in .* the document's frame is sandboxed/,
];

/** Messages of the app while no user is signed in. The app sends these requests nevertheless. */
export const SIGNED_OUT = [
  /^GET \/ghost\/api\/admin\/(users\/me|config|settings)\/(\?.*)? is 403/,
  /^console: \S+ You are not authorised to make this request/,
];

/** Reports the messages of the app to the test, even if they are shown only briefly. */
function reportMessages() {
  const selector = '.gh-alert, .gh-notification, [data-testid^="toast"], [data-sonner-toast]';
  const seen = new WeakSet();
  const look = () => {
    for (const one of document.querySelectorAll(selector)) {
      const text = one.innerText.trim().replace(/\s+/g, " ");
      if (!text || seen.has(one)) continue;
      seen.add(one);
      const marks = `${one.className} ${one.dataset.testid} ${one.dataset.type}`;
      self.reportMessage(text, /red|error|yellow|warn/.test(marks));
    }
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
}

/** The time without requests after which the app is considered loaded, in milliseconds. */
const QUIET_MS = 300;

/** The maximum time without a change of the pending requests, and the maximum total wait for the app, in milliseconds. */
const STUCK_MS = 40_000;
const SETTLED_MS_MAX = 160_000;

/** Waits until the page has no pending work, which may send the next request. This takes long on a busy machine. */
function waitUntilIdle(page) {
  const idle = () => new Promise((done) => requestIdleCallback(() => done(), { timeout: 5_000 }));
  // The call fails if the page navigates in the meantime, which sends requests.
  return page.evaluate(idle).catch(() => undefined);
}

/**
 * Tracks the page's own pending requests to the site, and returns a function that waits for them: the browser's load state covers
 * only the first page.
 *
 * Requests to other hosts are not tracked, since the tests fulfil or block them. Requests of frames are not tracked either: frames
 * are previews, which the app replaces while they load, and the browser does not report the end of their requests. Steps wait for
 * the text of a preview instead.
 */
function watchLoading(page, origin) {
  const pending = new Set();
  let changed = performance.now();
  const note = (change) => (request) => {
    change(request);
    changed = performance.now();
  };
  const begin = (request) => {
    if (request.frame() !== page.mainFrame()) return;
    // The browser does not report the end of requests of a replaced document.
    if (request.isNavigationRequest()) pending.clear();
    if (request.url().startsWith(`${origin}/`)) pending.add(request);
  };
  page.on("request", note(begin));
  page.on("requestfinished", note((request) => pending.delete(request)));
  page.on("requestfailed", note((request) => pending.delete(request)));
  return async () => {
    const start = performance.now();
    changed = start;
    let idle;
    while (idle !== changed) {
      while (pending.size > 0 || performance.now() - changed < QUIET_MS) {
        const now = performance.now();
        if (now - changed > STUCK_MS || now - start > SETTLED_MS_MAX) {
          const urls = [...pending].map((request) => request.url());
          throw new Error(`still loading after ${Math.round(now - start)} ms: ${urls.join(", ")}`);
        }
        await pause(20);
      }
      idle = changed;
      await waitUntilIdle(page);
    }
  };
}

/** Records the problems and the messages of a page of the site at `origin`. */
export async function watch(page, origin) {
  const problems = [];
  const messages = [];
  const path = (url) => url.replace(origin, "");
  await page.exposeFunction("reportMessage", (text, isError) => {
    messages.push(text);
    if (isError) problems.push(`message: ${text}`);
  });
  await page.addInitScript(reportMessages);
  page.on("console", (message) => {
    // The handler of `response` reports failed loads in more detail.
    if (message.type() !== "error" || message.text().startsWith("Failed to load resource")) return;
    problems.push(`console: ${message.text().slice(0, 400)}`);
  });
  page.on("pageerror", (error) => problems.push(`exception: ${String(error.stack).slice(0, 400)}`));
  page.on("response", async (response) => {
    if (response.status() < 400) return;
    const problem = `${response.request().method()} ${path(response.url())} is ${response.status()}`;
    const place = problems.push(problem) - 1;
    const text = await response.text().catch(() => "");
    if (problems[place] === problem) problems[place] = `${problem}: ${text.slice(0, 400)}`;
  });
  page.on("request", (request) => {
    const url = request.url();
    if (/^https?:/.test(url) && !url.startsWith(`${origin}/`)) problems.push(`other host: ${url}`);
  });
  return {
    messages,
    problems,
    /** Waits until the page has no pending requests. */
    settle: watchLoading(page, origin),
    /** Fails if a problem has occurred since the last check that does not match a pattern in `allowed`. */
    check(allowed = []) {
      const found = problems.splice(0);
      const isExpected = (problem) => [...EXPECTED, ...allowed].some((pattern) => pattern.test(problem));
      assert.deepEqual(found.filter((problem) => !isExpected(problem)), []);
    },
  };
}
