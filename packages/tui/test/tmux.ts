// A program in a tmux window of its own: what a person sees there, and windows that change their size.

import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";

export const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
const run = promisify(execFile);
let made = 0;
/** A look at the window is a process, so there are fewer of them with time. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS, PATIENCE_MS] = [20, 120, 60_000];
/** Made one file, so that they start as fast as the product does. */
const folder = mkdtempSync(join(tmpdir(), "tui-programs-"));
await build({
  entryPoints: ["program.ts", "stream-program.ts"].map((name) => join(import.meta.dirname, name)),
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20.19",
  conditions: ["lathe-source"],
  logLevel: "error",
});
export const PROGRAM = [join(folder, "program.mjs")];
export const STREAM_PROGRAM = [join(folder, "stream-program.mjs")];

export class Tmux {
  readonly #socket = `lathe-tui-${process.pid}-${made++}`;

  static async start(
    columns: number,
    rows: number,
    env: Record<string, string> = {},
    program: readonly string[] = PROGRAM,
  ): Promise<Tmux> {
    const tmux = new Tmux();
    const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const command = ["env", ...settings, process.execPath, ...program].join(" ");
    await tmux.#tmux("-f", "/dev/null", "new-session", "-d", "-x", String(columns), "-y", String(rows), "sh");
    await tmux.#tmux("send-keys", `PS1='$ '; clear; ${command}`, "Enter");
    return tmux;
  }

  async press(...keys: string[]): Promise<void> {
    await this.#tmux("send-keys", ...keys);
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#tmux("resize-window", "-x", String(columns), "-y", String(rows));
  }

  /** Waits for the text; gives all lines, scrolled ones included, as they were ended. */
  async see(wanted: RegExp): Promise<string[]> {
    let waitedMs = 0;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
      const { stdout } = await this.#tmux("capture-pane", "-p", "-J", "-S", "-");
      if (wanted.test(stdout))
        return stdout
          .trimEnd()
          .split("\n")
          .map((line) => line.trimEnd());
      if (waitedMs > PATIENCE_MS) throw new Error(`${wanted} is not in the window:\n${stdout}`);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      waitedMs += pauseMs;
    }
  }

  async close(): Promise<void> {
    await this.#tmux("kill-server");
  }

  #tmux(...args: string[]): Promise<{ stdout: string }> {
    const env = { ...process.env, LC_ALL: "C.UTF-8" };
    return run("tmux", ["-u", "-L", this.#socket, ...args], { encoding: "utf8", env });
  }
}
