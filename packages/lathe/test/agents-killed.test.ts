// The command is killed by SIGKILL at the lines of its journals while agents work in isolation, talk and land: what an
// agent did is in the files completely or not at all, never twice, otherwise in a patch; the conversation knows which;
// every message is read once, and no views are left.

import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RecordedRequest, type Turn, turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { until } from "../../agent/test/alive.ts";
import { has } from "../../agent/test/programs.ts";
import { type AgentStage, agentStage, shell, tasks, whoIs, yields } from "./agents-kit.ts";

const PRELOAD = `--require ${fileURLToPath(new URL("./die-at-line.cjs", import.meta.url))}`;
const full = ["--permission-mode", "full"];
const isLong = process.env["LATHE_LONG"] !== undefined;
const FILES = ["x", "y", "z"];
/** Adding a line shows whether anything landed twice. */
const adds = (id: string) => shell(FILES.map((name) => `echo ${id} >> ${id}-${name}.txt`).join("; "));

const irc = (args: object) => turn.calls([{ name: "irc", args: args as never, id: "i" }]);
const heard = ({ view }: RecordedRequest): string =>
  view.messages
    .filter(({ role }) => role !== "assistant")
    .flatMap(({ text, results }) => [text, ...results.map((result) => result.text)])
    .join("\n");
/** Waits for One; answers the parent's question unless it has a receipt of an answer, and every try is a message of its own. */
function answers(request: RecordedRequest): Turn {
  const said = heard(request);
  const tries = request.view.messages.filter(({ role }) => role === "assistant").length;
  const isAnswered = /Main: (injected|woken)/.test(said);
  if (said.includes("Which port?") && !isAnswered)
    return irc({ op: "send", to: "Main", message: `It is 80, try ${tries}.` });
  const isOver = /One has begun\.|Which port\?|Anything else\?|Not waiting/.test(said);
  return isOver ? yields("three") : irc({ op: "wait", from: "One" });
}

const LAST_PROMPT = "Read the rest.";
/** Whoever has left something unread is set to work by its question. */
function asksAll({ view: { messages } }: RecordedRequest): Turn {
  const asked = messages.findLastIndex(({ text }) => text.includes(LAST_PROMPT));
  const isNew = asked >= 0 && messages.slice(asked).every(({ role }) => role !== "assistant");
  return isNew ? irc({ op: "send", to: "Three", message: "Anything else?" }) : turn.text("done");
}

const begin = (): Promise<AgentStage> =>
  agentStage(
    {
      parent: [
        tasks([
          { id: "One", assignment: "first", isolated: true },
          { id: "Two", assignment: "second", isolated: true },
          { id: "Three", assignment: "third" },
        ]),
        irc({ op: "send", to: "Three", message: "Which port?", await: true }),
        asksAll,
      ],
      One: [adds("One"), irc({ op: "send", to: "Three", message: "One has begun." }), yields("one")],
      Two: [adds("Two"), irc({ op: "send", to: "Main", message: "Two has begun." }), yields("two")],
      Three: [shell("cat One-x.txt"), answers],
    },
    Object.fromEntries(["One", "Two"].flatMap((id) => FILES.map((name) => [`${id}-${name}.txt`, "base\n"]))),
  );

/** Resolves with the number of lines if it was not killed. */
async function run(scene: AgentStage, at: number, moment: string): Promise<number | undefined> {
  const count = join(scene.box.home, "count");
  const env = { NODE_OPTIONS: PRELOAD, DIE_LINE: String(at), DIE_MOMENT: moment, DIE_COUNT: count };
  const child = scene.box.start([...scene.args, ...full, "-p", "go"], { ...scene.env, ...env });
  child.stdin.end();
  await once(child, "close");
  return child.signalCode === "SIGKILL" ? undefined : Number(readFileSync(count, "utf8"));
}

/** The journal of the session itself. */
function linesOf(scene: AgentStage): string[] {
  const root = join(scene.box.home, ".lathe/sessions");
  const journals = readdirSync(root, { recursive: true })
    .map(String)
    .filter((name) => name.split("/").length === 2);
  return journals.flatMap((name) =>
    name.endsWith(".jsonl") ? readFileSync(join(root, name), "utf8").split("\n") : [],
  );
}

/** What it says about the end of an agent. */
function outcomeOf(lines: readonly string[], id: string): string {
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
      return false; // ended meanwhile, or another user's
    }
  });
}

/** Every message that was sent has been read by its reader's model, once. Returns their texts. */
function messagesRead(scene: AgentStage, lines: readonly string[]): string[] {
  const log = lines.filter((line) => line.includes('"kind":"irc"')).map((line) => JSON.parse(line).data);
  const failed = new Set(log.flatMap(({ state, id }) => (state === "failed" ? [id] : [])));
  const sent = log.filter(({ state, id }) => state === "sent" && !failed.has(id));
  for (const { text, to } of sent) {
    const reader = to === "Main" ? "parent" : to;
    const last = scene.server.requests.findLast((request) => whoIs(request) === reader);
    const times = last ? heard(last).split(text).length - 1 : 0;
    expect(times, `times that ${to} read "${text}"`).toBe(1);
  }
  return sent.map(({ text }) => text);
}

/** Its command has ended, so its model was asked what to do next. */
const hasAdded = (scene: AgentStage, id: string): boolean =>
  scene.server.requests.some(
    (request) => whoIs(request) === id && request.view.messages.some(({ role }) => role === "assistant"),
  );

async function judge(scene: AgentStage): Promise<string[]> {
  const resumed = await scene.run([...full, "-c"]);
  const lines = linesOf(scene);
  for (const id of ["One", "Two"]) {
    const texts = new Set(FILES.map((name) => scene.read(`${id}-${name}.txt`)));
    expect(texts.size, `${id} is half landed`).toBe(1);
    const [text] = texts;
    expect(["base\n", `base\n${id}\n`], `${id} landed twice`).toContain(text);
    const said = outcomeOf(lines, id);
    const isTold = /Merged into your files|had been merged into your files already/.test(said);
    expect(isTold, `${id}: ${said} ${resumed.stderr}`).toBe(text !== "base\n");
    const patches = [...scene.filesNamed(`${id}.patch`), ...scene.filesNamed(`${id}.2.patch`)];
    const isMissing = text === "base\n" && hasAdded(scene, id);
    const about = `patches of ${id}, whose files are ${text}: ${resumed.stderr}`;
    expect(patches.length, about).toBeGreaterThanOrEqual(isMissing ? 1 : 0);
    expect(patches.length, about).toBeLessThanOrEqual(text === "base\n" ? 1 : 0);
    for (const patch of patches) {
      const added = readFileSync(patch, "utf8").match(new RegExp(`^\\+${id}$`, "gm")) ?? [];
      // Its command may have been killed with it.
      expect(added.length, `lines in ${patch}`).toBeGreaterThanOrEqual(isMissing ? FILES.length : 1);
      expect(added.length, `lines in ${patch}`).toBeLessThanOrEqual(FILES.length);
      if (said !== "") expect(said).toContain(`git apply --3way ${patch}`);
      scene.git("apply", "--3way", "--check", patch);
    }
  }
  expect(scene.views()).toEqual([]);
  expect(readFileSync("/proc/self/mountinfo", "utf8")).not.toContain(scene.box.dir);
  // A watchdog ends what a killed process had started, perhaps a moment later.
  await until(() => alive(scene.box.dir).length === 0);
  expect(
    scene
      .git("status", "--short", "--untracked-files")
      .split("\n")
      .filter((line) => line.startsWith("??")),
  ).toEqual([]);
  expect(await scene.run([...full, "-c", "-p", LAST_PROMPT])).toMatchObject({ code: 0 });
  return messagesRead(scene, linesOf(scene));
}

it.skipIf(!has("bwrap", "nsenter", "unshare"))(
  `SA-07 T-IRC-1 killed at ${isLong ? "every line" : "some lines"} of its journals: no agent's work is lost, half or twice in the files, and every message is read once (needs bwrap, nsenter, unshare)`,
  async () => {
    const first = await begin();
    let lines: number;
    try {
      lines = (await run(first, 0, "before")) ?? 0;
      expect(await judge(first)).toEqual(
        expect.arrayContaining(["One has begun.", "Two has begun.", "Which port?", "Anything else?"]),
      );
      expect(first.read("One-x.txt")).toBe("base\nOne\n");
    } finally {
      await first.close();
    }
    expect(lines).toBeGreaterThan(40);
    const all = Array.from({ length: lines }, (_, n) => n + 1).flatMap((at) => [
      { at, moment: "before" },
      { at, moment: "after" },
    ]);
    // A short run tries two, others each time, one in each half: the landings are in the last third. LATHE_PART=2/6: the second of six parts of a long one.
    const [part = 1, parts = 1] = process.env["LATHE_PART"]?.split("/").map(Number) ?? [];
    const every = isLong ? parts : Math.ceil(all.length / 2);
    const offset = isLong ? part - 1 : Math.floor(Math.random() * every);
    const failures: string[] = [];
    for (const { at, moment } of all.filter((_, n) => n % every === offset)) {
      const scene = await begin();
      try {
        await run(scene, at, moment);
        await judge(scene);
      } catch (error) {
        failures.push(`killed ${moment} line ${at} of ${lines}: ${error}`);
      } finally {
        await scene.close();
      }
    }
    expect(failures).toEqual([]);
  },
  isLong ? 3_600_000 : 120_000,
);
