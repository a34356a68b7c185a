// A server of the page whose sessions are made up: as many entries as their name says, and nothing happens in them.

import { createServer, type Server } from "node:http";
import { pathToFileURL } from "node:url";
import type { WireEntry } from "../src/state/items.ts";

const TYPES: Readonly<Record<string, string>> = {
  "index.html": "text/html",
  "app.js": "text/javascript",
  "app.css": "text/css",
};

export async function servePage(): Promise<Server> {
  const maker = pathToFileURL("scripts/bundle/page.mjs").href;
  const { pageFiles } = (await import(maker)) as { pageFiles(): Promise<Record<string, Uint8Array>> };
  const files = await pageFiles();
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://localhost");
    const [, count = "0", rest = ""] = /^\/v1\/sessions\/(\d+)\/(.+)$/.exec(pathname) ?? [];
    if (!pathname.startsWith("/v1")) {
      const name = pathname === "/" ? "index.html" : pathname.slice(1);
      response.writeHead(200, { "content-type": TYPES[name] ?? "text/plain" }).end(files[name]);
    } else if (rest === "events") {
      const frame = {
        seq: 1,
        kind: "snapshot",
        snapshot: { ...SNAPSHOT, state: { ...STATE, leafId: String(Number(count) - 1) } },
      };
      response.writeHead(200, { "content-type": "text/event-stream" }).write(`data: ${JSON.stringify(frame)}\n\n`);
    } else {
      let body = "";
      for await (const piece of request) body += piece;
      const data = answerOf(rest.replace("commands/", ""), Number(count), JSON.parse(body || "{}"));
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(data));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

const STATE = {
  model: { provider: "made", id: "up" },
  ...{ thinkingLevel: "off", isStreaming: false, sessionName: "Long", cwd: "/", permissionMode: "ask" },
  ...{ unfinishedInput: false, contextUsage: { tokens: 0, contextWindow: null, percent: null } },
};
const SNAPSHOT = { state: STATE, questions: [], clients: [], running: [] };

interface PageParams {
  readonly before?: string | null;
  readonly limit?: number;
}

function answerOf(command: string, count: number, { before, limit = 100 }: PageParams): object {
  switch (command) {
    case "get_entries": {
      const to = before == null ? count : Number(before);
      const start = Math.max(0, to - limit);
      const entries = Array.from({ length: to - start }, (_, at) => entryOf(start + at, count));
      return { data: { entries, start, total: count, leafId: null } };
    }
    case "get_state":
      return { data: STATE };
    case "get_queue":
      return { data: { steering: [], followUp: [] } };
    case "get_agents":
      return { data: { agents: [] } };
    default:
      return { name: "bench", scopes: ["read", "prompt", "approve"] };
  }
}

function entryOf(at: number, count: number): WireEntry {
  const fields = { entryId: String(at), parentId: null, timestamp: "" };
  if (at === count - 1) return { type: "assistant", ...fields, parts: [{ kind: "text", text: "The last answer." }] };
  if (at % 4 === 0) return { type: "user", ...fields, text: `Question ${at}.`, attached: [], images: [], how: "input" };
  if (at % 4 === 2) {
    const body = { kind: "output" as const, text: "one\ntwo\nthree", keeps: "tail" as const, collapsed: 5 };
    const card = { verb: "Ran", subject: `echo ${at}`, body };
    return {
      type: "results",
      ...fields,
      results: [{ toolCallId: `c${at}`, toolName: "x", isError: false, images: [], card }],
    };
  }
  const text = `Answer ${at}: **some** words and \`code\`.\n\n- one\n- two\n\n${"More of it. ".repeat(at % 30)}`;
  return { type: "assistant", ...fields, parts: [{ kind: "text", text }] };
}
