// What describes a command, and what a command may do to the host that runs it: print lines, ask questions, offer
// choices.

import type { Session } from "@lathe/agent";
import type { SettingKey } from "../../config/settings/schema.ts";
import type { ExitCode } from "../../platform/usage/exit.ts";

/** What a command may do in the host. */
export interface CommandView {
  /** Width of the screen; absent if lines have no limit. */
  readonly columns?: number;
  line(text: string, style?: "dim" | "yellow"): void;
  /** Asks for one line of text; undefined when the user cancelled or the signal aborted. */
  ask(question: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Asks for a secret, which the screen does not show. Absent: no secret can be typed here. */
  askSecret?(question: string): Promise<string | undefined>;
  /** Shows a list to choose from. Absent: `chooseFrom` prints it and asks for a number. */
  choose?<T>(choice: Choice<T>): Promise<T | undefined>;
  /** Shows text that may be longer than the screen. Absent: the text is printed. */
  page?(title: string, text: string): void;
  /** Shows a unified diff that may be longer than the screen. Absent: the diff is printed. */
  pageDiff?(title: string, diff: string): void;
  /** Shows the agents of the session. Absent: they are listed. */
  showAgents?(): void;
  /**
   * Opens the text in the user's editor and returns the result; undefined: unchanged. Absent: this host cannot open an
   * editor.
   */
  edit?(name: string, text: string): Promise<string | undefined>;
  /** Puts text on the clipboard. */
  copy?(text: string): void;
  /** Sends a message as if the user had typed it. Absent: the command submits it and waits for the answer. */
  submit?(text: string): void;
  /** Shows the end of a resumed session. */
  showPast(session: Session): Promise<void>;
  /** Puts text into the input, where the user can edit and send it. */
  prefill(text: string): void;
  /** Applies a changed setting to the screen; false: it is read at the next start. Absent: there is no screen. */
  applySetting?(key: SettingKey): boolean;
  /** Ends the host. */
  leave(code: ExitCode): void;
}

export interface ChoiceItem<T> {
  readonly value: T;
  /** A single line. */
  readonly label: string;
  readonly detail?: string;
  /** Shown below the list while the item is selected. */
  readonly description?: string;
  /** Why the item cannot be chosen now. */
  readonly disabled?: string;
}

/** What the user can do with an item besides choosing it. Only hosts that draw a list have keys for this. */
export interface ChoiceAction<T> {
  readonly name: "rename" | "delete" | "sort" | "path" | "filter" | "filterBack" | `filter.${string}`;
  /** What the key does, for the hint line: `to rename`. Absent: the hint does not mention it. */
  readonly does?: string;
  /** The action changes the list, not an item, and works on an empty list too. */
  readonly isForList?: true;
  /** Runs the action and returns the new items. */
  run(value: T, view: Required<Pick<CommandView, "ask" | "choose">>): Promise<readonly ChoiceItem<T>[]>;
}

export interface Choice<T> {
  readonly title: string;
  readonly items: readonly ChoiceItem<T>[];
  /** Index of the item that is selected first. */
  readonly current?: number;
  /** A few lines about the selected item. */
  preview?(value: T): Promise<string> | string;
  /** The preview is markdown. */
  readonly previewsMarkdown?: boolean;
  /** Called when the selection moves; undefined when the list was closed without a choice. */
  onMove?(value: T | undefined): void;
  readonly actions?: readonly ChoiceAction<T>[];
  /** Items for the typed words, besides those whose label matches; they need not be in `items`. */
  search?(words: string): Promise<readonly ChoiceItem<T>[]>;
}

/** What every command declares. `T` is the conversation it works on. */
export interface CommandHead<T> {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** The arguments as help shows them, such as `[provider/id]`. */
  readonly arguments?: string;
  readonly description: string;
  /** May run while the agent works. */
  readonly whileWorking?: boolean;
  /** The rest of the line may be a secret: it is never sent to a model. */
  readonly takesSecrets?: boolean;
  /** A command that the session brings under the same name replaces this one. */
  readonly yields?: boolean;
  /** Values that begin with the typed text. */
  complete?(conversation: T, typed: string): Promise<readonly string[]> | readonly string[];
}

/** A command that acts in the host instead of sending a prompt. */
export interface ActingCommand<T> extends CommandHead<T> {
  run(conversation: T, argument: string, view: CommandView): Promise<void> | void;
}
