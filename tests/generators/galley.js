// Galley with a generator's site, either serving its folder or after importing it.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { repository } from "./tools.js";

/** The tested program: GALLEY_PROGRAM, or the release build. */
export const program = process.env.GALLEY_PROGRAM ?? join(repository, "target/release/galley");

const TIMEOUT_MS = 60_000;

/** A Galley with a separate data folder. */
export class Galley {
  constructor(data) {
    this.data = data;
    this.environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GALLEY_")));
  }

  static async withEmptyFolder() {
    return new Galley(await mkdtemp(join(tmpdir(), "galley-generators-")));
  }

  /** Imports the folder and returns the report. */
  async import(folder) {
    const arguments_ = ["import", folder, "--json", "--data", this.data];
    const { stdout } = await promisify(execFile)(program, arguments_, {
      cwd: this.data,
      env: this.environment,
      timeout: TIMEOUT_MS,
      maxBuffer: 1 << 26,
    });
    return JSON.parse(stdout);
  }

  /** Starts the server and returns all posts and pages. `folder` is the content folder; without it, the imported site is served. */
  async replies(folder) {
    const content = folder ? ["--content", folder] : ["--no-content"];
    const arguments_ = ["serve", "--data", this.data, ...content, "--listen", "127.0.0.1:0"];
    this.child = spawn(program, arguments_, {
      cwd: this.data,
      env: this.environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.log = "";
    this.child.stderr.setEncoding("utf8").on("data", (text) => (this.log += text));
    const { url, key } = await this.greeting();
    this.url = url;
    const of = async (kind) => {
      const records = [];
      for (let page = 1; page !== null;) {
        const response = await fetch(
          `${url}/ghost/api/content/${kind}/?key=${key}&include=tags,authors&limit=100&page=${page}`,
        );
        const reply = await response.json();
        records.push(...reply[kind].map((record) => ({ ...record, kind })));
        page = reply.meta.pagination.next;
      }
      return records;
    };
    return [...(await of("posts")), ...(await of("pages"))];
  }

  async greeting() {
    let said = "";
    const { child } = this;
    const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
    try {
      for await (const text of child.stdout.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
        said += text;
        const line = /curl '(http:\/\/[^/']+)[^']*[?&]key=([0-9a-f]{26})/.exec(said);
        if (line) {
          child.stdout.resume();
          return { url: line[1], key: line[2] };
        }
      }
    } finally {
      clearTimeout(timer);
    }
    throw new Error(`galley ended before it was ready. Its output: ${said}${this.log}`);
  }

  /** Stops the program. */
  async stop() {
    if (this.child && this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill("SIGTERM");
      await once(this.child, "exit");
    }
    this.child = undefined;
  }

  /** Stops the program and deletes its data folder. */
  async end() {
    await this.stop();
    await rm(this.data, { recursive: true, force: true });
  }
}
