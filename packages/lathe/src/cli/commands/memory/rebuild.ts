// `lathe memory rebuild`: makes notes of past sessions now, and summarizes all notes of the project. The requests are
// kept in their own journal, so that their cost is counted.

import { askModel } from "../../../additions/memory/ask-model.ts";
import { madeLine, makeMemories } from "../../../additions/memory/make-memories.ts";
import { MemoryPlace } from "../../../additions/memory/memory-place.ts";
import { isMemoryOn } from "../../../additions/memory/switches.ts";
import { MEMORY_IS_OFF } from "../../../additions/memory/words.ts";
import { Conversation } from "../../../conversation/conversation.ts";
import { Run } from "../../../hosts/run.ts";
import { PRACTICE_PROVIDER } from "../../../models/practice/name.ts";
import { onSignals } from "../../../platform/machine/signals.ts";
import { parseArgs } from "../../../platform/options/parse.ts";
import { withProvider } from "../../../platform/options/provider.ts";
import { CliError, EXIT, usageError } from "../../../platform/usage/exit.ts";
import { MEMORY_JOURNAL } from "../../../sessions/find.ts";
import { closedOnFailure, newJournal } from "../../../sessions/journals/journal-files.ts";
import type { Command } from "../command.ts";

export const rebuildMemory: Command = async (argv, machine) => {
  const { options, words } = withProvider(parseArgs(argv, machine.userHome));
  if (words.length > 0) throw usageError(`lathe memory rebuild takes no "${words[0]}". See: lathe memory --help`);
  const run = new Run(machine);
  const workspace = await run.open(options);
  for (const warning of workspace.warnings) machine.stderr.write(`lathe: ${warning}\n`);
  if (!isMemoryOn(workspace.settings)) throw usageError(MEMORY_IS_OFF);
  const stop = new AbortController();
  const signals = onSignals(() =>
    stop.abort(new CliError(EXIT.interrupted, "Interrupted. The notes made so far are kept.")),
  );
  const journal = newJournal(workspace, { title: MEMORY_JOURNAL });
  const requestFor = run.requestFor(workspace, options, {
    additions: { mcpServers: [], delaysLanguageServers: true },
  });
  const conversation = await closedOnFailure(journal, () =>
    Conversation.start({ workspace, requestFor, staysInSession: true }, journal),
  );
  const place = new MemoryPlace(workspace, () => conversation.open.session.env, true);
  try {
    if (conversation.model.provider === PRACTICE_PROVIDER)
      throw new CliError(EXIT.provider, "The practice model makes no notes. Choose another one: --model");
    const ask = askModel(conversation.open, stop.signal);
    const made = await makeMemories({ workspace, place, ask, signal: stop.signal, isWanted: true });
    if (!made)
      throw new CliError(EXIT.failed, "Another process is making notes of this project. Try again when it is done.");
    machine.stdout.write(`${madeLine(made) ?? "There is nothing new to note."}\n`);
    const { cost } = conversation.open.session.usage;
    if (cost > 0) machine.stderr.write(`lathe: $${cost.toFixed(4)}\n`);
    if (made.isAtLimit) return EXIT.budget;
    return made.problem === undefined ? EXIT.done : EXIT.failed;
  } finally {
    await place.close();
    await conversation.close();
    signals.stopListening();
  }
};
