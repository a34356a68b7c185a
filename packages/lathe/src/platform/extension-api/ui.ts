// Dialogs, and what an extension shows outside the conversation. They work the same at a terminal and over RPC.

import type { ExtensionLines } from "./rendering.ts";

/** How long a dialog waits. */
export interface ExtensionDialogOptions {
  /** Milliseconds until the dialog returns its default: false, or undefined. */
  readonly timeout?: number | undefined;
  /** Aborting it closes the dialog, which then returns its default. */
  readonly signal?: AbortSignal | undefined;
}

/** How an extension interacts with the user. */
export interface ExtensionUi {
  /** The chosen option; undefined if the user chose none. */
  select(title: string, options: readonly string[], dialog?: ExtensionDialogOptions): Promise<string | undefined>;
  /** False unless the user said yes. */
  confirm(title: string, message?: string, dialog?: ExtensionDialogOptions): Promise<boolean>;
  /** A line of text; undefined if the user cancelled. */
  input(title: string, placeholder?: string, dialog?: ExtensionDialogOptions): Promise<string | undefined>;
  /** Text of several lines; undefined if the user cancelled. */
  editor(title: string, text?: string): Promise<string | undefined>;
  /** Shows a line once. */
  notify(message: string, kind?: "info" | "warning" | "error"): void;
  /** Shows a segment in the status line; undefined removes it. */
  setStatus(key: string, text: string | undefined): void;
  /** Shows lines above the composer; undefined removes them. */
  setWidget(key: string, lines: ExtensionLines | undefined): void;
  /** Sets the title of the terminal window. */
  setTitle(title: string): void;
  /** Puts text into the composer. */
  setEditorText(text: string): void;
  /** Changes the colours; returns false if the theme does not exist or the host has no colours. */
  setTheme(name: string): boolean;
}
