// How a call is shown to a person before, while and after it runs. The tool itself makes the card; hosts draw it
// without knowing the tool. Cards are plain data, so they can be made again from a journalled call and its result.

import type { JsonObject } from "@lathe/llm";
import type { FileChange } from "./changes.ts";

/** A call in the transcript. The texts are raw; hosts make them safe to display. */
export interface Card {
  /** The action: "Running", "Ran", "Edited". */
  readonly verb: string;
  /** What the action applies to: a command, a path, a pattern. */
  readonly subject: string;
  /** The subject is a file name; hosts show paths relative to the working directory. */
  readonly namesFiles?: boolean | undefined;
  /** The outcome in a few words: "exit 1", "+2 -1", "12 matches". */
  readonly outcome?: string | undefined;
  /** The call succeeded, but what it reports on (a child agent, a job) failed. */
  readonly failed?: boolean | undefined;
  readonly body?: CardBody | undefined;
  /** Hosts may merge consecutive calls of a group into one line. */
  readonly group?: "explored" | undefined;
  /**
   * The call asks the user something and waits for the answer. A host that shows the question need not also show the
   * card.
   */
  readonly asks?: boolean | undefined;
  /** The user may send the call to the background while it runs. */
  readonly canDetach?: boolean | undefined;
}

/** What a card shows below its headline. `collapsed`: the number of lines shown until the user expands it. */
export type CardBody =
  /** Output; while the call runs, the output so far. `keeps`: which end matters. */
  | { readonly kind: "output"; readonly text: string; readonly keeps: "head" | "tail"; readonly collapsed: number }
  /** `brief`: the short version that is shown until the user expands the card. */
  | {
      readonly kind: "lines";
      readonly lines: readonly CardLine[];
      readonly collapsed: number;
      readonly brief?: readonly CardLine[] | undefined;
    }
  | { readonly kind: "diff"; readonly files: readonly CardDiff[]; readonly collapsed: number }
  | { readonly kind: "markdown"; readonly text: string; readonly collapsed: number };

/** One line of a list; `kind` says how to show it. */
export interface CardLine {
  readonly text: string;
  readonly kind?: "heading" | "note" | "open" | "current" | "done" | "dropped" | undefined;
}

/** How a file was changed: hunks of a unified diff. */
export interface CardDiff {
  readonly path: string;
  readonly diff: string;
}

/** The part of a result that a card may use. */
export interface CardResult {
  /** The text that the model got, without the note on where to find the rest of a long output. */
  readonly text: string;
  readonly isError: boolean;
  /** The tool's details; empty if it gave none. */
  readonly details: JsonObject;
  readonly changes: readonly FileChange[];
}
