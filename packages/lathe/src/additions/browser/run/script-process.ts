// One tab's process for scripts: it runs one script at a time, and talks to its tab through a `TabView`, which filters
// its calls.

import { ToolFailure } from "@lathe/agent";
import type { TabScriptEnd, TabScriptHost } from "@lathe/agent/tools";
import { byteLines, type ExecutionEnvironment, type TwoWayProcess } from "@lathe/agent/world";
import { isJsonObject, type JsonObject, messageOf, parseJson } from "@lathe/llm";
import type { CdpClient } from "../cdp-link.ts";
import clicking from "./clicking.js.text";
import { confinedNode, NO_NODE } from "./confined-node.ts";
import pictures from "./pictures.js.text";
import program from "./program.js.text";
import { puppeteerText } from "./puppeteer-text.ts";
import { TabView } from "./tab-view.ts";

const START_MS = 30_000;
const LONGEST_LINE = 64 << 20;
/** Bytes that one script may send, to its tab and to us. */
const MOST_BYTES = 256 << 20;
const MOST_SHOWN = 2 << 20;

export interface ScriptProcessStart {
  readonly env: ExecutionEnvironment;
  readonly client: CdpClient;
  readonly targetId: string;
  /** The tab shares its cookies and storage with no other tab. */
  readonly isAlone: boolean;
  /** Bubblewrap is available to start the process in. */
  readonly isConfined: boolean;
}

type Ending = TabScriptEnd & { readonly error: string };

interface Running {
  readonly id: number;
  readonly host: TabScriptHost;
  readonly settle: (end: TabScriptEnd) => void;
  bytes: number;
  shown: number;
}

export class ScriptProcess {
  /** Resolves when the process has ended, for any reason. */
  readonly ended: Promise<void>;
  readonly #process: TwoWayProcess;
  readonly #view: TabView;
  #sending: Promise<void> = Promise.resolve();
  #running: Running | undefined;
  #lastId = 0;
  #ready: () => void = () => {};
  #why: Ending = { status: "died", error: "" };

  private constructor(process: TwoWayProcess, { client, targetId, isAlone }: ScriptProcessStart) {
    this.#process = process;
    this.#view = new TabView({ client, targetId, isAlone, toScript: (text) => this.#write("c", text) });
    this.ended = this.#read();
  }

  static async start(options: ScriptProcessStart): Promise<ScriptProcess> {
    const { env, isConfined } = options;
    if (!env.startProcess) throw new ToolFailure("Scripts cannot run here: programs cannot be kept running.");
    const text = await puppeteerText();
    const process = await env.startProcess(confinedNode(isConfined), { cwd: "/" });
    const made = new ScriptProcess(process, options);
    const isReady = new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), START_MS);
      made.#ready = () => resolve(true);
      void made.ended.then(() => resolve(false)).finally(() => clearTimeout(timer));
    });
    made.#write("", JSON.stringify({ puppeteer: text, pictures, clicking, program }));
    if (await isReady) return made;
    await made.stop();
    const { exitCode } = await process.exited;
    if (exitCode === NO_NODE) throw new ToolFailure("There is no Node.js where commands run. Install node.");
    const last = process.readStderr().text.trim().split("\n").at(-1);
    throw new ToolFailure(`Scripts cannot run here: their process did not start${last ? ` (${last})` : ""}.`);
  }

  /** A script changed how the tab makes its requests; the change lasts as long as this process. */
  get hasLasting(): boolean {
    return this.#view.hasLasting;
  }

  /** Runs one script. The caller waits for its end before it runs the next. */
  async run(code: string, timeoutMs: number, host: TabScriptHost): Promise<TabScriptEnd> {
    const id = ++this.#lastId;
    const interrupt = (): void => this.#end({ status: "interrupted", error: "The script was interrupted." });
    const timer = setTimeout(
      () => this.#end({ status: "timed_out", error: `The script timed out after ${timeoutMs}ms.` }),
      timeoutMs,
    );
    host.signal.addEventListener("abort", interrupt, { once: true });
    try {
      return await new Promise<TabScriptEnd>((settle) => {
        this.#running = { id, host, settle, bytes: 0, shown: 0 };
        this.#write("m", JSON.stringify({ run: id, code, timeoutMs }));
        if (host.signal.aborted) interrupt();
        void this.ended.then(() => settle(this.#why));
      });
    } finally {
      this.#running = undefined;
      clearTimeout(timer);
      host.signal.removeEventListener("abort", interrupt);
    }
  }

  /** Ends the process and everything it started. Its tab stays. */
  async stop(): Promise<void> {
    this.#view.close();
    await Promise.all([this.#process.signal("SIGKILL"), this.#process.stop(0)]);
    await this.ended;
  }

  // ---- internals ----

  #end(why: Ending): void {
    if (this.#why.error === "") this.#why = why;
    void this.stop();
  }

  /**
   * One write at a time: the process limits how much may be queued. If a write fails, the end of the process is the
   * answer.
   */
  #write(kind: string, text: string): void {
    this.#sending = this.#sending.then(() => this.#process.write(`${kind}${text}\n`)).catch(() => {});
  }

  async #read(): Promise<void> {
    try {
      for await (const line of byteLines(this.#process.stdout, LONGEST_LINE)) this.#receive(line);
    } catch (error) {
      this.#end({ status: "died", error: `The script was ended: ${messageOf(error)}` });
    }
    const { exitCode, signal } = await this.#process.exited;
    this.#view.close();
    const isFull = /out of memory/i.test(this.#process.readStderr().text);
    const how = isFull
      ? "ran out of memory"
      : signal === undefined
        ? `exited with code ${exitCode}`
        : `was ended by ${signal}`;
    if (this.#why.error === "") this.#why = { status: "died", error: `The process of the script ${how}.` };
  }

  #receive(line: string): void {
    const running = this.#running;
    if (running) {
      running.bytes += line.length;
      if (running.bytes > MOST_BYTES)
        this.#end({ status: "died", error: `The script was ended: it sent more than ${MOST_BYTES >> 20} MiB.` });
    }
    if (line.startsWith("c")) {
      this.#view.handleMessage(line.slice(1));
      return;
    }
    const message = line.startsWith("m") ? parseJson(line.slice(1)) : undefined;
    // Scripts can print past their helpers; such lines are ignored.
    if (!isJsonObject(message)) return;
    if (message["ready"] === true) this.#ready();
    else if (running) this.#take(message, running);
  }

  #take(message: JsonObject, running: Running): void {
    const { show, picture, mime, ask, what, args, done, error } = message;
    if (typeof show === "string") {
      const left = MOST_SHOWN - running.shown;
      running.shown += show.length;
      if (left > 0) running.host.show(show.slice(0, left));
    } else if (typeof picture === "string") running.host.picture(Buffer.from(picture, "base64"), String(mime));
    else if (typeof ask === "number")
      void this.#answer(ask, String(what), isJsonObject(args) ? args : {}, running.host);
    else if (done === running.id)
      running.settle(
        error === undefined ? { status: "done" } : { status: "failed", error: String(error).slice(0, 5000) },
      );
  }

  async #answer(ask: number, what: string, args: JsonObject, host: TabScriptHost): Promise<void> {
    try {
      this.#write("m", JSON.stringify({ answer: ask, value: await host.answer(what, args) }));
    } catch (error) {
      this.#write("m", JSON.stringify({ answer: ask, error: messageOf(error) }));
    }
  }
}
