// tmux as a program: one command at a time, each with a deadline. LATHE_TMUX_COMMAND names the program, LATHE_TMUX_SOCKET the server.

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
/** Marks of the command that started us: with them the server would be ended together with that command. */
const MARKS = ["LATHE_OWNER", "LATHE_COMMAND"];

export class Tmux {
  readonly program: string;
  /** Which server, as tmux is told: empty for the one that it takes by itself. */
  readonly server: readonly string[];
  readonly env: Variables;

  /** `socket`: the name of a server, or the path of its socket. */
  constructor(env: Variables, socket = env["LATHE_TMUX_SOCKET"] || undefined) {
    this.env = Object.fromEntries(Object.entries(env).filter(([name]) => !MARKS.includes(name)));
    this.program = env["LATHE_TMUX_COMMAND"] || env["LATHE_TEAM_TMUX_COMMAND"] || "tmux";
    this.server = socket === undefined ? [] : [isAbsolute(socket) ? "-S" : "-L", socket];
  }

  /** The server that this process runs in; undefined outside of tmux. */
  static around(env: Variables): Tmux | undefined {
    const [socket = ""] = (env["TMUX"] ?? "").split(",");
    return socket === "" ? undefined : new Tmux(env, socket);
  }

  /** What it prints; rejects with its own words when it refuses. */
  async run(args: readonly string[], input = ""): Promise<string> {
    const { code, stdout, stderr } = await this.ask(args, input);
    if (code === 0) return stdout;
    throw new CliError(EXIT.failed, `tmux ${args[0]} failed: ${stderr.trim().split("\n")[0] || `exit code ${code}`}.`);
  }

  /** As `run`; the exit code is part of the answer. */
  ask(args: readonly string[], input = ""): Promise<TmuxAnswer> {
    return this.#start(args.map(literal), input);
  }

  /** Several commands, one after the other up to the first that fails. */
  askAll(commands: readonly (readonly string[])[]): Promise<TmuxAnswer> {
    return this.#start(
      commands.flatMap((args, at) => [...(at === 0 ? [] : [";"]), ...args.map(literal)]),
      "",
    );
  }

  #start(args: readonly string[], input: string): Promise<TmuxAnswer> {
    return new Promise((resolve, reject) => {
      // -u: names and paths are UTF-8, whatever the locale says.
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
      // Timers run before pipes are read: an answer may have come while this process stood still.
      const late = setTimeout(() => setImmediate(giveUp), ANSWERS_WITHIN_MS);
      child.on("error", (error: NodeJS.ErrnoException) => {
        clearTimeout(late);
        reject(this.#cannotStart(error));
      });
      child.on("close", (code) => {
        clearTimeout(late);
        resolve({ code: code ?? 1, ...said });
      });
      // One that refuses its arguments does not read.
      child.stdin.on("error", () => {});
      child.stdin.end(input);
    });
  }

  #cannotStart({ code, message }: NodeJS.ErrnoException): CliError {
    if (code !== "ENOENT") return usageError(`tmux cannot be started: ${message}.`);
    return usageError(`There is no program "${this.program}". Install tmux, or name it in LATHE_TMUX_COMMAND.`);
  }
}

/** A semicolon at the end of a word would end the command. */
const literal = (word: string): string => word.replace(/;$/, "\\;");
