// A separate Galley for each test file: the real program on a free port, with a temporary data folder.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** The root folder of the repository. */
export const repository = fileURLToPath(new URL("../../", import.meta.url));

/** The tested program: GALLEY_PROGRAM, or the release build. */
export const program = process.env.GALLEY_PROGRAM ?? join(repository, "target/release/galley");

/** The content folder of these tests. */
export const orchard = join(repository, "tests/clients/content");

/** The content folder of the sample site in the repository. */
export const sampleSite = join(repository, "content");

/** The owner that `setUp` creates. */
export const owner = { name: "Ada Owner", email: "ada@example.com", password: "Sup3r-secret-pw!" };

/**
 * Arguments with which Galley notifies receivers of webhooks on this machine, and members have avatar images.
 */
export const forAutomations = ["--config", join(repository, "tests/clients/automations.toml")];

/** Passed as `content`, this makes `serve` start without a content folder; all content is written through the Admin API. */
export const noContent = null;

/**
 * Serves the folder `content`. `options` are further arguments of `galley serve`.
 *
 * Resolves to the values that the program prints: `url`, `key`, and the URL of the curl command as `example`. `setUp` creates
 * the `owner` with the request of Ghost's admin app, deletes the initial page of the site, and resolves to the keys of an
 * integration. `createKeys` creates an integration on the command line and resolves to its keys. `data` is the data folder.
 * `stop` sends SIGTERM to the program and resolves to its exit code.
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
    await deleteSampleContent(url, keys.adminKey);
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

/** Deletes the initial page of a new site, so that a test sees only its own pages. */
async function deleteSampleContent(url, key) {
  const { default: AdminAPI } = await import("@tryghost/admin-api");
  const api = new AdminAPI({ url, key, version: "v6.0" });
  for (const { id } of await api.pages.browse()) {
    await api.pages.delete({ id });
  }
}

/** Returns an environment without settings of another Galley. */
export function withoutSettings(environment) {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith("GALLEY_")),
  );
}

function greeting(child) {
  return new Promise((resolve, reject) => {
    let said = "";
    child.once("error", (cause) => {
      reject(new Error(`${program} cannot be started. Build it with: cargo build --release`, { cause }));
    });
    child.once("exit", (code) => {
      reject(new Error(`${program} ended with ${code} before it was ready. Its output: ${said}`));
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
