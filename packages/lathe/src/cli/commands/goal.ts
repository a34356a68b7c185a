// `lathe goal "<text>" --until '<command>'`: a run that continues until the command passes, a limit ends it, or it
// makes no more progress.

import { beginPrompt, readableGoal } from "../../additions/goal/goal-words.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { Run } from "../../hosts/run.ts";
import { startHeadless } from "../../hosts/start-headless.ts";
import { type ParsedArgs, parseArgs } from "../../platform/options/parse.ts";
import { withProvider } from "../../platform/options/provider.ts";
import { type ExitCode, usageError } from "../../platform/usage/exit.ts";
import type { Command } from "./command.ts";

export const goalCommand: Command = async (argv, machine) => {
  const { until, rest } = takeUntil(argv);
  const args = withProvider(parseArgs(rest, machine.userHome));
  const text = textOf(args);
  if (text === "" || until === undefined || until.trim() === "")
    throw usageError(`A goal needs a text and a command that proves it: lathe goal "<text>" --until '<command>'`);
  const wanted = readableGoal({ text, until });
  const run = new Run(machine);
  const workspace = await run.open(args.options);
  for (const warning of workspace.warnings) machine.stderr.write(`lathe: ${warning}\n`);
  const start = (where: SessionWorkspace): Promise<ExitCode> => {
    const requestFor = run.requestFor(where, args.options);
    return startHeadless(where, args.options, [beginPrompt(wanted)], {
      requestFor: async (opened) => ({ ...(await requestFor(opened)), goal: wanted }),
      at: (place) => run.at(place),
      phase: (_name, work) => work(),
    });
  };
  const { worktree } = args.options;
  if (worktree === undefined) return start(workspace);
  const { inView } = await import("../../hosts/worktree/run-in-view.ts");
  return inView(workspace, worktree, (view) => start({ ...workspace, view }));
};

function textOf({ options, words }: ParsedArgs): string {
  if (options.mode !== undefined && options.mode !== "text" && options.mode !== "json")
    throw usageError(`lathe goal prints text or JSON. Leave out --mode ${options.mode}.`);
  return [...words, ...(options.print ?? [])].join(" ").trim();
}

/** `--until` belongs to this command only; all other options are those of a run. */
function takeUntil(argv: readonly string[]): { readonly until: string | undefined; readonly rest: readonly string[] } {
  const at = argv.findIndex((word) => word === "--until" || word.startsWith("--until="));
  if (at < 0) return { until: undefined, rest: argv };
  const word = argv[at] ?? "";
  const isJoined = word.startsWith("--until=");
  return {
    until: isJoined ? word.slice("--until=".length) : argv[at + 1],
    rest: [...argv.slice(0, at), ...argv.slice(at + (isJoined ? 1 : 2))],
  };
}
