// The command killed by SIGKILL at the lines of its journals while agents work apart and land: what an agent did is in the files whole or
// not at all, never twice, the conversation knows which, and nothing is left of the views.

import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { until } from "../../agent/test/alive.ts";
import { has } from "../../agent/test/programs.ts";
import { type AgentStage, agentStage, shell, tasks, yields } from "./agents-kit.ts";

const PRELOAD = `--require ${fileURLToPath(new URL("./die-at-line.cjs", import.meta.url))}`;
const full = ["--permission-mode", "full"];
const isLong = process.env["LATHE_LONG"] !== undefined;
const FILES = ["x", "y", "z"];
/** Adding a line shows what was landed twice. */
const adds = (id: string) => shell(FILES.map((name) => `echo ${id} >> ${id}-${name}.txt`).join("; "));

const begin = (): Promise<AgentStage> =>
  agentStage(
    {
      parent: [
        tasks([
          { id: "One", assignment: "first", isolated: true },
          { id: "Two", assignment: "second", isolated: true },
          { id: "Three", assignment: "third" },
        ]),
        turn.text("done"),
      ],
      One: [adds("One"), yields("one")],
      Two: [adds("Two"), yields("two")],
      Three: [shell("cat One-x.txt"), yields("three")],
    },
    Object.fromEntries(["One", "Two"].flatMap((id) => FILES.map((name) => [`${id}-${name}.txt`, "base\n"]))),
  );

/** Resolves with the number of lines when it was not killed. */
async function run(scene: AgentStage, at: number, moment: string): Promise<number | undefined> {
  const count = join(scene.box.home, "count");
  const env = { NODE_OPTIONS: PRELOAD, DIE_LINE: String(at), DIE_MOMENT: moment, DIE_COUNT: count };
  const child = scene.box.start([...scene.args, ...full, "-p", "go"], { ...scene.env, ...env });
  child.stdin.end();
  await once(child, "close");
  return child.signalCode === "SIGKILL" ? undefined : Number(readFileSync(count, "utf8"));
}

/** What the journal of the session says that became of an agent. */
function outcomeOf(scene: AgentStage, id: string): string {
  const root = join(scene.box.home, ".lathe/sessions");
  const journals = readdirSync(root, { recursive: true })
    .map(String)
    .filter((name) => name.split("/").length === 2);
  const lines = journals.flatMap((name) =>
    name.endsWith(".jsonl") ? readFileSync(join(root, name), "utf8").split("\n") : [],
  );
  const ends = lines.filter((line) => line.includes('"customType":"agent"') && line.includes(`"agentId":"${id}"`));
  expect(ends.length, `${id} has one end at the most`).toBeLessThanOrEqual(1);
  return ends[0] ?? "";
}

function alive(folder: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return `${readFileSync(`/proc/${pid}/cmdline`, "utf8")} ${readlinkSync(`/proc/${pid}/cwd`)}`.includes(folder);
    } catch {
      return false; // ended meanwhile, or another's
    }
  });
}

async function judge(scene: AgentStage): Promise<void> {
  const resumed = await scene.run([...full, "-c"]);
  for (const id of ["One", "Two"]) {
    const texts = new Set(FILES.map((name) => scene.read(`${id}-${name}.txt`)));
    expect(texts.size, `${id} is half landed`).toBe(1);
    const [text] = texts;
    expect(["base\n", `base\n${id}\n`], `${id} landed twice`).toContain(text);
    const said = outcomeOf(scene, id);
    const isTold = /Merged into your files|had been merged into your files already/.test(said);
    expect(isTold, `${id}: ${said} ${resumed.stderr}`).toBe(text !== "base\n");
  }
  expect(scene.views()).toEqual([]);
  expect(readFileSync("/proc/self/mountinfo", "utf8")).not.toContain(scene.box.dir);
  // What a killed process had started is ended by its watchdog, which may be a moment behind.
  await until(() => alive(scene.box.dir).length === 0);
  expect(
    scene
      .git("status", "--short", "--untracked-files")
      .split("\n")
      .filter((line) => line.startsWith("??")),
  ).toEqual([]);
}

it.skipIf(!has("bwrap", "nsenter", "unshare"))(
  `SA-07 killed at ${isLong ? "every line" : "some lines"} of its journals: no agent's work is lost, half or twice in the files (needs bwrap, nsenter, unshare)`,
  async () => {
    const first = await begin();
    let lines: number;
    try {
      lines = (await run(first, 0, "before")) ?? 0;
      await judge(first);
      expect(first.read("One-x.txt")).toBe("base\nOne\n");
    } finally {
      await first.close();
    }
    expect(lines).toBeGreaterThan(40);
    const all = Array.from({ length: lines }, (_, n) => n + 1).flatMap((at) => [
      { at, moment: "before" },
      { at, moment: "after" },
    ]);
    // A short run tries others each time; the landings are in the last third.
    const every = isLong ? 1 : Math.ceil(all.length / 4);
    const offset = Math.floor(Math.random() * every);
    for (const { at, moment } of all.filter((_, n) => n % every === offset)) {
      const scene = await begin();
      try {
        await run(scene, at, moment);
        await judge(scene).catch((error: unknown) => {
          throw new Error(`killed ${moment} line ${at} of ${lines}`, { cause: error });
        });
      } finally {
        await scene.close();
      }
    }
  },
  isLong ? 3_600_000 : 120_000,
);
