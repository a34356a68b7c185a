// The state of a shell between commands, as one bash reports it and another takes it over. The state is a value: each
// command runs in a separate shell that gets the state of the last one (decision 0225).

import { statementsIn } from "./shell-statements.ts";

/** A variable, as printed by `declare -p`. */
export interface ShellVariable {
  /** Letters of its attributes: `x` exported, `r` read-only, `a` array, …; empty for none. */
  readonly attributes: string;
  readonly statement: string;
}

/** Everything in a shell that carries over to the next command. */
export interface ShellState {
  /** Absolute, as the shell names it. */
  readonly cwd: string;
  readonly variables: ReadonlyMap<string, ShellVariable>;
  /** Function names with their attributes (`x`: exported). */
  readonly functions: ReadonlyMap<string, string>;
  /** The definitions of all functions. */
  readonly functionText: string;
  readonly aliases: ReadonlyMap<string, string>;
  /** The options of `set -o` and `shopt` that are on, and those that are off. */
  readonly options: { readonly on: readonly string[]; readonly off: readonly string[] };
  readonly shopts: { readonly on: readonly string[]; readonly off: readonly string[] };
  /** Trap actions by signal. */
  readonly traps: ReadonlyMap<string, string>;
  readonly umask: string;
  /** `$1` and the following, quoted. */
  readonly positional: string;
  /** The directories that `pushd` stacked below the current one, quoted; the lowest first. */
  readonly directories: string;
  /** `$?`. */
  readonly exitCode: number;
}

/** Variables that bash sets itself, that differ in each shell, or that mark a command as ours. */
const OWN_NAMES =
  /^(?:_|PWD|OLDPWD|SHLVL|PPID|UID|EUID|GROUPS|RANDOM|SRANDOM|SECONDS|EPOCH(?:SECONDS|REALTIME)|LINENO|PIPESTATUS|FUNCNAME|DIRSTACK|SHELLOPTS|BASHOPTS|BASH|BASHPID|BASH_(?:ALIASES|ARGC|ARGV|ARGV0|CMDS|COMMAND|COMPAT|EXECUTION_STRING|LINENO|LOADABLES_PATH|MONOSECONDS|REMATCH|SOURCE|SUBSHELL|TRAPSIG|VERSINFO|VERSION)|COMP_\w+|COMPREPLY|HISTCMD|HOSTTYPE|MACHTYPE|OSTYPE|LATHE_(?:OWNER|COMMAND)|__lathe_\w+)$/;

/** An EXIT trap belongs to the command that sets it; the others would run while we read the state. */
const OWN_TRAPS = new Set(["EXIT", "DEBUG", "RETURN"]);

/** Options that cannot be set, or only describe how the shell was started. */
const FIXED_OPTIONS =
  /^(?:compat\d+|login_shell|restricted_shell|interactive_comments|interactive-comments|history|monitor)$/;

/** Parses a report of `SAVE_STATE`; undefined if it is incomplete. */
export function readShellState(report: string): ShellState | undefined {
  const fields = report.split("\0");
  if (fields.length !== REPORT_FIELDS + 1) return undefined;
  const [options, traps, shopts, umask, variables, names, functionText, aliases, positional] = fields;
  const [directories, code, cwd] = fields.slice(REPORT_FIELDS - 3);
  if (!cwd?.startsWith("/")) return undefined;
  return {
    cwd,
    variables: variablesIn(variables!),
    functions: new Map(
      names!.split("\n").flatMap((line) => {
        const [, attributes, name] = /^declare -(\S+) (.+)$/.exec(line) ?? [];
        return name === undefined ? [] : [[name, attributes!.replace("f", "")] as const];
      }),
    ),
    functionText: functionText!,
    aliases: new Map(
      statementsIn(aliases!).flatMap((line) => {
        const [, name] = /^alias (?:-- )?([^=]+)=/.exec(line) ?? [];
        return name === undefined ? [] : [[name, line] as const];
      }),
    ),
    options: switches(options!, /^set ([+-])o (\S+)$/, "-"),
    shopts: switches(shopts!, /^shopt -([su]) (\S+)$/, "s"),
    traps: new Map(
      statementsIn(traps!).flatMap((line) => {
        const [, signal] = /\s(\S+)$/.exec(line) ?? [];
        return signal === undefined || OWN_TRAPS.has(signal) ? [] : [[signal, line] as const];
      }),
    ),
    umask: umask!.trim(),
    positional: positional!,
    directories: directories!,
    exitCode: Number(code),
  };
}

/** We start shells so that they read no start-up file of their own. */
const NO_BASH_ENV = 'declare -x BASH_ENV=""';

function variablesIn(text: string): ReadonlyMap<string, ShellVariable> {
  const found = new Map<string, ShellVariable>();
  for (const statement of statementsIn(text)) {
    const [, attributes, name] = /^declare -(\S+) ([A-Za-z_]\w*)/.exec(statement) ?? [];
    if (name === undefined || statement === NO_BASH_ENV) continue;
    if (!OWN_NAMES.test(name) || name === "OLDPWD")
      found.set(name, { attributes: attributes === "-" ? "" : attributes!, statement });
  }
  return found;
}

function switches(text: string, shape: RegExp, onSign: string): { on: string[]; off: string[] } {
  const on: string[] = [];
  const off: string[] = [];
  for (const line of text.split("\n")) {
    const [, sign, name] = shape.exec(line) ?? [];
    if (name !== undefined && !FIXED_OPTIONS.test(name)) (sign === onSign ? on : off).push(name);
  }
  return { on, off };
}

/** Number of fields; each ends with a zero byte. */
export const REPORT_FIELDS = 12;

const field = (command: string): string => `builtin ${command}; builtin printf '\\0'`;

/**
 * Writes the report to descriptor `$__lathe_to`. Options come first, because those that would show or end our own code
 * are then switched off.
 */
export const SAVE_STATE = [
  field("set +o"),
  field("trap -p"),
  "builtin trap - ERR DEBUG RETURN; builtin set +euxvfT +o posix",
  field("shopt -p"),
  field("umask"),
  field("declare -p"),
  field("declare -F"),
  field("declare -f"),
  field("alias -p"),
  field(`printf ' %q' "$@"`),
  `for ((__lathe_at = \${#DIRSTACK[@]} - 1; __lathe_at > 0; __lathe_at--)); do builtin printf ' %q' "\${DIRSTACK[__lathe_at]}"; done; builtin printf '\\0'`,
  field('printf %s "$__lathe_code"'),
  "builtin printf '%s\\0' \"$PWD\"",
].join("; ");

/** The output of `printf ' %q'` without words. */
const NOTHING = " ''";

/** Shell text that gives a new shell this state, except what must come with the command: `lateText`. */
export function restoreText(state: ShellState, startEnv: Readonly<Record<string, string>>): string {
  const { variables, functions, functionText, aliases, shopts, umask, positional, directories } = state;
  const gone = [...Object.keys(startEnv), "BASH_ENV"].filter(
    (name) => /^(?!LC_ALL$)[A-Za-z_]\w*$/.test(name) && !variables.has(name) && !OWN_NAMES.test(name),
  );
  const shoptsNow = shopts.on.filter((name) => name !== "expand_aliases");
  const exported = [...functions].filter(([, attributes]) => attributes !== "").map(([name, a]) => [a, name] as const);
  return [
    gone.length === 0 ? "" : `unset -v ${gone.join(" ")}`,
    `shopt -u ${shopts.off.join(" ")}`,
    shoptsNow.length === 0 ? "" : `shopt -s ${shoptsNow.join(" ")}`,
    functionText,
    ...exported.map(([attributes, name]) => `declare -f${attributes} -- ${quoteWord(name)}`),
    // The locale affects how our own script is parsed, so it comes with the command.
    ...[...variables].flatMap(([name, { statement }]) => (name === "LC_ALL" ? [] : [statement])),
    ...aliases.values(),
    shopts.on.includes("expand_aliases") ? "shopt -s expand_aliases" : "",
    `umask ${umask}`,
    directories === ""
      ? ""
      : `for __lathe_bytes in${directories}; do builtin pushd -n -- "$__lathe_bytes" >/dev/null; done`,
    positional.trim() === "" || positional === NOTHING ? "" : `set --${positional}`,
  ]
    .filter((line) => line !== "")
    .join("\n");
}

/** The last settings before a command: with traps, `set -e` or `set -u`, our own script would not continue. */
export function lateText({ options, traps, variables, exitCode }: ShellState): string {
  const on = options.on.filter((name) => !TRACES.test(name)).map((name) => `-o ${name}`);
  return [
    // The shell has already reported once that it does not know a locale.
    `{ ${variables.get("LC_ALL")?.statement ?? "unset -v LC_ALL"}; } 2>/dev/null`,
    ...traps.values(),
    `set ${[...options.off.map((name) => `+o ${name}`), ...on].join(" ")}`,
    // With these, our own script would fail with the code.
    exitCode === 0 || options.on.includes("errexit") || traps.has("ERR") ? "" : `(exit ${exitCode})`,
  ].join("\n");
}

const TRACES = /^(?:xtrace|verbose)$/;

/** Options that trace what runs are set with the command, so that they show nothing of ours. */
export function tracesText({ options }: ShellState): string {
  return options.on.flatMap((name) => (TRACES.test(name) ? [`set -o ${name}; `] : [])).join("");
}

/** A single shell word. */
export const quoteWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
