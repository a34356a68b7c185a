// Runs without a terminal, ended from outside: the journal is whole, no process is left, and the next run goes on with the session.

import { once } from "node:events";
import { type Gate, gate, type Turn, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { RpcHost } from "../rpc-host.ts";
import { FaultBench, SOUND_ANSWER, sound } from "./bench.ts";
import { isFull, report } from "./report.ts";

type Ending = "SIGKILL" | "SIGTERM" | "SIGHUP";
const ENDINGS: readonly Ending[] = ["SIGKILL", "SIGTERM", "SIGHUP"];
type Mode = "print" | "JSON" | "RPC";
const MODES: readonly Mode[] = ["print", "JSON", "RPC"];

/** Each waits at a gate, where the signal comes. */
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
    const options = { print: ["-p", "go"], JSON: ["--mode", "json", "-p", "go"], RPC: ["--mode", "rpc"] }[mode];
    const child = bench.start(options);
    const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
    if (mode === "RPC") {
      const host = new RpcHost(child);
      await host.wait("ready", ({ type }) => type === "ready");
      host.send({ type: "prompt", message: "go" });
    } else child.stdin.end();
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

const cases = MODES.flatMap((mode) =>
  Object.keys(SITUATIONS).flatMap((situation) =>
    ENDINGS.flatMap((ending) =>
      isFull || (ending === "SIGKILL" && situation === "streaming text") ? [[mode, situation, ending] as const] : [],
    ),
  ),
);

describe("a run without a terminal, ended from outside", () => {
  it.each(cases)(
    "%s, %s: %s",
    async (mode, situation, ending) => {
      const outcome = await outcomeOf(mode, situation, ending);
      expect(outcome).toEqual({
        exit: ending === "SIGKILL" ? 137 : 130,
        journal: ending === "SIGKILL" ? "unfinished" : mode === "RPC" ? "aborted" : "interrupted",
        left: [],
        next: SOUND_ANSWER,
        damage: "",
      });
      report("headless", { mode, situation, ending, exit: outcome.exit, journal: outcome.journal });
    },
    120_000,
  );
});
