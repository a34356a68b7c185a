// The interactive mode for now: plain lines, no screen. A full-screen terminal will be a host of its own beside it.

import { builtinCommands } from "../../conversation/commands/builtin.ts";
import { type Arrival, Conversation } from "../../conversation/conversation.ts";
import type { RequestFor } from "../../conversation/next-session.ts";
import type { OpenSession, Person } from "../../conversation/open-session.ts";
import { promptsOf } from "../../headless/prompts.ts";
import type { ParsedArgs } from "../../options/parse.ts";
import { rememberForTerminal } from "../../sessions/breadcrumb.ts";
import { journalFor } from "../../sessions/which-journal.ts";
import { EXIT, type ExitCode } from "../../usage/exit.ts";
import { openWorkspaceAt, type Workspace } from "../../workspace/workspace.ts";
import { LineTerminal } from "./terminal.ts";

/** `ready` is called when prompts can be typed; false ends the run there. */
export async function lineMode(
  workspace: Workspace,
  args: ParsedArgs,
  requestFor: RequestFor,
  ready: () => boolean,
): Promise<ExitCode> {
  // What is wrong with an @file is said before anything is opened.
  const prompts = await promptsOf(args, workspace.machine);
  const terminal = new LineTerminal(workspace.machine);
  const onSession = ({ session, journal }: OpenSession, { workspace: place }: Arrival): void => {
    rememberForTerminal(place, journal.path);
    terminal.watch(session, journal.path !== undefined);
  };
  const workspaceAt = (cwd: string): Promise<Workspace> => openWorkspaceAt(workspace.machine, args.options, cwd);
  const parts = { workspace, requestFor, person: personAt(terminal), onSession, workspaceAt };
  const conversation = await Conversation.start(parts, journalFor(workspace, args.options));
  const { model, session } = conversation;
  terminal.line(`lathe ${LATHE_VERSION} · ${model.provider}/${model.id} · ${workspace.cwd} · /help`, "dim");
  await terminal.showPast(session);
  if (!ready()) {
    await conversation.close();
    return EXIT.done;
  }
  const code = await terminal.run(conversation, builtinCommands(), prompts);
  if (conversation.isKept) terminal.line(`To continue: lathe --resume ${conversation.session.id.slice(0, 8)}`, "dim");
  await conversation.close();
  return code;
}

function personAt(terminal: LineTerminal): Person {
  return {
    approve: async (question, signal) => terminal.controller?.approve(question, signal),
    answer: (questions, signal) => terminal.controller?.answer(questions, signal) ?? Promise.resolve(undefined),
    decidePlan: async (plan, signal) => terminal.controller?.decidePlan(plan, signal),
  };
}
