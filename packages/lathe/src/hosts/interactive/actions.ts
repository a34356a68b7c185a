// What the keys do at the terminal, apart from editing and choosing. keybindings.json can give every action other keys.

import { isJsonObject, parseJson } from "@lathe/llm";
import { type Action, Bindings, EDITOR_ACTIONS, SELECT_ACTIONS } from "@lathe/tui";
import type { ChoiceAction } from "../../conversation/commands/command-view.ts";
import { readIfThere } from "../../platform/home/small-file.ts";

const app = <Id extends string>(id: Id, description: string, ...chords: string[]) =>
  ({ id: `app.${id}`, description, chords, context: "app" }) as const satisfies Action;

export const APP_ACTIONS = [
  app("interrupt", "Stop; press twice when idle to go back to an earlier message", "escape"),
  app("clear", "Clear the input; if it is empty, stop; press twice to quit", "ctrl+c"),
  app("exit", "Quit if the input is empty; press twice while the agent works", "ctrl+d"),
  app("suspend", "Suspend Lathe", "ctrl+z"),
  app("permission.cycle", "Next permission mode", "shift+tab"),
  app("thinking.cycle", "Next thinking level", "ctrl+t"),
  app("thinking.toggle", "Show or hide thinking", "alt+t"),
  app("model.cycle", "Next model", "ctrl+p"),
  app("model.cycleBackward", "Previous model", "shift+ctrl+p"),
  app("model.select", "Choose a model", "ctrl+l"),
  app("tools.expand", "Show the whole transcript", "ctrl+o"),
  app("background", "Send the running command to the background", "ctrl+b"),
  app("editor.external", "Edit the input in $VISUAL or $EDITOR", "ctrl+g"),
  app("message.followUp", "Queue the message until the agent is done", "alt+enter", "ctrl+enter"),
  app("message.dequeue", "Edit queued messages", "alt+up"),
  app("message.sendNow", "Stop and send queued messages now", "ctrl+s"),
  app("clipboard.pasteImage", "Attach the image on the clipboard", "ctrl+v"),
  app("clipboard.copyPrompt", "Copy the input", "alt+shift+c"),
  app("clipboard.copyAnswer", "Copy the last answer", "alt+shift+l"),
  app("history.search", "Search earlier prompts", "ctrl+r"),
  app("plan.toggle", "Turn plan mode on or off", "alt+shift+p"),
  app("todo", "Show the task list", "alt+shift+t"),
  app("jobs", "Show background jobs", "alt+j"),
  app("agents", "Show the agents", "alt+a"),
  app("session.new", "Start a new session"),
  app("session.tree", "Show the session tree"),
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

/** Actions of lists whose items can be changed, such as the list of sessions. */
export const LIST_ACTIONS: readonly Action[] = [
  list("rename", "Rename the selected session, or label the selected entry", "ctrl+r"),
  list("delete", "Delete the selected session (asks first)", "ctrl+d"),
  list("sort", "Sort sessions by name or by date", "ctrl+s"),
  list("path", "Show the paths of session files", "ctrl+p"),
  list("filter", "Next filter of the session tree", "ctrl+o"),
  list("filterBack", "Previous filter of the session tree", "shift+ctrl+o"),
  list("filter.default", "Session tree: messages and tool calls", "alt+d"),
  list("filter.no-tools", "Session tree: no tool calls", "alt+t"),
  list("filter.user-only", "Session tree: only your messages", "alt+u"),
  list("filter.labeled-only", "Session tree: only labelled entries", "alt+l"),
  list("filter.all", "Session tree: everything", "alt+a"),
];

const hub = <Id extends string>(id: Id, description: string, chord: string) =>
  ({ id: `app.agents.${id}`, description, chords: [chord], context: "agents" }) as const satisfies Action;

/** Actions in the list of agents. */
export const HUB_ACTIONS = [
  hub("send", "Send a message to the selected agent", "enter"),
  hub("stop", "Stop the selected agent (asks first)", "s"),
  hub("stopAll", "Stop all running agents (asks first)", "x"),
  hub("revive", "Reopen the session of a parked agent", "r"),
  hub("transcript", "Show the transcript of the selected agent", "o"),
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
  /** One line per problem. */
  readonly problems: readonly string[];
}

/** Loaded before the first paint, because the first key may be remapped. */
export function loadBindings(file: string): LoadedBindings {
  const remaps = remapsIn(file);
  if (typeof remaps === "string") return { bindings: new Bindings(ALL_ACTIONS), problems: [remaps] };
  const bindings = new Bindings(ALL_ACTIONS, remaps);
  return { bindings, problems: [...bindings.problems, ...conflictsAmong(bindings, Object.keys(remaps))] };
}

/** Chords that the user gave to several actions of one context. Default keys are no conflict: they lose the chord. */
function conflictsAmong(bindings: Bindings, remapped: readonly string[]): string[] {
  const chosen = new Set(remapped.map((id) => id.toLowerCase()));
  return bindings.conflicts().flatMap(({ chord, actions }) => {
    const [winner, ...others] = actions.filter((id) => chosen.has(id.toLowerCase()));
    return others.length === 0 ? [] : [`Keybinding "${chord}" is ${winner}; ${others.join(", ")} cannot use it too.`];
  });
}

/** The remapped keys; a string describes what is wrong with the file. */
function remapsIn(file: string): Record<string, string | readonly string[]> | string {
  const wrong = `${file} has no effect: it must be a JSON object of actions and keys, such as {"app.plan.toggle": "f8"}.`;
  const remaps = parseJson(readIfThere(file) ?? "{}");
  if (!isJsonObject(remaps)) return wrong;
  const isChords = (value: unknown): boolean =>
    typeof value === "string" || (Array.isArray(value) && value.every((chord) => typeof chord === "string"));
  if (!Object.values(remaps).every(isChords)) return wrong;
  return remaps as Record<string, string | readonly string[]>;
}
