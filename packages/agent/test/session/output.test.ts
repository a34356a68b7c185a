import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { WantedPart } from "../../src/contract/seams/schemes.ts";
import type { ToolDef } from "../../src/contract/tool.ts";
import { readFileTool } from "../../src/tools/builtin/read-file/index.ts";
import { shellTool } from "../../src/tools/builtin/shell/index.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import { resultText } from "../support/scripted-client.ts";
import { setUp, testProfile } from "../support/session.ts";

const tools = [shellTool, readFileTool] as unknown as ToolDef[];

async function run(tool: string, args: object, config: object = {}) {
  const cwd = mkdtempSync(join(tmpdir(), "lathe-output-"));
  const env = new LocalEnvironment({ cwd, baseEnv: { PATH: process.env["PATH"] } });
  const s = setUp({
    env,
    profile: testProfile(tools),
    config,
    script: [{ calls: [{ name: tool, args: args as never, id: "c" }] }, { text: "ok" }],
  });
  await s.session.submit("go");
  const text = resultText(s.client.requests[1]!, "c");
  const { details, artifact } = s.of("tool_call_end")[0]!.data;
  const read = async (id: number | undefined, part?: WantedPart): Promise<string> => {
    const { bytes } = await s.session.schemes.read(`artifact://${id}`, new AbortController().signal, part);
    return Buffer.from(bytes).toString();
  };
  return { s, text, details: details as Record<string, unknown>, artifact, read };
}

describe("what is cut for the model", () => {
  it("T-SUB-3 T-SUB-4 200,000 lines: the end is shown, the notice names the artifact, and its first lines can be read", async () => {
    const { s, text, artifact, read, details } = await run("shell", { command: "seq 1 200000" });
    expect(text.length).toBeLessThan(51 * 1024);
    expect(text).toMatch(
      /\n200000\n\[Full output, 1288895 bytes: artifact:\/\/\d+\. Read parts of it: [^\n]*\]\n\[exit code: 0/,
    );
    expect(await read(artifact?.id, { unit: "lines", first: 1, last: 3 })).toContain("1\n2\n3");
    expect(details["meta"]).toMatchObject({ truncation: { direction: "middle", artifactId: artifact?.id } });
    await s.finish();
  });

  it("T-SUB-3 a cut below a MiB has an artifact, too, and a stream of emoji is never cut inside one", async () => {
    const { s, text, artifact, read } = await run("shell", { command: "for i in $(seq 1 20000); do printf 😀; done" });
    expect(text).toContain(`: artifact://${artifact?.id}. Read parts`);
    expect(text).not.toContain("\ufffd");
    expect((await read(artifact?.id)).match(/😀/gu)).toHaveLength(20_000);
    await s.finish();
  });

  it("T-SUB-3 a person's own long command is kept whole when the model gets a part of it", async () => {
    const { s, read } = await run("shell", { command: "true" });
    const { artifact, truncated } = await s.session.beside.runCommand("seq 1 20000", { isSent: true });
    expect(truncated).toBe(true);
    expect(await read(artifact?.id, { unit: "lines", first: 19_999, last: 20_000 })).toContain("19999\n20000");
    const sent = JSON.stringify(s.session.journal.context.messages.at(-1));
    expect(sent).toContain(`[Full output: artifact://${artifact?.id}]`);
    await s.finish();
  });

  it("T-SUB-4 an output that was not cut has no metadata", async () => {
    const { s, details } = await run("shell", { command: "echo hi" });
    expect(details).not.toHaveProperty("meta");
    await s.finish();
  });
});

describe("the minimizer", () => {
  const command = String.raw`vitest() { printf '\033[32m'; for i in $(seq 1 500); do echo " ✓ row $i is added to the sum"; done; echo "FAIL a.test.ts:3"; }; true; vitest`;

  it("T-BASH-6 lines of success go, the footer names the raw output, which is equal byte for byte", async () => {
    const { s, text, artifact, read } = await run("shell", { command }, { minimizeOutput: true });
    expect(text).toMatch(
      /^FAIL a\.test\.ts:3\n\[500 lines that report success or progress left out\]\n\[Full output: artifact:\/\/\d+\]\n/,
    );
    expect(text.length).toBeLessThan(300);
    const lines = Array.from({ length: 500 }, (_, n) => ` ✓ row ${n + 1} is added to the sum\n`);
    expect(await read(artifact?.id)).toBe(`\u001b[32m${lines.join("")}FAIL a.test.ts:3\n`);
    await s.finish();
  });

  it("T-BASH-6 it can be turned off", async () => {
    const { s, text } = await run("shell", { command }, { minimizeOutput: false, toolLineLimits: { shell: 1000 } });
    expect(text).toContain(" ✓ row 250 is added");
    await s.finish();
  });
});
