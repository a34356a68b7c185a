// Commands that choose the session (a new one, an earlier one, a copy), name it and export it.

import { join } from "node:path";
import { sentence } from "@lathe/agent/base";
import { usageError } from "../../platform/usage/exit.ts";
import { offeredSessions } from "../../sessions/choose.ts";
import { findSession } from "../../sessions/find.ts";
import { listSessions } from "../../sessions/list.ts";
import type { Conversation } from "../conversation.ts";
import { chooseFrom } from "./choice.ts";
import type { SlashCommand } from "./command.ts";
import type { CommandView } from "./command-view.ts";

const MOST_COMPLETED = 20;

const fresh: SlashCommand = {
  name: "new",
  aliases: ["clear"],
  description: "start a new session",
  run: async (conversation, _argument, view) => {
    const { cancelled } = await conversation.startNew();
    view.line(cancelled === undefined ? "New session." : `Not started: ${sentence(cancelled)}`, "dim");
  },
};

const resume: SlashCommand = {
  name: "resume",
  aliases: ["sessions"],
  arguments: "[id]",
  description: "resume an earlier session",
  complete: ({ workspace }, typed) =>
    listSessions({
      sessionsRoot: workspace.paths.sessions,
      cacheFile: join(workspace.paths.cache, "session-heads.json"),
      cwd: workspace.cwd,
      limit: MOST_COMPLETED,
      now: workspace.machine.deps.now(),
    })
      .map(({ id }) => id.slice(0, 8))
      .filter((id) => id.startsWith(typed)),
  run: async (conversation, id, view) => {
    const path = id === "" ? await chooseSession(conversation, view) : findSession(conversation.workspace, id).path;
    if (path === undefined) return view.line("No session selected.", "dim");
    if (path === conversation.open.journal.path) throw usageError("That is the session you are in.");
    const { cancelled } = await conversation.resume(path);
    if (cancelled !== undefined) return view.line(`Not resumed: ${sentence(cancelled)}`, "yellow");
    view.line(`Resumed session ${conversation.session.id}.`, "dim");
    await view.showPast(conversation.session);
    if (conversation.wasCutOff) view.line("Its last request was interrupted. To resume it, send: continue", "yellow");
  },
};

async function chooseSession(conversation: Conversation, view: CommandView): Promise<string | undefined> {
  const { workspace } = conversation;
  const { path: present } = conversation.open.journal;
  const sessions = offeredSessions(workspace).filter(({ path }) => path !== present);
  if (sessions.length === 0) throw usageError("There is no earlier session of this directory.");
  const { sessionChoice } = await import("../session-choice.ts");
  return chooseFrom(view, sessionChoice(workspace, sessions));
}

const fork: SlashCommand = {
  name: "fork",
  description: "continue in a copy of this session",
  run: async (conversation, _argument, view) => {
    const { cancelled } = await conversation.fork();
    if (cancelled !== undefined) return view.line(`Not copied: ${sentence(cancelled)}`, "yellow");
    view.line(`You are now in a copy of the session: ${conversation.titles.current}.`, "dim");
  },
};

const name: SlashCommand = {
  name: "name",
  arguments: "<name>",
  description: "name this session",
  whileWorking: true,
  run: ({ titles }, title, view) => {
    titles.rename(title);
    view.line(`Named: ${titles.current}`, "dim");
  },
};

const page: SlashCommand = {
  name: "export",
  arguments: "[file]",
  description: "export this session as an HTML page",
  run: async (conversation, file, view) =>
    view.line(`Written: ${await conversation.exportHtml(file === "" ? undefined : file)}`, "dim"),
};

export const sessionCommands: readonly SlashCommand[] = [fresh, resume, fork];
export const sessionFileCommands: readonly SlashCommand[] = [name, page];
