// The format of images for each vendor: what its models read best at a size that the vendor does not shrink.

import type { Api, ImageData } from "@lathe/llm";
import { type CellStyle, SIDES } from "./cells.ts";

export interface FrameShape {
  readonly cell: CellStyle;
  /** True if each sentence has another colour than its neighbours. */
  readonly bySentence: boolean;
  readonly detail?: ImageData["detail"];
}

/** Pixels on each side. Anthropic shrinks larger squares before its models see them, and small letters get lost. */
const MOST_SIDE = 1088;

const PLAIN: FrameShape = { cell: "plain", bySentence: false };
const GOOGLE: FrameShape = { cell: "plain", bySentence: true };
const OPENAI: FrameShape = { cell: "stretched", bySentence: false, detail: "original" };

const SHAPES: Readonly<Partial<Record<Api, FrameShape>>> = {
  "openai-responses": OPENAI,
  "openai-codex-responses": OPENAI,
  "azure-openai-responses": OPENAI,
  "google-generative-ai": GOOGLE,
  "google-vertex": GOOGLE,
  "google-gemini-cli": GOOGLE,
};

export const shapeFor = (api: Api | undefined): FrameShape => (api && SHAPES[api]) ?? PLAIN;

/** The number of columns of a full image. */
export const columnsOf = ({ cell }: FrameShape): number => Math.floor(MOST_SIDE / SIDES[cell]);
