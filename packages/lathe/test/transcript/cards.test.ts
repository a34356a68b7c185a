// What users see of each tool's calls, as text: one golden grid per tool, at two widths. `vitest -u` writes them;
// review them.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type CreateSessionOptions,
  defineProfile,
  defineSessionTool,
  FAMILIES,
  LocalEnvironment,
  type Profile,
  type ProfileOptions,
} from "@lathe/agent";
import { mirroredGate, webGate } from "@lathe/agent/files";
import { Checkpoints, webFetchTool, webSearchTool } from "@lathe/agent/tools";
import { type CallSpec, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { Shown, type World, world } from "./kit.ts";

const CODE = `export function mul(a, b) {
  // the flag decides
  return a * b
}

export function div(a, b) {
  return a / b
}
`;
const FILES = { "src/parse.ts": CODE, "src/options.ts": "export const flag = 1\n", "notes.md": "# Notes\n" };

const call = (name: string, args: Record<string, unknown>): CallSpec => ({ name, args });

const profileOf = (family: keyof typeof FAMILIES, more: Partial<ProfileOptions> = {}): Profile =>
  defineProfile(FAMILIES[family], { model: "claude-opus-4-6", provider: "anthropic", ...more });

interface Case {
  readonly name: string;
  /** Each list is one answer. */
  readonly turns: readonly (readonly CallSpec[])[];
  readonly options?: Partial<CreateSessionOptions>;
}

/** Filled in when the server is there. */
const MIRRORS: Record<string, string> = {};

const GUIDE = `<nav>Menu</nav><main><h1>Division</h1><p>${"All about it. ".repeat(20)}</p><p>The end.</p></main><footer>Us</footer>`;

const PATCH = `*** Begin Patch
*** Update File: src/parse.ts
@@ export function div(a, b) {
-  return a / b
+  if (b === 0) throw new Error("division by zero")
+  return a / b
*** Add File: src/new.ts
+export const two = 2
*** Delete File: notes.md
*** End Patch
`;

const DIFF = `--- a/src/options.ts
+++ b/src/options.ts
@@ -1 +1 @@
-export const flag = 1
+export const flag = 2
`;

const TODO = {
  ops: [
    {
      op: "init",
      list: [
        { phase: "Prepare", items: ["Read the parser", "Find the callers"] },
        { phase: "Change", items: ["Add the flag", "Handle zero", "Rename mul", "Update options"] },
        { phase: "Check", items: ["Run the tests", "Write the notes", "Look at the diff", "Ask for review"] },
      ],
    },
    ...["Read the parser", "Find the callers", "Add the flag"].map((task) => ({ op: "done", task })),
    { op: "drop", task: "Rename mul" },
  ],
};

const checkpoints = new Checkpoints();

const broken = defineSessionTool({
  name: "deploy",
  label: "Deploy",
  description: "Deploys.",
  parameters: { type: "object", properties: { where: { type: "string" } } },
  summary: ({ where }) => `to ${where}`,
  card: () => {
    throw new Error("no card today");
  },
  execute: () => "uploaded 12 files\nrestarted\nhealthy",
});

const CASES: readonly Case[] = [
  {
    name: "shell",
    turns: [
      [
        call("shell", { command: "for i in $(seq 1 30); do echo output line $i; done" }),
        call("shell", { command: "echo about to fail >&2; ls ./nonexistent; exit 3" }),
        call("shell", { command: "true" }),
        call("shell", { command: "false" }),
        call("shell", { command: "kill -9 $$" }),
        call("shell", { command: "echo partial; sleep 30", timeout_ms: 300 }),
      ],
      [
        call("shell", {
          command: `printf '\\033[31mred\\033[0m and\\ttab\\n'; printf '10%%\\r50%%\\r100%%\\n'; ${"echo a long command that does not fit into one row; ".repeat(6)}`,
        }),
        call("shell", { command: "sleep 20", background: true }),
      ],
      [call("job_output", { job_id: 1 }), call("job_stop", { job_id: 1 }), call("job_output", { job_id: 9 })],
    ],
  },
  {
    name: "edit_file",
    turns: [
      [
        call("edit_file", {
          file_path: "src/parse.ts",
          old_string: "  return a * b",
          new_string: "  const total = a * b\n  return total",
        }),
      ],
      [call("edit_file", { file_path: "src/parse.ts", old_string: "nowhere to be found", new_string: "x" })],
      [call("edit_file", { file_path: "src/none.ts", old_string: "a", new_string: "b" })],
    ],
  },
  {
    name: "write_file",
    turns: [
      [
        call("write_file", { file_path: "new.md", content: "# New\n\ntext\n" }),
        call("write_file", { file_path: "notes.md", content: "# Other notes\n" }),
        call("write_file", {
          file_path: "long.txt",
          content: Array.from({ length: 40 }, (_, i) => `line ${i + 1}\n`).join(""),
        }),
      ],
    ],
  },
  {
    name: "apply_patch",
    turns: [[call("apply_patch", { patch: PATCH })], [call("apply_patch", { patch: "*** Begin Patch\nnonsense" })]],
    options: { profile: profileOf("openai") },
  },
  {
    name: "edit variants",
    turns: [[call("edit", { diff: DIFF })]],
    options: { profile: profileOf("anthropic", { editVariant: "patch" }) },
  },
  {
    name: "edit replace",
    turns: [
      [
        call("edit", {
          path: "src/parse.ts",
          edits: [
            { old_text: "mul", new_text: "multiply" },
            { old_text: "div", new_text: "divide" },
          ],
        }),
      ],
    ],
    options: { profile: profileOf("anthropic", { editVariant: "replace" }) },
  },
  {
    name: "minimal tools",
    turns: [
      [
        call("read", { file_path: "src/parse.ts" }),
        call("bash", { command: "echo out; echo err >&2; exit 2" }),
        call("edit", { file_path: "src/options.ts", old_string: "flag = 1", new_string: "flag = 2" }),
        call("write", { file_path: "x.txt", content: "x\n" }),
      ],
    ],
    options: { profile: profileOf("minimal") },
  },
  {
    name: "looks and searches",
    turns: [
      [
        call("read_file", { file_path: "src/parse.ts" }),
        call("read_file", { file_path: "src/options.ts", offset: 1, limit: 1 }),
        call("grep", { pattern: "flag", path: "src" }),
        call("glob", { pattern: "**/*.ts" }),
        call("read_file", { file_path: "missing.ts" }),
      ],
      [call("grep", { pattern: "nothing like this" })],
    ],
  },
  { name: "one look", turns: [[call("read_file", { file_path: "src/parse.ts", offset: 3 })]] },
  { name: "todo", turns: [[call("todo", TODO)], [call("todo", { ops: [{ op: "done", task: "no such task" }] })]] },
  {
    name: "ask_user",
    turns: [
      [
        call("ask_user", {
          questions: [
            { id: "db", question: "Which database?", options: [{ label: "SQLite" }, { label: "PostgreSQL" }] },
            { id: "name", question: "What is it called?", options: [] },
          ],
        }),
      ],
    ],
    options: {
      services: {
        answerer: async () => [
          { id: "db", selected: ["SQLite"] },
          { id: "name", selected: [], custom: "ledger" },
        ],
      },
    },
  },
  {
    name: "exit_plan_mode",
    turns: [[call("exit_plan_mode", { plan: "## Plan\n\n1. Change `mul`\n2. Run the tests\n" })]],
    options: {
      services: { planMode: { active: true, propose: async () => ({ approved: false, feedback: "Smaller steps." }) } },
    },
  },
  {
    name: "checkpoint",
    turns: [
      [call("checkpoint", { goal: "Find out who calls mul" })],
      [call("rewind", { report: "Nobody calls **mul** outside of `src/parse.ts`." })],
    ],
    options: { tools: checkpoints.tools(), middleware: [checkpoints.middleware()] },
  },
  {
    name: "web",
    turns: [
      [
        call("web_fetch", { url: "http://127.0.0.1:PORT/page" }),
        call("web_fetch", { url: "http://127.0.0.1:PORT/missing" }),
        call("web_fetch", { url: "https://osv.dev/vulnerability/GHSA-1" }),
        call("read", { path: "http://127.0.0.1:PORT/guide" }),
        call("read", { path: "http://127.0.0.1:PORT/guide:1-3" }),
        call("read", { path: "https://osv.dev/vulnerability/GHSA-1" }),
        call("web_search", { query: "how to divide" }),
      ],
    ],
    options: {
      profile: profileOf("lathe"),
      tools: [webFetchTool as never, webSearchTool as never],
      services: {
        web: {
          gate: mirroredGate(
            webGate({ env: new LocalEnvironment({ cwd: "/", baseEnv: {} }), allowPrivate: true }),
            MIRRORS,
          ),
        },
        webSearch: {
          accept: () => {},
          engines: async () => [
            {
              name: "Test",
              hosts: ["example.test"],
              isChosen: true,
              search: async () => ({ sources: [{ title: "Division", url: "http://example.test" }] }),
            },
          ],
        },
      },
    },
  },
  {
    name: "host tools",
    turns: [[call("deploy", { where: "staging" }), call("no_such_tool", { a: 1 }), call("shell", { comand: "typo" })]],
    options: { tools: [broken] },
  },
];

describe("TU-06 what a person sees of a call, at 80 and 120 columns", () => {
  it.each(CASES)("$name", async ({ name, turns, options = {} }) => {
    const site = name === "web" ? await pageServer() : undefined;
    const script = [
      ...turns.map((calls) => turn.calls(calls.map((spec) => withPort(spec, site?.port)))),
      turn.text("Done."),
    ];
    const run = await world(script, FILES, options);
    await run.session.submit("go");
    await run.close();
    await site?.close();
    await expect(grids(run, site?.port)).toMatchFileSnapshot(`golden/${name.replaceAll(" ", "-")}.txt`);
  });
});

it("TU-06 agents: what was asked of a child, its line when it ends, and its report", async () => {
  const child = "Find all callers of mul and say in one sentence where they are";
  const run = await world((request) => {
    const { messages } = request.view;
    if (messages.some(({ role, text }) => role === "user" && text.includes(child)))
      return messages.length > 1 ? turn.text("Nobody calls **mul**.") : turn.calls([call("grep", { pattern: "mul" })]);
    const answers = messages.filter(({ role }) => role === "assistant").length;
    if (answers === 0) return turn.calls([call("spawn_agent", { task: child })]);
    const id = /"agent_id":"(\w+)"/.exec(JSON.stringify(messages).replaceAll("\\", ""))?.[1] ?? "";
    if (answers === 1) return turn.calls([call("wait", { agent_id: id })]);
    return answers === 2 ? turn.calls([call("close_agent", { agent_id: id })]) : turn.text("Done.");
  }, FILES);
  await run.session.submit("go");
  await run.close();
  await expect(grids(run)).toMatchFileSnapshot("golden/agents.txt");
});

const withPort = ({ name, args }: CallSpec, port = 0): CallSpec => ({
  name,
  args: JSON.parse(JSON.stringify(args).replaceAll("PORT", String(port).padStart(5, "0"))),
});

function grids({ events, dir }: World, port = 0): string {
  const grid = (columns: number): string =>
    new Shown(columns)
      .play(...events)
      .scrollback.replaceAll(String(port).padStart(5, "0"), "54321")
      .replaceAll(dir, "DIR")
      .replace(/took \d\.\ds · \$0\.\d{4}/g, "took 0.0s · $0.0123")
      .split("\n")
      .slice(2, -4)
      .join("\n");
  return [80, 120].map((columns) => `${"=".repeat(columns)}\n${grid(columns)}\n`).join("");
}

async function pageServer(): Promise<{ port: number; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    if (request.url === "/guide") return response.writeHead(200, { "content-type": "text/html" }).end(GUIDE);
    if (request.url === "/v1/vulns/GHSA-1") {
      return response
        .writeHead(200, { "content-type": "application/json" })
        .end('{"id":"GHSA-1","summary":"It divides."}');
    }
    const isThere = request.url === "/page";
    response.writeHead(isThere ? 200 : 404, { "content-type": "text/plain" });
    return response.end(isThere ? "All about division.\n" : "not here\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  MIRRORS["https://api.osv.dev"] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
