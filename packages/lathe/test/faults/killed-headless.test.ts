// Runs without a terminal, ended from outside: the journal is complete, no process remains, and the next run resumes
// the session.

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { type Gate, gate, type Turn, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { Editor } from "../acp-kit.ts";
import { RpcHost } from "../rpc-host.ts";
import { FaultBench, MODEL, SOUND_ANSWER, sound } from "./bench.ts";
import { isFull, report } from "./report.ts";
import { ACP_ARGS, addToken, clientOf, SERVE_ARGS } from "./served-modes.ts";

type Ending = "SIGKILL" | "SIGTERM" | "SIGHUP";
const ENDINGS: readonly Ending[] = ["SIGKILL", "SIGTERM", "SIGHUP"];
/** How each is started and gets an input, and the outcome of a signal that it can handle. */
const MODES = {
  print: { args: ["-p", "go"], exit: 130, journal: "interrupted", say: noMore },
  JSON: { args: ["--mode", "json", "-p", "go"], exit: 130, journal: "interrupted", say: noMore },
  RPC: { args: ["--mode", "rpc"], exit: 130, journal: "aborted", say: sayByRpc },
  ACP: { args: ACP_ARGS, exit: 130, journal: "aborted", say: sayToAgent },
  serve: { args: SERVE_ARGS, exit: 0, journal: "aborted", say: sayToServer },
} as const satisfies Record<string, ModeEnded>;
type Mode = keyof typeof MODES;
/** Subcommands come before options. */
const hasOwnArgs = (mode: Mode): boolean => mode === "ACP" || mode === "serve";

interface ModeEnded {
  readonly args: readonly string[];
  readonly exit: number;
  readonly journal: string;
  readonly say: (child: ChildProcessWithoutNullStreams, bench: FaultBench) => void | Promise<void>;
}

function noMore(child: ChildProcessWithoutNullStreams): void {
  child.stdin.end();
}

async function sayByRpc(child: ChildProcessWithoutNullStreams): Promise<void> {
  const host = new RpcHost(child);
  await host.wait("ready", ({ type }) => type === "ready");
  host.send({ type: "prompt", message: "go" });
}

async function sayToAgent(child: ChildProcessWithoutNullStreams, { box }: FaultBench): Promise<void> {
  const editor = new Editor(child);
  await editor.initialize();
  const { sessionId } = await editor.create(box.dir);
  editor.prompt(sessionId, "go").catch(() => {}); // there may be no process to answer
}

async function sayToServer(child: ChildProcessWithoutNullStreams, bench: FaultBench): Promise<void> {
  const client = await clientOf(child, await addToken(bench));
  const id = await client.createSession({ cwd: bench.box.dir, model: MODEL, permissionMode: "full" });
  await client.command(id, "prompt", { message: "go" });
}

/** Each waits at a gate, where the signal arrives. */
const SITUATIONS: Readonly<Record<string, (door: Gate) => Turn[]>> = {
  "waiting for the first byte": ({ wait }) => [turn.text("never", { before: wait })],
  "streaming text": ({ wait }) => [
    turn.text("a text of several pieces", { deltaChars: 4, beforeEvent: (at) => (at === 5 ? wait() : undefined) }),
  ],
  "running a command and waiting for the next answer": ({ wait }) => [
    turn.calls([{ name: "shell", args: { command: "echo started; sleep 300 &", background: true } }]),
    turn.text("never", { before: wait }),
  ],
};

async function outcomeOf(mode: Mode, situation: string, ending: Ending) {
  const bench = await FaultBench.open();
  try {
    const door = gate();
    const turns = SITUATIONS[situation]!(door);
    bench.answer = () => turns.shift() ?? sound();
    const { args, say } = MODES[mode];
    const child = hasOwnArgs(mode) ? bench.box.start(args, bench.env) : bench.start(args);
    const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
    await say(child, bench);
    await door.reached;
    child.kill(ending);
    const [code, signal] = await exited;
    const left = await bench.processesLeft();
    const journal = bench.lastState();
    bench.answer = sound;
    const next = await bench.run(["-c", "-p", "and now"]);
    return {
      exit: signal === "SIGKILL" ? 137 : code,
      journal,
      left,
      next: next.stdout.trim(),
      damage: await bench.damage(),
    };
  } finally {
    await bench.close();
  }
}

/** Tests of the server and of ACP kill them in every run. */
const IN_GATE: readonly Mode[] = ["print", "JSON", "RPC"];

const cases = (Object.keys(MODES) as Mode[]).flatMap((mode) =>
  Object.keys(SITUATIONS).flatMap((situation) =>
    ENDINGS.flatMap((ending) =>
      isFull || (IN_GATE.includes(mode) && ending === "SIGKILL" && situation === "streaming text")
        ? [[mode, situation, ending] as const]
        : [],
    ),
  ),
);

describe("a run without a terminal, ended from outside", () => {
  it.each(cases)(
    "%s, %s: %s",
    async (mode, situation, ending) => {
      const outcome = await outcomeOf(mode, situation, ending);
      // A session of a killed server is a process of its own, which sees that its server is gone.
      expect(outcome).toEqual({
        exit: ending === "SIGKILL" ? 137 : MODES[mode].exit,
        journal: ending === "SIGKILL" && mode !== "serve" ? "unfinished" : MODES[mode].journal,
        left: [],
        next: SOUND_ANSWER,
        damage: "",
      });
      report("headless", { mode, situation, ending, exit: outcome.exit, journal: outcome.journal });
    },
    120_000,
  );
});
