// A choice that a command offers. Hosts that can draw show a list to move in and search; for the others the items are numbered lines
// and one question.

import type { CommandView } from "./command.ts";

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
  readonly name: "rename" | "delete" | "sort" | "path";
  /** After the key, in the hint: `to rename`. */
  readonly does: string;
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
  moved?(value: T | undefined): void;
  readonly actions?: readonly ChoiceAction<T>[];
  /** Items for the words that were typed, besides those whose label fits; they may be new ones. */
  search?(words: string): Promise<readonly ChoiceItem<T>[]>;
}

/** Undefined: none. */
export async function chooseFrom<T>(
  view: Pick<CommandView, "line" | "ask" | "choose">,
  choice: Choice<T>,
): Promise<T | undefined> {
  if (view.choose) return view.choose(choice);
  const { title, items } = choice;
  for (const [i, { label, detail, disabled }] of items.entries()) {
    const rest = [detail, disabled].filter((text) => text !== undefined && text !== "").join("  ");
    view.line(`${String(i + 1).padStart(2)}  ${label}${rest === "" ? "" : `  ${rest}`}`);
  }
  for (;;) {
    const said = (await view.ask(`${title} [1-${items.length}, Enter for none]: `))?.trim() ?? "";
    const item = items[Number(said) - 1];
    if (item?.disabled === undefined) return item?.value;
    view.line(`${item.label}: ${item.disabled}.`, "yellow");
  }
}
