// A client of the Model Context Protocol, like that of an assistant: it starts a tool server, and calls the tools over the
// server's standard input and output.

import assert from "node:assert/strict";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

/**
 * Starts `command` with `args` and the environment variables `env`.
 *
 * `tools` are the names of the server's tools. `call` calls a tool and resolves to its JSON output, `refusal` to its error message.
 * `close` stops the server.
 */
export async function toolServer(command, args, env) {
  const client = new Client({ name: "galley-tests", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command, args, env: { PATH: process.env.PATH, ...env }, stderr: "ignore" }));
  const { tools } = await client.listTools();
  const reply = async (name, parameters) => {
    const { content, isError } = await client.callTool({ name, arguments: parameters ?? {} });
    assert.deepEqual(content.map(({ type }) => type), ["text"]);
    return { text: content[0].text, isError: isError ?? false };
  };
  return {
    tools: tools.map(({ name }) => name),
    call: async (name, parameters) => {
      const { text, isError } = await reply(name, parameters);
      assert.equal(isError, false, text);
      return JSON.parse(text);
    },
    refusal: async (name, parameters) => {
      const { text, isError } = await reply(name, parameters);
      assert.equal(isError, true, text);
      return text;
    },
    close: () => client.close(),
  };
}
