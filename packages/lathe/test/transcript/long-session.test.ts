// The whole interactive view over the events of a long session, with a clock of its own: screen, composer, transcript and status.

import { EventEmitter } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { SessionEvent } from "@lathe/agent";
import { describe, expect, it } from "vitest";
import { Emulator } from "../../../tui/test/emulator.ts";
import { TestClock } from "../../../tui/test/test-clock.ts";
import { defaultSettings } from "../../src/config/settings/schema.ts";
import type { Workspace } from "../../src/config/workspace/workspace.ts";
import type { OpenSession } from "../../src/conversation/session-contract.ts";
import { loadBindings } from "../../src/hosts/interactive/actions.ts";
import { screenHost } from "../../src/hosts/interactive/screen-host.ts";
import { StartScreen } from "../../src/hosts/interactive/start-screen.ts";
import type { Machine } from "../../src/platform/machine/machine.ts";
import {
  answerEnd,
  callEnd,
  callStart,
  input,
  inputEnd,
  output,
  textDelta,
  textStart,
  turnEnd,
  turnStart,
} from "./events.ts";

const COLUMNS = 100;
const ROWS = 30;
/** Between two events: the longer, the more of them have a frame of their own. */
const PAUSE_MS = process.env["LATHE_LONG"] === undefined ? 3 : 10;

class Keyboard extends EventEmitter {
  setEncoding(): this {
    return this;
  }
  resume(): this {
    return this;
  }
  pause(): this {
    return this;
  }
  type(text: string): void {
    this.emit("data", text);
  }
}

class Paper extends EventEmitter {
  readonly columns = COLUMNS;
  readonly rows = ROWS;
  readonly isTTY = true;
  readonly #print: (bytes: string) => void;

  constructor(print: (bytes: string) => void) {
    super();
    this.#print = print;
  }
  write(bytes: string): boolean {
    this.#print(bytes);
    return true;
  }
}

interface Stage {
  readonly clock: TestClock;
  readonly keyboard: Keyboard;
  /** Settles when all of them have been shown. */
  play(events: (stage: Stage) => AsyncGenerator<SessionEvent>): Promise<void>;
}

function stage(print: (bytes: string) => void): Stage {
  const clock = new TestClock();
  const keyboard = new Keyboard();
  const setTimer = (call: () => void, ms: number): { cancel(): void } => {
    const timer = clock.setTimeout(call, ms);
    return { cancel: () => clock.clearTimeout(timer) };
  };
  const machine = {
    env: { TERM: "xterm-256color", COLORTERM: "truecolor", LANG: "C.UTF-8", TERM_PROGRAM: "vscode" },
    cwd: "/",
    deps: { now: () => clock.now(), setTimer },
    stdin: keyboard,
    terminal: new Paper(print),
  } as unknown as Machine;
  const start = new StartScreen(machine, loadBindings("/nonexistent/keybindings.json").bindings, () => {});
  const workspace = {
    machine,
    settings: defaultSettings(),
    cwd: "/",
    paths: { home: "/dev/null", history: "/dev/null/history.db" },
    redactor: { text: (text: string) => text },
  } as unknown as Workspace;
  const { view } = screenHost(start, workspace, []);
  start.surface.start();
  const made: Stage = {
    clock,
    keyboard,
    play: (events) =>
      new Promise((resolve) => {
        const all = async function* (): AsyncGenerator<SessionEvent> {
          yield* events(made);
          clock.advance(1_000);
          resolve();
        };
        view.watch({ session: { events: all } } as unknown as OpenSession);
      }),
  };
  return made;
}

/** Thinking aside, what a turn has: text with code in small pieces, a call with output, its end. */
function* turn(index: number, at: number): Generator<SessionEvent> {
  const text = `## Turn ${index}\n\nSome **words** about it, \`code\` and\nmore in turn ${index}.\n\n\`\`\`ts\nconst x${index} = "${index}";\n\`\`\`\n`;
  yield input(`go ${index}`, at);
  yield turnStart(at);
  yield textStart(at);
  for (let from = 0; from < text.length; from += 24) yield textDelta(text.slice(from, from + 24), at);
  yield answerEnd(text, [`call${index}`], at);
  yield callStart(`call${index}`, at);
  yield output(`call${index}`, `line of ${index}\n`.repeat(5), at);
  yield callEnd(`call${index}`, at, { verb: "Ran", subject: `command ${index}` });
  yield turnEnd(at);
  yield inputEnd(at);
}

/** Bytes that are still used. */
function used(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let i = 0; i < 3; i++) collect();
  return process.memoryUsage().heapUsed;
}

describe("a long session at a terminal", () => {
  it("two thousand turns: memory stays flat", { timeout: 300_000 }, async () => {
    let bytes = 0;
    const sizes: number[] = [];
    await stage((written) => {
      bytes += written.length;
    }).play(async function* ({ clock, keyboard }) {
      for (let index = 1; index <= 2_000; index++) {
        for (const event of turn(index, clock.now())) {
          yield event;
          clock.advance(PAUSE_MS);
        }
        keyboard.type("x");
        if (index % 500 === 0) {
          keyboard.type("\x15");
          sizes.push(used());
        }
      }
    });
    expect(bytes).toBeGreaterThan(500_000);
    // Words that are left behind grow each time; what the engine compiles or a timer still holds does so once.
    const growth = sizes.slice(1).map((size, index) => size - (sizes[index] ?? 0));
    expect(growth).toHaveLength(3);
    // Five hundred turns that left their words behind would take more.
    expect(Math.min(...growth), sizes.join(" ")).toBeLessThan(150_000);
  });

  it("keys typed between two frames of a stream neither lose nor repeat a row of it", async () => {
    const emulator = new Emulator(COLUMNS, ROWS);
    await stage((written) => emulator.write(written)).play(async function* ({ clock, keyboard }) {
      for (let index = 1; index <= 20; index++) {
        for (const event of turn(index, clock.now())) {
          yield event;
          clock.advance(9);
          keyboard.type(index % 2 === 0 ? "x" : "\x7f");
        }
      }
    });
    const lines = emulator.lines();
    for (let index = 1; index <= 20; index++)
      for (const line of [`## Turn ${index}`, `  const x${index} = "${index}";`])
        expect(
          lines.filter((shown) => shown === line.replace("## ", "")),
          line,
        ).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith("Turn ")).map((line) => Number(line.slice(5)))).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });
});
