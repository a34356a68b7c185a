// @lathe/agent/base: text, limits and blobs, on which the other rooms build.

export { type BlobGcOptions, type BlobGcResult, collectBlobs } from "./base/blobs/gc.ts";
export {
  type Amounts,
  type BudgetDimension,
  Ledger,
  limitText,
  NO_AMOUNTS,
  NO_USAGE,
  type RequestAmounts,
  type SettledShare,
} from "./base/budget/ledger.ts";
export { answerRoom, type CutAnswer, uncertainBill } from "./base/budget/request-bounds.ts";
export { isMissingPackage, missingPackage } from "./base/optional-package.ts";
export { Bm25, type Bm25Options, type Ranked, type WeightedText } from "./base/text/bm25.ts";
export { textOfContent } from "./base/text/content.ts";
export { oneLine } from "./base/text/one-line.ts";
export { sentence } from "./base/text/sentence.ts";
export { visibleLine, visibleName, visibleText } from "./base/text/visible.ts";
export { abortAfter } from "./base/time/abort-after.ts";
export { type LimitOverrides, type OutputLimit, outputLimit, type TruncationMode } from "./base/truncate/limits.ts";
export { truncateOutput } from "./base/truncate/truncate.ts";
