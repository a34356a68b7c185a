// The opened target of a path text: lines of text, a picture, or something ready to show.

import type { JsonValue } from "@lathe/llm";
import type { Selector } from "./selector.ts";

export type Opened = OpenedText | OpenedImage | OpenedView;

/** A text whose lines can be shown. */
export interface OpenedText {
  readonly kind: "text";
  /** The path as an edit would name it. */
  readonly path: string;
  /** Without line ends. */
  readonly lines: readonly string[];
  /** 1-based number of the first line. */
  readonly first: number;
  /** Identifies the whole content in hashline edits; absent if it cannot be edited. */
  readonly tag?: string | undefined;
  readonly selector?: Selector | undefined;
  /** Instructions for the model, shown whole if no part was requested. */
  readonly isWhole?: boolean | undefined;
  /** Number of lines shown if the call names none; absent for the usual limit. */
  readonly most?: number | undefined;
  /** Shown before the lines. */
  readonly notes: readonly string[];
  /** A regular file on disk, for which an outline can be made. */
  readonly isPlainFile: boolean;
}

/** A picture that a model can see. */
export interface OpenedImage {
  readonly kind: "image";
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly notes: readonly string[];
  readonly isOfWeb?: boolean | undefined;
}

export interface OpenedView {
  readonly kind: "shown";
  readonly path: string;
  readonly text: string;
  readonly details?: JsonValue | undefined;
}

export function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
