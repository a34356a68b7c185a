// @lathe/agent/record: journals line by line: reading, moving, importing, labels, trees, costs for a session list.

export { copyArtifacts } from "./record/artifacts/copy-artifacts.ts";
export {
  buildContext,
  type ContextSource,
  ContextView,
  INTERRUPTED_RESULT,
  PRUNED_NOTICE,
  pathTo,
} from "./record/journal/context.ts";
export { modelFor } from "./record/journal/context-state.ts";
export { readLine } from "./record/journal/decode.ts";
export type { FileStoreOptions } from "./record/journal/file-store.ts";
export type { Glimpse } from "./record/journal/glimpse.ts";
export { hasBegun } from "./record/journal/has-begun.ts";
export type { NewHeader } from "./record/journal/header.ts";
export { idSource } from "./record/journal/ids.ts";
export { checkLabel, findEntry, type LabelledJournal } from "./record/journal/labels.ts";
export { encodeLine, type LineHead, readLineHead } from "./record/journal/line.ts";
export type { EntryMeta } from "./record/journal/line-index.ts";
export { readHead, type SessionSummary } from "./record/journal/listing.ts";
export {
  acquireLock,
  isDead,
  type JournalLock,
  type LockOwner,
  lockHolder,
  processStartTime,
} from "./record/journal/lock.ts";
export { type MoveOptions, moveJournalFile, movingCopy } from "./record/journal/move-file.ts";
export { journalDepsOf, newMemoryJournal, openOrBegin } from "./record/journal/new-journal.ts";
export type { DistributiveOmit, NewEntry, NewIntent, NewLine, SyncMode } from "./record/journal/new-lines.ts";
export { sessionFileName, sessionFolderName, sessionPath } from "./record/journal/paths.ts";
export { readLines } from "./record/journal/read-lines.ts";
export { realJournalPath } from "./record/journal/regular-file.ts";
export type { LineSpan } from "./record/journal/span-table.ts";
export { isoTime } from "./record/journal/timestamp.ts";
export {
  type BranchPoint,
  branchPoint,
  isUserMessage,
  type Landing,
  landingOf,
  type TreeReader,
  userMessages,
} from "./record/journal/tree.ts";
