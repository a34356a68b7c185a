// The texts that a lasting shell runs for one command: the first takes over the state, the second runs the command and reports the state (decision 0225). It
// gets them over descriptor 4, so a shell can be started before its command is known.

import { lateText, quoteWord, restoreText, SAVE_STATE, type ShellState, tracesText } from "./shell-state.ts";

/** The descriptor that script and report travel over; 3 belongs to the program that confines the shell. */
export const TALK = 4;

/** Old versions of bash cannot read a number of bytes: they read up to the zero byte behind them, byte by byte. */
const readScript = (from: number): string =>
  `IFS= builtin read -r -u ${from} __lathe_bytes; ` +
  `if [[ \${BASH_VERSINFO[0]} -ge 5 ]]; then LC_ALL=C; IFS= builtin read -r -N "$__lathe_bytes" -u ${from} __lathe_script; ` +
  `IFS= builtin read -r -d '' -u ${from} __lathe_bytes; ` +
  `else IFS= builtin read -r -d '' -u ${from} __lathe_script; fi; `;

/** Reads the state and takes it over, then reads the command and runs it. What cannot be restored is no output of the command. */
export function loader(from: number, prologue: string): string {
  return (
    `${prologue}${readScript(from)}builtin eval "$__lathe_script" 2>/dev/null; ${readScript(from)}` +
    // A shell that was killed while it waited has not begun: its command may be given to another.
    (from === TALK ? `builtin printf '\\0' >&${from}; ` : "") +
    // Not part of the script: lines of the command are then counted from 1.
    `builtin eval "$__lathe_script"; builtin eval "$__lathe_command" ${from}>&-; ` +
    `{ __lathe_code=$?; builtin eval "$__lathe_save"; exit $__lathe_code; } 2>/dev/null`
  );
}

/** One of the two texts that `loader` reads. */
export function frameScript(script: string): Buffer {
  const bytes = Buffer.from(script);
  return Buffer.concat([Buffer.from(`${bytes.length}\n`), bytes, Buffer.from([0])]);
}

/** The first of them. */
export function stateText(state: ShellState | undefined, startEnv: Readonly<Record<string, string>>): string {
  return state ? restoreText(state, startEnv) : ":";
}

/** A command of a shell whose state lasts from one command to the next. */
export interface LastingCommand {
  readonly command: string;
  /** Absent: a shell that has run nothing yet. */
  readonly state?: ShellState | undefined;
  /** Where it runs; the state's directory when absent. */
  readonly cwd?: string | undefined;
  /** Variables of this command only. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** What the shell was started with. */
  readonly startEnv: Readonly<Record<string, string>>;
  /** Where the report goes: a descriptor that the command does not see, or a file. */
  readonly report: number | { readonly file: string };
}

/** `exit` code of a shell whose directory is gone. */
const NO_DIRECTORY = 126;

/**
 * The second of them. The command does not see the descriptor. A command that leaves through `exit` inside a function leaves it closed: the copy that
 * bash keeps meanwhile is the first one from 10 on.
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
/** The kernel takes no longer variable. */
const MOST_STATE = 100_000;

/**
 * A command that begins with a state but reports none, for a shell that has no descriptor to talk over. The state travels in a
 * variable: other than arguments, only processes of the same person see it. One that is too long is left out. `own`: variables that
 * the shell is started with and keeps.
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
  // Aliases count in what is read after they are there.
  return {
    command: `${load}${go}eval ${quoteWord(tracesText(state!) + command)}`,
    env: { ...startEnv, [STATE_VARIABLE]: text },
  };
}

/** Variables that the shell keeps as it was started with them. */
function withOwn(state: ShellState, own: readonly string[]): ShellState {
  const variables = new Map(state.variables);
  for (const name of own) variables.set(name, { attributes: "x", statement: `export ${name}` });
  return { ...state, variables };
}
