// `@lathe/llm/serve`: answering the clients of other vendors.

import { servedChat } from "./chat/index.ts";
import { servedMessages } from "./messages/index.ts";
import { servedResponses } from "./responses/index.ts";
import { servedStream } from "./stream/index.ts";
import type { ServedFormat } from "./types.ts";

export { mergeDeltas } from "../stream/throttle.ts";
export { fitRequest, warningHeaders } from "./fit.ts";
export { largestAnswer } from "./largest.ts";
export type {
  AnswerContext,
  AnswerEncoder,
  Decoded,
  Dropped,
  FormatName,
  Refusal,
  RefusalKind,
  ServedError,
  ServedFormat,
  ServedRequest,
  Target,
  Wishes,
} from "./types.ts";

/** The formats that a server speaks, one path each. */
export const servedFormats: readonly ServedFormat[] = [servedChat, servedMessages, servedResponses, servedStream];
