// The host's side of `ExtensionUi`: what a host provides so that extensions can show something, and what the host
// learns from them. Not for extension authors.

import type { ExtensionLines, ExtensionTheme } from "./rendering.ts";
import type { ExtensionUi } from "./ui.ts";

/** How a host shows what extensions want to show. The promise of a dialog resolves when its signal aborts. */
export interface ExtensionScreen extends Omit<ExtensionUi, "setTheme"> {
  setTheme?(name: string): boolean;
  /** Shows lines of an extension in the transcript. */
  showLines?(lines: ExtensionLines): void;
  /**
   * Called whenever the set of keys and themes from extensions changes. Returns one line for each item that cannot take
   * effect.
   */
  applyAdded?(added: AddedToScreen): readonly string[];
  /** The conversation, for commands that move within it; absent if the host has only one session. */
  conversation?(): ExtensionConversation | undefined;
  /** For hosts that are programs; in other hosts the user reads the warning. */
  fail?(failure: ExtensionError): void;
  /** Ends the host when it has nothing more to do. */
  shutdown(): void;
}

/** A failure in the code of an extension. */
export interface ExtensionError {
  /** The extension's file. */
  readonly extensionPath: string;
  /** The event, or the name of whatever else was called. */
  readonly event: string;
  readonly error: string;
}

export interface AddedToScreen {
  readonly shortcuts: readonly {
    readonly key: string;
    readonly extension: string;
    readonly description: string;
    run(): void;
  }[];
  readonly themes: readonly ExtensionTheme[];
  /** Renders a message of this kind; undefined if no renderer exists or it failed. */
  render(kind: string, text: string): ExtensionLines | undefined;
}

/** The operations on a conversation that commands may use. */
export interface ExtensionConversation {
  submit(text: string): Promise<unknown>;
  settled(): Promise<void>;
  startNew(): Promise<{ readonly cancelled?: string }>;
  branch(entryId: string): Promise<{ readonly cancelled?: string }>;
  navigate(
    entryId: string | null,
    options?: { readonly summarize?: boolean },
  ): Promise<{ readonly cancelled?: string | undefined }>;
  compact(focus?: string): Promise<object>;
  switchModel(selector: string): Promise<unknown>;
}
