// Two turns of a controller with a question in the first, while the session or the coordinator is killed by SIGKILL at a line of its journal:
// the same end, no answer that was confirmed is lost, and no question that was answered is asked again.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RecordedRequest, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { CLI } from "./command.ts";
import { CoordinatorBench as Bench, type CoordinatorBench, type CoordinatorClient } from "./coordinator-kit.ts";
import { hasTmux } from "./tmux-kit.ts";

const isLong = process.env["LATHE_LONG"] !== undefined;
const preload = (name: string): string => `--require ${fileURLToPath(new URL(name, import.meta.url))}`;
const PROMPTS = ["/skill:deep-interview a wall", "say done"];
const call = (name: string, args: object) => turn.calls([{ name, args: args as never }]);

function script({ view }: RecordedRequest) {
  if (view.tools.length === 0) return turn.text("A title");
  const said = view.messages.flatMap(({ text, results }) => [text, ...results.map((one) => one.text)]).join("\n");
  if (/say done/.test(said)) return turn.text("Done.");
  if (/accepted the specification/.test(said)) return turn.text("Written.");
  if (/The user answered/.test(said)) return call("interview", { op: "spec", title: "A wall", text: "A wall." });
  return call("interview", { op: "ask", question: "How high?" });
}

interface Event {
  readonly seq: number;
  readonly kind: string;
  readonly turn_id?: string;
}
interface Row {
  readonly session_id: string;
  readonly advisory_status: { readonly live: boolean; readonly state: string };
}
interface Question {
  readonly question_id: string;
  readonly gate?: { readonly context: { readonly title: string } };
}

/** A controller that can be interrupted anywhere: it reads the current state and does the next step. */
class Controller {
  readonly #bench: CoordinatorBench;
  readonly #confirmed = new Set<string>();
  /** While its process runs. */
  #client: CoordinatorClient | undefined;
  /** Variables of the first server, which may end early, and of all later ones. */
  readonly #env: (Record<string, string> | undefined)[];
  readonly #deadline = performance.now() + 90_000;
  servers = 0;

  constructor(bench: CoordinatorBench, first: Record<string, string>) {
    this.#bench = bench;
    this.#env = [first];
  }

  async drive(): Promise<void> {
    for (;;) {
      expect(performance.now(), "it takes too long").toBeLessThan(this.#deadline);
      try {
        this.#client ??= await this.#connect();
        if (await this.#isDone(this.#client)) return;
      } catch (error) {
        if (!/closed|EPIPE|ECONNRESET|Not connected/i.test(String(error))) throw error;
        await this.restart();
      }
    }
  }

  #connect(): Promise<CoordinatorClient> {
    this.servers++;
    return this.#bench.connect(this.#env.shift());
  }

  async restart(): Promise<void> {
    await this.#client?.kill().catch(() => undefined);
    this.#client = undefined;
  }

  async #isDone(client: CoordinatorClient): Promise<boolean> {
    const { sessions, latest_event_seq: seq } = (await client.call("read_coordination_status")) as object as {
      sessions: Row[];
      latest_event_seq: number;
    };
    const [session] = sessions;
    if (!session) {
      await client.call("start_session", { cwd: this.#bench.project, allow_mutation: true });
      return false;
    }
    const { session_id, advisory_status } = session;
    if (!advisory_status.live) {
      // A different command from the one that was killed.
      if (this.servers === 1) return this.restart().then(() => false);
      const again = await client.call("start_session", { session_id, allow_mutation: true });
      if (!again.ok) expect(["session_lives"]).toContain(again.error?.code);
      return false;
    }
    const events = await this.#events(client);
    const begun = [...new Set(events.flatMap(({ turn_id = [] }) => turn_id))];
    const prompt = PROMPTS[begun.length];
    if (prompt !== undefined) {
      await client.change("send_prompt", { session_id, prompt, queue: true });
      return false;
    }
    if (events.filter(({ kind }) => kind === "turn.completed").length === PROMPTS.length) return true;
    if (!(await this.#answered(client, session_id)))
      await client.call("watch_events", { after_seq: seq, timeout_ms: 300 });
    return false;
  }

  async #events(client: CoordinatorClient): Promise<readonly Event[]> {
    const reply = await client.call("watch_events", { timeout_ms: 0 });
    return (reply as object as { readonly events: readonly Event[] }).events;
  }

  async #answered(client: CoordinatorClient, session_id: string): Promise<boolean> {
    const { questions = [] } = (await client.call("list_questions", { session_id })) as { questions?: Question[] };
    const [question] = questions;
    if (!question) return false;
    const { question_id, gate } = question;
    const title = gate?.context.title ?? "";
    expect(this.#confirmed.has(title), `${title} was answered and is asked again`).toBe(false);
    const answer = title === "How high?" ? "2 m" : "approve";
    const reply = await client.call("submit_question_answer", {
      session_id,
      question_id,
      answer,
      allow_mutation: true,
    });
    if (reply.ok) this.#confirmed.add(title);
    return reply.ok;
  }
}

function judge(bench: CoordinatorBench): void {
  const read = (path: string) =>
    readFileSync(path, "utf8")
      .split("\n")
      .flatMap((line) => {
        try {
          return [JSON.parse(line)];
        } catch {
          return []; // what a kill has cut off
        }
      });
  const sessions = join(bench.scene.box.home, ".lathe/sessions");
  const lines = readdirSync(sessions, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => read(join(sessions, name)));
  const answers = lines.filter((line) => line.customType === "lathe:gate_answer" && line.data.status === "accepted");
  expect(answers.map(({ data }) => data.answer)).toEqual(["2 m", "approve"]);
  const words = lines.filter(({ message }) => message?.role === "user").map(({ message }) => JSON.stringify(message));
  for (const prompt of ["a wall", "say done"])
    expect(
      words.filter((one) => one.includes(prompt)),
      prompt,
    ).toHaveLength(1);
  const events = read(bench.eventFile) as Event[];
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, at) => at + 1));
  const turns = events.filter(({ kind }) => /^turn\.(queued|active|completed|failed)$/.test(kind));
  const [one, two] = [...new Set(turns.map(({ turn_id }) => turn_id))];
  const seen = turns.filter(({ kind }) => kind !== "turn.queued").map(({ kind, turn_id }) => [kind, turn_id]);
  expect(seen).toEqual([
    ...[
      ["turn.active", one],
      ["turn.completed", one],
    ],
    ...[
      ["turn.active", two],
      ["turn.completed", two],
    ],
  ]);
}

/** False if everything had ended before that line. */
async function killedAt(who: "session" | "coordinator", line: number, moment: string): Promise<boolean> {
  const bench = await Bench.open(script);
  try {
    const dies = { DIE_LINE: String(line), DIE_MOMENT: moment };
    const variables = Object.entries({ ...dies, NODE_OPTIONS: `'${preload("./die-at-line.cjs")}'` });
    const command = ["env", ...variables.map((pair) => pair.join("=")), process.execPath, CLI, ...bench.scene.args];
    const controller = new Controller(bench, {
      ...bench.allowed,
      ...(who === "session"
        ? { LATHE_COORDINATOR_MCP_SESSION_COMMAND: command.join(" ") }
        : { ...dies, NODE_OPTIONS: preload("./die-at-event.cjs") }),
    });
    await controller.drive();
    judge(bench);
    return controller.servers > 1;
  } finally {
    await bench.close();
  }
}

describe.skipIf(!hasTmux)("a killed turn of the coordinator (needs tmux)", () => {
  it.each([
    // In the gate: at its first lines and while the question is open.
    ["session", isLong ? ["before", "after"] : ["before"], [5, 26]],
    ["coordinator", isLong ? ["before", "after", "torn"] : ["torn"], [5]],
  ] as const)(
    "G-13 G-14 G-15 killed at the lines of the journal of the %s: the same end, nothing asked or said twice",
    { timeout: isLong ? 3_600_000 : 180_000 },
    async (who, moments, inGate) => {
      for (const moment of moments) {
        let killed = 0;
        for (const line of isLong ? Array.from({ length: 500 }, (_, n) => n + 1) : inGate) {
          if (!(await killedAt(who, line, moment))) break;
          killed++;
        }
        expect(killed).toBeGreaterThanOrEqual(isLong ? 9 : inGate.length);
      }
    },
  );
});
