// What a model did in one scenario, and which failures of tool use that shows. Pure functions over data, so that
// recorded traces are judged like runs.

import { basename } from "node:path";
import { analyseShell } from "@lathe/agent/policy";
import { isJsonObject, type JsonValue } from "@lathe/llm";

export const FAILURES = [
  "shell-read",
  "shell-file-discovery",
  "shell-write",
  "contaminated-command",
  "bad-anchor-unrecovered",
  "malformed-tool-args-unrecovered",
  "sanitize-replay-regression",
  "wrong-file-edit",
  "missing-tool-turn",
  "timeout",
] as const;
export type Failure = (typeof FAILURES)[number];
type Tally = Readonly<Record<Failure, number>>;

export interface TracedCall {
  readonly tool: string;
  readonly args: JsonValue;
  readonly isError: boolean;
  readonly result: string;
}

/** One line of a trace file. */
export interface Scenario {
  readonly scenario: string;
  readonly arm: "baseline" | "candidate";
  readonly calls: readonly TracedCall[];
  /** The text of the answers, in order. */
  readonly texts: readonly string[];
  /** The changed files, and those that the task is about. */
  readonly changed: readonly string[];
  readonly about: readonly string[];
  readonly timedOut: boolean;
}

const SHELLS = new Set(["shell", "bash"]);
const EDITS = /^(?:edit|edit_file|apply_patch|write|write_file|multi_edit)$/;
const READERS = new Set(["cat", "head", "tail", "less", "more", "nl", "bat"]);
const FINDERS = new Set(["ls", "find", "fd", "tree"]);
const WRITERS = new Set(["echo", "printf", "cat", "sed", "tee", "perl", "awk", "dd", "ex", "ed"]);
const MALFORMED = /invalid arguments|not a JSON object|missing required|must have required/i;
const CONTAMINATED =
  /^\s*(?:```|[$>] )|```\s*$|^\s*(?:here(?:'s| is)|the command|run(?:ning)? (?:this|the))\b[^\n]*:\s*$/im;
const MARKUP = /<\/?tool_call>|<function=|<\/?invoke\b|<\|[a-z_]+\|>/;
const ANNOUNCED = /(?:\bI will|\bI'll|\bLet me|\bNext,? I)\b[^.!?]*[.:…]?\s*$/i;

/** A scenario about files that leaves them unchanged has done nothing. */
export async function failuresOf(one: Scenario): Promise<Failure[]> {
  const found: Failure[] = [];
  for (const [at, call] of one.calls.entries()) {
    if (SHELLS.has(call.tool)) found.push(...(await shellFailures(commandOf(call))));
    if (!call.isError) continue;
    const later = one.calls.slice(at + 1).filter(({ isError }) => !isError);
    if (MALFORMED.test(call.result)) {
      if (!later.some(({ tool }) => tool === call.tool)) found.push("malformed-tool-args-unrecovered");
    } else if (EDITS.test(call.tool) && !later.some((next) => EDITS.test(next.tool) && isSameFile(next, call)))
      found.push("bad-anchor-unrecovered");
  }
  if (one.texts.some((text) => MARKUP.test(text))) found.push("sanitize-replay-regression");
  if (one.changed.some((path) => !one.about.includes(path))) found.push("wrong-file-edit");
  if (one.about.length > 0 && (one.calls.length === 0 || ANNOUNCED.test(one.texts.at(-1) ?? "")))
    found.push("missing-tool-turn");
  if (one.timedOut) found.push("timeout");
  return found;
}

async function shellFailures(command: string): Promise<Failure[]> {
  if (CONTAMINATED.test(command)) return ["contaminated-command"];
  const { parts } = await analyseShell(command, { cwd: "/project", home: "/home" });
  return parts.flatMap(({ words, writes, reads }): Failure | [] => {
    const program = basename(words[0] ?? "");
    if (WRITERS.has(program) && writes.length > 0) return "shell-write";
    if (FINDERS.has(program)) return "shell-file-discovery";
    const isSlice = program === "sed" && words[1] === "-n";
    return (READERS.has(program) || isSlice) && reads.length > 0 ? "shell-read" : [];
  });
}

const commandOf = ({ args }: TracedCall): string =>
  isJsonObject(args) && typeof args["command"] === "string" ? args["command"] : "";

const fileOf = ({ args }: TracedCall): string | undefined => {
  const path = isJsonObject(args) ? (args["file_path"] ?? args["path"]) : undefined;
  return typeof path === "string" ? path : undefined;
};

/** A patch names its files only in its text, so any later patch may be the repair. */
const isSameFile = (one: TracedCall, other: TracedCall): boolean =>
  fileOf(one) === undefined || fileOf(other) === undefined || fileOf(one) === fileOf(other);

export interface Verdict {
  readonly baseline: Tally;
  readonly candidate: Tally;
  /** Scenarios that both arms have. */
  readonly comparable: number;
  readonly p1: {
    readonly applicable: boolean;
    readonly passed?: boolean;
    readonly baseline: number;
    readonly candidate: number;
  };
}

/** With fewer comparable scenarios, there is no verdict. */
const LEAST_COMPARABLE = 3;

/** P1: the candidate fails no more often than the baseline, in the scenarios that both have. */
export async function compare(scenarios: readonly Scenario[]): Promise<Verdict> {
  const named = (arm: Scenario["arm"]): Set<string> =>
    new Set(scenarios.filter((one) => one.arm === arm).map(({ scenario }) => scenario));
  const [ours, theirs] = [named("candidate"), named("baseline")];
  const common = new Set([...ours].filter((name) => theirs.has(name)));
  const tally = async (arm: Scenario["arm"]): Promise<Tally> => {
    const counts = Object.fromEntries(FAILURES.map((failure) => [failure, 0])) as Record<Failure, number>;
    for (const one of scenarios)
      if (one.arm === arm && common.has(one.scenario)) for (const failure of await failuresOf(one)) counts[failure]++;
    return counts;
  };
  const [baseline, candidate] = [await tally("baseline"), await tally("candidate")];
  const [before, after] = [sumOf(baseline), sumOf(candidate)];
  const applicable = common.size >= LEAST_COMPARABLE;
  const p1 = { applicable, ...(applicable ? { passed: after <= before } : {}), baseline: before, candidate: after };
  return { baseline, candidate, comparable: common.size, p1 };
}

const sumOf = (tally: Tally): number => Object.values(tally).reduce((sum, count) => sum + count, 0);
