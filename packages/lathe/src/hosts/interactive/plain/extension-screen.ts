// What extensions show in plain mode: dialogs as questions, messages as lines. Widgets and statuses are left out.

import { chooseFrom } from "../../../conversation/commands/choice.ts";
import type { ExtensionScreen } from "../../../platform/extension-api/screen.ts";
import { EXIT } from "../../../platform/usage/exit.ts";
import type { HostView } from "../host-view.ts";

const STYLES = { info: "dim", warning: "yellow", error: "red" } as const;

export function plainScreen(view: HostView): ExtensionScreen {
  const ask = (question: string, signal?: AbortSignal): Promise<string | undefined> => view.ask(question, signal);
  return {
    select: async (title, options, { signal } = {}) =>
      chooseFrom(
        { line: (text) => view.line(text), ask: (question) => ask(question, signal) },
        { title, items: options.map((option) => ({ value: option, label: option })) },
      ),
    confirm: async (title, message = "", { signal } = {}) =>
      /^y(es)?$/i.test((await ask(`${[title, message].filter((text) => text !== "").join(" ")} [y/N]`, signal)) ?? ""),
    input: (title, placeholder = "", { signal } = {}) =>
      ask(placeholder === "" ? title : `${title} (${placeholder})`, signal),
    editor: (title) => ask(title),
    notify: (message, kind = "info") => view.line(message, STYLES[kind] ?? "dim"),
    setStatus: () => {},
    setWidget: () => {},
    setTitle: () => {},
    setEditorText: (text) => view.prefill(text),
    showLines: (lines) => {
      for (const line of typeof lines === "string" ? lines.split("\n") : lines)
        view.line(typeof line === "string" ? line : line.text);
    },
    shutdown: () => view.leave(EXIT.done),
  };
}
