// The test's own tmux server, with a session that is not Lathe's, and queries about it.

import { execFileSync, spawnSync } from "node:child_process";

export const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

let made = 0;

export class TmuxServer {
  /** The value of LATHE_TMUX_SOCKET. */
  readonly socket = `lathe-kit-${process.pid}-${made++}`;

  constructor() {
    const size = ["-x", "100", "-y", "30"];
    this.ask("-f", "/dev/null", "new-session", "-d", ...size, "-s", "foreign", "env", "PS1=$ ", "sh");
  }

  ask(...args: string[]): string {
    const env = { ...process.env, LC_ALL: "C.UTF-8", TMUX: "" };
    return execFileSync("tmux", ["-u", "-L", this.socket, ...args], { encoding: "utf8", env }).trim();
  }

  /** Everything that is not ours: options of the server, of all sessions and of the foreign one. */
  get foreign(): string {
    const shown = [["-s"], ["-g"], ["-gw"], ["-t", "foreign"], ["-w", "-t", "foreign"]];
    return shown.map((which) => this.ask("show-options", ...which)).join("\n--\n");
  }

  sessions(): string[] {
    return this.ask("list-sessions", "-F", "#{session_name}").split("\n");
  }

  option(name: string, ...target: string[]): string {
    return this.ask("show-options", "-v", ...target, name);
  }

  /** The content of a pane. */
  screen(target: string): string {
    return this.ask("capture-pane", "-p", "-S", "-", "-t", target);
  }

  close(): void {
    spawnSync("tmux", ["-L", this.socket, "kill-server"]);
  }
}
