// The user's desktop on X11: one executor process, started with the first action, that runs xdotool and ImageMagick.

import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalEnvironment, ToolFailure } from "@lathe/agent";
import type { Desktop, DesktopOrder, DesktopPicture } from "@lathe/agent/tools";
import type { TwoWayProcess } from "@lathe/agent/world";
import { isJsonObject, type JsonObject, parseJson } from "@lathe/llm";
import program from "./executor.js.text";
import { type Shot, type Size, stepsOf } from "./steps.ts";

/** Vision models scale larger pictures down to this. */
const MOST_SIDE = 1280;
const START_MS = 20_000;
const ACTION_MS = 60_000;

export interface DesktopOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Called once, with the process id to which the user can send the signal that stops it. */
  readonly onStarted: (pid: number) => void;
  /** `picture`: a file with a screenshot from that moment; empty if there is none. */
  readonly onStopped: (picture: string) => void;
}

export class X11Desktop implements Desktop {
  readonly #options: DesktopOptions;
  readonly #waiting = new Map<number, (answer: JsonObject) => void>();
  #env: LocalEnvironment | undefined;
  #process: Promise<TwoWayProcess> | undefined;
  #shot: Shot | undefined;
  #lastId = 0;
  isStopped = false;

  constructor(options: DesktopOptions) {
    this.#options = options;
  }

  async act(order: DesktopOrder, signal: AbortSignal): Promise<DesktopPicture> {
    this.#refuseStopped();
    const process = await this.#start();
    // Coordinates refer to a picture, so there must be one first.
    if (this.#shot === undefined) await this.#send(process, [], signal);
    const steps = stepsOf(order, this.#shot as unknown as Shot);
    return this.#send(process, steps, signal);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await (await this.#process)?.write('{"stop":true}\n');
  }

  /** Called only by the user's own command. */
  async reset(): Promise<void> {
    this.isStopped = false;
    await (await this.#process)?.write('{"reset":true}\n');
  }

  async close(): Promise<void> {
    await (await this.#process?.catch(() => undefined))?.stop();
    await this.#env?.cleanup();
  }

  async #send(process: TwoWayProcess, steps: readonly unknown[], signal: AbortSignal): Promise<DesktopPicture> {
    const id = ++this.#lastId;
    // An interrupted call must not leave a button held down.
    const interrupt = (): void => void process.write(`{"cancel":${id}}\n`).catch(() => undefined);
    signal.addEventListener("abort", interrupt, { once: true });
    const answer = await new Promise<JsonObject>((resolve) => {
      const timer = setTimeout(() => resolve({ problem: "the desktop did not answer" }), ACTION_MS);
      this.#waiting.set(id, (one) => {
        clearTimeout(timer);
        resolve(one);
      });
      void process
        .write(`${JSON.stringify({ id, steps })}\n`)
        .catch(() => resolve({ problem: "the executor has ended" }));
      if (signal.aborted) interrupt();
    });
    signal.removeEventListener("abort", interrupt);
    this.#waiting.delete(id);
    signal.throwIfAborted();
    if (answer["isStopped"] === true) this.isStopped = true;
    this.#refuseStopped();
    if (typeof answer["problem"] === "string")
      throw new ToolFailure(`The desktop could not be used: ${answer["problem"]}.${hintFor(answer["problem"])}`);
    const png = Buffer.from(String(answer["png"]), "base64");
    const picture = { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
    this.#shot = { picture, screen: answer["screen"] as unknown as Size };
    return { png, ...picture };
  }

  #refuseStopped(): void {
    if (!this.isStopped) return;
    throw new ToolFailure(
      "The user has stopped the use of the desktop. Only they can allow it again (/computer reset); do not try other ways.",
    );
  }

  #start(): Promise<TwoWayProcess> {
    this.#process ??= this.#launch().catch((error) => {
      this.#process = undefined;
      throw error;
    });
    return this.#process;
  }

  async #launch(): Promise<TwoWayProcess> {
    const { env, cwd, onStarted } = this.#options;
    if (!env["DISPLAY"]) throw new ToolFailure("There is no X11 desktop here: DISPLAY is not set.");
    const kept = ["PATH", "HOME", "DISPLAY", "XAUTHORITY"].map((name) => [name, env[name]]);
    // Typed text is UTF-8, whatever the user's own locale is.
    const baseEnv = { ...Object.fromEntries(kept), LC_ALL: "C.UTF-8" };
    this.#env = new LocalEnvironment({ cwd, baseEnv, envPass: ["DISPLAY", "XAUTHORITY", "LC_ALL"] });
    const picture = join(tmpdir(), `lathe-desktop-${globalThis.process.pid}.png`);
    const argv = [globalThis.process.execPath, "-e", program, String(MOST_SIDE), picture] as const;
    const started = await this.#env.startProcess(argv, { cwd });
    const ready = new Promise<number>((resolve, reject) => {
      const timer = setTimeout(() => reject(new ToolFailure("The executor of the desktop did not start.")), START_MS);
      void this.#read(started, (pid) => {
        clearTimeout(timer);
        resolve(pid);
      });
    });
    onStarted(await ready);
    return started;
  }

  async #read({ stdout }: TwoWayProcess, onReady: (pid: number) => void): Promise<void> {
    let rest = "";
    for await (const bytes of stdout) {
      const lines = (rest + Buffer.from(bytes).toString("utf8")).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const said = parseJson(line);
        if (!isJsonObject(said)) continue;
        if (typeof said["ready"] === "number") onReady(said["ready"]);
        if (typeof said["stopped"] === "string") {
          this.isStopped = true;
          this.#options.onStopped(said["stopped"]);
        }
        this.#waiting.get(Number(said["id"]))?.(said);
      }
    }
    this.#process = undefined;
    for (const answer of this.#waiting.values()) answer({ problem: "the executor has ended" });
  }
}

function hintFor(problem: string): string {
  if (/is not installed/.test(problem)) return " Install the packages xdotool and imagemagick.";
  return /display/i.test(problem) ? " Check DISPLAY." : "";
}
