// Small changes to a command before it runs: a leading `cd` becomes the directory, and we apply a final `| head` or `|
// tail` ourselves, so that the output it would discard is kept.

import { posix } from "node:path";
import { readShell } from "../../../policy/shell/reader.ts";
import {
  type Command,
  type Pipeline,
  type Script,
  ShellDoubt,
  type SimpleCommand,
} from "../../../policy/shell/syntax.ts";

/** The lines that `head` or `tail` would show. */
export interface WantedLines {
  readonly from: "head" | "tail";
  readonly lines: number;
}

/** The parsed script. Undefined if we cannot parse the text; it then runs unchanged. */
export function scriptOf(command: string): Script | undefined {
  try {
    return readShell(command, undefined).script;
  } catch (error) {
    if (error instanceof ShellDoubt) return undefined;
    throw error;
  }
}

/** Splits `cd X && …` into the directory and the rest. */
export function leadingDirectory(
  command: string,
  script: Script | undefined,
): { cwd: string; rest: string } | undefined {
  const [statement] = script?.statements ?? [];
  const [first, second] = statement?.pipelines ?? [];
  const cd = loneCommand(first);
  if (!second || !cd || statement!.operators[0] !== "&&" || first!.timedAt !== undefined) return undefined;
  const [program, directory, ...others] = cd.words;
  if (program?.value !== "cd" || !directory?.isKnown || others.length > 0 || cd.redirects.length > 0) return undefined;
  if (cd.assignments.length > 0 || /^(?:-|~)/.test(directory.value) || directory.value === "") return undefined;
  const start = second.timedAt ?? second.commands[0]!.start;
  return { cwd: directory.value, rest: command.slice(start) };
}

/** Programs that may never end by themselves, so that `head` ends them. */
const ENDLESS =
  /^(?:yes|ping|watch|top|htop|tail|journalctl|dmesg|inotifywait|tcpdump|strace|script|nc|ncat|cat|dd|od|xxd|hexdump|base64|tr|openssl|curl|wget|less|more|vmstat|iostat|mpstat|sar|entr|nodemon|socat|telnet|ssh)$/;

/** The command without a final `| head` or `| tail`, if that only shortens the output. */
export function withoutHeadTail(
  command: string,
  script: Script | undefined,
): { command: string; wanted: WantedLines } | undefined {
  const statement = script?.statements.at(-1);
  const pipeline = statement?.pipelines.at(-1);
  if (!statement || !pipeline || statement.isBackground || pipeline.timedAt !== undefined) return undefined;
  // It must be the only pipeline: then nothing depends on its exit code, and no earlier command prints output that
  // `head` would not cut.
  if (script!.statements.length > 1 || statement.pipelines.length > 1 || pipeline.commands.length < 2) return undefined;
  const producers = pipeline.commands.slice(0, -1);
  const last = pipeline.commands.at(-1)!;
  const wanted = wantedLines(last);
  if (!wanted || !producers.every(endsByItself) || command.slice(last.end).trim() !== "") return undefined;
  const before = producers.at(-1) as SimpleCommand;
  const merge = before.redirects.at(-1);
  const isMerge = merge !== undefined && /^2>&1$/.test(command.slice(merge.start, merge.end).replace(/\s/g, ""));
  const end = isMerge ? merge.start : Math.max(before.end, ...before.redirects.map((redirect) => redirect.end));
  const joint = command.slice(Math.max(before.end, end, isMerge ? merge.end : 0), last.start);
  if (!/^\s*\|&?\s*$/.test(joint)) return undefined;
  return { command: command.slice(0, end).trimEnd(), wanted };
}

function wantedLines(command: Command): WantedLines | undefined {
  if (command.kind !== "simple" || command.redirects.length > 0 || command.assignments.length > 0) return undefined;
  const [program, ...words] = command.words;
  const from = program?.value;
  if ((from !== "head" && from !== "tail") || !words.every((word) => word.isKnown)) return undefined;
  const shape = /^(?:|-n? ?(\d+)|--lines=(\d+))$/.exec(words.map(({ value }) => value).join(" "));
  return shape ? { from, lines: Number(shape[1] ?? shape[2] ?? 10) } : undefined;
}

function endsByItself(command: Command): boolean {
  if (command.kind !== "simple" || command.words.length === 0) return false;
  const [program, ...words] = command.words;
  if (!program!.isKnown || ENDLESS.test(posix.basename(program!.value))) return false;
  return !words.some(({ value }) => /^(?:-\w*[fFw]|--follow.*|--watch.*|\/dev\/.*)$/.test(value));
}

function loneCommand(pipeline: Pipeline | undefined): SimpleCommand | undefined {
  const [command, ...others] = pipeline?.commands ?? [];
  return others.length === 0 && command?.kind === "simple" ? command : undefined;
}

/** The part of the output that `head` or `tail` would have shown; undefined if that is all of it. */
export function shownLines(output: string, { from, lines }: WantedLines): string | undefined {
  const all = output.split("\n");
  if (all.at(-1) === "") all.pop();
  if (all.length <= lines) return undefined;
  const shown = from === "head" ? all.slice(0, lines) : lines === 0 ? [] : all.slice(-lines);
  return shown.map((line) => `${line}\n`).join("");
}
