// `/debug`: diagnostics for the user. Nothing of it is sent to the model.

import { usageError } from "../../platform/usage/exit.ts";
import type { Conversation } from "../conversation.ts";
import type { SlashCommand } from "./command.ts";
import type { CommandView } from "./command-view.ts";
import { listJobs } from "./jobs.ts";

interface Entry {
  readonly about: string;
  run(conversation: Conversation, view: CommandView): Promise<void> | void;
}

const ENTRIES: Readonly<Record<string, Entry>> = {
  dump: {
    about: "write a report with this session, without secrets",
    run: async (conversation, view) => {
      const { writeReport } = await import("../../config/diagnostics/report.ts");
      view.line(`Written: ${await writeReport(conversation)}`, "dim");
    },
  },
  system: {
    about: "versions, terminal, names of variables",
    run: async ({ workspace }, view) => {
      const { systemInfo } = await import("../../config/diagnostics/report.ts");
      for (const line of systemInfo(workspace)) view.line(workspace.redactor.text(line));
    },
  },
  memory: {
    about: "memory used by this process",
    run: async (_conversation, view) => {
      const { memoryInfo } = await import("../../config/diagnostics/report.ts");
      for (const line of memoryInfo()) view.line(line);
    },
  },
  work: {
    about: "running commands, jobs and agents",
    run: (conversation, view) => {
      const { session, open, shell } = conversation;
      view.line(`The session is ${session.state}.`);
      for (const { command } of open.runningCommands.list()) view.line(`running: ${command}`);
      if (shell.running !== undefined) view.line(`your command: ${shell.running}`);
      for (const { id, status, command } of listJobs(conversation)) view.line(`job ${id}, ${status}: ${command}`);
      for (const { agentId, status } of session.subagents.list()) view.line(`agent ${agentId}: ${status}`);
    },
  },
  transcript: {
    about: "the path of this session's journal",
    run: ({ open }, view) => view.line(open.journal.path ?? "This session is kept in memory only."),
  },
  artifacts: {
    about: "the folder with long outputs and agents of this session",
    run: ({ open }, view) => view.line(open.journal.folder ?? "This session is kept in memory only."),
  },
  "clear-cache": {
    about: "delete cache files that were not used for 30 days",
    run: async ({ workspace: { paths, machine } }, view) => {
      const { removeStale, staleIn } = await import("../../config/diagnostics/clear-cache.ts");
      const stale = staleIn(paths.cache, machine.deps.now());
      if (stale.length === 0) return view.line("No cache file has been unused for 30 days.", "dim");
      for (const path of stale) view.line(path);
      const said =
        (await view.ask(`Remove ${stale.length === 1 ? "it" : `these ${stale.length}`}? [y/N] `))?.trim() ?? "";
      if (!/^y(es)?$/i.test(said)) return view.line("Nothing was removed.", "dim");
      removeStale(stale);
      view.line(`Removed ${stale.length}.`, "dim");
    },
  },
};

export const debug: SlashCommand = {
  name: "debug",
  arguments: `[${Object.keys(ENTRIES).join("|")}]`,
  description: "diagnostics: report, system, memory, work, paths, cache",
  whileWorking: true,
  complete: (_conversation, typed) => Object.keys(ENTRIES).filter((name) => name.startsWith(typed)),
  run: async (conversation, name, view) => {
    if (name === "") {
      for (const [entry, { about }] of Object.entries(ENTRIES)) view.line(`/debug ${entry.padEnd(12)} ${about}`);
      return;
    }
    const entry = Object.hasOwn(ENTRIES, name) ? ENTRIES[name] : undefined;
    if (!entry) throw usageError(`There is no /debug ${name}. Choose one of ${Object.keys(ENTRIES).join(", ")}.`);
    await entry.run(conversation, view);
  },
};
