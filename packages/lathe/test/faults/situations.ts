// What the agent may be doing at a terminal when it is killed, told to end, or loses its terminal, and what the next
// start must then say.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Gate, gate, type Turn, turn } from "@lathe/testkit";
import { vi } from "vitest";
import { KEY, type TerminalOptions, type TerminalRun } from "../terminal/emulator.ts";
import { type FaultBench, sound } from "./bench.ts";

/** What `lathe -c` shows next: a question whether to resume the interrupted input, or the conversation as it was. */
export type NextStart = "asks to continue" | "as it was";

export interface Situation {
  readonly name: string;
  /** Brings the command into the situation. */
  arrange(bench: FaultBench): Promise<TerminalRun>;
  /** The last input in the journal: after SIGKILL, and after a signal that the agent could handle. */
  readonly killed: string;
  readonly ended: string;
  readonly next: NextStart;
  /** If not 130: the exit code after a signal that the agent could handle. */
  readonly exit?: number;
  /** Keys that answer what appears again when the input is resumed. */
  readonly answer?: string;
  /** Text that was typed but not sent; it must be in the composer again. */
  readonly draft?: string;
  /** What must hold in the project afterwards. */
  check?(bench: FaultBench): string | undefined;
  readonly short?: true;
}

const WORKING = { killed: "unfinished", ended: "aborted", next: "asks to continue" } as const;
const AT_REST = { killed: "completed", ended: "completed", next: "as it was" } as const;

async function openSession(
  bench: FaultBench,
  args: readonly string[] = [],
  options: TerminalOptions = {},
): Promise<TerminalRun> {
  const run = bench.terminal(args, options);
  await run.seeAnywhere(/\/help[\s\S]*claude-sonnet-4-5/);
  return run;
}

/** The line that ends an input names the time it took. */
const ANSWERED = /all is well[\s\S]*claude-sonnet-4-5 · [\d.]+m?s/;

const say = (run: TerminalRun, text: string): void => run.type(`${text}${KEY.enter}`);

/** An open session with one answered input. */
async function atRest(bench: FaultBench, options: TerminalOptions = {}): Promise<TerminalRun> {
  const run = await openSession(bench, [], options);
  say(run, "first");
  await run.see(ANSWERED);
  return run;
}

/** The given answers in order, then sound ones. */
function script(bench: FaultBench, ...turns: Turn[]): void {
  bench.answer = () => turns.shift() ?? sound();
}

const shell = (command: string, more: object = {}) => ({ name: "shell", args: { command, ...more } });
/** Prints that it runs, and would run for a long time. */
const LONG = "echo it-runs; sleep 300";

async function withCalls(
  bench: FaultBench,
  calls: Parameters<typeof turn.calls>[0],
  seen: RegExp,
  args: readonly string[] = [],
): Promise<TerminalRun> {
  script(bench, turn.calls(calls));
  const run = await openSession(bench, args);
  say(run, "go");
  await run.see(seen);
  return run;
}

/** The server waits inside an answer: `at` is the event before which it waits. */
async function withinAnswer(bench: FaultBench, answer: (door: Gate) => Turn): Promise<TerminalRun> {
  const door = gate();
  script(bench, answer(door));
  const run = await openSession(bench);
  say(run, "go");
  await door.reached;
  return run;
}

const pausedFile = (bench: FaultBench): string => join(bench.box.home, "paused");
/** Continues a command that `pauseAt` holds, once it has got its signal. */
export const letGo = (bench: FaultBench): void => rmSync(pausedFile(bench), { force: true });

function pauseAt(bench: FaultBench, change: string): TerminalOptions {
  const preload = fileURLToPath(new URL("./pause-at.cjs", import.meta.url));
  return { env: { NODE_OPTIONS: `--require ${preload}`, PAUSE_AT: change, PAUSED: pausedFile(bench) } };
}

const isPaused = (bench: FaultBench): Promise<void> => appears(pausedFile(bench));

async function appears(path: string): Promise<void> {
  await vi.waitUntil(() => existsSync(path), { timeout: 20_000, interval: 10 });
}

const notes = (bench: FaultBench): string => join(bench.box.dir, "notes.txt");
const oneOf = (bench: FaultBench, ...whole: string[]): string | undefined => {
  const text = readFileSync(notes(bench), "utf8");
  return whole.includes(text) ? undefined : `notes.txt is ${JSON.stringify(text)}`;
};
const EDIT = { name: "edit_file", args: { file_path: "notes.txt", old_string: "old", new_string: "new" } };

export const SITUATIONS: readonly Situation[] = [
  {
    name: "starting",
    killed: "no session",
    ended: "no session",
    next: "as it was",
    arrange: async (bench) => {
      const run = bench.terminal();
      await run.see(() => run.raw !== "");
      return run;
    },
  },
  { name: "idle", ...AT_REST, arrange: atRest },
  {
    name: "waiting for the first byte",
    ...WORKING,
    short: true,
    arrange: (bench) => withinAnswer(bench, ({ wait }) => turn.text("never", { before: wait })),
  },
  {
    name: "streaming text",
    ...WORKING,
    arrange: (bench) =>
      withinAnswer(bench, ({ wait }) =>
        turn.text("a text of several pieces", { deltaChars: 4, beforeEvent: (at) => (at === 5 ? wait() : undefined) }),
      ),
  },
  {
    name: "streaming the arguments of a call",
    ...WORKING,
    arrange: (bench) =>
      withinAnswer(bench, ({ wait }) =>
        turn.calls([shell("touch must-not-run")], {
          deltaChars: 4,
          beforeEvent: (at) => (at === 4 ? wait() : undefined),
        }),
      ),
    check: (bench) => (existsSync(join(bench.box.dir, "must-not-run")) ? "half a call has run" : undefined),
  },
  {
    name: "running a shell command",
    ...WORKING,
    short: true,
    arrange: (bench) => withCalls(bench, [shell(LONG)], /it-runs\n/),
  },
  {
    name: "running two shell commands",
    ...WORKING,
    arrange: (bench) => withCalls(bench, [shell(LONG), shell(`${LONG} # two`)], /it-runs\n[\s\S]*it-runs\n/),
  },
  {
    name: "idle with a background job",
    ...AT_REST,
    arrange: async (bench) => {
      script(bench, turn.calls([shell("sleep 300", { background: true })]));
      const run = await openSession(bench);
      say(run, "go");
      await run.see(/all is well[\s\S]*1 job/);
      return run;
    },
  },
  {
    name: "awaiting an approval",
    ...WORKING,
    arrange: (bench) => withCalls(bench, [shell("touch must-not-run")], /Esc to stop/, ["--permission-mode", "ask"]),
    check: (bench) => (existsSync(join(bench.box.dir, "must-not-run")) ? "a call ran that nobody approved" : undefined),
  },
  {
    name: "awaiting the answer to a question",
    ...WORKING,
    answer: "1\r",
    arrange: (bench) => {
      const question = { id: "q", question: "Which part?", options: [{ label: "lexer" }, { label: "parser" }] };
      return withCalls(
        bench,
        [{ name: "ask_user", args: { questions: [question] } }],
        /Which part\?[\s\S]*Esc to stop/,
      );
    },
  },
  {
    name: "writing an edit",
    ...WORKING,
    short: true,
    arrange: async (bench) => {
      writeFileSync(notes(bench), "old\n");
      script(bench, turn.calls([EDIT]));
      const run = await openSession(bench, [], pauseAt(bench, "^(rename|link)Sync .*notes\\.txt"));
      say(run, "go");
      await isPaused(bench);
      return run;
    },
    check: (bench) => oneOf(bench, "old\n", "new\n"),
  },
  {
    name: "compacting",
    ...AT_REST,
    arrange: async (bench) => {
      script(bench, turn.text("word ".repeat(3000)), turn.text("short"));
      await bench.run(["-p", "first"]);
      await bench.run(["-c", "-p", "second"]);
      const door = gate();
      script(bench, turn.text("notes", { before: door.wait }));
      const run = await openSession(bench, ["-c"]);
      say(run, "/compact");
      await door.reached;
      return run;
    },
  },
  {
    name: "waiting for a retry",
    ...WORKING,
    arrange: async (bench) => {
      script(bench, turn.error(429, { retryAfter: 40 }));
      const run = await openSession(bench);
      say(run, "go");
      await run.see(/[Rr]etry|again in|[Tt]rying/);
      return run;
    },
  },
  {
    name: "rewinding files",
    ...AT_REST,
    arrange: async (bench) => {
      writeFileSync(notes(bench), "old\n");
      script(bench, turn.calls([EDIT]));
      const run = await openSession(bench, [], pauseAt(bench, "^renameSync .*lathe-rewind "));
      say(run, "go");
      await run.see(ANSWERED);
      say(run, "/undo");
      await isPaused(bench);
      return run;
    },
    check: (bench) => oneOf(bench, "old\n", "new\n"),
  },
  {
    name: "forking the session",
    ...AT_REST,
    // This is the copy's state, which has no input yet; a killed process leaves no copy.
    ended: "no input",
    arrange: async (bench) => {
      const first = await atRest(bench);
      say(first, "/quit");
      await first.exited;
      const run = await openSession(bench, ["-c"], pauseAt(bench, '^write \\{"type":"session"'));
      say(run, "/fork");
      await isPaused(bench);
      return run;
    },
  },
  {
    name: "running a child agent",
    ...WORKING,
    arrange: async (bench) => {
      const door = gate();
      bench.answer = ({ view: { messages } }) => {
        if (messages.some(({ text }) => text.includes("look at it for me")))
          return turn.text("never", { before: door.wait });
        return turn.calls([{ name: "spawn_agent", args: { task: "look at it for me" } }]);
      };
      const run = await openSession(bench);
      say(run, "go");
      await door.reached;
      return run;
    },
  },
  {
    name: "in a picker",
    ...AT_REST,
    arrange: async (bench) => {
      const run = await atRest(bench);
      say(run, "/model");
      await run.see("Enter to choose");
      return run;
    },
  },
  {
    name: "logging in",
    ...AT_REST,
    arrange: async (bench) => {
      const run = await atRest(bench);
      say(run, "/login mistral");
      await run.see("Key for Mistral");
      run.type("sk-half");
      await run.see("•••");
      return run;
    },
  },
  {
    name: "with a draft in the composer",
    ...AT_REST,
    draft: "half a sentence",
    short: true,
    arrange: async (bench) => {
      const run = await atRest(bench);
      run.type("half a sentence");
      await run.see("❯ half a sentence");
      // A draft is written when the user pauses typing.
      await appears(join(bench.home, "drafts"));
      return run;
    },
  },
  {
    name: "leaving",
    ...AT_REST,
    exit: 0,
    arrange: async (bench) => {
      const run = await atRest(bench, pauseAt(bench, "^unlinkSync .*\\.lock$"));
      run.type(KEY.ctrl("d"));
      await isPaused(bench);
      return run;
    },
  },
];
