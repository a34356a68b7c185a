// Where pictures are taken: an own home and project, a scripted model on loopback, the built command in a terminal, and
// a clock that only the scene advances.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cp, mkdir, readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ModelServer, startModelServer, type Turn } from "@lathe/testkit";
import { type Sandbox, sandbox } from "../../packages/lathe/test/command.ts";
import { TerminalRun } from "../../packages/lathe/test/terminal/emulator.ts";
import { DARK, drawScreen, LIGHT } from "./svg.ts";

const STILL_CLOCK = fileURLToPath(new URL("./still-clock.cjs", import.meta.url));
const PROJECT = fileURLToPath(new URL("./project", import.meta.url));
const SIZE = { columns: 96, rows: 30 };
/** The same time that still-clock.cjs reports. */
const NOON = Date.UTC(2026, 0, 15, 12);
export const MODEL = ["--model", "anthropic/claude-opus-4-6"];

export class Stage {
  readonly box: Sandbox;
  readonly server: ModelServer;
  /** Below the home folder, so that pictures show `~/ledger`. */
  readonly project: string;
  readonly #runs: TerminalRun[] = [];
  readonly #clock: string;
  /** Sessions whose files have the scene's time. */
  readonly #dated = new Set<string>();
  #passed = 0;

  private constructor(box: Sandbox, server: ModelServer) {
    this.box = box;
    this.server = server;
    this.project = join(box.home, "ledger");
    this.#clock = join(box.home, "..", "clock");
    this.pass(0);
  }

  static async open(): Promise<Stage> {
    const stage = new Stage(await sandbox(), await startModelServer());
    await mkdir(stage.project);
    await cp(PROJECT, stage.project, { recursive: true });
    const git = (...args: string[]): unknown =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.invalid", ...args], {
        cwd: stage.project,
        stdio: "ignore",
      });
    // The notice about these only appears on a user's very first run.
    const cache = join(stage.box.home, ".lathe/cache");
    await mkdir(cache, { recursive: true });
    writeFileSync(join(cache, "withheld-variables"), Object.keys(stage.env).join("\n"));
    // The script of a scene has no answer for titles.
    writeFileSync(join(stage.box.home, ".lathe/config.yml"), "title: { enabled: false }\n");
    git("init", "-q", "-b", "main");
    git("add", ".");
    git("commit", "-q", "-m", "start");
    return stage;
  }

  get env(): Record<string, string> {
    return {
      ANTHROPIC_API_KEY: "k",
      ANTHROPIC_BASE_URL: this.server.baseUrl("anthropic"),
      COLORTERM: "truecolor",
      NODE_OPTIONS: `--require ${STILL_CLOCK}`,
      STILL_CLOCK: this.#clock,
      TZ: "UTC",
    };
  }

  /** Advances the clock. */
  pass(ms: number): void {
    this.#passed += ms;
    writeFileSync(this.#clock, String(this.#passed));
  }

  script(...turns: Turn[]): void {
    this.server.push(...turns);
  }

  start(args: readonly string[] = MODEL, env: Record<string, string> = {}): TerminalRun {
    const run = new TerminalRun(this.box, args, { ...SIZE, cwd: this.project, env: { ...this.env, ...env } });
    this.#runs.push(run);
    return run;
  }

  /** Without a screen, to prepare what has happened before. */
  async before(prompt: string, ...turns: Turn[]): Promise<void> {
    this.script(...turns);
    const { code, stderr } = await this.box.run([...MODEL, "-p", prompt], { cwd: this.project, env: this.env });
    if (code !== 0) throw new Error(`${prompt}: ${stderr}`);
    const sessions = join(this.box.home, ".lathe/sessions");
    const time = new Date(NOON + this.#passed);
    for (const file of await readdir(sessions, { recursive: true })) {
      if (!file.endsWith(".jsonl") || this.#dated.has(file)) continue;
      await utimes(join(sessions, file), time, time);
      this.#dated.add(file);
    }
  }

  async close(): Promise<void> {
    for (const run of this.#runs) await run.close();
    await this.server.close();
    await this.box.remove();
  }
}

export function picture(run: TerminalRun, { home }: Sandbox, label: string, look: "dark" | "light" = "dark"): string {
  const isHidden = run.raw.lastIndexOf("\x1b[?25l") > run.raw.lastIndexOf("\x1b[?25h");
  const screen = { ...SIZE, home, buffer: run.buffer, ...(isHidden ? {} : { cursor: run.cursor }) };
  return drawScreen(screen, label, look === "dark" ? DARK : LIGHT);
}
