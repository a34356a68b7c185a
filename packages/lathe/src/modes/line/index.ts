// The interactive mode for now: plain lines, no screen. A full-screen terminal will be a host of its own beside it.

import { existsSync } from "node:fs";
import type { ExitCode } from "../../cli/exit.ts";
import { CliError, EXIT } from "../../cli/exit.ts";
import type { ParsedArgs } from "../../cli/parse.ts";
import { closedOnFailure, memoryJournal, newJournal, type OpenedJournal } from "../../run/journal-files.ts";
import { modelToResume, type RequestFor, requestWith } from "../../run/next-session.ts";
import { type OpenSession, openSession, type Person, type SessionRequest } from "../../run/open-session.ts";
import { promptsOf } from "../../run/prompts.ts";
import { journalFor } from "../../run/which-journal.ts";
import type { Workspace } from "../../run/workspace.ts";
import { rememberForTerminal } from "../../sessions/breadcrumb.ts";
import { offeredSessions } from "../../sessions/choose.ts";
import { findSession } from "../../sessions/find.ts";
import { LineTerminal } from "./terminal.ts";

export async function lineMode(workspace: Workspace, args: ParsedArgs, requestFor: RequestFor): Promise<ExitCode> {
  // What is wrong with an @file is said before anything is opened.
  const [first] = await promptsOf(args, workspace.machine);
  const terminal = new LineTerminal(workspace.machine);
  const start = (opened: OpenedJournal, request: () => Promise<SessionRequest>): Promise<OpenSession> =>
    closedOnFailure(opened, async () => {
      const started = await openSession(workspace, { ...(await request()), person: personAt(terminal) });
      rememberForTerminal(workspace, opened.path);
      return started;
    });
  const opened = journalFor(workspace, args.options);
  let open = await start(opened, () => requestFor(opened));
  const keyed = open.model.provider;
  const recall = async (of: OpenSession): Promise<void> =>
    (await import("./recall.ts")).recall(of.journal.journal, (text) => terminal.line(text, "dim"));
  terminal.line(`lathe ${LATHE_VERSION} · ${open.model.provider}/${open.model.id} · ${workspace.cwd} · /help`, "dim");
  if (open.session.usage.turns > 0) await recall(open);
  const code = await terminal.run(
    open,
    {
      reopen: async (resume) => {
        if (resume !== undefined && findSession(workspace, resume).path === open.journal.path)
          throw new CliError(EXIT.usage, "That is the session you are in.");
        const next =
          resume !== undefined
            ? journalFor(workspace, { resume })
            : open.journal.path === undefined
              ? memoryJournal(workspace)
              : newJournal(workspace);
        const following = await start(next, async () => {
          const own = resume === undefined ? undefined : await modelToResume(workspace, next.journal);
          return requestWith(requestFor, next, own ?? open.model, keyed);
        });
        await open.close();
        open = following;
        return following;
      },
      sessions: () => offeredSessions(workspace).filter(({ path }) => path !== open.journal.path),
      recall,
      exportHtml: async ({ journal: { path } }) => {
        if (path === undefined || !existsSync(path))
          throw new CliError(EXIT.usage, "Nothing of this session is kept that could be exported.");
        const { exportSession } = await import("../../export/export-session.ts");
        return exportSession(workspace, path);
      },
    },
    first,
  );
  const { path } = open.journal;
  const isKept = path !== undefined && open.session.usage.turns > 0;
  if (isKept) terminal.line(`To go on: lathe --resume ${open.session.id.slice(0, 8)}`, "dim");
  await open.close();
  return code;
}

function personAt(terminal: LineTerminal): Person {
  return {
    answersApprovals: true,
    answer: (questions, signal) => terminal.controller?.answer(questions, signal) ?? Promise.resolve(undefined),
    decidePlan: async (plan, signal) => {
      terminal.line(plan);
      const said = (await terminal.ask("Carry out this plan? [y/N, or what to change] ", signal))?.trim() ?? "";
      if (/^y(es)?$/i.test(said)) return { approved: true };
      return { approved: false, ...(/^no?$/i.test(said) || said === "" ? {} : { feedback: said }) };
    },
  };
}
