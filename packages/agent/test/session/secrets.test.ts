// Known secrets in what comes from outside: none of them may reach the journal, the model, the host or an artifact.

import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { ToolDef } from "../../src/contract/tool.ts";
import { Redactor } from "../../src/policy/redact/redactor.ts";
import { openJournalFile } from "../../src/record/journal/open-file.ts";
import { readFileTool } from "../../src/tools/builtin/read-file/index.ts";
import { shellTool } from "../../src/tools/builtin/shell/index.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import { setUp, testDeps, testProfile, tool } from "../support/session.ts";

const KEY = "sk-ant-0123456789abcdef";

it("D3 a key in a file, in output, in an error, in details and in what people type is nowhere to be found afterwards", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lathe-secrets-"));
  writeFileSync(join(folder, ".env"), `KEY=${KEY}\n`);
  const env = new LocalEnvironment({ cwd: folder, baseEnv: { PATH: process.env["PATH"] } });
  const deps = testDeps();
  const path = join(folder, "session.jsonl");
  const journal = openJournalFile({ path, cwd: folder, deps });
  const fails = tool("fails", () => {
    throw new Error(`401 for ${KEY}`);
  });
  const details = tool("details", () => ({ content: [{ kind: "text", text: "ok" }], details: { deep: [KEY] } }));
  const calls = [
    { name: "read_file", args: { file_path: ".env" } },
    { name: "shell", args: { command: "printf sk-ant-; sleep 0.1; printf '0123456789abcdef\\n'" } },
    { name: "shell", args: { command: "cat .env; yes $(cat .env) | head -c 3000000" } },
    { name: "fails", args: {} },
    { name: "details", args: {} },
  ].map((call, index) => ({ ...call, id: `c${index}` }));
  const s = setUp({
    env,
    deps,
    journal,
    redactor: new Redactor(() => [{ name: "THE_KEY", value: KEY }]),
    profile: testProfile([readFileTool, shellTool, fails, details] as unknown as ToolDef[]),
    surroundings: () => ({ environment: `env ${KEY}`, projectDocs: `docs ${KEY}` }),
    script: (_request, index) => (index === 0 ? { calls } : { text: "done" }),
  });
  s.session.steer(`steered ${KEY}`);
  await s.session.submit(`why does ${KEY} fail?`);
  await s.finish();
  await env.cleanup();

  expect(JSON.stringify(s.events)).not.toContain(KEY);
  expect(JSON.stringify(s.client.requests)).not.toContain(KEY);
  writeFileSync(join(folder, ".env"), "");
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (file.isFile()) expect(readFileSync(join(file.parentPath, file.name)).includes(KEY), file.name).toBe(false);
  }
  const written = readFileSync(path, "utf8");
  for (const before of ["why does ", "steered ", "401 for ", "KEY="])
    expect(written).toContain(`${before}[redacted:THE_KEY]`);
  // People are told how many values they do not see.
  const outcomes = s.of("tool_call_end").map(({ data }) => data.card.outcome ?? "");
  expect(outcomes[0]).toContain("1 secret value replaced");
  const shown = s.of("tool_call_output_delta").filter(({ data }) => data.call_id === "c1");
  expect(shown.map(({ data }) => data.delta).join("")).toBe("[redacted:THE_KEY]\n");
});

it("D3 what the model writes is left as it is: its signatures are made for exactly that", async () => {
  const s = setUp({
    redactor: new Redactor(() => [{ name: "THE_KEY", value: KEY }]),
    script: (_request, index) => (index === 0 ? { calls: [{ name: "echo", args: { text: KEY } }] } : { text: KEY }),
  });
  await s.session.submit("go");
  await s.finish();
  expect(s.session.lastText()).toBe(KEY);
  expect(s.of("tool_call_start")[0]?.data.arguments).toEqual({ text: KEY });
  expect(s.of("tool_call_end")[0]?.data.output).toBe('echo {"text":"[redacted:THE_KEY]"}');
});

it("AU-07 placeholders that were shown are values again for a tool, not for one that sends them elsewhere, and no others are", async () => {
  const got: unknown[] = [];
  const take = (name: string, tier: "write" | "network"): ToolDef =>
    ({
      ...tool(name, (args) => {
        got.push([name, args]);
        return "ok";
      }),
      tier,
    }) as ToolDef;
  const args = { text: "a [redacted:THE_KEY] b [redacted:OTHER]", list: ["[redacted:THE_KEY]"] };
  const s = setUp({
    redactor: new Redactor(() => [
      { name: "THE_KEY", value: KEY },
      { name: "OTHER", value: `other-${KEY}` },
    ]),
    profile: testProfile([tool("reads", () => `found ${KEY}`), take("writes", "write"), take("sends", "network")]),
    script: (_request, index) =>
      [
        { calls: [{ name: "writes", args }] },
        { calls: [{ name: "reads", args: {} }] },
        { calls: [{ name: "writes", args }] },
        { calls: [{ name: "sends", args }] },
      ][index] ?? { text: "done" },
  });
  await s.session.submit("go");
  await s.finish();
  expect(got).toEqual([
    ["writes", args],
    ["writes", { text: `a ${KEY} b [redacted:OTHER]`, list: [KEY] }],
    ["sends", args],
  ]);
  expect(JSON.stringify(s.events)).not.toContain(KEY);
});
