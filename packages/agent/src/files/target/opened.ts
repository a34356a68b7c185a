// What a path text leads to, opened: lines of text, a picture, or something that is ready to be shown.

import type { JsonValue } from "@lathe/llm";
import type { Selector } from "./selector.ts";

export type Opened = OpenedText | OpenedImage | OpenedView;

/** A text whose lines can be shown. */
export interface OpenedText {
  readonly kind: "text";
  /** As an edit would name it. */
  readonly path: string;
  /** Without line ends. */
  readonly lines: readonly string[];
  /** 1-based number of the first of them. */
  readonly first: number;
  /** Names the whole content in hashline edits; absent for what cannot be edited. */
  readonly tag?: string | undefined;
  readonly selector?: Selector | undefined;
  /** For the model to follow: given to it whole where no part was named. */
  readonly isWhole?: boolean | undefined;
  /** Lines that are shown where the call names none; absent: as many as usual. */
  readonly most?: number | undefined;
  /** Said before the lines. */
  readonly notes: readonly string[];
  /** A file of its own on disk, which a structure can be made of. */
  readonly isPlainFile: boolean;
}

/** A picture that a model can look at. */
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
