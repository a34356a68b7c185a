// `@lathe/llm/serve`: answering the clients of other vendors.

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
