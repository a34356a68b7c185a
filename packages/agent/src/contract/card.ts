// How a call reads for a person, before, while and after it runs: made by the tool itself, drawn by hosts that know no tool. Plain
// data, so that it can be made again from a journalled call and its result.

import type { JsonObject } from "@lathe/llm";
import type { FileChange } from "./changes.ts";

/** A call in the transcript of a person. Texts come as they are; hosts make them fit to be shown. */
export interface Card {
  /** What is done, or was done: "Running", "Ran", "Edited". */
  readonly verb: string;
  /** What it is done to: a command, a path, a pattern. */
  readonly subject: string;
  /** The subject names files: a host shows those of its working directory without it. */
  readonly namesFiles?: boolean | undefined;
  /** What came of it, in a few words: "exit 1", "+2 -1", "12 matches". */
  readonly outcome?: string | undefined;
  /** The call worked, but what it tells of has failed: a child agent, a job. */
  readonly failed?: boolean | undefined;
  readonly body?: CardBody | undefined;
  /** Calls of a group that follow one another can be told in one line. */
  readonly group?: "explored" | undefined;
  /** It runs while a person is asked, and takes as long as they do. A host that shows the question need not show the card beside it. */
  readonly asks?: boolean | undefined;
  /** While it runs, the user may send it to the background. */
  readonly canDetach?: boolean | undefined;
}

/** What a card shows below its headline. `collapsed`: how many lines of it until a person asks for more. */
export type CardBody =
  /** Output; while the call runs, what has come so far. `keeps`: which end matters. */
  | { readonly kind: "output"; readonly text: string; readonly keeps: "head" | "tail"; readonly collapsed: number }
  /** `brief`: what is shown instead of all until a person asks for more. */
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

/** What a card may know of how the call ended. */
export interface CardResult {
  /** As the model got it, without what tells it where the rest of a long output is. */
  readonly text: string;
  readonly isError: boolean;
  /** The tool's own; empty when it gave none. */
  readonly details: JsonObject;
  readonly changes: readonly FileChange[];
}
