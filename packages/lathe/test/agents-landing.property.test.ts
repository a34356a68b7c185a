// Agents that work in isolation, random overlapping edits, and a user who edits, stages and commits meanwhile. Git
// itself computes the expected result.

import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gate } from "@lathe/testkit";
import fc from "fast-check";
import { expect, it } from "vitest";
import { byGit, change, contentOf, edits, firstFiles } from "../../agent/test/isolate/random-edits.ts";
import { has } from "../../agent/test/programs.ts";
import { agentStage, says, shell, tasks, yields } from "./agents-kit.ts";

const isLong = process.env["LATHE_LONG"] !== undefined;
const AGENTS = isLong ? 8 : 3;
/** Its work never passes the check. */
const RED = "child0";
const CHECKED = `---\nname: checked\ndescription: Checked\nverify: "! grep -rqs ${RED} --include=*.txt ."\n---\nWork.\n`;

type Files = Record<string, string>;
type Edits = typeof edits extends fc.Arbitrary<infer T> ? T : never;

/** Agents in the order in which their landings were written. */
function landedIn(sessions: string): string[] {
  const journals = readdirSync(sessions, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(".jsonl"));
  const lines = journals.flatMap((name) => readFileSync(join(sessions, name), "utf8").split("\n"));
  return lines.flatMap((line) => /"kind":"landing","data":\{"agentId":"(\w+)"/.exec(line)?.[1] ?? []);
}

async function round(children: readonly Edits[], user: Edits, how: string): Promise<void> {
  const ids = children.map((_, number) => `child${number}`);
  const copyOf = (id: string): string => join(scene.box.home, `copy-${id}`);
  const [ready, edited] = [gate(), gate()];
  let waiting = 0;
  const play = (id: string) => [
    () => shell(`find . -maxdepth 1 -name '*.txt' -delete; cp ${copyOf(id)}/* .`),
    // All views are open and changed: everything the user does from now on happens meanwhile.
    async () => {
      if (++waiting === ids.length) ready.open();
      await edited.wait();
      return yields("done");
    },
    yields("nothing more to do"),
  ];
  const list = ids.map((id) => ({ id, assignment: `work of ${id}`, isolated: true }));
  const cast = {
    parent: [tasks(list, { agent: "checked" }), says],
    ...Object.fromEntries(ids.map((id) => [id, play(id)])),
  };
  const scene = await agentStage(cast, firstFiles());
  try {
    const { dir, home } = scene.box;
    scene.write(".lathe/agents/checked.md", CHECKED);
    await scene.box.run(["trust"]);
    scene.write("f0.txt", `dirty\n${scene.read("f0.txt")}`);
    const base = contentOf(dir);
    for (const [number, id] of ids.entries()) {
      cpSync(dir, copyOf(id), { recursive: true, filter: (path) => !/\/\.(git|lathe)$/.test(path) });
      for (const one of children[number]!) change(copyOf(id), one, id);
      if (id === RED) writeFileSync(join(copyOf(id), "red.txt"), `${RED}\n`);
    }
    const work = Object.fromEntries(ids.map((id) => [id, contentOf(copyOf(id))]));
    void ready.wait().then(() => {
      for (const one of user) change(dir, one, "user");
      if (how !== "edit") scene.git("add", "*.txt");
      if (how === "commit") scene.git("commit", "-q", "--allow-empty", "-m", "user");
      edited.open();
    });
    const running = scene.run(["--permission-mode", "full", "-p", "go"]);
    await edited.wait();
    const [ours, index, head] = [
      contentOf(dir),
      scene.git("ls-files", "--stage"),
      scene.git("log", "--format=%H", "--all"),
    ];
    const { stdout } = await running;

    const landed = landedIn(join(home, ".lathe/sessions"));
    expect(landed).not.toContain(RED);
    expect(new Set(landed).size).toBe(landed.length);
    const merged = (done: readonly string[], more: readonly string[] = []) =>
      byGit(
        base,
        ours,
        [...done, ...more].map((id) => [id, work[id] as Files] as const),
      );
    expect(merged(landed).conflicts).toEqual([]);
    expect(contentOf(dir)).toEqual(merged(landed).files);
    for (const id of ids) {
      const said = new RegExp(`<agent_result id="${id}" [^>]*>(.*?)</agent_result>`, "s").exec(stdout)?.[1] ?? "";
      if (landed.includes(id)) expect(said).toContain("[Merged into your files: ");
      else if (JSON.stringify(work[id]) === JSON.stringify(base)) expect(said).toContain("[It changed no files.]");
      else if (/\[Nothing had to be merged/.test(said)) expect(merged(landed, [id]).files).toEqual(contentOf(dir));
      else if (said.includes("Its check failed")) expect(id).toBe(RED);
      else {
        // At some point it did not merge, and the conflict is named.
        const moments = Array.from({ length: landed.length + 1 }, (_, n) => merged(landed.slice(0, n), [id]).conflicts);
        expect(moments.flat(), said).toContain(id);
        expect(said).toMatch(/Merge failed\.\n- \S+\.txt/);
        expect(said).toContain(`/${id}.patch`);
      }
    }
    expect(scene.git("ls-files", "--stage")).toBe(index);
    expect(scene.git("log", "--format=%H", "--all")).toBe(head);
    expect(scene.views()).toEqual([]);
  } finally {
    await scene.close();
  }
}

it.skipIf(!has("bwrap", "nsenter", "unshare"))(
  `SA-07 G-77 what ${AGENTS} agents and a person make of the same files is what git makes of it, and a red check never lands (needs bwrap, nsenter, unshare)`,
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(edits, { minLength: AGENTS, maxLength: AGENTS }),
        edits,
        fc.constantFrom("edit", "stage", "commit"),
        round,
      ),
      { numRuns: isLong ? 20 : 1, endOnFailure: true },
    );
  },
  isLong ? 3_600_000 : 120_000,
);
