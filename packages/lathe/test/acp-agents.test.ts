// Agents that are ACP programs, through the command with a real program: what they do in their copy, what they may, how they end.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { has } from "../../agent/test/programs.ts";
import { type AgentStage, agentStage, says, tasks } from "./agents-kit.ts";

const PROGRAM = fileURLToPath(new URL("acp-scripted-agent.mjs", import.meta.url));
type Step = readonly (string | object)[];

describe.skipIf(!has("bwrap", "nsenter", "unshare"))("ACP agents (needs bwrap, nsenter, unshare)", () => {
  let scene: AgentStage;
  afterEach(() => scene.close());

  /** What the parent got, and what the program noted. */
  async function go(
    steps: readonly Step[],
    { manner = "well", more = "", args = [] }: { manner?: string; more?: string; args?: readonly string[] } = {},
  ) {
    const assignment = `Do this:\n${JSON.stringify(steps)}`;
    scene = await agentStage(
      { parent: [tasks([{ id: "One", assignment }], { agent: "helper" }), says] },
      { "a.txt": "one\ntwo\n", "b.txt": "b\n" },
    );
    const { home, dir } = scene.box;
    const log = join(home, "agent.log");
    const folder = join(home, ".lathe/agents");
    mkdirSync(folder, { recursive: true });
    const command = JSON.stringify([process.execPath, PROGRAM, manner, log]);
    writeFileSync(join(folder, "helper.md"), `---\ndescription: Helps\nacp: ${command}\n${more}---\nYou are the helper.\n`);
    const { code, stdout, stderr } = await scene.run(["--permission-mode", "full", ...args, "-p", "go"]);
    const notes = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
    return { code, stdout, stderr, notes, dir };
  }

  it("M1 reads, writes and runs in its copy through the session, and its work lands", async () => {
    const { code, stdout, stderr, notes, dir } = await go([
      ["think", "hm"],
      ["say", "first words"],
      ["read", "a.txt"],
      ["write", "a.txt", "one\nTWO\n"],
      ["run", "cat a.txt; echo $SEEN > c.txt", [{ name: "SEEN", value: "a b'c" }]],
      ["own", "edit", "b.txt", "changed\n"],
      ["see", "b.txt"],
      ["cwd"],
    ]);
    console.log(stdout, stderr, notes);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(dir).toBe(dir);
  });
});
