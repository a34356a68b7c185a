// Reports a commit for people and for scripts, and chooses the exit code.

import { visibleText } from "@lathe/agent/base";
import { EXIT, type ExitCode } from "../../platform/usage/exit.ts";
import { countOf, dollars, tokens } from "../../sessions/numbers.ts";
import type { StagedFile } from "./change.ts";
import type { CommitOptions, CommitResult } from "./commit.ts";
import type { Spent } from "./commit-model.ts";
import { nameInLine } from "./file-name.ts";
import type { MadeCommit } from "./make-commits.ts";
import { changeLine, type Prepared, type Proposal } from "./propose.ts";
import type { PlannedCommit } from "./split-plan.ts";

const MOST_FILES = 12;
const SIGNS: Readonly<Record<string, string>> = { A: "A", D: "D", R: "R", M: "M", T: "T", C: "C" };

/** The files of a commit, with how many parts of each it takes. */
function filesOf({ change }: Prepared, { parts }: PlannedCommit): { file: StagedFile; taken: number }[] {
  const numbers = new Set(parts);
  return change.files.flatMap((file) => {
    const taken = file.parts.filter(({ number }) => numbers.has(number)).length;
    return taken === 0 ? [] : [{ file, taken }];
  });
}

/** The proposal as shown before the user accepts it. */
export function proposalText(prepared: Prepared, { commits }: Proposal): string {
  const blocks = commits.map((commit, i) => {
    const head = commits.length === 1 ? [] : [`Commit ${i + 1} of ${commits.length}`];
    const files = filesOf(prepared, commit);
    const rows = files.slice(0, MOST_FILES).map(({ file, taken }) => {
      const part = taken < file.parts.length ? `  (${taken} of ${file.parts.length} hunks)` : "";
      return `  ${SIGNS[file.status] ?? "M"} ${file.from === undefined ? "" : `${nameInLine(file.from)} -> `}${nameInLine(file.path)}${part}`;
    });
    const more = files.length > MOST_FILES ? [`  and ${files.length - MOST_FILES} more`] : [];
    const message = commit.message.split("\n").map((line) => (line === "" ? "" : `    ${line}`));
    return [...head, ...message, "", ...rows, ...more].join("\n");
  });
  return visibleText(`${blocks.join("\n\n")}\n\n${changeLine(prepared.change)}\n`);
}

/** `[main 1a2b3c4] Fix the parser`, and what hooks changed. */
export function madeLines(branch: string | undefined, made: readonly MadeCommit[]): string[] {
  return made.flatMap(({ id, message, isMessageChanged, changedByHook, editedByHook }) => [
    visibleText(`[${branch ?? "detached HEAD"} ${id.slice(0, 7)}] ${message.split("\n")[0]}`),
    ...(isMessageChanged ? ["A hook changed the message."] : []),
    ...(changedByHook.length > 0
      ? [visibleText(`A hook changed what was committed: ${changedByHook.map(nameInLine).join(", ")}.`)]
      : []),
    ...(editedByHook.length > 0
      ? [visibleText(`A hook changed files that are not committed: ${editedByHook.map(nameInLine).join(", ")}.`)]
      : []),
  ]);
}

/** Undefined when no model was asked. */
export function costLine(spent: Spent | undefined): string | undefined {
  if (!spent || spent.calls === 0) return undefined;
  const { usage, cost, calls, model } = spent;
  const price = cost > 0 ? `, ${dollars(cost)}` : "";
  return `${countOf(calls, "request")} to ${model ?? "the model"}: ${tokens(usage.inputTokens)} in, ${tokens(usage.outputTokens)} out${price}`;
}

/** The output of `lathe commit --json`. */
export function commitReport(result: CommitResult, spent: Spent | undefined, notes: readonly string[]): object {
  const { status, prepared, proposal, made, repository } = result;
  const planned = proposal?.commits ?? made.map(({ message }) => ({ message, parts: [] }));
  return {
    status,
    branch: repository.branch ?? null,
    source: proposal?.source ?? null,
    commits: planned.map((commit, i) => ({
      id: made[i]?.id ?? null,
      message: made[i]?.message ?? commit.message,
      files: prepared ? filesOf(prepared, commit).map(({ file }) => file.path) : [],
      changedByHook: made[i]?.changedByHook ?? [],
      editedByHook: made[i]?.editedByHook ?? [],
    })),
    secrets: (prepared?.secrets ?? []).map(({ path, line, name, isKnown }) => ({ path, line, name, isKnown })),
    notes,
    model: spent?.model ?? null,
    usage: spent?.usage ?? { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    cost: spent?.cost ?? 0,
  };
}

export function exitCodeOf({ status }: CommitResult, { dryRun }: CommitOptions): ExitCode {
  if (status === "committed" || status === "taken_back") return EXIT.done;
  if (status === "proposed") return dryRun ? EXIT.done : EXIT.question;
  return EXIT.failed;
}
