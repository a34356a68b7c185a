// The list of earlier sessions: it shows the last messages of the selected one, finds sessions by any word in them, and
// can rename, delete and sort them.

import type { Workspace } from "../config/workspace/workspace.ts";
import { type OfferedSession, offeredSessions } from "../sessions/choose.ts";
import type { Choice, ChoiceAction, ChoiceItem } from "./commands/command-view.ts";

export function sessionChoice(workspace: Workspace, sessions: readonly OfferedSession[]): Choice<string> {
  const list = new SessionItems(workspace, sessions);
  return {
    title: "Session",
    items: list.items,
    previewsMarkdown: true,
    preview: async (path) => {
      const { sessionPreview } = await import("../sessions/picker.ts");
      const { last, messages, model } = sessionPreview(workspace, path);
      const said = last.map(({ role, text }) => (role === "user" ? `› ${text}` : text));
      return [`*${messages} messages${model === undefined ? "" : `, ${model}`}*`, ...said].join("\n\n");
    },
    search: async (words) => {
      const { findAmong, pickableSessions } = await import("../sessions/picker.ts");
      const found = new Set((await findAmong(workspace, pickableSessions(workspace), words)).map(({ path }) => path));
      return list.items.filter(({ value }) => found.has(value));
    },
    actions: actionsOn(workspace, list),
  };
}

/** The rows of the list, in the chosen order and form. */
class SessionItems {
  readonly #workspace: Workspace;
  #sessions: readonly OfferedSession[];
  isByName = false;
  hasPaths = false;

  constructor(workspace: Workspace, sessions: readonly OfferedSession[]) {
    this.#workspace = workspace;
    this.#sessions = sessions;
  }

  get items(): readonly ChoiceItem<string>[] {
    const items = this.#sessions.map(({ path, name }) => ({
      value: path,
      label: name,
      ...(this.hasPaths ? { detail: path } : {}),
    }));
    return this.isByName ? items.sort((a, b) => a.label.localeCompare(b.label)) : items;
  }

  nameOf(path: string): string {
    return this.#sessions.find((one) => one.path === path)?.name ?? path;
  }

  /** Reads the listed sessions from disk again. */
  reread(): void {
    const offered = new Set(this.#sessions.map(({ path }) => path));
    this.#sessions = offeredSessions(this.#workspace).filter(({ path }) => offered.has(path));
  }
}

function actionsOn(workspace: Workspace, list: SessionItems): readonly ChoiceAction<string>[] {
  return [
    {
      name: "rename",
      does: "to rename",
      run: async (path, view) => {
        const title = await view.ask("New name:");
        if (title !== undefined && title.trim() !== "") {
          const { renameSession } = await import("../sessions/picker.ts");
          await renameSession(workspace, path, title);
          list.reread();
        }
        return list.items;
      },
    },
    {
      name: "delete",
      does: "to delete",
      run: async (path, view) => {
        const items = [
          { value: false, label: "No, keep it" },
          { value: true, label: "Yes, delete the session and its artifacts for good" },
        ];
        if (await view.choose({ title: `Delete ${list.nameOf(path)}?`, items })) {
          const { removeSession } = await import("../sessions/remove.ts");
          await removeSession(workspace, path);
          list.reread();
        }
        return list.items;
      },
    },
    {
      name: "sort",
      does: "to sort",
      run: async () => {
        list.isByName = !list.isByName;
        return list.items;
      },
    },
    {
      name: "path",
      does: "to show files",
      run: async () => {
        list.hasPaths = !list.hasPaths;
        return list.items;
      },
    },
  ];
}
