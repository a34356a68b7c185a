// debug: runs a program under a debugger. The host owns the debuggers; this tool is the interface for the model.

import type { Card, CardResult } from "../../../contract/card.ts";
import { type Access, type CallScope, type PreviewLine, type ToolDef, ToolFailure } from "../../../contract/tool.ts";
import { quoteShell } from "../../../world/env/shell-quote.ts";
import type { ExecutionEnvironment } from "../../../world/env/types.ts";
import { verbOf } from "../card.ts";
import { commandAccess, loadAnalysis } from "../shell/access.ts";
import description from "./description.md";
import { type DebugAction, type DebugArgs, schema } from "./params.ts";

/** A call with absolute paths whose links are resolved. */
export interface DebugRequest extends Omit<DebugArgs, "at" | "cwd" | "timeout" | "program" | "file"> {
  readonly program?: string | undefined;
  readonly file?: string | undefined;
  readonly cwd: string;
  readonly at?: { readonly file: string; readonly line: number } | undefined;
  readonly timeoutMs: number;
}

/** The result of an action. */
export interface DebugAnswer {
  readonly text: string;
  /** For hosts: `state`, and `timedOut` if the program still runs. */
  readonly details: { readonly session?: string; readonly state?: string; readonly timedOut?: boolean };
}

/** The debuggers of a session. Fails with ToolFailure if an action cannot be done. */
export interface Debuggers {
  /** The commands that the call would run: for each, one that does the same without a debugger. */
  commands(request: DebugRequest, env: ExecutionEnvironment): Promise<readonly string[]>;
  run(request: DebugRequest, env: ExecutionEnvironment, signal: AbortSignal): Promise<DebugAnswer>;
}

declare module "../../../contract/tool.ts" {
  interface ToolServices {
    readonly debuggers?: Debuggers;
  }
}

const COLLAPSED = 8;
/** Actions whose card says where the program is afterwards. */
const MOVES = /^(launch|attach|trace|continue|step_|pause|terminate)/;
const SECONDS = { default: 30, least: 5, most: 300 };

/**
 * Actions that start a program or run code from the call in it. Stepping through a program was allowed when it was
 * started.
 */
const RUNS: ReadonlySet<DebugAction> = new Set([
  "launch",
  "attach",
  "trace",
  "evaluate",
  "write_memory",
  "custom_request",
]);

const runsCode = ({ action, condition }: DebugArgs): boolean => RUNS.has(action) || condition !== undefined;

export const debugTool: ToolDef<DebugArgs> = {
  name: "debug",
  label: "Debug",
  description: description.trim(),
  schema,
  tier: (args) => (runsCode(args) ? "exec" : "read"),
  replay: "never",
  needs: ["debuggers"],
  loadMode: "discoverable",
  exclusive: true,
  // Each action has its own deadline.
  timeoutMs: 0,
  output: { chars: 30_000, mode: "head" },
  prepare: () => loadAnalysis(),
  access,
  summary,
  card,
  async preview(args, scope) {
    if (!runsCode(args)) return { lines: [], shows: [] };
    const request = await requestOf(args, scope);
    if (args.action === "attach") return { lines: [{ text: attachCommand(args) }], shows: ["action", "pid", "port"] };
    const [command = ""] = await debuggersOf(scope).commands(request, scope.env);
    return { lines: previewLines(args, request.cwd, command), shows: SHOWN };
  },
  async execute(args, context) {
    const { env, signal } = context;
    const { text, details } = await debuggersOf(context).run(await requestOf(args, context), env, signal);
    return { content: [{ kind: "text", text }], details, effects: runsCode(args) ? "done" : "none" };
  },
};

// The session fills in arguments that are missing.
const SHOWN =
  "action program args cwd at show expression condition file line function arguments memory_reference data command".split(
    " ",
  );

/** What the user is asked to approve: what runs, and what is evaluated where. */
function previewLines(args: DebugArgs, cwd: string, command: string): PreviewLine[] {
  const { action, at, show = [], expression, condition, memory_reference: place, command: request } = args;
  const code = (head: string, text: string): PreviewLine[] => [
    { text: head, kind: "note" },
    ...text.split("\n").map((line) => ({ text: `│ ${line}` })),
  ];
  const given = Object.keys(args.arguments ?? {}).length === 0 ? "" : JSON.stringify(args.arguments);
  const options = given === "" ? [] : code("with these options for the debugger", given);
  if (action === "launch" || action === "trace")
    return [
      ...code(`under a debugger, in ${cwd}`, command),
      ...(show.length === 0 ? [] : code(`evaluated in the program each time ${at} is reached`, show.join("\n"))),
      ...options,
    ];
  if (condition !== undefined)
    return code(
      `evaluated in the program each time ${summary(args).replace(/^.*breakpoint /, "")} is reached`,
      condition,
    );
  if (expression !== undefined) return code("evaluated in the program being debugged", expression);
  if (action === "write_memory")
    return code(`bytes (base64) written into the program's memory at ${place}`, args.data ?? "");
  return code("sent to the debugger", `${request} ${given}`);
}

async function access(args: DebugArgs, scope: CallScope): Promise<readonly Access[]> {
  if (!runsCode(args)) return [];
  const request = await requestOf(args, scope);
  const { cwd } = request;
  if (args.action === "attach")
    return [{ kind: "exec", command: attachCommand(args), cwd, doubt: "it takes over a running program" }];
  const commands = await debuggersOf(scope).commands(request, scope.env);
  const access = (await Promise.all(commands.map((command) => commandAccess(command, cwd, scope)))).flat();
  if (args.action !== "launch" && args.action !== "trace") return access;
  const given = args.arguments ?? {};
  if (Object.keys(given).length === 0) return access;
  const command = `debug ${args.action} ${JSON.stringify(given)}`;
  return [...access, { kind: "exec", command, cwd, doubt: "its options may make the debugger run anything" }];
}

const attachCommand = ({ pid, port, arguments: given = {} }: DebugArgs): string => {
  const options = Object.keys(given).length === 0 ? "" : ` ${JSON.stringify(given)}`;
  return `debug attach ${pid === undefined ? `port ${port}` : `process ${pid}`}${options}`;
};

function debuggersOf({ services }: Pick<CallScope, "services">): Debuggers {
  if (!services.debuggers) throw new ToolFailure("There is no debugger here.");
  return services.debuggers;
}

async function requestOf(args: DebugArgs, { paths }: Pick<CallScope, "paths">): Promise<DebugRequest> {
  const { program, file, at, cwd, timeout = SECONDS.default } = args;
  const real = async (path: string): Promise<string> => (await paths.locate(path)).real;
  const place = at === undefined ? undefined : /^(.+):(\d+)$/s.exec(at);
  if (place === null) throw new ToolFailure("`at` is a file and a line: `src/sum.py:12`.");
  return {
    ...args,
    program: program === undefined || program.startsWith("-m ") ? program : await real(program),
    file: file === undefined ? undefined : await real(file),
    cwd: await real(cwd ?? "."),
    at: place === undefined ? undefined : { file: await real(place[1]!), line: Number(place[2]) },
    timeoutMs: Math.min(Math.max(timeout, SECONDS.least), SECONDS.most) * 1000,
  };
}

function summary({
  action,
  program,
  args,
  at,
  file,
  line,
  function: fn,
  expression,
  name,
  pid,
  port,
}: DebugArgs): string {
  const place = file === undefined ? fn : [file, line].filter((part) => part !== undefined).join(":");
  const target = pid === undefined ? (port === undefined ? undefined : `port ${port}`) : `process ${pid}`;
  const run = program === undefined ? undefined : [program, ...(args ?? []).map(quoteShell)].join(" ");
  const words = [run, at === undefined ? undefined : `at ${at}`, place, expression, target, name && `(${name})`];
  return [action.replaceAll("_", " "), ...words.filter((word) => word)].join(" ");
}

function card(args: DebugArgs, result?: CardResult): Card {
  const { state } = result?.details ?? {};
  return {
    verb: verbOf(["Debugging", "Debugged", "Debug"], result),
    subject: summary(args),
    namesFiles: true,
    outcome: typeof state === "string" && MOVES.test(args.action) ? state : undefined,
    body:
      result && result.text !== ""
        ? { kind: "output", text: result.text, keeps: "head", collapsed: COLLAPSED }
        : undefined,
  };
}
