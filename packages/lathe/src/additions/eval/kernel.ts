// One running kernel: a process in the session's environment that runs cells, with one pipe in and one out.

import { randomBytes } from "node:crypto";
import { ToolFailure } from "@lathe/agent";
import { type Cell, type CellEnd, type CellHost, type CellLanguage, LANGUAGE_NAMES } from "@lathe/agent/tools";
import type { ExecutionEnvironment, ProcessExit, TwoWayProcess } from "@lathe/agent/world";
import { type JsonObject, messageOf } from "@lathe/llm";
import javaScript from "./kernel.js.text";
import python from "./kernel.py";
import { KernelOutput } from "./kernel-output.ts";
import magics from "./magics.py";

const START_MS = 30_000;
/** How long an interrupted cell may take to end before its kernel is ended. */
const INTERRUPT_MS = 1500;
const MOST_WORDS = 2000;
const NOT_FOUND = 127;

/** The kernel keeps descriptor 3 for itself: programs that cells start get no input, and print where the cells do. */
const RUN = '-c "$text" "$token" 3<&0 </dev/null 2>&1';

const pythonStart = (ownFolders: string): string => `text=$1 token=$2
for p in "\${VIRTUAL_ENV:+$VIRTUAL_ENV/bin/python}" ${ownFolders} "$HOME/.lathe/python-env/bin/python"; do
  if [ -n "$p" ] && [ -x "$p" ]; then PATH="\${p%/*}:$PATH"; export PATH; exec "$p" ${RUN}; fi
done
for p in python3 python; do command -v "$p" >/dev/null 2>&1 && exec "$p" ${RUN}; done
exit ${NOT_FOUND}`;

const JAVASCRIPT_START = `text=$1 token=$2
command -v node >/dev/null 2>&1 || exit ${NOT_FOUND}
exec node ${RUN.replace("-c", "-e")}`;

interface RunningCell {
  readonly cell: Cell;
  readonly host: CellHost;
  /** Number of questions to the host that have no answer yet. */
  waiting: number;
  leftMs: number;
  sinceMs: number;
  timer?: NodeJS.Timeout;
  /** Why the cell is being ended. */
  ending?: "timed_out" | "interrupted";
  settle(end: CellEnd): void;
}

export interface KernelStart {
  readonly language: CellLanguage;
  readonly env: ExecutionEnvironment;
  /** Whether the interpreter of the project's own virtual environment may run. */
  readonly isTrusted: boolean;
}

export class Kernel {
  /** Resolves when the process has ended: with how it ended, or with undefined if we ended it. */
  readonly ended: Promise<string | undefined>;
  readonly #language: CellLanguage;
  readonly #process: TwoWayProcess;
  readonly #cells = new Map<number, RunningCell>();
  readonly #turns = new Set<() => void>();
  #lastId = 0;
  /** The id of the cell whose output is being printed. */
  #printing = 0;
  #wasKilled = false;
  #endNote: string | undefined;
  /** Output while no cell ran: at the start, and from threads and timers of cells that have ended. */
  #between = "";
  #ready: () => void = () => {};

  private constructor(language: CellLanguage, process: TwoWayProcess, token: string) {
    this.#language = language;
    this.#process = process;
    this.ended = this.#read(token);
  }

  static async start({ language, env, isTrusted }: KernelStart): Promise<Kernel> {
    if (!env.startProcess) throw new ToolFailure("Cells cannot run here: programs cannot be kept running.");
    const token = randomBytes(12).toString("hex");
    const [script, text] =
      language === "py"
        ? [pythonStart(isTrusted ? ".venv/bin/python venv/bin/python" : ""), `${python}\n${magics}`]
        : [JAVASCRIPT_START, javaScript];
    const process = await env.startProcess(["/bin/sh", "-c", script, "sh", text, token], {
      cwd: env.workingDirectory(),
    });
    const kernel = new Kernel(language, process, token);
    const late = new Promise<string>((resolve) => {
      const timer = setTimeout(() => resolve("it does not answer"), START_MS);
      kernel.#ready = () => {
        clearTimeout(timer);
        resolve("");
      };
      void kernel.ended.then(() => clearTimeout(timer));
    });
    const problem = await Promise.race([late, kernel.ended]);
    if (problem === "") return kernel;
    await kernel.stop();
    const exit = await process.exited;
    throw new ToolFailure(startFailureText(language, exit, problem ?? "", kernel.#between));
  }

  get isBusy(): boolean {
    return this.#cells.size > 0;
  }

  async run(cell: Cell, host: CellHost): Promise<CellEnd> {
    await this.#waitForTurn(host.signal);
    if (this.#endNote !== undefined) return { status: "died", note: this.#endNote };
    const id = ++this.#lastId;
    const interrupt = (): void => void this.#end(id, "interrupted");
    const end = await new Promise<CellEnd>((settle) => {
      const running: RunningCell = { cell, host, waiting: 0, leftMs: cell.timeoutMs, sinceMs: 0, settle };
      this.#cells.set(id, running);
      this.#printing = id;
      if (this.#between !== "") host.print(Buffer.from(`[printed since the last cell]\n${this.#between.trimEnd()}\n`));
      this.#between = "";
      host.signal.addEventListener("abort", interrupt, { once: true });
      this.#startClock(id);
      this.#send({ run: id, code: cell.code });
      if (host.signal.aborted) interrupt();
    });
    host.signal.removeEventListener("abort", interrupt);
    clearTimeout(this.#cells.get(id)?.timer);
    this.#cells.delete(id);
    this.#printing = [...this.#cells.keys()].at(-1) ?? 0;
    this.#passTurn();
    return end;
  }

  /** Ends the kernel and everything that its cells started. */
  async stop(): Promise<void> {
    this.#wasKilled = true;
    await this.#process.stop(0);
    await this.ended;
  }

  // ---- internals ----

  /**
   * Waits until no cell runs code. Cells that wait for the host let others run, because their agents share the kernel.
   */
  async #waitForTurn(signal: AbortSignal): Promise<void> {
    while ([...this.#cells.values()].some(({ waiting }) => waiting === 0)) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        const go = (): void => {
          this.#turns.delete(go);
          signal.removeEventListener("abort", go);
          resolve();
        };
        this.#turns.add(go);
        signal.addEventListener("abort", go, { once: true });
      });
    }
    signal.throwIfAborted();
  }

  #passTurn(): void {
    for (const go of [...this.#turns]) go();
  }

  #startClock(id: number): void {
    const running = this.#cells.get(id);
    if (!running || running.waiting > 0) return;
    running.sinceMs = performance.now();
    running.timer = setTimeout(() => void this.#end(id, "timed_out"), running.leftMs);
  }

  #stopClock(running: RunningCell): void {
    clearTimeout(running.timer);
    if (running.waiting === 0) running.leftMs -= performance.now() - running.sinceMs;
  }

  /**
   * Ends a cell. Python keeps its state if the code can be interrupted; JavaScript cannot be interrupted, so its kernel
   * restarts.
   */
  async #end(id: number, why: "timed_out" | "interrupted"): Promise<void> {
    const running = this.#cells.get(id);
    if (!running || running.ending) return;
    running.ending = why;
    if (this.#language === "py") {
      await this.#process.signal("SIGINT");
      await new Promise((resolve) => setTimeout(resolve, INTERRUPT_MS, undefined).unref());
      if (this.#cells.get(id) !== running) return;
    }
    this.#wasKilled = true;
    await Promise.all([this.#process.signal("SIGKILL"), this.#process.stop(0)]);
  }

  #send(message: JsonObject): void {
    // If the process ends, every cell that waits for an answer ends too.
    this.#process.write(`${JSON.stringify(message)}\n`).catch(() => {});
  }

  async #read(token: string): Promise<string | undefined> {
    const output = new KernelOutput(token, {
      text: (bytes) => this.#print(bytes),
      message: (message) => this.#receive(message),
    });
    let broken = "";
    try {
      for await (const chunk of this.#process.stdout) output.push(chunk);
    } catch (error) {
      broken = messageOf(error);
      void this.#process.stop(0);
    }
    const exit = await this.#process.exited;
    const how = broken === "" ? describeExit(exit) : broken;
    const wasOurs = this.#wasKilled || (exit.stopped && broken === "");
    const name = LANGUAGE_NAMES[this.#language];
    this.#endNote = `The ${name} kernel ${this.#wasKilled ? "was ended" : how}: its variables are gone.`;
    for (const { ending, settle } of [...this.#cells.values()])
      settle({ status: ending ?? "died", note: this.#endNote });
    this.#passTurn();
    return wasOurs ? undefined : how;
  }

  /** Output of a finished cell's timers and threads goes to the newest running cell. */
  get #printingCell(): RunningCell | undefined {
    return this.#cells.get(this.#printing) ?? [...this.#cells.values()].at(-1);
  }

  #print(bytes: Buffer): void {
    const running = this.#printingCell;
    if (running) running.host.print(bytes);
    else this.#between = (this.#between + bytes.toString("utf8")).slice(-MOST_WORDS);
  }

  #receive(message: JsonObject): void {
    const { to, done, show, status, ask } = message;
    const printing = this.#printingCell;
    if ("ready" in message) {
      this.#between = "";
      this.#ready();
    } else if (typeof to === "number") this.#printing = to;
    else if (typeof show === "object") printing?.host.show(show as JsonObject);
    else if (typeof status === "object") printing?.host.status(status as JsonObject);
    else if (typeof ask === "number") void this.#answer(ask, message);
    else if (typeof done === "number") {
      const running = this.#cells.get(done);
      const status = running?.ending ?? (message["failed"] === true ? "failed" : "done");
      running?.settle({ status });
    }
  }

  async #answer(ask: number, { what, name, id, args, cell }: JsonObject): Promise<void> {
    const running = this.#cells.get(Number(cell));
    if (!running) return this.#send({ answer: ask, error: "The cell that asked has ended." });
    this.#stopClock(running);
    running.waiting++;
    this.#passTurn();
    try {
      const question = { what: String(what), name: textIn(name), id: textIn(id), args: args as JsonObject | undefined };
      this.#send({ answer: ask, value: await running.host.answer(question) });
    } catch (error) {
      this.#send({ answer: ask, error: messageOf(error) });
    } finally {
      running.waiting--;
      this.#startClock(Number(cell));
    }
  }
}

const textIn = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

function startFailureText(language: CellLanguage, exit: ProcessExit, problem: string, said: string): string {
  const name = LANGUAGE_NAMES[language];
  if (exit.exitCode === NOT_FOUND)
    return language === "py"
      ? "There is no Python where commands run. Install python3, or make a virtual environment in .venv of a trusted folder."
      : "There is no Node.js where commands run. Install node.";
  const last = said.trim().split("\n").at(-1) ?? "";
  return `The ${name} kernel did not start: ${problem}${last === "" ? "" : ` (${last})`}.`;
}

const describeExit = ({ exitCode, signal }: ProcessExit): string =>
  signal === undefined ? `exited with code ${exitCode}` : `was ended by ${signal}`;
