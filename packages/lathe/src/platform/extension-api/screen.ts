// The other side of `ExtensionUi`: what a host brings so that extensions can show something, and what it is told of them. Not for
// authors.

import type { ExtensionLines, ExtensionTheme } from "./rendering.ts";
import type { ExtensionUi } from "./ui.ts";

/** How a host shows what extensions want to show. Dialogs settle when their signal aborts. */
export interface ExtensionScreen extends Omit<ExtensionUi, "setTheme"> {
  setTheme?(name: string): boolean;
  /** Lines of an extension's own in the transcript. */
  showLines?(lines: ExtensionLines): void;
  /** What extensions have added for a screen, whenever that changes. Gives what cannot take effect, one line each. */
  applyAdded?(added: AddedToScreen): readonly string[];
  /** The conversation, for commands that move in it; absent where there is only one session. */
  conversation?(): ExtensionConversation | undefined;
  /** For hosts that are programs: people read the warning. */
  fail?(failure: ExtensionError): void;
  /** Ends the host when it has nothing more to do. */
  shutdown(): void;
}

/** Code of an extension failed. */
export interface ExtensionError {
  /** The file of the extension. */
  readonly extensionPath: string;
  /** The event, or what else was called. */
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
  /** How a message of this kind looks; undefined when no renderer exists, or when it failed. */
  render(kind: string, text: string): ExtensionLines | undefined;
}

/** What commands may do with a conversation. */
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
