// @lathe/agent/files: files as tools see them: snapshots and rewinding, isolated copies, formats, conflicts, the
// parser.

export type { CommitJournal, JournalledChange, JournalledFile, OpenCommitJournal } from "./files/edit/commit.ts";
export { type ConflictRegion, type ConflictSide, hasConflicts } from "./files/edit/conflict-regions.ts";
export {
  DocumentError,
  decodeDocument,
  documentText,
  type Encoding,
  encodeDocument,
  type TextDocument,
} from "./files/edit/document.ts";
export type { Ending, Endings } from "./files/edit/endings.ts";
export { fileDiff } from "./files/edit/file-diff.ts";
export type { FileToFormat, Formatter, Formatting } from "./files/edit/format.ts";
export { PathLocks } from "./files/edit/locks.ts";
export { mergeLines } from "./files/edit/rebase.ts";
export { ShownFiles, type ShownLimits, type ShownVersion } from "./files/edit/shown-files.ts";
export { grammars, Syntax, type SyntaxBlock, type SyntaxLimits } from "./files/edit/syntax.ts";
export * from "./files/formats/conflict/conflicts.ts";
export { takenBranch } from "./files/isolate/branch.ts";
export { commitJournalIn } from "./files/isolate/commit-journal.ts";
export { type LandRequest, land, type RedCheck } from "./files/isolate/land.ts";
export { landWithRetries } from "./files/isolate/land-with-retries.ts";
export type { LandingStep, PathState } from "./files/isolate/landing-journal.ts";
export { type LeftView, leftViews } from "./files/isolate/left-view.ts";
export { continueView, type LeftRequest, openView, readView } from "./files/isolate/open-view.ts";
export { patchOf } from "./files/isolate/patch.ts";
export { type PathInView, pathInView } from "./files/isolate/path-in-view.ts";
export { type CutEdit, type Recovery, recoverStore } from "./files/isolate/recover.ts";
export * from "./files/isolate/types.ts";
export { isSafeId } from "./files/isolate/view-folder.ts";
export { NotParsed, Parser, type ParserJob, type ParserOptions } from "./files/parser/parser.ts";
export { type CodeDefinition, type CodeFacts, LARGEST_INDEXED } from "./files/parser/tasks/code/facts.ts";
export type { CodeDependent, NamePlaces } from "./files/parser/tasks/code/look-up.ts";
export type { FoundDefinition, RankedCode } from "./files/parser/tasks/code/rank-code.ts";
export type { CodeChanges } from "./files/parser/tasks/code/store.ts";
export type { TaskInput } from "./files/parser/tasks/types.ts";
export type { ImageInspector, ImageOptions } from "./files/read/fit-image.ts";
export type { SearchContext } from "./files/search/content.ts";
export { repositoryOf } from "./files/snapshots/ignore.ts";
export { mayChangeFiles } from "./files/snapshots/may-change.ts";
export { shownPath } from "./files/snapshots/names.ts";
export type { LeftFile, LeftReason } from "./files/snapshots/plan.ts";
export { type SnapshotImage, type SnapshotOptions, Snapshots } from "./files/snapshots/recorder.ts";
export * from "./files/snapshots/rewind.ts";
export type { SnapshotLimits } from "./files/snapshots/scan.ts";
export type { StructureOptions } from "./files/structure/run-structure.ts";
export type * from "./files/target/format.ts";
export { imageType, MOST_IMAGE_BYTES } from "./files/target/images.ts";
export type { OpenedImage, OpenedText } from "./files/target/opened.ts";
export type { LineRange, Selector } from "./files/target/selector.ts";
export { answerFailure, fetchJson, type JsonAnswer } from "./files/web/fetch-json.ts";
export {
  type FetchedPage,
  type FetchLimits,
  type FetchOptions,
  fetchPage,
  type RedirectProblem,
} from "./files/web/fetch-page.ts";
export { type Mirrors, mirroredGate } from "./files/web/gate/mirrors.ts";
export type * from "./files/web/gate/types.ts";
export { webGate } from "./files/web/gate/web-gate.ts";
export { addressKey, linksIn } from "./files/web/links.ts";
export { markWebText } from "./files/web/mark-text.ts";
export { type CachedPage, PageCache } from "./files/web/page-cache.ts";
export type {
  Citation,
  Recency,
  SearchAnswer,
  SearchProvider,
  SearchQuery,
  SearchSource,
  WebSearch,
} from "./files/web/search.ts";
export type { WebServices } from "./files/web/services.ts";
export { isTrueAt, itemsAt, numberAt, textAt, valueAt } from "./files/web/sites/answer-fields.ts";
export {
  type ChangedFile,
  type FileDiff,
  type GitComment,
  type GitThread,
  type ProposedChange,
  splitDiff,
  threadLine,
  threadText,
} from "./files/web/sites/git-thread.ts";
export {
  type AskHost,
  githubIssue,
  githubPullRequest,
  githubThread,
  type ThreadWanted,
} from "./files/web/sites/github-threads.ts";
export {
  gitlabDiff,
  gitlabIssue,
  gitlabMergeRequest,
  gitlabProject,
  gitlabThread,
} from "./files/web/sites/gitlab-threads.ts";
