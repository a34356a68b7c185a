import { mkdtemp, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { readSurroundings } from "../../src/context/surroundings.ts";
import { defineProfile } from "../../src/tools/profiles/define.ts";
import { FAMILIES, familyOf } from "../../src/tools/profiles/families.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import { tool } from "../support/session.ts";
import { DIALECTS, type Dialect, wire } from "../support/wire.ts";

const AGENTS = ["spawn_agent", "send_input", "wait", "close_agent"];
const ADDITIONS = ["todo", "ask_user", "exit_plan_mode", "job_output", "job_stop"];
const LISTS: Record<Dialect, readonly string[]> = {
  openai: ["read_file", "apply_patch", "write_file", "shell", "grep", "glob", ...AGENTS, ...ADDITIONS],
  anthropic: ["read_file", "write_file", "edit_file", "shell", "grep", "glob", ...AGENTS, ...ADDITIONS],
  gemini: [
    "read_file",
    "read_many_files",
    "write_file",
    "edit_file",
    "shell",
    "grep",
    "glob",
    "list_dir",
    ...AGENTS,
    ...ADDITIONS,
  ],
};
const TOPICS: Record<Dialect, readonly RegExp[]> = {
  openai: [/You are Lathe/, /## Tool use/, /## Patches/, /## Coding practice/, /## When something goes wrong/],
  anthropic: [
    /You are Lathe/,
    /## Which tool to use/,
    /Read the part you change first/,
    /Prefer an edit to a rewrite/,
    /occur only once/,
    /## Code/,
  ],
  gemini: [/You are Lathe/, /## Tool use/, /GEMINI\.md/, /## Coding practice/],
};
const MODELS: Record<Dialect, string> = {
  openai: "gpt-5.2",
  anthropic: "claude-opus-4-6",
  gemini: "gemini-3-pro-preview",
};

const OPTIONS = {
  anthropic: { beta_headers: ["new-2099"] },
  gemini: { safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT" }], tools: [{ googleSearch: {} }] },
};
type Body = Readonly<Record<string, unknown>> & { readonly tools: readonly object[] };
const SEEN: Record<Dialect, (sent: { body: Body; headers: Record<string, string> }) => void> = {
  openai: ({ body }) => expect(body).toMatchObject({ reasoning: { effort: "high" } }),
  anthropic: ({ headers }) => expect(headers["anthropic-beta"]).toContain("new-2099"),
  gemini: ({ body }) => {
    expect(body).toMatchObject({ safetySettings: OPTIONS.gemini.safetySettings });
    expect(body.tools).toContainEqual({ googleSearch: {} });
  },
};

/** Tool names as they were sent over the wire. */
function offered(body: unknown): string[] {
  return [...JSON.stringify(body).matchAll(/"name":"([a-z_]+)","description"/g)].map((match) => match[1] ?? "");
}

describe.each(DIALECTS)("the %s profile", (dialect) => {
  const start = async (
    script: Parameters<typeof wire>[1],
    options: Parameters<typeof defineProfile>[1] | undefined = undefined,
  ) => {
    const dir = await realpath(await mkdtemp(join(tmpdir(), "lathe-profile-")));
    return wire(dialect, script, {
      profile: defineProfile(FAMILIES[dialect], options ?? { model: MODELS[dialect] }),
      env: new LocalEnvironment({ cwd: dir, baseEnv: { PATH: process.env["PATH"] } }),
      surroundings: (profile, env) => readSurroundings(env, profile.instructionFiles, { now: 0, model: profile.model }),
    });
  };

  it("D-009 D-010 D-011 PR-02 offers exactly its list, in order", async () => {
    const w = await start([turn.text("hi")]);
    await w.session.submit("hello");
    await w.finish();
    expect(offered(w.server.requests[0]?.body)).toEqual(LISTS[dialect]);
  });

  it("PR-02 its vendor's options reach the wire, commands get its time, and grep has modes for Anthropic only", async () => {
    const w = await start([turn.text("hi")], { model: MODELS[dialect], providerOptions: OPTIONS });
    w.session.config.reasoningEffort = "high";
    await w.session.submit("hello");
    await w.finish();
    const { body, headers } = w.server.requests[0] ?? {};
    SEEN[dialect]({ body: body as Body, headers: headers as Record<string, string> });
    expect(w.session.profile.shellTimeoutMs ?? w.session.config.defaultCommandTimeoutMs).toBe(
      dialect === "anthropic" ? 120_000 : 10_000,
    );
    expect(JSON.stringify(body).includes("output_mode")).toBe(dialect === "anthropic");
  });

  it("D-012 PR-02 its prompt covers identity, tools and coding, in the system slot and nowhere else", async () => {
    const w = await start([turn.text("hi")]);
    await w.session.submit("hello");
    await w.finish();
    const system = w.server.requests[0]?.view.system ?? "";
    for (const topic of TOPICS[dialect]) expect(system).toMatch(topic);
    expect(JSON.stringify(w.server.requests[0]?.view.messages)).not.toContain("You are Lathe");
  });

  it("SY-01 SY-02 D-040 the environment stands in the first user message, so the system prompt holds nothing that goes stale", async () => {
    const w = await start([turn.text("hi")]);
    await w.session.submit("hello");
    await w.finish();
    const { system, messages } = w.server.requests[0]?.view ?? { system: "", messages: [] };
    expect(system).not.toMatch(/Working directory|Today's date/);
    expect(messages[0]?.text).toContain("Today's date: 1970-01-01");
  });

  it("D-013 D-014 PR-03 a custom tool is offered and called; one with a known name takes its place", async () => {
    const runTests = tool("run_tests", () => "all green");
    const ownGrep = tool("grep", () => "own grep");
    const w = await start(
      [
        turn.calls([
          { name: "run_tests", id: "t1" },
          { name: "grep", id: "t2" },
        ]),
        turn.text("ok"),
      ],
      { model: MODELS[dialect], tools: [runTests, ownGrep] },
    );
    await w.session.submit("test");
    await w.finish();
    const names = offered(w.server.requests[0]?.body);
    expect(names).toEqual([...LISTS[dialect], "run_tests"]);
    expect(w.result(1, "t1", "run_tests").text).toBe("all green");
    expect(w.result(1, "t2", "grep").text).toBe("own grep");
  });
});

it("PR-01 a profile made in a test runs without touching the loop", async () => {
  const family = { id: "toy", prompt: "You are a toy.", tools: [], instructionFiles: [] };
  const w = await wire("anthropic", [turn.text("hi")], {
    profile: defineProfile(family, { model: "claude-opus-4-6", provider: "anthropic" }),
  });
  await w.session.submit("hello");
  await w.finish();
  expect(w.server.requests[0]?.view.system).toContain("You are a toy.");
});

it.each([
  ["claude-opus-4-6", "anthropic"],
  ["us.anthropic.claude-opus-4-6-v1", "anthropic"],
  ["openai/gpt-5.2", "openai"],
  ["o3", "openai"],
  ["gemini-3-flash-preview", "gemini"],
  ["qwen3-coder", "lathe"],
  ["qwen3-coder", "minimal", 16_384],
  ["claude-opus-4-6", "anthropic", 16_384],
] as const)("U-14 the family of %s is %s with the window %s", (model, family, window?: number) => {
  expect(familyOf(model, window)).toBe(family);
});

it("U-04 a strict vendor's null for an optional argument is treated as omitted", async () => {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "lathe-null-")));
  await writeFile(join(dir, "a.txt"), "hello");
  const w = await wire(
    "openai",
    [
      turn.calls([{ id: "r1", name: "read_file", args: { file_path: "a.txt", offset: null, limit: null } }]),
      turn.text("ok"),
    ],
    {
      profile: defineProfile(FAMILIES.openai, { model: "gpt-5.2" }),
      env: new LocalEnvironment({ cwd: dir, baseEnv: { PATH: process.env["PATH"] } }),
    },
  );
  await w.session.submit("read");
  await w.finish();
  expect(w.result(1, "r1", "read_file").text).toBe("1 | hello");
});
