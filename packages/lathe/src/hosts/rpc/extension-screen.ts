// What extensions show, as frames for the host.

import type { ExtensionDialogOptions, ExtensionLines } from "../../platform/extension-api/index.ts";
import type { ExtensionScreen } from "../../platform/extension-api/screen.ts";
import type { HostPerson } from "./person.ts";

const NEVER = new AbortController().signal;

export function rpcScreen(person: HostPerson): ExtensionScreen {
  const until = ({ signal = NEVER }: ExtensionDialogOptions = {}): AbortSignal => signal;
  const text = (reply: Awaited<ReturnType<HostPerson["dialog"]>>): string | undefined =>
    typeof reply?.value === "string" ? reply.value : undefined;
  return {
    select: async (title, options, dialog) =>
      text(await person.dialog({ method: "select", title, options: [...options] }, until(dialog), dialog?.timeout)),
    confirm: async (title, message = "", dialog) =>
      (await person.dialog({ method: "confirm", title, message }, until(dialog), dialog?.timeout))?.confirmed === true,
    input: async (title, placeholder = "", dialog) =>
      text(await person.dialog({ method: "input", title, placeholder }, until(dialog), dialog?.timeout)),
    editor: async (title, prefill = "") => text(await person.dialog({ method: "editor", title, prefill }, NEVER)),
    notify: (message, notifyType = "info") => person.sign({ method: "notify", message, notifyType }),
    setStatus: (statusKey, statusText) =>
      person.sign({ method: "setStatus", statusKey, ...(statusText === undefined ? {} : { statusText }) }),
    setWidget: (widgetKey, lines) =>
      person.sign({ method: "setWidget", widgetKey, ...(lines === undefined ? {} : { widgetLines: plain(lines) }) }),
    setTitle: (title) => person.setTitle(title),
    setEditorText: (value) => person.sign({ method: "set_editor_text", text: value }),
    conversation: () => person.conversation?.(),
    shutdown: () => person.shutdown(),
  };
}

const plain = (lines: ExtensionLines): string[] =>
  typeof lines === "string" ? lines.split("\n") : lines.map((line) => (typeof line === "string" ? line : line.text));
