// Shared code of the tests of the examples: a running Galley, copies of examples, and programs with `galley` on the path.

import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { cp, mkdtemp, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, delimiter, join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { program, repository, withoutSettings } from "../clients/galley.js";

export { noContent, program, repository, sampleSite, serve } from "../clients/galley.js";

/** A temporary folder for this test file, deleted when the tests end. */
const temporaryFolder = mkdtempSync(join(tmpdir(), "galley-examples-"));
process.on("exit", () => rmSync(temporaryFolder, { recursive: true, force: true }));

/** The folder that contains the program under the name `galley`, as the examples call it. */
const programs = join(temporaryFolder, "bin");
mkdirSync(programs);
symlinkSync(resolve(program), join(programs, "galley"));

/** The environment of the examples: `galley` is on the path, and variables of another Galley are removed. */
export const environment = {
  ...withoutSettings(process.env),
  PATH: `${programs}${delimiter}${process.env.PATH}`,
};

/** Returns the folder of the example `name`. */
export function example(name) {
  return join(repository, "examples", name);
}

/** Creates an empty folder. */
export function newFolder() {
  return mkdtemp(join(temporaryFolder, "folder-"));
}

/** Creates a copy of the example `name`, to build and change. */
export async function copyOf(name) {
  const copy = join(await newFolder(), name);
  const filter = (path) => basename(path) !== "node_modules";
  await cp(example(name), copy, { recursive: true, filter });
  return copy;
}

/**
 * Runs a program until it exits, and resolves to its exit `code`, `stdout` and `stderr`.
 *
 * `env` is added to the environment; `input` is the standard input. The program is killed after `seconds`.
 */
export async function run(command, args, { cwd = temporaryFolder, env = {}, input = "", seconds = 120 } = {}) {
  const options = { cwd, env: { ...environment, ...env }, timeout: seconds * 1000 };
  const child = spawn(command, args, options);
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"]) {
    child[stream].setEncoding("utf8").on("data", (text) => (said[stream] += text));
  }
  // A program that does not read its input may exit before the input is written.
  child.stdin.on("error", () => {}).end(input);
  const [code, signal] = await once(child, "close");
  return { code: code ?? signal, ...said };
}

/** Runs a program that must succeed, and returns its output. */
export async function succeed(command, args, options) {
  const { code, stdout, stderr } = await run(command, args, options);
  if (code !== 0) {
    throw new Error(`${command} ${args.join(" ")} ended with ${code}.\n${stdout}\n${stderr}`);
  }
  return stdout;
}

/**
 * Starts a program that continues to run. `said` returns the output so far; `stop` sends SIGTERM and resolves to the exit
 * code.
 */
export function start(command, args, { cwd = temporaryFolder, env = {} } = {}) {
  const child = spawn(command, args, {
    cwd,
    env: { ...environment, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => (said += text));
  }
  const ended = new Promise((end) => {
    child.once("error", (error) => end(error.message));
    child.once("exit", (code, signal) => end(code ?? signal));
  });
  const stop = () => {
    child.kill("SIGTERM");
    return ended;
  };
  return { said: () => said, ended, stop };
}

/** Waits until `condition` resolves to a true value, and resolves to that value; the error of a timeout names `what`. */
export async function eventually(what, condition, seconds = 60) {
  const deadline = Date.now() + seconds * 1000;
  let reason = "";
  do {
    try {
      const outcome = await condition();
      if (outcome) return outcome;
    } catch (error) {
      reason = `: ${error.cause?.message ?? error.message}`;
    }
    await pause(20);
  } while (Date.now() < deadline);
  throw new Error(`waited ${seconds} s for ${what}${reason}`);
}

/** Returns a free port of this machine. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** Returns a token of the Admin API for the key `id:secret`. */
export function adminToken(key) {
  const [kid, secret] = key.split(":");
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const now = Math.floor(Date.now() / 1000);
  const head = encode({ alg: "HS256", typ: "JWT", kid });
  const signed = `${head}.${encode({ iat: now, exp: now + 300, aud: "/admin/" })}`;
  const signature = createHmac("sha256", Buffer.from(secret, "hex")).update(signed);
  return `${signed}.${signature.digest("base64url")}`;
}

/** Returns the text without the parts that differ between runs: ports, identifiers, times and numbers of bytes. */
export function withoutChance(text) {
  return text
    .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")
    .replace(/\b[0-9a-f]{24}\b/g, "IDENTIFIER")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replace(/\d+ bytes/g, "N bytes");
}

/** Returns the blocks of output in the README of the example `name`. */
export async function shownBy(name) {
  const readme = await readFile(join(example(name), "README.md"), "utf8");
  return [...readme.matchAll(/^```text\n(.*?)^```$/gms)].map(([, shown]) => shown);
}
