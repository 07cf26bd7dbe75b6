// Headless Chromium: the program named by CHROMIUM, or that of a Debian package; and checks of pages.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

import { chromium } from "playwright-core";

/** Desktop and phone devices on which pages are tested. */
export const desk = { viewport: { width: 1280, height: 900 } };
export const phone = {
  viewport: { width: 320, height: 640 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
};

/** Programs of Debian, the preferred one first: without an interface, Chromium takes a third of the processor time. */
const programs = ["chromium-headless-shell", "chromium"];

function program() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  // `which` prints the paths of those that exist, in this order.
  const [path] = spawnSync("which", programs, { encoding: "utf8" }).stdout.split("\n");
  assert.ok(path, `none of these programs is installed: ${programs.join(", ")}`);
  return path;
}

/** Starts the browser. */
export function launch() {
  // In containers that run as root, Chromium cannot set up its own sandbox; it only opens pages of the tests.
  return chromium.launch({ executablePath: program(), args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

/**
 * Opens `address` in a new window, and resolves to the page once it is loaded.
 *
 * The page records messages of the browser as `complaints`, and the URLs of its requests as `requests`. `options` are those of
 * Playwright's contexts.
 */
export async function open(browser, address, options = desk) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints = [];
  const requests = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("requestfailed", (request) => complaints.push(`${request.url()} failed`));
  page.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`${response.url()}: ${response.status()}`);
  });
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(address, { waitUntil: "networkidle" });
  return Object.assign(page, { complaints, requests });
}

/** Asserts that a page has no complaints, no requests to other hosts, and no horizontal scrolling. */
export async function assertWorks(page, origin = new URL(page.url()).origin) {
  assert.deepEqual(page.complaints, []);
  const elsewhere = page.requests.filter((address) => !address.startsWith(`${origin}/`) && !address.startsWith("data:"));
  assert.deepEqual(elsewhere, []);
  await assertFits(page);
}

/** Asserts that no element overflows the viewport horizontally. */
export async function assertFits(page) {
  const { wide, screen, widest } = await page.evaluate(() => {
    const screen = document.documentElement.clientWidth;
    const all = [...document.querySelectorAll("body *")];
    const out = all.filter((one) => one.getBoundingClientRect().right > screen + 1);
    return { wide: document.documentElement.scrollWidth, screen, widest: out[0]?.outerHTML.slice(0, 200) };
  });
  assert.ok(wide <= screen, `${wide} points on a screen of ${screen}: ${widest}`);
}

/** Returns the relative luminance of a computed colour (WCAG 2.2). */
function luminance(colour) {
  // Mixed colours are reported as color(srgb 0.5 0.5 0.5), others as rgb(128, 128, 128).
  const whole = colour.startsWith("color(srgb") ? 1 : 255;
  const [red, green, blue] = colour.match(/[\d.]+(?=[ ,)])/g).map((part) => {
    const share = Number(part) / whole;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Asserts that every text has a contrast of at least 4.5 to 1 (WCAG 2.2, 1.4.3), and at least 14 CSS pixels. */
export async function assertReadable(page) {
  const texts = await page.evaluate(() => {
    const behind = (element) => {
      for (let one = element; one; one = one.parentElement) {
        const { backgroundColor } = getComputedStyle(one);
        if (backgroundColor !== "rgba(0, 0, 0, 0)") return backgroundColor;
      }
      return "rgb(255, 255, 255)";
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
      const { textContent, parentElement } = walker.currentNode;
      const isShown = textContent.trim() && parentElement.checkVisibility() && parentElement.tagName !== "SCRIPT";
      if (!isShown) continue;
      const { color, fontSize } = getComputedStyle(parentElement);
      found.push({ text: textContent.trim(), color, size: parseFloat(fontSize), behind: behind(parentElement) });
    }
    return found;
  });
  assert.ok(texts.length > 0);
  for (const { text, color, size, behind } of texts) {
    const [light, dark] = [luminance(color), luminance(behind)].sort((a, b) => b - a);
    const contrast = (light + 0.05) / (dark + 0.05);
    assert.ok(contrast >= 4.5, `${contrast.toFixed(1)} to 1, ${color} on ${behind}: ${text}`);
    assert.ok(size >= 13.9, `${size} points: ${text}`);
  }
}

/** Returns the elements that the Tab key focuses, in order, as [text, focus indicator]. */
export async function tabStops(page, count) {
  const stops = [];
  for (let number = 0; number < count; number += 1) {
    await page.keyboard.press("Tab");
    stops.push(
      await page.evaluate(() => {
        const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
        return { text: document.activeElement.textContent.trim(), outline: `${outlineStyle} ${outlineWidth}` };
      }),
    );
  }
  return stops;
}
