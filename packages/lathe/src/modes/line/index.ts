// The interactive mode for now: plain lines, no screen. A full-screen terminal will be a host of its own beside it.

import type { ExitCode } from "../../cli/exit.ts";
import { CliError, EXIT } from "../../cli/exit.ts";
import type { ParsedArgs } from "../../cli/parse.ts";
import { existingJournal, newJournal, type OpenedJournal } from "../../run/journal-files.ts";
import { type OpenSession, openSession, type Person, type SessionRequest } from "../../run/open-session.ts";
import { journalFor } from "../../run/which-journal.ts";
import type { Workspace } from "../../run/workspace.ts";
import { rememberForTerminal } from "../../sessions/breadcrumb.ts";
import { findSession } from "../../sessions/find.ts";
import { LineTerminal } from "./terminal.ts";

export async function lineMode(
  workspace: Workspace,
  { options, words }: ParsedArgs,
  requestFor: (opened: OpenedJournal) => Promise<SessionRequest>,
): Promise<ExitCode> {
  const terminal = new LineTerminal(workspace.machine);
  const person: Person = {
    answersApprovals: true,
    answer: (questions, signal) => terminal.controller?.answer(questions, signal) ?? Promise.resolve(undefined),
    decidePlan: async (plan, signal) => {
      terminal.line(plan);
      const said = (await terminal.ask("Carry out this plan? [y/N, or what to change] ", signal))?.trim() ?? "";
      if (/^y(es)?$/i.test(said)) return { approved: true };
      return { approved: false, ...(/^no?$/i.test(said) || said === "" ? {} : { feedback: said }) };
    },
  };
  const start = async (opened: OpenedJournal): Promise<OpenSession> => {
    const started = await openSession(workspace, { ...(await requestFor(opened)), person });
    rememberForTerminal(workspace, opened.path);
    return started;
  };
  let open = await start(journalFor(workspace, options));
  terminal.line(
    `lathe ${LATHE_VERSION} · ${open.session.profile.provider}/${open.session.profile.model} · ${workspace.cwd} · /help`,
    "dim",
  );
  const code = await terminal.run(
    open,
    {
      reopen: async (resume) => {
        const opened =
          resume === undefined
            ? newJournal(workspace)
            : existingJournal(workspace, findSession(workspace, resume).path);
        const next = await start(opened);
        await open.close();
        open = next;
        return next;
      },
      exportHtml: async (current) => {
        if (current.journal.path === undefined)
          throw new CliError(EXIT.usage, "This session is not kept, so there is nothing to export.");
        const { exportSession } = await import("../../export/export-session.ts");
        return exportSession(workspace, current.journal.path);
      },
    },
    words.length > 0 ? words.join(" ") : undefined,
  );
  await open.close();
  return code;
}
