// What a command says of itself, and what it may do to the host that runs it: lines, questions and choices.

import type { Session } from "@lathe/agent";
import type { SettingKey } from "../../config/settings/schema.ts";
import type { ExitCode } from "../../platform/usage/exit.ts";

/** What a command may do besides changing the conversation. */
export interface CommandView {
  /** Width of the screen; absent where lines have no limit. */
  readonly columns?: number;
  line(text: string, style?: "dim" | "yellow"): void;
  /** One line of text; undefined when the person gave up, or the signal did. */
  ask(question: string, signal?: AbortSignal): Promise<string | undefined>;
  /** The same for a secret: a person who looks at the screen cannot read it. Absent: none can be typed here. */
  askSecret?(question: string): Promise<string | undefined>;
  /** A list to choose from, where the host can draw one; else `chooseFrom` asks by number. */
  choose?<T>(choice: Choice<T>): Promise<T | undefined>;
  /** Text that may be longer than the screen. Absent: it is printed. */
  page?(title: string, text: string): void;
  /** A unified diff that may be longer than the screen. Absent: it is printed. */
  pageDiff?(title: string, diff: string): void;
  /** The agents of the session, where the host can draw them. Absent: they are listed. */
  showAgents?(): void;
  /** The text as the user left it in their editor; undefined: as it was. Absent: no editor can be shown here. */
  edit?(name: string, text: string): Promise<string | undefined>;
  /** Puts text on the clipboard. */
  copy?(text: string): void;
  /** Says something in the person's name, as if it were typed. Absent: the command waits for the answer. */
  submit?(text: string): void;
  /** Shows the end of a resumed session. */
  showPast(session: Session): Promise<void>;
  /** Puts text before the person, to be edited and sent. */
  prefill(text: string): void;
  /** Lets a changed setting take effect on the screen; false: it is read at the next start. Absent: there is no screen. */
  applySetting?(key: SettingKey): boolean;
  /** Ends the host. */
  leave(code: ExitCode): void;
}

export interface ChoiceItem<T> {
  readonly value: T;
  /** One line. */
  readonly label: string;
  readonly detail?: string;
  /** Shown below the list while the pointer is on it. */
  readonly description?: string;
  /** Why it cannot be chosen now. */
  readonly disabled?: string;
}

/** What can be done to an item besides choosing it. Only hosts that draw a list have keys for it. */
export interface ChoiceAction<T> {
  readonly name: "rename" | "delete" | "sort" | "path" | "filter" | "filterBack" | `filter.${string}`;
  /** What the key does, in the hint: `to rename`. Absent: the hint does not name it. */
  readonly does?: string;
  /** It changes the list, not the item, and is possible when the list is empty. */
  readonly isForList?: true;
  /** Gives the items as they are then. */
  run(value: T, view: Required<Pick<CommandView, "ask" | "choose">>): Promise<readonly ChoiceItem<T>[]>;
}

export interface Choice<T> {
  readonly title: string;
  readonly items: readonly ChoiceItem<T>[];
  /** Index of the item to begin with. */
  readonly current?: number;
  /** What the item under the cursor is about, in a few lines. */
  preview?(value: T): Promise<string> | string;
  /** The preview is markdown. */
  readonly previewsMarkdown?: boolean;
  /** The cursor is on this item now; undefined when the list was closed without a choice. */
  onMove?(value: T | undefined): void;
  readonly actions?: readonly ChoiceAction<T>[];
  /** Items for the words that were typed, besides those whose label fits; they may be new ones. */
  search?(words: string): Promise<readonly ChoiceItem<T>[]>;
}

/** What every command says of itself. `T`: what it may do to the conversation. */
export interface CommandHead<T> {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** As help shows them, such as `[provider/id]`. */
  readonly arguments?: string;
  readonly description: string;
  /** May run while the agent works. */
  readonly whileWorking?: boolean;
  /** What is typed after it is meant for its questions, and must not be sent to a model. */
  readonly takesSecrets?: boolean;
  /** Only until the session brings a command of this name. */
  readonly yields?: boolean;
  /** Values that begin with what was typed. */
  complete?(conversation: T, typed: string): Promise<readonly string[]> | readonly string[];
}

/** Does something for the person, in hosts that have one. */
export interface ActingCommand<T> extends CommandHead<T> {
  run(conversation: T, argument: string, view: CommandView): Promise<void> | void;
}
