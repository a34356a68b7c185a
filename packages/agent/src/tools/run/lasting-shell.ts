// The shell that lasts between calls of a session: its state is what the last command that ended on its own left. Its
// directory is journalled, so that a resumed session continues there.

import type { SessionFacts } from "../../contract/session-state.ts";
import type { ExecutionEnvironment, LastingShellOptions } from "../../world/env/types.ts";
import { EnvError } from "../../world/env/types.ts";
import type { ShellState } from "../../world/process/shell-state.ts";
import { COMMAND_ENV } from "./run-command.ts";

declare module "../../contract/tool.ts" {
  interface ToolServices {
    readonly lastingShell?: LastingShell;
    /** How the host wants commands of the tool `bash` to run. */
    readonly bashSettings?: BashSettings;
  }
}

/** How commands of the tool `bash` are run. */
export interface BashSettings {
  /** The shell reads the user's profile when it starts. */
  readonly login: boolean;
  /** Variables for every command, such as CI=true. */
  readonly variables: Readonly<Record<string, string>>;
  /** Text put before every command. */
  readonly prefix?: string | undefined;
  /** We apply a final `| head` or `| tail` ourselves, so that the whole output is kept. */
  readonly stripsHeadTail: boolean;
  /** Commands that another tool does better are refused. */
  readonly intercepts: boolean;
  /** Commands can be given a terminal. */
  readonly pty: boolean;
}

export const PLAIN_BASH: BashSettings = {
  login: false,
  variables: {},
  stripsHeadTail: true,
  intercepts: false,
  pty: true,
};

const FACT = "shell_directory";
/** Deadline for a profile that asks for input and would never end. */
const PROFILE_MS = 15_000;

/** The state of one session's shell. */
export class LastingShell {
  readonly #facts: SessionFacts | undefined;
  #state: ShellState | undefined;
  #begun: Promise<void> | undefined;
  /** The shell's state before the first command: the user's own. */
  #first: ShellState | undefined;

  constructor(facts?: SessionFacts) {
    this.#facts = facts;
  }

  /** The directory in which the next command runs. */
  cwd(env: ExecutionEnvironment): string {
    if (!this.#facts) return this.#state?.cwd ?? env.workingDirectory();
    const { cwd, base } = (this.#facts.read(FACT) ?? {}) as { cwd?: unknown; base?: unknown };
    // A session that is resumed in another folder starts in that folder.
    return typeof cwd === "string" && base === env.workingDirectory() ? cwd : env.workingDirectory();
  }

  /** The state before the first command and the current one; undefined if no command has run yet. */
  get changed(): { readonly first: ShellState; readonly now: ShellState } | undefined {
    return this.#first && this.#state ? { first: this.#first, now: this.#state } : undefined;
  }

  /** Reads the profile before the first command. A profile that fails or hangs is ignored. */
  begin(env: ExecutionEnvironment, settings: BashSettings): Promise<void> {
    this.#begun ??= this.#begin(env, settings).catch((error: unknown) => {
      this.#begun = undefined;
      throw error;
    });
    return this.#begun;
  }

  async #begin(env: ExecutionEnvironment, { login, variables }: BashSettings): Promise<void> {
    const start = (shell: LastingShellOptions) =>
      env.execCommand(":", PROFILE_MS, { env: { ...COMMAND_ENV, ...variables }, interleaved: true, shell });
    const inherited = await start({});
    const withProfile = login ? (await start({ login: true })).shell : undefined;
    const found = inherited.shell && withProfile ? withPathOf(withProfile, inherited.shell) : inherited.shell;
    const state = found && withAliases(found);
    this.#first = state;
    this.#state = state;
  }

  /** The options to run a command with; `undefined` if commands have no lasting shell (no bash there). */
  options(
    env: ExecutionEnvironment,
    more: Omit<LastingShellOptions, "state" | "login">,
  ): LastingShellOptions | undefined {
    if (!this.#state) return undefined;
    return { state: this.#state, ...more, cwd: more.cwd ?? this.cwd(env) };
  }

  /**
   * Takes over the state of a command that ended on its own. `given`: variables that belonged to the call; `returns`:
   * the shell returns to its previous directory.
   */
  async readEnd(
    state: ShellState,
    env: ExecutionEnvironment,
    { given = [], returns = false }: { readonly given?: readonly string[]; readonly returns?: boolean },
  ): Promise<void> {
    const before = this.#state;
    const variables = new Map(state.variables);
    for (const name of given) {
      const old = before?.variables.get(name);
      if (old) variables.set(name, old);
      else variables.delete(name);
    }
    const here = this.cwd(env);
    const cwd = returns ? here : state.cwd;
    this.#state = { ...state, variables, cwd };
    if (cwd !== here) await this.#facts?.write(FACT, { cwd, base: env.workingDirectory() });
  }

  /**
   * Checks that the directory exists. If it is gone, the shell returns to the working directory and an error says so.
   */
  async checkDirectory(directory: string, env: ExecutionEnvironment): Promise<void> {
    const stat = await env.stat(directory);
    if (stat?.kind === "directory") return;
    const isOwn = directory === this.cwd(env) && directory !== env.workingDirectory();
    const back = isOwn ? ` The shell is back in ${env.workingDirectory()}.` : "";
    if (isOwn) {
      await this.#facts?.write(FACT, { cwd: env.workingDirectory(), base: env.workingDirectory() });
      if (this.#state) this.#state = { ...this.#state, cwd: env.workingDirectory() };
    }
    throw new EnvError(
      stat === undefined ? "not_found" : "not_directory",
      stat === undefined || stat.kind === "dangling"
        ? `Working directory does not exist: ${directory}.${back}`
        : `Working directory is not a directory: ${directory}.${back}`,
      { path: directory },
    );
  }
}

/** Aliases work as in a terminal, but options for interactive editing and history do not. */
function withAliases({ shopts, options, ...state }: ShellState): ShellState {
  const isExpansion = (name: string): boolean => name === "expand_aliases";
  return {
    ...state,
    shopts: {
      on: [...shopts.on.filter((name) => !isExpansion(name)), "expand_aliases"],
      off: shopts.off.filter((name) => !isExpansion(name)),
    },
    options: { ...options, on: options.on.filter((name) => !/^(?:emacs|vi|histexpand)$/.test(name)) },
  };
}

/**
 * A profile that sets PATH must not remove the folders of the user's terminal: those come first, then the profile's.
 */
function withPathOf(profile: ShellState, inherited: ShellState): ShellState {
  const [own, other] = [inherited, profile].map(({ variables }) => pathIn(variables.get("PATH")?.statement));
  if (own === undefined || other === undefined) return profile;
  const folders = [...new Set([...own.split(":"), ...other.split(":")])].join(":");
  const variables = new Map(profile.variables);
  variables.set("PATH", { attributes: "x", statement: `declare -x PATH="${folders}"` });
  return { ...profile, variables, cwd: inherited.cwd };
}

/** Reads PATH as bash quotes it. Undefined if the value contains characters that need quoting. */
const pathIn = (statement: string | undefined): string | undefined =>
  /^declare -x PATH="([^"\\$`]*)"$/.exec(statement ?? "")?.[1];
