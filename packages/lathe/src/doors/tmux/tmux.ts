// Runs tmux: one command at a time, each with a deadline. LATHE_TMUX_COMMAND sets the program, LATHE_TMUX_SOCKET the
// server.

import { spawn } from "node:child_process";
import { isAbsolute } from "node:path";
import { CliError, EXIT, usageError } from "../../platform/usage/exit.ts";

type Variables = Readonly<Record<string, string | undefined>>;

export interface TmuxAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const ANSWERS_WITHIN_MS = 10_000;
const MOST_CHARS = 4 << 20;
/**
 * Ownership marks of the command or extension that started us. The tmux server must not inherit them, or it would be
 * killed with that.
 */
const MARKS = ["LATHE_OWNER", "LATHE_COMMAND", "LATHE_ADOPTED"];

export class Tmux {
  readonly program: string;
  /** The arguments that select the server; empty for the default one. */
  readonly server: readonly string[];
  readonly env: Variables;

  /** `socket` is the name of a server, or the path of its socket. */
  constructor(env: Variables, socket = env["LATHE_TMUX_SOCKET"] || undefined) {
    this.env = Object.fromEntries(Object.entries(env).filter(([name]) => !MARKS.includes(name)));
    this.program = env["LATHE_TMUX_COMMAND"] || env["LATHE_TEAM_TMUX_COMMAND"] || "tmux";
    this.server = socket === undefined ? [] : [isAbsolute(socket) ? "-S" : "-L", socket];
  }

  /** The server that this process runs in; undefined outside tmux. */
  static around(env: Variables): Tmux | undefined {
    const [socket = ""] = (env["TMUX"] ?? "").split(",");
    return socket === "" ? undefined : new Tmux(env, socket);
  }

  /** Resolves with the output; rejects with tmux's message if it fails. */
  async run(args: readonly string[], input = ""): Promise<string> {
    const { code, stdout, stderr } = await this.ask(args, input);
    if (code === 0) return stdout;
    throw new CliError(EXIT.failed, `tmux ${args[0]} failed: ${stderr.trim().split("\n")[0] || `exit code ${code}`}.`);
  }

  /** Like `run`, but returns the exit code. */
  ask(args: readonly string[], input = ""): Promise<TmuxAnswer> {
    return this.#start(args.map(literal), input);
  }

  /** Runs commands one after the other until one fails. */
  askAll(commands: readonly (readonly string[])[]): Promise<TmuxAnswer> {
    return this.#start(
      commands.flatMap((args, at) => [...(at === 0 ? [] : [";"]), ...args.map(literal)]),
      "",
    );
  }

  #start(args: readonly string[], input: string): Promise<TmuxAnswer> {
    return new Promise((resolve, reject) => {
      // -u: names and paths are UTF-8, whatever the locale.
      const child = spawn(this.program, ["-u", ...this.server, ...args], { env: this.env as NodeJS.ProcessEnv });
      const said = { stdout: "", stderr: "" };
      for (const name of ["stdout", "stderr"] as const)
        child[name].setEncoding("utf8").on("data", (text: string) => {
          if (said[name].length < MOST_CHARS) said[name] += text;
        });
      const giveUp = (): void => {
        child.kill("SIGKILL");
        reject(new CliError(EXIT.failed, `tmux ${args[0]} did not answer within ${ANSWERS_WITHIN_MS / 1000} s.`));
      };
      // Timers run before pipes are read: after this process was suspended, an answer may be waiting.
      const late = setTimeout(() => setImmediate(giveUp), ANSWERS_WITHIN_MS);
      child.on("error", (error: NodeJS.ErrnoException) => {
        clearTimeout(late);
        reject(this.#cannotStart(error));
      });
      child.on("close", (code) => {
        clearTimeout(late);
        resolve({ code: code ?? 1, ...said });
      });
      // tmux does not read its input if it rejects its arguments.
      child.stdin.on("error", () => {});
      child.stdin.end(input);
    });
  }

  #cannotStart({ code, message }: NodeJS.ErrnoException): CliError {
    if (code !== "ENOENT") return usageError(`tmux cannot be started: ${message}.`);
    return usageError(`There is no program "${this.program}". Install tmux, or name it in LATHE_TMUX_COMMAND.`);
  }
}

/** A semicolon at the end of a word would end the tmux command. */
const literal = (word: string): string => word.replace(/;$/, "\\;");
