// What the keys do at the terminal, besides editing and choosing. Every action can be given other keys in keybindings.json.

import { isJsonObject, parseJson } from "@lathe/llm";
import { type Action, Bindings, EDITOR_ACTIONS, SELECT_ACTIONS } from "@lathe/tui";
import type { ChoiceAction } from "../../conversation/commands/command-view.ts";
import { readIfThere } from "../../platform/home/small-file.ts";

const app = <Id extends string>(id: Id, description: string, ...chords: string[]) =>
  ({ id: `app.${id}`, description, chords, context: "app" }) as const satisfies Action;

export const APP_ACTIONS = [
  app("interrupt", "Stop the work; twice, when nothing runs: go back to an earlier message", "escape"),
  app("clear", "Clear the input; when it is empty, stop the work; twice: leave", "ctrl+c"),
  app("exit", "Leave, when the input is empty; while it works: when pressed twice", "ctrl+d"),
  app("suspend", "Put Lathe into the background of the shell", "ctrl+z"),
  app("permission.cycle", "Next permission mode", "shift+tab"),
  app("thinking.cycle", "Next thinking level", "ctrl+t"),
  app("thinking.toggle", "Show or fold what the model thinks", "alt+t"),
  app("model.cycle", "Next model", "ctrl+p"),
  app("model.cycleBackward", "Previous model", "shift+ctrl+p"),
  app("model.select", "Choose a model", "ctrl+l"),
  app("tools.expand", "Show everything in a viewer", "ctrl+o"),
  app("background", "Send the running command to the background", "ctrl+b"),
  app("editor.external", "Edit the input in $VISUAL or $EDITOR", "ctrl+g"),
  app("message.followUp", "Send when the present work is done", "alt+enter", "ctrl+enter"),
  app("message.dequeue", "Edit what waits to be sent", "alt+up"),
  app("message.sendNow", "Stop the work and send what waits now", "ctrl+s"),
  app("clipboard.pasteImage", "Attach the picture on the clipboard", "ctrl+v"),
  app("clipboard.copyPrompt", "Copy the input", "alt+shift+c"),
  app("clipboard.copyAnswer", "Copy the last answer", "alt+shift+l"),
  app("history.search", "Search earlier prompts", "ctrl+r"),
  app("plan.toggle", "Plan mode on and off", "alt+shift+p"),
  app("todo", "Show the task list", "alt+shift+t"),
  app("jobs", "Show background jobs", "alt+j"),
  app("agents", "Show the agents of this session", "alt+a"),
  app("session.new", "Start a new session"),
  app("session.tree", "Show the session's tree"),
  app("session.fork", "Continue in a copy of this session"),
  app("session.resume", "Continue an earlier session"),
  app("help", "Show the keys", "f1"),
] as const;

const list = (id: ChoiceAction<unknown>["name"], description: string, chord: string): Action => ({
  id: `app.list.${id}`,
  description,
  chords: [chord],
  context: "list",
});

/** In lists whose items can be changed, such as that of sessions. */
export const LIST_ACTIONS: readonly Action[] = [
  list("rename", "Rename the session, or label the entry, at the pointer", "ctrl+r"),
  list("delete", "Delete the session at the pointer, after a question", "ctrl+d"),
  list("sort", "Sort sessions by name, or newest first", "ctrl+s"),
  list("path", "Show the files of sessions", "ctrl+p"),
  list("filter", "Next filter of the session's tree", "ctrl+o"),
  list("filterBack", "Previous filter of the session's tree", "shift+ctrl+o"),
  list("filter.default", "The session's tree without bookkeeping", "alt+d"),
  list("filter.no-tools", "The session's tree without tool calls", "alt+t"),
  list("filter.user-only", "Only your messages of the session's tree", "alt+u"),
  list("filter.labeled-only", "Only labelled entries of the session's tree", "alt+l"),
  list("filter.all", "Everything in the session's tree", "alt+a"),
];

const hub = <Id extends string>(id: Id, description: string, chord: string) =>
  ({ id: `app.agents.${id}`, description, chords: [chord], context: "agents" }) as const satisfies Action;

/** In the list of agents. */
export const HUB_ACTIONS = [
  hub("send", "Send a message to the agent at the pointer", "enter"),
  hub("stop", "Stop what the agent at the pointer does, after a question", "s"),
  hub("stopAll", "Stop all agents that are at work, after a question", "x"),
  hub("revive", "Open the session of a parked agent again", "r"),
  hub("transcript", "Show what the agent at the pointer said and did", "o"),
] as const;

export type HubAction = (typeof HUB_ACTIONS)[number]["id"];
export type AppAction = (typeof APP_ACTIONS)[number]["id"];

export const ALL_ACTIONS: readonly Action[] = [
  ...APP_ACTIONS,
  ...LIST_ACTIONS,
  ...HUB_ACTIONS,
  ...EDITOR_ACTIONS,
  ...SELECT_ACTIONS,
];

export interface LoadedBindings {
  readonly bindings: Bindings;
  /** One line each. */
  readonly problems: readonly string[];
}

/** Read before the first paint: the first key may be one that was remapped. */
export function loadBindings(file: string): LoadedBindings {
  const remaps = remapsIn(file);
  if (typeof remaps === "string") return { bindings: new Bindings(ALL_ACTIONS), problems: [remaps] };
  const bindings = new Bindings(ALL_ACTIONS, remaps);
  return { bindings, problems: [...bindings.problems, ...conflictsAmong(bindings, Object.keys(remaps))] };
}

/** Chords that the person gave to several actions of one place. A default that lost its chord to them is none. */
function conflictsAmong(bindings: Bindings, remapped: readonly string[]): string[] {
  const chosen = new Set(remapped.map((id) => id.toLowerCase()));
  return bindings.conflicts().flatMap(({ chord, actions }) => {
    const [winner, ...others] = actions.filter((id) => chosen.has(id.toLowerCase()));
    return others.length === 0 ? [] : [`Keybinding "${chord}" is ${winner}; ${others.join(", ")} cannot have it, too.`];
  });
}

/** A text is what is wrong with the file. */
function remapsIn(file: string): Record<string, string | readonly string[]> | string {
  const wrong = `${file} takes no effect: it must be a JSON object of actions and keys, such as {"app.plan.toggle": "f8"}.`;
  const remaps = parseJson(readIfThere(file) ?? "{}");
  if (!isJsonObject(remaps)) return wrong;
  const isChords = (value: unknown): boolean =>
    typeof value === "string" || (Array.isArray(value) && value.every((chord) => typeof chord === "string"));
  if (!Object.values(remaps).every(isChords)) return wrong;
  return remaps as Record<string, string | readonly string[]>;
}
