// The texts that a lasting shell runs for one command: the first takes over the state, the second runs the command and
// reports the state (decision 0225). The shell reads them from descriptor 4, so that it can be started before its
// command is known.

import { lateText, quoteWord, restoreText, SAVE_STATE, type ShellState, tracesText } from "./shell-state.ts";

/** The descriptor for script and report; 3 belongs to the program that confines the shell. */
export const TALK = 4;

/** Old versions of bash cannot read a given number of bytes: they read byte by byte up to the trailing zero byte. */
const readScript = (from: number): string =>
  `IFS= builtin read -r -u ${from} __lathe_bytes; ` +
  `if [[ \${BASH_VERSINFO[0]} -ge 5 ]]; then LC_ALL=C; IFS= builtin read -r -N "$__lathe_bytes" -u ${from} __lathe_script; ` +
  `IFS= builtin read -r -d '' -u ${from} __lathe_bytes; ` +
  `else IFS= builtin read -r -d '' -u ${from} __lathe_script; fi; `;

/**
 * Reads and takes over the state, then reads and runs the command. Errors while restoring must not appear in the
 * command's output.
 */
export function loader(from: number, prologue: string): string {
  return (
    `${prologue}${readScript(from)}builtin eval "$__lathe_script" 2>/dev/null; ${readScript(from)}` +
    // A shell that was killed while it waited has not begun, so another shell may run its command.
    (from === TALK ? `builtin printf '\\0' >&${from}; ` : "") +
    // Outside the script, so that lines of the command are counted from 1.
    `builtin eval "$__lathe_script"; builtin eval "$__lathe_command" ${from}>&-; ` +
    `{ __lathe_code=$?; builtin eval "$__lathe_save"; exit $__lathe_code; } 2>/dev/null`
  );
}

/** One of the two texts that `loader` reads. */
export function frameScript(script: string): Buffer {
  const bytes = Buffer.from(script);
  return Buffer.concat([Buffer.from(`${bytes.length}\n`), bytes, Buffer.from([0])]);
}

/** The first of the two texts. */
export function stateText(state: ShellState | undefined, startEnv: Readonly<Record<string, string>>): string {
  return state ? restoreText(state, startEnv) : ":";
}

/** A command in a shell whose state carries over from one command to the next. */
export interface LastingCommand {
  readonly command: string;
  /** Absent: a fresh shell. */
  readonly state?: ShellState | undefined;
  /** Its working directory; the state's if absent. */
  readonly cwd?: string | undefined;
  /** Variables of this command only. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** The environment that the shell was started with. */
  readonly startEnv: Readonly<Record<string, string>>;
  /** Where the report goes: a descriptor that the command does not see, or a file. */
  readonly report: number | { readonly file: string };
}

/** Exit code of a shell whose directory no longer exists. */
const NO_DIRECTORY = 126;

/**
 * The second of the two texts. The command does not see the descriptor. A command that calls `exit` inside a function
 * leaves it closed; bash's saved copy is then the first descriptor from 10 on.
 */
export function lastingScript(request: LastingCommand): string {
  const { command, state, startEnv, report, variables = {} } = request;
  const cwd = request.cwd ?? state?.cwd;
  const names = Object.keys(variables);
  const save =
    typeof report === "number"
      ? `if { : >&${report}; } 2>/dev/null; then { ${SAVE_STATE}; } >&${report}; else { ${SAVE_STATE}; } >&10; fi 2>/dev/null`
      : `{ ${SAVE_STATE}; } 2>/dev/null >${quoteWord(report.file)}`;
  const locale = startEnv["LC_ALL"];
  const home = state?.variables.get("OLDPWD")?.statement ?? "";
  return [
    "unset -v __lathe_script __lathe_bytes",
    cwd === undefined ? "" : `cd -- ${quoteWord(cwd)} || exit ${NO_DIRECTORY}\n${home}`,
    ...names.map((name) => `export ${name}=${quoteWord(variables[name]!)}`),
    `__lathe_save=${quoteWord(save)}`,
    `trap '{ __lathe_end=$?; [[ -n \${__lathe_code-} ]] || { __lathe_code=$__lathe_end; builtin eval "$__lathe_save"; }; } 2>/dev/null' EXIT`,
    `__lathe_command=${quoteWord((state ? tracesText(state) : "") + command)}`,
    state ? lateText(state) : locale === undefined ? "unset -v LC_ALL" : `export LC_ALL=${quoteWord(locale)}`,
  ]
    .filter((line) => line !== "")
    .join("\n");
}

const STATE_VARIABLE = "LATHE_SHELL_STATE";
/** The kernel accepts no longer variable. */
const MOST_STATE = 100_000;

/**
 * A command that begins with a state but reports none, for a shell without a descriptor to talk over. The state travels
 * in a variable: unlike arguments, only processes of the same user see it. A state that is too long is left out. `own`:
 * variables that the shell keeps as it was started with them.
 */
export function lastingText(
  command: string,
  { state, cwd = state?.cwd }: { readonly state?: ShellState | undefined; readonly cwd?: string | undefined },
  startEnv: Readonly<Record<string, string>>,
  own: readonly string[],
): { readonly command: string; readonly env: Readonly<Record<string, string>> } {
  const text = state && [restoreText(withOwn(state, own), startEnv), lateText(state)].join("\n");
  const go = cwd === undefined ? "" : `cd -- ${quoteWord(cwd)} || exit ${NO_DIRECTORY}; `;
  if (text === undefined || text.length > MOST_STATE) return { command: go + command, env: startEnv };
  const load = `exec 5>&2 2>/dev/null; eval "$${STATE_VARIABLE}"; unset -v ${STATE_VARIABLE}; exec 2>&5 5>&-; `;
  // Aliases apply only to text that is read after they are defined.
  return {
    command: `${load}${go}eval ${quoteWord(tracesText(state!) + command)}`,
    env: { ...startEnv, [STATE_VARIABLE]: text },
  };
}

/** Keeps the variables that the shell was started with. */
function withOwn(state: ShellState, own: readonly string[]): ShellState {
  const variables = new Map(state.variables);
  for (const name of own) variables.set(name, { attributes: "x", statement: `export ${name}` });
  return { ...state, variables };
}
