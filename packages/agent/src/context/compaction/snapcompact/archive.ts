// Older history as images: messages and tool output are printed, not summarised, and no model is asked. Loaded when a
// compaction of this kind is made.

import type { Message, ModelInfo } from "@lathe/llm";
import type { PicturedHistory } from "../../../contract/journal.ts";
import { IMAGE_TOKENS } from "../../message-size.ts";
import pictures from "../prompts/pictures.md";
import { pieces } from "../serialize.ts";
import { Frames } from "./frame.ts";
import { shapeFor } from "./shapes.ts";
import { typeset } from "./typeset.ts";

export interface ArchiveInput {
  /** Oldest first. */
  readonly messages: readonly Message[];
  /** Tokens that the messages take. */
  readonly tokens: number;
  /** Notes of an earlier compaction, which cover what came before the messages. */
  readonly previous: string | undefined;
  /** Images of earlier compactions. */
  readonly earlier: PicturedHistory | undefined;
  readonly model: ModelInfo | undefined;
  /** How many tokens all images together may take. */
  readonly room: number;
}

export interface Archive {
  readonly history: PicturedHistory;
  /** Tells the model how to read the images. */
  readonly guide: string;
}

const MOST_FRAMES = 8;
/** The first image is pinned, so fewer could show nothing new. */
const LEAST_FRAMES = 2;
/** If a larger share of the characters must be spelled as code points, the images are hard to read. */
const MOST_UNKNOWN = 0.02;

/** `problem`: why the history cannot be kept in this way. */
export function archive(input: ArchiveInput): Archive | { readonly problem: string } {
  const { model, messages, previous, tokens } = input;
  if (!model?.supportsVision) return { problem: "the model cannot read pictures" };
  const most = Math.min(MOST_FRAMES, Math.floor(input.room / IMAGE_TOKENS));
  if (most < LEAST_FRAMES) return { problem: "the context window is too small for pictures" };
  const shape = shapeFor(model.api);
  const head = previous === undefined ? [] : [{ text: `[Summary of earlier history]: ${previous}`, isOutput: false }];
  const text = typeset([...head, ...messages.flatMap((message) => pieces(message))], shape.bySentence);
  if (text.unknown > MOST_UNKNOWN) return { problem: "too many of its characters cannot be printed" };
  const frames = new Frames(text, shape);
  const { frames: old = [], dropped = 0 } = input.earlier ?? {};
  const kept = keptPages(old.length + frames.count, most);
  const fresh = kept.filter((page) => page >= old.length).map((page) => page - old.length);
  if (fresh.length * IMAGE_TOKENS >= tokens) return { problem: "pictures would take more room than the messages" };
  const history = {
    frames: [...kept.filter((page) => page < old.length).map((page) => old[page]!), ...frames.draw(fresh)],
    dropped: dropped + old.length + frames.count - kept.length,
  };
  return { history, guide: guideTo(history) };
}

/** The first page, which says how everything began, and the newest ones. */
function keptPages(count: number, most: number): number[] {
  const all = Array.from({ length: count }, (_, page) => page);
  return count <= most ? all : [0, ...all.slice(count - most + 1)];
}

function guideTo({ frames, dropped }: PicturedHistory): string {
  const gap =
    dropped === 0
      ? ""
      : `\n\n${dropped} more between the first and the second were left out; their text can be recalled.`;
  return `${pictures.trim().replace("{{count}}", String(frames.length))}${gap}`;
}
