// A Galley of its own for each test file: the real program on a free port, with a new data folder that goes with it.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** The clone that the tests are in. */
export const repository = fileURLToPath(new URL("../../", import.meta.url));

/** The program that is tried: GALLEY_PROGRAM, or the release build. */
export const program = process.env.GALLEY_PROGRAM ?? join(repository, "target/release/galley");

/** The folder of content that these tests are about. */
export const orchard = join(repository, "tests/clients/content");

/** The folder of content that comes with the program. */
export const sampleSite = join(repository, "content");

/** The owner that `setUp` creates. */
export const owner = { name: "Ada Owner", email: "ada@example.com", password: "Sup3r-secret-pw!" };

/**
 * More arguments for a Galley that automations work with: it notifies receivers on this machine, and members have photos.
 */
export const forAutomations = ["--config", join(repository, "tests/clients/automations.toml")];

/** Pass this as `content` to serve no folder; everything is written through the Admin API. */
export const noContent = null;

/**
 * Serves the folder `content`; `options` are more arguments of `galley serve`.
 *
 * Resolves to what the terminal shows: `url` and `key`, and the URL in the line to try as `example`. `setUp` creates the
 * `owner`, as Ghost's admin does first, deletes the page that a site begins with, and returns the keys of an integration.
 * `createKeys` creates an integration as an operator does and returns its keys. `data` is the data folder. `stop` ends the
 * program as an operator does and returns its exit code.
 */
export async function serve(content, ...options) {
  const data = await mkdtemp(join(tmpdir(), "galley-clients-"));
  const folder = content === noContent ? ["--no-content"] : ["--content", content];
  const processOptions = { cwd: data, env: withoutSettings(process.env) };
  const child = spawn(
    program,
    ["serve", "--data", data, ...folder, "--listen", "127.0.0.1:0", ...options],
    { ...processOptions, stdio: ["ignore", "pipe", "inherit"] },
  );
  const createKeys = async (name) => {
    const create = ["key", "create", "--name", name, "--json", "--data", data];
    const { stdout } = await promisify(execFile)(program, create, processOptions);
    const keys = JSON.parse(stdout);
    return { contentKey: keys.content_key, adminKey: keys.admin_key };
  };
  const setUp = async (url, blogTitle) => {
    const response = await fetch(`${url}/ghost/api/admin/authentication/setup/`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Origin: url },
      body: JSON.stringify({ setup: [{ ...owner, blogTitle }] }),
    });
    assert.equal(response.status, 201, await response.text());
    const keys = await createKeys(blogTitle);
    await takeSampleContentAway(url, keys.adminKey);
    return keys;
  };
  const stop = async () => {
    if (child.exitCode === null) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    await rm(data, { recursive: true, force: true });
    return child.exitCode;
  };
  try {
    const greeted = await greeting(child);
    return { ...greeted, data, setUp: (blogTitle) => setUp(greeted.url, blogTitle), createKeys, stop };
  } catch (error) {
    child.kill("SIGKILL");
    await rm(data, { recursive: true });
    throw error;
  }
}

/** Deletes the page that a site begins with, so that a test sees its own pages alone. */
async function takeSampleContentAway(url, key) {
  const { default: AdminAPI } = await import("@tryghost/admin-api");
  const api = new AdminAPI({ url, key, version: "v6.0" });
  for (const { id } of await api.pages.browse()) {
    await api.pages.delete({ id });
  }
}

/** What the environment says about another Galley is not meant for this one. */
export function withoutSettings(environment) {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith("GALLEY_")),
  );
}

function greeting(child) {
  return new Promise((resolve, reject) => {
    let said = "";
    child.once("error", (cause) => {
      reject(new Error(`${program} does not run. Build it with: cargo build --release`, { cause }));
    });
    child.once("exit", (code) => {
      reject(new Error(`${program} ended with ${code} before it served. It said: ${said}`));
    });
    child.stdout.setEncoding("utf8").on("data", (text) => {
      said += text;
      const line = /curl '((http:\/\/[^/']+)[^']*[?&]key=([0-9a-f]{26})[^']*)'/.exec(said);
      if (line) {
        const [, example, url, key] = line;
        resolve({ example, url, key });
      }
    });
  });
}
