// Dialogs, and what an extension shows beside the conversation. The same at a terminal and over RPC.

import type { ExtensionLines } from "./rendering.ts";

/** How long a dialog waits. */
export interface ExtensionDialogOptions {
  /** Milliseconds after which the dialog gives its default: false, or undefined. */
  readonly timeout?: number | undefined;
  /** Closes the dialog; it gives its default. */
  readonly signal?: AbortSignal | undefined;
}

/** How an extension speaks with people. */
export interface ExtensionUi {
  /** One of the options; undefined when none was chosen. */
  select(title: string, options: readonly string[], dialog?: ExtensionDialogOptions): Promise<string | undefined>;
  /** False unless the user said yes. */
  confirm(title: string, message?: string, dialog?: ExtensionDialogOptions): Promise<boolean>;
  /** A line of text; undefined when it was given up. */
  input(title: string, placeholder?: string, dialog?: ExtensionDialogOptions): Promise<string | undefined>;
  /** Text of several lines; undefined when it was given up. */
  editor(title: string, text?: string): Promise<string | undefined>;
  /** A line that is shown once. */
  notify(message: string, kind?: "info" | "warning" | "error"): void;
  /** A part of the line at the bottom; undefined removes it. */
  setStatus(key: string, text: string | undefined): void;
  /** Lines above the composer; undefined removes them. */
  setWidget(key: string, lines: ExtensionLines | undefined): void;
  /** The title of the terminal's window. */
  setTitle(title: string): void;
  /** Puts text into the composer. */
  setEditorText(text: string): void;
  /** Changes the colours; false when there is no such theme or nothing to colour. */
  setTheme(name: string): boolean;
}
