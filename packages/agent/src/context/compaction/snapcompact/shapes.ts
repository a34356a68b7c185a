// How pictures look for the models of a vendor: what its models read best at the size that it does not shrink.

import type { Api, ImageData } from "@lathe/llm";
import { type CellStyle, SIDES } from "./cells.ts";

export interface FrameShape {
  readonly cell: CellStyle;
  /** Each sentence has another colour than its neighbours. */
  readonly bySentence: boolean;
  readonly detail?: ImageData["detail"];
}

/** Pixels on each side. Anthropic makes larger squares smaller before its models see them, and small letters are lost. */
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

/** The number of columns of a full picture. */
export const columnsOf = ({ cell }: FrameShape): number => Math.floor(MOST_SIDE / SIDES[cell]);
