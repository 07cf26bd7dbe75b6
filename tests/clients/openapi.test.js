// Clients that are generated from the OpenAPI document that Galley serves.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

import jwt from "jsonwebtoken";
import openapiTS, { astToString } from "openapi-typescript";

import { noContent, serve } from "./galley.js";

const require = createRequire(import.meta.url);
const here = fileURLToPath(new URL(".", import.meta.url));
const python = fileURLToPath(new URL("../../target/client-tools/python/bin/python", import.meta.url));

/** The folder in which the typed program is compiled. It is below the packages that the program imports. */
const compiled = join(here, "node_modules/.generated-client");

/** The compiler's options: no types of this machine, and no implicit `any`. */
const strict = {
  strict: true,
  target: "es2022",
  module: "nodenext",
  lib: ["es2022", "dom", "dom.iterable"],
  types: [],
};

/** The final result of `addEditRead` of every client. */
const expected = { title: "Typed twice", html: "<p>Two.</p>", tags: ["Salt", "Letters"] };

const token = (adminKey) => {
  const [id, secret] = adminKey.split(":");
  const options = { keyid: id, algorithm: "HS256", expiresIn: "5m", audience: "/admin/" };
  return jwt.sign({}, Buffer.from(secret, "hex"), options);
};

/** Compiles openapi/program.ts with the types that openapi-typescript generates from a document, and resolves to its module. */
async function typedProgram(document) {
  await rm(compiled, { recursive: true, force: true });
  await mkdir(compiled, { recursive: true });
  await writeFile(join(compiled, "package.json"), '{ "type": "module" }');
  await writeFile(join(compiled, "tsconfig.json"), JSON.stringify({ compilerOptions: strict, files: ["program.ts"] }));
  await writeFile(join(compiled, "document.ts"), astToString(await openapiTS(document)));
  await copyFile(join(here, "openapi/program.ts"), join(compiled, "program.ts"));
  const compiler = [require.resolve("typescript/bin/tsc"), "--project", compiled];
  await promisify(execFile)(process.execPath, compiler).catch((error) => assert.fail(error.stdout));
  return import(pathToFileURL(join(compiled, "program.js")));
}

/**
 * Serves the document with oas3-tools, which validates requests and responses and forwards the requests to Galley. It only
 * supports OpenAPI 3.0, so it does not validate additions of 3.1.
 */
async function checkedBy(document, path, origin) {
  const forward = async (request, response) => {
    const { authorization } = request.headers;
    const headers = { "Content-Type": "application/json", ...(authorization && { authorization }) };
    const body = request.method === "GET" ? undefined : JSON.stringify(request.body);
    const reply = await fetch(origin + request.originalUrl, { method: request.method, headers, body });
    response.status(reply.status).json(await reply.json());
  };
  const operations = Object.values(document.paths).flatMap((operations) => Object.values(operations));
  const controllers = Object.fromEntries(operations.map(({ operationId }) => [operationId, forward]));
  const openApiValidator = { validateApiSpec: false, validateRequests: true, validateResponses: true, validateSecurity: false };
  const { expressAppConfig } = require("oas3-tools");
  const options = { routing: { controllers }, openApiValidator, logging: { format: "dev", errorLimit: 1000 } };
  const server = createServer(expressAppConfig(path, options).getApp());
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return { server, origin: `http://127.0.0.1:${server.address().port}` };
}

describe("the OpenAPI document", () => {
  let galley;
  let keys;
  let document;
  let saved;
  let typed;

  before(async () => {
    galley = await serve(noContent);
    keys = await galley.setUp("Generated");
    const response = await fetch(`${galley.url}/ghost/api/openapi.json`);
    document = await response.json();
    saved = join(galley.data, "openapi.json");
    await writeFile(saved, JSON.stringify(document));
    typed = await typedProgram(document);
  });

  after(() => galley.stop());

  test("supplies the types for openapi-typescript and openapi-fetch", async () => {
    const [{ url }] = document.servers;
    assert.equal(url, `${galley.url}/ghost/api`);
    assert.deepEqual(await typed.addEditRead(url, token(keys.adminKey), keys.contentKey), expected);
  });

  test("validates requests and responses in oas3-tools", async () => {
    const checked = await checkedBy(document, saved, galley.url);
    try {
      const api = `${checked.origin}/ghost/api`;
      assert.deepEqual(await typed.addEditRead(api, token(keys.adminKey), keys.contentKey), expected);
      const refused = await fetch(`${api}/admin/posts/`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ posts: [{ title: "Typed", tags: 5 }] }),
      });
      assert.equal(refused.status, 400);
      assert.match((await refused.json()).message, /tags/);
    } finally {
      checked.server.closeAllConnections();
      checked.server.close();
    }
  });

  test("generates a complete package with openapi-python-client", async () => {
    const env = {
      ...process.env,
      GHOST_URL: galley.url,
      GHOST_ADMIN_API_KEY: keys.adminKey,
      GHOST_CONTENT_API_KEY: keys.contentKey,
    };
    const cwd = join(here, "python");
    const program = promisify(execFile)(python, ["-B", "-m", "unittest", "test_generated_client"], { cwd, env });
    const { stderr } = await program.catch((error) => assert.fail(error.stderr));
    assert.match(stderr, /^Ran 1 test/m);
  });
});
