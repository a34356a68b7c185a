// The setup on which every fault is tried: its own home and project, a scripted model whose script can be replaced, and
// ways to see what is left afterwards: the journals, their last state, and the processes.

import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ModelServer, type RecordedRequest, startModelServer, type Turn, turn } from "@lathe/testkit";
import { type Finished, type Sandbox, sandbox } from "../command.ts";
import { type TerminalOptions, TerminalRun } from "../terminal/emulator.ts";

export const SOUND_ANSWER = "all is well";
export const sound = (): Turn => turn.text(SOUND_ANSWER);

export const MODEL = "anthropic/claude-sonnet-4-5";
/** Retries that wait one millisecond, and long timeouts, since the server shares a busy machine with the tests. */
const SETTINGS = "retry: {baseDelay: 0.001, maxRetries: 1}\ntimeouts: {firstEvent: 10, stall: 10}\n";
/** An orphaned process would stay forever; one that has 3 s to end may need longer on a busy machine. */
const NO_PROCESS_AFTER_MS = 20_000;

export class FaultBench {
  readonly box: Sandbox;
  readonly server: ModelServer;
  readonly #runs: TerminalRun[] = [];
  /** The model's answers from now on. */
  answer: (request: RecordedRequest) => Turn = sound;

  private constructor(box: Sandbox, start: (bench: FaultBench) => ModelServer) {
    this.box = box;
    this.server = start(this);
  }

  static async open(settings = SETTINGS): Promise<FaultBench> {
    const box = await sandbox();
    let bench: FaultBench | undefined;
    const server = await startModelServer({ script: (request) => (bench?.answer ?? sound)(request) });
    bench = new FaultBench(box, () => server);
    mkdirSync(bench.home, { recursive: true });
    bench.setting(settings);
    return bench;
  }

  /** `$LATHE_HOME`. */
  get home(): string {
    return this.box.env["LATHE_HOME"] ?? "";
  }

  get env(): Record<string, string> {
    return {
      ANTHROPIC_API_KEY: "k",
      ANTHROPIC_BASE_URL: this.server.baseUrl("anthropic"),
      NO_COLOR: "1",
      LATHE_NO_TITLE: "1",
    };
  }

  setting(text: string): void {
    writeFileSync(join(this.home, "config.yml"), text);
  }

  args(more: readonly string[]): string[] {
    return ["--model", MODEL, "--permission-mode", "full", ...more];
  }

  run(more: readonly string[], env: Record<string, string> = {}): Promise<Finished> {
    return this.box.run(this.args(more), { env: { ...this.env, ...env } });
  }

  start(more: readonly string[], env: Record<string, string> = {}): ReturnType<Sandbox["start"]> {
    return this.box.start(this.args(more), { ...this.env, ...env });
  }

  terminal(more: readonly string[] = [], options: TerminalOptions = {}): TerminalRun {
    const env = { ...this.env, ...options.env };
    const run = new TerminalRun(this.box, this.args(more), { columns: 100, ...options, env });
    this.#runs.push(run);
    return run;
  }

  /** The journals of sessions, oldest first, without those of agents. */
  journals(): string[] {
    const root = join(this.home, "sessions");
    if (!existsSync(root)) return [];
    const names = readdirSync(root, { recursive: true }).map(String);
    return names
      .filter((name) => /^[^/]+\/[^/]+\.jsonl$/.test(name))
      .sort()
      .map((name) => join(root, name));
  }

  /** The state of the last input in the newest journal. */
  lastState(): string {
    const path = this.journals().at(-1);
    if (path === undefined) return "no session";
    const lines = readFileSync(path, "utf8").split("\n");
    const torn = lines.pop() === "" ? "" : ", last line torn";
    const inputs = lines.flatMap((line) => {
      const { type, state, reason } = JSON.parse(line) as Record<string, unknown>;
      return type === "input" ? [state === "end" ? String(reason) : "unfinished"] : [];
    });
    return `${inputs.at(-1) ?? "no input"}${torn}`;
  }

  /** What `lathe sessions doctor` finds wrong; "" if nothing. */
  async damage(): Promise<string> {
    const { code, stdout, stderr } = await this.box.run(["sessions", "doctor"]);
    return code === 0 ? stderr : `${stdout}${stderr}`;
  }

  /** The command lines of this bench's processes, after they have had time to end. */
  async processesLeft(): Promise<string[]> {
    const deadline = Date.now() + NO_PROCESS_AFTER_MS;
    for (;;) {
      const left = this.#processes();
      if (left.length === 0 || Date.now() > deadline) return left;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async close(): Promise<void> {
    for (const run of this.#runs) await run.close();
    await this.server.close();
    await this.box.remove();
  }

  /** The working directory or the home of everything we start is below the bench's folder. */
  #processes(): string[] {
    return readdirSync("/proc").flatMap((pid) => {
      if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
      try {
        const isOurs =
          readlinkSync(`/proc/${pid}/cwd`).startsWith(this.box.dir) ||
          readFileSync(`/proc/${pid}/environ`, "latin1").includes(this.box.home);
        const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
        // A process that has ended and waits for its parent has no command line.
        return isOurs && words !== "" ? [words] : [];
      } catch {
        return []; // it has just ended, or belongs to another user
      }
    });
  }
}
