// Random schedules of send, queue, force, answer, report and kill at coordinators that share a session: one active
// turn, every turn ends once, every prompt is delivered once, and event numbers have no gap.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { turn } from "@lathe/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readConfiguration } from "../src/doors/coordinator/configuration.ts";
import type { ToolName } from "../src/doors/coordinator/contract.ts";
import { entryOfTurn } from "../src/doors/coordinator/ids.ts";
import type { Reader } from "../src/doors/coordinator/reading.ts";
import { openReader } from "../src/doors/coordinator/server.ts";
import { callTool, type ToolReply } from "../src/doors/coordinator/tools.ts";
import { CLI } from "./command.ts";
import { CoordinatorBench as Bench, type CoordinatorBench } from "./coordinator-kit.ts";
import { machineOf } from "./machine.ts";
import { hasTmux } from "./tmux-kit.ts";

const isLong = process.env["LATHE_LONG"] !== undefined;
const SCHEDULES = isLong ? 1_000 : 8;
/** Of one session: its journal grows. */
const PER_SESSION = 25;

const how = fc.constantFrom("plain", "queue", "force");
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ op: fc.constant("send" as const), how, asks: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant("answer" as const), yes: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant("report" as const),
      status: fc.constantFrom("completed", "failed", "cancelled"),
      which: fc.nat(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("kill coordinator" as const) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("wait" as const) }) },
);
/** `waits`: for the reply, before the next one. */
const schedule = fc.record({
  steps: fc.array(fc.record({ step, waits: fc.boolean() }), { minLength: 2, maxLength: 10 }),
  /** The session's process is killed before this step. */
  killAt: fc.option(fc.nat(8), { freq: isLong ? 20 : 12 }),
});
type Schedule = typeof schedule extends fc.Arbitrary<infer T> ? T : never;
type Step = Schedule["steps"][number]["step"];

interface Event {
  readonly seq: number;
  readonly kind: string;
  readonly turn_id?: string;
}

class Player {
  readonly #bench: CoordinatorBench;
  readonly #profile: string;
  readonly #started: Promise<unknown>[] = [];
  readonly #abandoned: { close(): void }[] = [];
  #opened: Awaited<ReturnType<typeof openReader>> | undefined;
  /** What the replies contained. */
  readonly turns: string[] = [];
  #names = 0;
  #session = "s";

  constructor(bench: CoordinatorBench, profile: string) {
    this.#bench = bench;
    this.#profile = profile;
  }

  /** The session of the previous schedule, unless that has killed it. */
  async enter(pane: string): Promise<void> {
    const adopted = pane === "" ? { ok: false } : await this.change("register_session", { pane });
    if (adopted.ok === true) return;
    const started = await this.call("start_session", { cwd: this.#bench.project, allow_mutation: true });
    expect(started).toMatchObject({ ok: true });
    this.#session = String(started["session_id"]);
  }

  get file(): string {
    return join(this.#bench.scene.box.home, `state/${this.#profile}/default/events/event-journal.jsonl`);
  }

  async reader(): Promise<Reader> {
    const env = { ...this.#bench.env(), ...commandOf(this.#bench), LATHE_COORDINATOR_MCP_PROFILE: this.#profile };
    const place = { cwd: this.#bench.project, env };
    const machine = machineOf(place, new PassThrough(), new PassThrough(), new PassThrough());
    this.#opened ??= await openReader(machine, readConfiguration(env, place.cwd));
    return this.#opened.reader;
  }

  async call(name: ToolName, args: object): Promise<ToolReply["data"]> {
    const { data } = await callTool(await this.reader(), name, args, new AbortController().signal);
    return data;
  }

  change(name: ToolName, args: object): Promise<ToolReply["data"]> {
    return this.call(name, { session_id: this.#session, ...args, allow_mutation: true });
  }

  /** Starts the call; its outcome is checked at the end. */
  play(one: Step): Promise<unknown> {
    const done = this.#carryOut(one);
    this.#started.push(done);
    return done;
  }

  async #carryOut(one: Step): Promise<unknown> {
    if (one.op === "send") {
      const prompt = `${one.asks ? "asks" : "quick"} ${this.#profile} ${this.#names++}`;
      const reply = await this.change("send_prompt", { prompt, ...(one.how === "plain" ? {} : { [one.how]: true }) });
      if (reply["ok"] === true) this.turns.push(String(reply["turn_id"]));
      else expect((reply["error"] as { code: string }).code).toBe("active_turn_exists");
      return reply;
    }
    if (one.op === "answer") return this.answer(one.yes);
    if (one.op === "report") {
      const turn_id = this.turns[one.which % Math.max(1, this.turns.length)];
      return turn_id === undefined ? undefined : this.change("report_status", { turn_id, status: one.status });
    }
    if (one.op === "wait") return this.call("watch_events", { after_seq: this.events().length, timeout_ms: 30 });
    // Its calls overlap with those of the next one, which is worse than a kill.
    if (this.#opened) this.#abandoned.push(this.#opened);
    this.#opened = undefined;
    return this.reader();
  }

  async answer(isAllowed: boolean): Promise<boolean> {
    const { questions = [] } = (await this.call("list_questions", { session_id: this.#session })) as {
      questions?: { question_id: string }[];
    };
    const [question] = questions;
    if (!question) return false;
    await this.change("submit_question_answer", { question_id: question.question_id, answer: isAllowed });
    return true;
  }

  events(): Event[] {
    return readFileSync(this.file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  }

  open(): string[] {
    const ended = new Set(this.events().flatMap((event) => (ENDED.test(event.kind) ? (event.turn_id ?? []) : [])));
    return this.turns.filter((id) => !ended.has(id));
  }

  /** Answers everything and waits for the end. */
  async end(): Promise<void> {
    await Promise.all(this.#started);
    const deadline = performance.now() + 30_000;
    while (this.open().length > 0) {
      expect(performance.now(), `turns without an end: ${this.open().join(" ")}`).toBeLessThan(deadline);
      await this.revive();
      if (!(await this.answer(true)))
        await this.call("watch_events", { after_seq: this.events().length, timeout_ms: 50 });
    }
    for (const one of [...this.#abandoned, ...(this.#opened ? [this.#opened] : [])]) one.close();
  }

  async revive(): Promise<void> {
    const { session } = (await this.call("read_status", { session_id: this.#session })) as {
      session: { advisory_status: { state: string } };
    };
    if (session.advisory_status.state === "gone") await this.change("start_session", {});
  }
}

const ENDED = /^turn\.(completed|failed|cancelled|superseded)$/;

function judge(events: readonly Event[], turns: readonly string[]): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, at) => at + 1));
  const queue: string[] = [];
  const begun = new Set<string>();
  const ended = new Set<string>();
  let active: string | undefined;
  for (const { kind, turn_id: id = "" } of events) {
    if (kind === "turn.queued") queue.push(id);
    else if (kind === "turn.active") {
      expect(active, "two active turns").toBeUndefined();
      expect(begun.has(id), "active twice").toBe(false);
      if (queue.includes(id)) expect(queue.shift(), "out of order").toBe(id);
      active = id;
      begun.add(id);
    } else if (ENDED.test(kind)) {
      expect(ended.has(id), "ended twice").toBe(false);
      ended.add(id);
      if (active === id) active = undefined;
      else queue.splice(queue.indexOf(id), 1);
    } else if (kind === "turn.delivered") expect(begun.has(id), "said before its time").toBe(true);
  }
  expect(ended).toEqual(new Set(turns));
}

/** As it is built: what runs here is a test. */
const commandOf = ({ scene }: CoordinatorBench) => ({
  LATHE_COORDINATOR_MCP_SESSION_COMMAND: [process.execPath, CLI, ...scene.args, "--permission-mode", "ask"].join(" "),
});

/** A session for a share of the schedules, started as any other. */
async function withSession(use: (bench: CoordinatorBench, pane: () => string) => Promise<void>): Promise<void> {
  const bench = await Bench.open(({ view }) => {
    const asked = view.messages.findLast(({ role, text }) => role === "user" && /quick|asks/.test(text))?.text ?? "";
    const isNew = view.messages.at(-1)?.results.length === 0;
    return asked.includes("asks") && isNew && view.tools.length > 0
      ? turn.calls([{ name: "shell", args: { command: "true" } }])
      : turn.text("ok");
  });
  try {
    await use(bench, () => {
      const rows = bench.tmux.ask("list-panes", "-a", "-F", "#{pane_id} #{session_name}").split("\n");
      return rows.find((row) => !row.endsWith(" foreign"))?.split(" ")[0] ?? "";
    });
  } finally {
    await bench.close();
  }
}

async function round(bench: CoordinatorBench, pane: string, profile: string, one: Schedule): Promise<void> {
  const player = new Player(bench, profile);
  await player.enter(pane);
  for (const [at, { step: next, waits }] of one.steps.entries()) {
    if (at === one.killAt)
      process.kill(Number(bench.tmux.ask("display-message", "-p", "-t", pane, "#{pane_pid}")), "SIGKILL");
    const playing = player.play(next);
    if (waits) await playing;
  }
  await player.end();
  judge(player.events(), player.turns);
}

/** Each prompt is in one journal, once. */
function saidOnce(bench: CoordinatorBench, profiles: readonly string[]): void {
  const sessions = join(bench.scene.box.home, ".lathe/sessions");
  const said = new Map<string, number>();
  for (const name of readdirSync(sessions, { recursive: true, encoding: "utf8" }))
    if (name.endsWith(".jsonl"))
      for (const [, id = ""] of readFileSync(join(sessions, name), "utf8").matchAll(
        /^\{"type":"message","id":"(t\w+)"/gm,
      ))
        said.set(id, (said.get(id) ?? 0) + 1);
  for (const profile of profiles) {
    const file = new Player(bench, profile);
    for (const { kind, turn_id = "" } of file.events())
      if (kind === "turn.delivered") expect(said.get(entryOfTurn(turn_id)), turn_id).toBe(1);
  }
}

describe.skipIf(!hasTmux)("random schedules at the coordinator (needs tmux)", () => {
  it(`G-14 G-15 ${SCHEDULES} schedules of send, queue, force, answer, report and kill: one active turn, every turn ends once, no gap`, {
    timeout: isLong ? 3_600_000 : 180_000,
  }, async () => {
    const all = fc.sample(schedule, SCHEDULES);
    for (let from = 0; from < all.length; from += PER_SESSION)
      await withSession(async (bench, pane) => {
        const profiles: string[] = [];
        for (const [at, one] of all.slice(from, from + PER_SESSION).entries()) {
          const profile = `p${from + at}`;
          profiles.push(profile);
          try {
            await round(bench, pane(), profile, one);
          } catch (error) {
            throw new Error(`schedule ${from + at}: ${JSON.stringify(one)}`, { cause: error });
          }
        }
        saidOnce(bench, profiles);
      });
  });
});
