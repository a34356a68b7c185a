// A run: options to workspace, model, journal and session, then the chosen mode.

import { memoryJournal, newJournal } from "../run/journal-files.ts";
import type { Machine } from "../run/machine.ts";
import { chooseModel } from "../run/model.ts";
import { openSession } from "../run/open-session.ts";
import { promptsOf, readPiped } from "../run/prompts.ts";
import { openWorkspace } from "../run/workspace.ts";
import { EXIT, type ExitCode, usageError } from "./exit.ts";
import { parseArgs } from "./parse.ts";

export async function launch(argv: readonly string[], machine: Machine): Promise<ExitCode> {
  const args = parseArgs(argv);
  const { options } = args;
  if (options.help) {
    const { helpText } = await import("./help.ts");
    machine.stdout.write(helpText());
    return EXIT.done;
  }
  if (options.version) {
    machine.stdout.write(`${LATHE_VERSION}\n`);
    return EXIT.done;
  }
  const workspace = await openWorkspace(machine, options);
  for (const warning of workspace.warnings) machine.stderr.write(`lathe: ${warning}\n`);
  const model = chooseModel(workspace, workspace.settings.model || "practice/basic");
  const prompts = await promptsOf(args, machine, await readPiped(machine));
  if (prompts.length === 0) throw usageError('There is nothing to do. Give a prompt: lathe "<prompt>"');
  const opened = options["no-session"] ? memoryJournal(workspace) : newJournal(workspace);
  const open = await openSession(workspace, {
    model,
    opened,
    limits: {},
    overrides: {
      ...(options["api-key"] === undefined ? {} : { apiKey: options["api-key"] }),
      ...(options["base-url"] === undefined ? {} : { baseUrl: options["base-url"] }),
    },
  });
  try {
    const { printMode } = await import("../modes/print.ts");
    return await printMode(workspace, open, prompts);
  } finally {
    await open.close();
  }
}
