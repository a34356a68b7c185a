// The built command at a pseudo-terminal that answers as terminals do, with a model at a set pace: what benchmarks of the terminal share.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { renderStream, turn } from "@lathe/testkit";
import { type IPty, spawn } from "@lydell/node-pty";

const CLI = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const MODEL = fileURLToPath(new URL("./paced-model.mjs", import.meta.url));
const REPORT = fileURLToPath(new URL("./report-memory.cjs", import.meta.url));
/** Linux counts processor time in these. */
const TICKS_PER_SECOND = 100;

/** Headings, lists, tables and code, so many lines of it. */
export function markdown(lines: number): string {
  const block = (n: number): string[] => [
    `## Part ${n}`,
    "",
    `Some **bold** words about part ${n}, with \`code\` and a [link](https://example.invalid/${n}).`,
    "",
    "- the first thing to know",
    "- the second, which is longer than the first one",
    "",
    "| name | count |",
    "|------|------:|",
    `| part | ${n} |`,
    "",
    "```ts",
    `export const part${n} = (count: number): number => count * ${n};`,
    "```",
    "",
  ];
  const all: string[] = [];
  for (let n = 1; all.length < lines; n++) all.push(...block(n));
  return `${all.slice(0, lines).join("\n")}\n`;
}

export interface Pace {
  readonly text: string;
  /** Bytes of a piece; the text is ASCII. */
  readonly pieceBytes: number;
  readonly pieces: number;
  readonly everyMs: number;
}

export interface RunOptions {
  readonly pace: Pace;
  readonly args?: readonly string[];
}

export class TerminalSession {
  readonly #dir: string;
  readonly #model: ChildProcess;
  readonly #pty: IPty;
  readonly #exited: Promise<unknown>;
  #written = "";
  /** Bytes written to the terminal. */
  bytes = 0;
  #onData: () => void = () => {};

  private constructor(dir: string, model: ChildProcess, pty: IPty) {
    this.#dir = dir;
    this.#model = model;
    this.#pty = pty;
    pty.onData((data) => {
      this.#written += data;
      this.bytes += Buffer.byteLength(data);
      // As a terminal answers: it knows synchronized output, the background is dark, and it is a VT220.
      if (data.includes("\x1b[?2026$p")) pty.write("\x1b[?2026;2$y");
      if (data.includes("\x1b]11;?")) pty.write("\x1b]11;rgb:1515/1818/1e1e\x1b\\");
      if (data.includes("\x1b[c")) pty.write("\x1b[?62c");
      this.#onData();
    });
    this.#exited = new Promise((resolve) => pty.onExit(resolve));
  }

  static async start({ pace, args = [] }: RunOptions): Promise<TerminalSession> {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), "lathe-terminal-")));
    const events = join(dir, "events");
    writeFileSync(events, renderStream(turn.text(pace.text, { deltaChars: pace.pieceBytes }), "anthropic"));
    mkdirSync(join(dir, ".lathe"), { recursive: true });
    // A title is another request.
    writeFileSync(join(dir, ".lathe/config.yml"), "title: { enabled: false }\n");
    const model = fork(MODEL, [events, String(pace.pieces), String(pace.everyMs)], { execArgv: [] });
    const [{ port }] = (await once(model, "message")) as [{ port: number }];
    const pty = spawn(process.execPath, [CLI, "--model", "anthropic/claude-opus-4-6", ...args], {
      cols: 120,
      rows: 40,
      cwd: dir,
      name: "xterm-256color",
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: dir,
        TERM: "xterm-256color",
        COLORTERM: "truecolor",
        LANG: "C.UTF-8",
        ANTHROPIC_API_KEY: "k",
        ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
        NODE_OPTIONS: `--require ${REPORT}`,
        MEMORY_REPORT: join(dir, "memory"),
      },
    });
    const session = new TerminalSession(dir, model, pty);
    await session.see("/help");
    return session;
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }

  /** Waits until this was written after what was seen before. */
  see(text: string): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        const at = this.#written.indexOf(text);
        if (at < 0) return;
        this.#written = this.#written.slice(at + text.length);
        this.#onData = () => {};
        resolve();
      };
      this.#onData = look;
      look();
    });
  }

  /** Waits until the model says it: that it was asked, that it has answered. */
  async model(said: "asked" | "answered"): Promise<void> {
    for (;;) {
      const [message] = await once(this.#model, "message");
      if (message === said) return;
    }
  }

  /** Milliseconds until this key is on the terminal. */
  async echo(key: string): Promise<number> {
    const begun = performance.now();
    this.type(key);
    await this.see(key);
    return performance.now() - begun;
  }

  /** Processor time that the command has used, in seconds. */
  get cpuSeconds(): number {
    const fields = readFileSync(`/proc/${this.#pty.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  }

  /** Leaves as a person would; gives the most memory that the command held, in bytes. */
  async leave(): Promise<number> {
    this.type("\x15/quit\r");
    await this.#exited;
    this.#model.disconnect();
    const held = Number(readFileSync(join(this.#dir, "memory"), "utf8"));
    rmSync(this.#dir, { recursive: true, force: true, maxRetries: 10 });
    return held;
  }
}
