// Text from the web is marked: for the model by a line before it, for hosts and the next process by the journal.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { MessageEntry, NestedCallEntry } from "../../src/contract/journal.ts";
import type { ToolDef } from "../../src/contract/tool.ts";
import { mirroredGate } from "../../src/files/web/gate/mirrors.ts";
import { webGate } from "../../src/files/web/gate/web-gate.ts";
import { readTool } from "../../src/tools/builtin/read/index.ts";
import { webFetchTool } from "../../src/tools/builtin/web-fetch/index.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import { setUp, testProfile, tool } from "../support/session.ts";

const PAGE = `<p>${"words ".repeat(50)}<a href="next?page=2">on</a> or https://other.example/x.</p>`;
const server = createServer((request, response) => {
  if (request.url === "/moved") return response.writeHead(302, { location: "/docs/page" }).end();
  response.writeHead(request.url === "/none" ? 404 : 200, { "content-type": "text/html" }).end(PAGE);
});
/** Fetched from the server through a mirror, because a page of the loopback itself shows nothing. */
const origin = "http://docs.example";
let local = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  local = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

it("what a page says is marked for the model and in the journal, with the addresses that it shows, in every tool that reads one", async () => {
  const cell = tool("cell", async (_args, context) => {
    await context.call("read", { path: `${origin}/docs/page` });
    return "one page";
  });
  const gate = webGate({ env: new LocalEnvironment({ cwd: "/", baseEnv: {} }), allowPrivate: true });
  const s = setUp({
    profile: testProfile([readTool as ToolDef, webFetchTool, cell]),
    services: { web: { gate: mirroredGate(gate, { [origin]: local }) } },
    script: [
      {
        calls: [
          { name: "read", id: "a", args: { path: `${origin}/moved` } },
          { name: "web_fetch", id: "b", args: { url: `${origin}/none` } },
          { name: "cell", id: "c", args: {} },
          { name: "read", id: "d", args: { path: "no-such-file" } },
        ],
      },
      { calls: [{ name: "read", id: "e", args: { path: `${origin}/moved:1-1` } }] },
      { calls: [{ name: "read", id: "f", args: { path: `${local}/docs/page` } }] },
      { text: "done" },
    ],
  });
  await s.session.submit("go");
  await s.finish();
  const { journal } = s.session;
  const entries = [...journal.entryIds()].map((id) => journal.entry(id)) as (MessageEntry | NestedCallEntry)[];
  const told = entries.flatMap((entry) =>
    (entry.message?.content ?? []).flatMap((part) =>
      part.kind === "tool_result" && entry.type === "message"
        ? [[part.toolResult.toolCallId, String(part.toolResult.content), entry.fromWeb] as const]
        : [],
    ),
  );
  const links = [`${origin}/docs/next?page=2`, "https://other.example/x"];
  expect(told.pop()?.[2]).toEqual({ source: `${local}/docs/page`, links: [] });
  for (const [id, text, fromWeb] of told) {
    expect(text.startsWith(`[From the web (${origin}/`), id).toBe(id !== "d");
    expect(fromWeb?.source.startsWith(origin) ?? false, id).toBe(id !== "d");
    if (id === "a" || id === "e") expect(fromWeb?.links, id).toEqual(expect.arrayContaining(links));
  }
  expect(told.map(([id]) => id).sort()).toEqual(["a", "b", "c", "d", "e"]);
  // A call that shows what its nested calls have read shows web text, but no address of its own.
  expect(told.find(([id]) => id === "c")?.[2]).toEqual({ source: `${origin}/docs/page`, links: [] });
  expect(entries.find(({ type }) => type === "nested_call")?.fromWeb?.links).toEqual(expect.arrayContaining(links));
  expect(s.of("tool_call_end").find(({ data }) => data.call_id === "a")?.data.from_web?.source).toBe(`${origin}/moved`);
});
