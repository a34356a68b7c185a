// Agents that are ACP programs, through the command with a real program: what they do in their isolated copy, what they
// may do, how they end.

import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { until } from "../../agent/test/alive.ts";
import { has } from "../../agent/test/programs.ts";
import { type AgentStage, agentStage } from "./agents-kit.ts";

const PROGRAM = fileURLToPath(new URL("acp-scripted-agent.mjs", import.meta.url));
const full = ["--permission-mode", "full"];
type Step = readonly (string | object)[];

describe.skipIf(!has("bwrap", "nsenter", "unshare"))("ACP agents (needs bwrap, nsenter, unshare)", () => {
  let scene: AgentStage;
  afterEach(() => scene.close());

  /** Agents by name: what their file adds, how the program behaves, and what it does. All work at once. */
  async function begin(
    agents: Readonly<Record<string, { steps: readonly Step[]; more?: string; manner?: string }>>,
  ): Promise<void> {
    const calls = Object.entries(agents).map(([name, { steps }]) => {
      const assignment = `Do this:\n${JSON.stringify(steps)}`;
      return { name: "task", args: { agent: name, context: "The goal.", tasks: [{ id: name, assignment }] }, id: name };
    });
    const last = calls.map(({ id }) => id);
    scene = await agentStage(
      { parent: [turn.calls(calls), (request) => turn.text(last.map((id) => request.result(id) ?? "").join("\n"))] },
      { "a.txt": "one\ntwo\n", "b.txt": "b\n" },
    );
    const folder = join(scene.box.home, ".lathe/agents");
    mkdirSync(folder, { recursive: true });
    for (const [name, { more = "", manner = "well" }] of Object.entries(agents)) {
      const command = JSON.stringify([process.execPath, PROGRAM, manner, log(name)]);
      const text = `---\ndescription: Helps\nacp: ${command}\n${more}---\nYou are the helper.\n`;
      writeFileSync(join(folder, `${name}.md`), text);
    }
  }
  const log = (name: string): string => join(scene.box.home, `${name}.log`);
  const notes = (name: string): string => (existsSync(log(name)) ? readFileSync(log(name), "utf8") : "");
  const go = (mode = "full") => scene.run(["--permission-mode", mode, "-p", "go"]);
  const journal = (name: string): string => readFileSync(scene.filesNamed(`${name}.jsonl`)[0]!, "utf8");
  /** Processes of this test that are still running, wherever they were started. */
  const running = (): string[] =>
    readdirSync("/proc").filter((pid) => {
      const at = `/proc/${pid}/cmdline`;
      return /^\d+$/.test(pid) && existsSync(at) && commandLine(at).includes(scene.box.home);
    });

  it("M1 it reads, writes and runs in its copy through the session, and its work lands; calls and costs are told", async () => {
    await begin({
      helper: {
        steps: [
          ["think", "hm"],
          ["say", "first words"],
          ["read", "a.txt"],
          ["write", "a.txt", "one\nTWO\n"],
          ["run", "cat a.txt; echo $SEEN > c.txt", [{ name: "SEEN", value: "a b'c" }]],
          ["own", "edit", "b.txt", "changed\n"],
          ["see", "b.txt"],
        ],
      },
    });
    const { code, stdout, stderr } = await go();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("changed\n\n[Merged into your files: a.txt, b.txt, c.txt]");
    expect(["a.txt", "b.txt", "c.txt"].map(scene.read)).toEqual(["one\nTWO\n", "changed\n", "a b'c\n"]);
    expect(notes("helper")).toContain("You are the helper.\\n\\nYou are helper. Your assignment:");
    expect(running()).toEqual([]);
    const session = (await scene.box.run(["sessions", "list", "--json"])).stdout;
    const id = (JSON.parse(session) as { id: string }[])[0]!.id;
    const shown = (await scene.box.run(["sessions", "show", id, "--agent", "helper", "--full"])).stdout;
    for (const told of ["<one\ntwo\n>", "ran: one\nTWO (0)", "[allow_once]", "edit b.txt", "done it"])
      expect(shown).toContain(told);
    const stats = (await scene.box.run(["stats"])).stdout;
    expect(stats).toMatch(/\nacp\/helper +\d+ .* –\n/);
    expect(stats).toContain("at least $");
  });

  it("M1 what its parent may not do or nobody can be asked about is refused to it, whichever way it asks", async () => {
    const deed: Step[] = [
      ["write", "a.txt", "changed\n"],
      ["run", "touch made.txt"],
      ["own", "edit", "b.txt", "changed\n"],
      ["read", "a.txt"],
    ];
    await begin({
      narrow: { steps: [...deed, ["own", "read", "a.txt", ""]], more: "permissions: read-only\n" },
      vague: {
        steps: [
          ["own", "other", "", ""],
          ["own", "execute", "", "", { command: "rm -rf /tmp/x" }],
          // A call that claims to be harmless is judged by its command.
          ["own", "read", "a.txt", "", { command: "rm -rf /tmp/x" }],
        ],
      },
    });
    const { code, stdout } = await go("auto-edit");
    // Calls were denied because no user could be asked.
    expect(code).toBe(4);
    expect(["a.txt", "b.txt"].map(scene.read)).toEqual(["one\ntwo\n", "b\n"]);
    expect(scene.git("status", "--porcelain")).toBe("");
    expect(stdout).not.toContain("Merged into your files");
    const said = (name: string) => journal(name).match(/\[(allow_once|reject_once|Denied by the file[^\]"\\]*)\]/g);
    expect(said("narrow")).toEqual([
      expect.stringContaining("This session is read-only: nothing may be changed"),
      expect.stringContaining("only commands that are known to change nothing may run, and it writes made.txt"),
      "[reject_once]",
      "[allow_once]",
      // The agent repeats its last text, which is its result.
      "[allow_once]",
    ]);
    expect(said("vague")).toEqual(["[reject_once]", "[reject_once]", "[reject_once]", "[reject_once]"]);
    // Its last text is its result, even if one of its own calls came after it.
    expect(stdout).toMatch(/agent="vague" status="completed">\n\[reject_once\]\n/);
  });

  it("M1 an end that is none fails the call in a sentence, a result that does not fit its schema goes back to it", async () => {
    await begin({
      crashing: { steps: [["write", "a.txt", "half\n"], ["crash"]] },
      absent: { steps: [], manner: "gone" },
      formal: {
        steps: [["say", '{"n": "1"}']],
        more: "output: { type: object, required: [n], properties: { n: { type: integer } } }\n",
      },
    });
    const { stdout } = await go();
    expect(stdout).toContain(
      "The program of agent crashing: it ended with code 9: Error: out of luck\n\n[None of its changes were merged; your files are unchanged.",
    );
    expect(stdout).toContain(
      "The program of agent absent cannot be started: it ended with code 3: Error: no licence found\n",
    );
    expect(stdout).toMatch(/agent="formal" status="completed">\n\{"n": 1\}\n/);
    expect(notes("formal")).toContain('n must be a whole number, not \\"1\\"');
    expect(scene.read("a.txt")).toBe("one\ntwo\n");
  });

  it("M1 it ends with the session, also when that is killed", async () => {
    await begin({ helper: { steps: [["say", "x"], ["wait"]] } });
    const child = scene.start([...full, "-p", "go"]);
    child.stdin.end();
    await until(() => notes("helper").includes("prompt"));
    expect(running().length).toBeGreaterThan(0);
    child.kill("SIGKILL");
    await once(child, "close");
    await until(() => running().length === 0);
  });
});

/** "" for a process that has ended meanwhile. */
function commandLine(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
