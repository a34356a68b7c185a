// The commands that every conversation has.

import { sentence } from "@lathe/agent";
import { modelsOf } from "../../models/connect.ts";
import { PERMISSION_MODES, type PermissionMode } from "../../permissions/judge.ts";
import { offeredSessions } from "../../sessions/choose.ts";
import { findSession } from "../../sessions/find.ts";
import { EXIT, usageError } from "../../usage/exit.ts";
import type { Conversation } from "../conversation.ts";
import { CommandRegistry, type CommandView, commandHelp, type SlashCommand } from "./command.ts";
import { compact, context, cost, handoff, uncompact } from "./context.ts";
import { redo, rewind, undo } from "./rewind.ts";
import { treeCommands } from "./tree-commands.ts";

export function builtinCommands(): CommandRegistry {
  const registry = new CommandRegistry();
  for (const command of [
    model,
    effort,
    permissions,
    context,
    compact,
    uncompact,
    handoff,
    fresh,
    resume,
    fork,
    ...treeCommands,
    rewind,
    undo,
    redo,
    name,
    cost,
    page,
    quit,
  ])
    registry.add(command);
  registry.add({
    name: "help",
    description: "show this list",
    whileWorking: true,
    run: (_conversation, _argument, view) => view.line(commandHelp(registry.list())),
  });
  return registry;
}

const model: SlashCommand = {
  name: "model",
  arguments: "[provider/id[:effort]]",
  description: "show or change the model",
  complete: async ({ workspace }, typed) => {
    const { registry } = await modelsOf(workspace);
    return registry
      .available()
      .map(({ provider, id }) => `${provider}/${id}`)
      .filter((selector) => selector.startsWith(typed));
  },
  run: async (conversation, selector, view) => {
    if (selector !== "") await conversation.switchModel(selector);
    const { profile } = conversation.session;
    view.line(`Model: ${profile.provider ?? profile.id}/${profile.model}`, "dim");
  },
};

const effort: SlashCommand = {
  name: "effort",
  arguments: "[level|default]",
  description: "show or change how hard the model thinks",
  complete: (_conversation, typed) => EFFORTS.filter((level) => level.startsWith(typed)),
  run: (conversation, level, view) => {
    if (level !== "" && !EFFORTS.includes(level))
      throw usageError(`There is no effort "${level}". Choose one of: ${EFFORTS.join(", ")}.`);
    if (level !== "") conversation.setEffort(level === "default" ? undefined : level);
    view.line(`Effort: ${conversation.session.config.reasoningEffort ?? "default"}`, "dim");
  },
};
const EFFORTS: readonly string[] = ["default", "off", "minimal", "low", "medium", "high", "xhigh", "max"];

const permissions: SlashCommand = {
  name: "permissions",
  arguments: "[mode]",
  description: `show or change what runs without asking: ${PERMISSION_MODES.join(", ")}`,
  complete: (_conversation, typed) => PERMISSION_MODES.filter((mode) => mode.startsWith(typed)),
  run: (conversation, mode, view) => {
    if (mode !== "" && !isMode(mode))
      throw usageError(`There is no mode "${mode}". Choose one of: ${PERMISSION_MODES.join(", ")}.`);
    if (isMode(mode)) conversation.setPermissionMode(mode);
    view.line(`Permissions: ${conversation.permissions.mode}`, "dim");
  },
};
const isMode = (mode: string): mode is PermissionMode => (PERMISSION_MODES as readonly string[]).includes(mode);

const fresh: SlashCommand = {
  name: "new",
  description: "start a new session",
  run: async (conversation, _argument, view) => {
    const { cancelled } = await conversation.startNew();
    view.line(cancelled === undefined ? "New session." : `Not started: ${sentence(cancelled)}`, "dim");
  },
};

const resume: SlashCommand = {
  name: "resume",
  arguments: "[id]",
  description: "continue an earlier session",
  run: async (conversation, id, view) => {
    const path = id === "" ? await chosenSession(conversation, view) : findSession(conversation.workspace, id).path;
    if (path === undefined) return view.line("No session selected.", "dim");
    if (path === conversation.open.journal.path) throw usageError("That is the session you are in.");
    const { cancelled } = await conversation.resume(path);
    if (cancelled !== undefined) return view.line(`Not resumed: ${sentence(cancelled)}`, "yellow");
    view.line(`Resumed session ${conversation.session.id}.`, "dim");
    await view.showPast(conversation.session);
    if (conversation.wasCutOff) view.line("Its last input was not finished. To go on, send: continue", "yellow");
  },
};

async function chosenSession(conversation: Conversation, view: CommandView): Promise<string | undefined> {
  const { path: present } = conversation.open.journal;
  const sessions = offeredSessions(conversation.workspace).filter(({ path }) => path !== present);
  if (sessions.length === 0) throw usageError("There is no earlier session of this directory.");
  for (const [i, session] of sessions.entries()) view.line(`${String(i + 1).padStart(2)}  ${session.name}`);
  const said = (await view.ask(`Session [1-${sessions.length}, Enter for none]: `))?.trim() ?? "";
  return sessions[Number(said) - 1]?.path;
}

const fork: SlashCommand = {
  name: "fork",
  description: "continue in a copy of this session",
  run: async (conversation, _argument, view) => {
    const { cancelled } = await conversation.fork();
    if (cancelled !== undefined) return view.line(`Not copied: ${sentence(cancelled)}`, "yellow");
    view.line(`Copied to session ${conversation.session.id}.`, "dim");
  },
};

const name: SlashCommand = {
  name: "name",
  arguments: "<name>",
  description: "name this session",
  whileWorking: true,
  run: ({ session }, title, view) => {
    if (title === "") throw usageError("Give the session a name: /name <name>");
    session.journal.setTitle(title, "user");
    view.line(`Named: ${title}`, "dim");
  },
};

const page: SlashCommand = {
  name: "export",
  description: "write this session as an HTML page",
  run: async (conversation, _argument, view) => view.line(`Written: ${await conversation.exportHtml()}`, "dim"),
};

const quit: SlashCommand = {
  name: "quit",
  aliases: ["exit"],
  description: "leave",
  whileWorking: true,
  run: (_conversation, _argument, view) => view.leave(EXIT.done),
};
