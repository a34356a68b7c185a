// Requests of an editor that do not fit the protocol's schema, over a real connection.

import { afterEach, expect, it } from "vitest";
import { Editor } from "../acp-kit.ts";
import { type Stage, stage } from "../contract-kit.ts";

let scene: Stage;
afterEach(() => scene.close());

const stdio = { name: "db", command: "db", args: [], env: [] };

const CASES: readonly [string, object, string][] = [
  ["initialize", { protocolVersion: "one" }, 'protocolVersion must be a whole number from 0 to 65535, not "one"'],
  ["session/new", {}, "cwd is missing"],
  ["session/new", [], "the value must be an object, not an empty list"],
  ["session/new", { cwd: 7, mcpServers: [] }, "cwd must be a string, not 7"],
  [
    "session/new",
    { cwd: "/", mcpServers: [stdio, { ...stdio, name: 3 }] },
    "mcpServers[1].name must be a string, not 3",
  ],
  ["session/new", { cwd: "/", mcpServers: [{ type: "http", name: "x" }] }, "mcpServers[0].url is missing"],
  ["session/new", { cwd: "/", mcpServers: [{ name: "x" }] }, "mcpServers[0].command is missing"],
  // What may be a secret is not repeated.
  [
    "session/new",
    { cwd: "/", mcpServers: [{ ...stdio, env: "TOKEN=abc" }] },
    "mcpServers[0].env must be a list of objects, not a string of 9 characters",
  ],
  ["session/load", { sessionId: 7, cwd: "/", mcpServers: [] }, "sessionId must be a string, not 7"],
  ["session/list", { cwd: 4 }, "cwd must be a string or null, not 4"],
  ["session/set_mode", { sessionId: "x" }, "modeId is missing"],
  // The SDK is stricter than our definition: a boolean needs its type.
  ["session/set_config_option", { sessionId: "x", configId: "mode", value: true }, 'type: expected "boolean"'],
  ["session/prompt", { sessionId: "x", prompt: "hi" }, 'prompt must be a list, not "hi"'],
  ["session/prompt", { sessionId: "x", prompt: [{ type: "text", text: 5 }] }, "prompt[0].text must be a string, not 5"],
  [
    "session/prompt",
    { sessionId: "x", prompt: [{ type: "image", mimeType: "image/png" }] },
    "prompt[0].data is missing",
  ],
  [
    "session/prompt",
    { sessionId: "x", prompt: [{ type: "txt", text: "hi" }] },
    'prompt[0].type must be one of text, image, audio, resource_link, resource, not "txt"',
  ],
  [
    "session/prompt",
    { sessionId: "x", prompt: [{ type: "resource", resource: { text: "hi" } }] },
    "prompt[0].resource.uri is missing",
  ],
];

it("MO-08 G-17 a request that does not fit the schema is refused with one line that names the method, the field, what is expected and what came", async () => {
  scene = await stage([]);
  const editor = new Editor(scene.box.open(["acp", ...scene.args], scene.env), {});
  await editor.initialize();
  for (const [method, params, problem] of CASES) {
    const error: unknown = await editor.raw(method, params).catch((reason: unknown) => reason);
    expect(error, method).toMatchObject({ code: -32602, message: `${method}: ${problem}.`, data: undefined });
  }
  await editor.leave();
});
