// Commands about permissions, folders and instructions.

import { PERMISSION_MODES, type PermissionMode } from "@lathe/agent/policy";
import { existingDirectory } from "../../config/workspace/workspace.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { refuseAsAnswer } from "../gates/open-question.ts";
import { chooseFrom } from "./choice.ts";
import type { SlashCommand } from "./command.ts";
import { foldersLike } from "./folder-completion.ts";
import initPrompt from "./init.md";

const MEANINGS: Readonly<Record<PermissionMode, string>> = {
  "read-only": "reads, searches, and runs commands that change nothing",
  ask: "asks before every change and every command",
  "auto-edit": "edits inside the project, runs harmless commands, and asks before others",
  full: "never asks",
  plan: "reads and proposes a plan, changes nothing",
};

const FORGET = "forget";

const permissions: SlashCommand = {
  name: "permissions",
  arguments: "[mode|forget]",
  description: `show or change what runs without asking: ${PERMISSION_MODES.join(", ")}; forget: ask again about everything you allowed`,
  whileWorking: true,
  complete: (_conversation, typed) => [...PERMISSION_MODES, FORGET].filter((mode) => mode.startsWith(typed)),
  run: async (conversation, wanted, view) => {
    if (wanted === FORGET) {
      await conversation.permissions.forget();
      return view.line("Lathe will ask again about everything you allowed in this project.", "dim");
    }
    if (wanted !== "" && !isMode(wanted))
      throw usageError(`There is no mode "${wanted}". Choose one of: ${PERMISSION_MODES.join(", ")}.`);
    const items = PERMISSION_MODES.map((value) => ({ value, label: value, detail: MEANINGS[value] }));
    const current = PERMISSION_MODES.indexOf(conversation.permissions.mode);
    const mode =
      wanted === "" && view.choose ? await chooseFrom(view, { title: "Permissions", items, current }) : wanted;
    if (mode !== undefined && isMode(mode)) conversation.setPermissionMode(mode);
    view.line(`Permissions: ${conversation.permissions.mode}`, "dim");
  },
};
const isMode = (mode: string): mode is PermissionMode => (PERMISSION_MODES as readonly string[]).includes(mode);

const plan: SlashCommand = {
  name: "plan",
  description: "plan without changing anything, or leave plan mode",
  whileWorking: true,
  run: (conversation, _argument, view) => {
    const isPlanning = conversation.permissions.mode === "plan";
    if (isPlanning) conversation.permissions.leavePlan();
    else conversation.setPermissionMode("plan");
    view.line(isPlanning ? "Plan mode is off." : "Plan mode: nothing is changed until you approve a plan.", "dim");
  },
};

const addDir: SlashCommand = {
  name: "add-dir",
  arguments: "<folder>",
  description: "let the agent write to another folder",
  whileWorking: true,
  complete: ({ workspace }, typed) => foldersLike(workspace.machine, typed),
  run: (conversation, folder, view) => {
    const { permissions, workspace } = conversation;
    if (folder !== "") conversation.addRoot(existingDirectory(workspace.machine, folder));
    view.line(`Folders: ${permissions.roots.join(", ")}`, "dim");
  },
};

const init: SlashCommand = {
  name: "init",
  arguments: "[what to focus on]",
  description: "write an AGENTS.md for this project",
  run: async (conversation, focus, view) => {
    refuseAsAnswer("init", conversation.open);
    const prompt = `${initPrompt.trim()}${focus === "" ? "" : `\n\n${focus}`}`;
    if (view.submit) view.submit(prompt);
    else await conversation.submit(prompt);
  },
};

const reload: SlashCommand = {
  name: "reload",
  description: "reload instructions and prompts; the next request is not cached",
  run: async ({ session, open, workspace }, _argument, view) => {
    // Within the first moments of a session, discovery does not look at the files again by itself.
    (await workspace.discovery()).begin();
    await open.parts.reload();
    session.reload();
    view.line("The next request will use the reloaded instructions.", "dim");
  },
};

export const projectCommands: readonly SlashCommand[] = [permissions, plan, addDir, init, reload];
