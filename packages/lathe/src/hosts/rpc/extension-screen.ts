// What extensions show, as frames for the host.

import type { ExtensionDialogOptions, ExtensionLines } from "../../platform/extension-api/index.ts";
import type { ExtensionError, ExtensionScreen } from "../../platform/extension-api/screen.ts";
import type { UiRequest, UiResponse } from "./frames.ts";

type Distribute<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
type Asking = Extract<UiRequest, { method: "select" | "confirm" | "input" | "editor" }>;
/** A dialog for the host to show. */
export type Dialog = Distribute<Asking, "type" | "id" | "timeout">;
/** Something to show that needs no answer. */
export type Sign = Distribute<Exclude<UiRequest, Asking | { method: "cancel" }>, "type" | "id">;

/** Shows dialogs and notices, and knows the conversation that extensions may switch. */
export interface DialogHost {
  /** Undefined when the host or the signal closed the dialog. */
  dialog(dialog: Dialog, signal: AbortSignal, timeoutMs?: number): Promise<UiResponse | undefined>;
  sign(sign: Sign): void;
  setTitle(title: string): void;
  fail(failure: ExtensionError): void;
  readonly conversation: ExtensionScreen["conversation"];
  shutdown(): void;
}

const NEVER = new AbortController().signal;

export function rpcScreen(host: DialogHost): ExtensionScreen {
  const until = ({ signal = NEVER }: ExtensionDialogOptions = {}): AbortSignal => signal;
  const text = (reply: UiResponse | undefined): string | undefined =>
    typeof reply?.value === "string" ? reply.value : undefined;
  return {
    select: async (title, options, dialog) =>
      text(await host.dialog({ method: "select", title, options: [...options] }, until(dialog), dialog?.timeout)),
    confirm: async (title, message = "", dialog) =>
      (await host.dialog({ method: "confirm", title, message }, until(dialog), dialog?.timeout))?.confirmed === true,
    input: async (title, placeholder = "", dialog) =>
      text(await host.dialog({ method: "input", title, placeholder }, until(dialog), dialog?.timeout)),
    editor: async (title, prefill = "") => text(await host.dialog({ method: "editor", title, prefill }, NEVER)),
    notify: (message, notifyType = "info") => host.sign({ method: "notify", message, notifyType }),
    setStatus: (statusKey, statusText) =>
      host.sign({ method: "setStatus", statusKey, ...(statusText === undefined ? {} : { statusText }) }),
    setWidget: (widgetKey, lines) =>
      host.sign({ method: "setWidget", widgetKey, ...(lines === undefined ? {} : { widgetLines: plain(lines) }) }),
    setTitle: (title) => host.setTitle(title),
    setEditorText: (value) => host.sign({ method: "set_editor_text", text: value }),
    conversation: () => host.conversation?.(),
    fail: (failure) => host.fail(failure),
    shutdown: () => host.shutdown(),
  };
}

const plain = (lines: ExtensionLines): string[] =>
  typeof lines === "string" ? lines.split("\n") : lines.map((line) => (typeof line === "string" ? line : line.text));
