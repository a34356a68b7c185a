// A terminal with a screen, drawn by tmux: what a user sees, not what was written.

import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { CLI, type Sandbox } from "./command.ts";

export const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

const run = promisify(execFile);
let made = 0;
/** Number of looks at the screen before giving up. */
const PATIENCE = 3_000;

export class Screen {
  readonly #socket = `lathe-test-${process.pid}-${made++}`;

  /** Starts the command on its own screen. */
  static async start(
    box: Sandbox,
    args: readonly string[],
    options: { columns: number; env?: Record<string, string> },
  ): Promise<Screen> {
    const screen = new Screen();
    const env = { ...box.env, TERM: "screen", ...options.env };
    const settings = Object.entries(env).map(([name, value]) => `${name}=${quote(value)}`);
    const command = ["env", "-i", ...settings, process.execPath, CLI, ...args.map(quote)].join(" ");
    const size = ["-x", String(options.columns), "-y", "40"];
    await screen.#tmux("-f", "/dev/null", "new-session", "-d", ...size, "-c", box.dir, `${command}; echo left-$?; cat`);
    return screen;
  }

  /** Keys by their names in tmux: `Enter`, `C-c`, `Left`. */
  async press(...keys: string[]): Promise<void> {
    await this.#tmux("send-keys", ...keys);
  }

  async type(text: string): Promise<void> {
    await this.#tmux("send-keys", "-l", text);
  }

  async paste(text: string): Promise<void> {
    await this.#tmux("set-buffer", text);
    await this.#tmux("paste-buffer", "-p");
  }

  async resize(columns: number): Promise<void> {
    await this.#tmux("resize-window", "-x", String(columns));
  }

  /** Waits until the screen contains the text; returns its rows, including scrolled ones. */
  async see(wanted: string | RegExp): Promise<string[]> {
    for (let waited = 0; ; waited++) {
      const rows = await this.rows();
      const text = rows.join("\n");
      if (typeof wanted === "string" ? text.includes(wanted) : wanted.test(text)) return rows;
      if (waited > PATIENCE) throw new Error(`${wanted} is not on the screen:\n${text}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async rows(): Promise<string[]> {
    const { stdout } = await this.#tmux("capture-pane", "-p", "-S", "-");
    return stdout.trimEnd().split("\n");
  }

  async close(): Promise<void> {
    await this.#tmux("kill-server").catch(() => {}); // the session was never started
  }

  #tmux(...args: string[]): Promise<{ stdout: string }> {
    const env = { ...process.env, LC_ALL: "C.UTF-8" };
    return run("tmux", ["-u", "-L", this.#socket, ...args], { encoding: "utf8", env });
  }
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
