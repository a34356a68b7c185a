// @lathe/agent/files. Files as tools see them: snapshots and rewinding, isolated views, formats, conflicts, the parser.

export { type ConflictRegion, type ConflictSide, hasConflicts } from "./files/edit/conflict-regions.ts";
export { DocumentError, documentText } from "./files/edit/document.ts";
export { fileDiff } from "./files/edit/file-diff.ts";
export { PathLocks } from "./files/edit/locks.ts";
export { ShownFiles, type ShownLimits, type ShownVersion } from "./files/edit/shown.ts";
export { Syntax, type SyntaxBlock, type SyntaxLimits } from "./files/edit/syntax.ts";
export {
  type Conflict,
  type ConflictedFile,
  Conflicts,
  type UnlandedLines,
} from "./files/formats/conflict/conflicts.ts";
export { type LandRequest, land } from "./files/isolate/land.ts";
export { landedOf } from "./files/isolate/landing-journal.ts";
export { type LeftView, leftViews } from "./files/isolate/left-view.ts";
export { continueView, type LeftRequest, openView, readView } from "./files/isolate/open-view.ts";
export { patchOf } from "./files/isolate/patch.ts";
export { type Recovery, recoverStore } from "./files/isolate/recover.ts";
export {
  type Delta,
  type DeltaChange,
  type DeltaPart,
  type LandedFile,
  type LandingConflict,
  type LandingRegion,
  type LandingResult,
  type LeftOut,
  type LeftOutReason,
  VIEW_KINDS,
  type View,
  type ViewAgent,
  type ViewContainer,
  type ViewHost,
  type ViewKind,
  type ViewRequest,
} from "./files/isolate/types.ts";
export { isSafeId } from "./files/isolate/view-folder.ts";
export { Parser, type ParserJob, type ParserOptions } from "./files/parser/parser.ts";
export type { TaskInput } from "./files/parser/tasks/types.ts";
export type { ImageInspector, ImageOptions } from "./files/read/fit-image.ts";
export type { SearchContext } from "./files/search/content.ts";
export { repositoryOf } from "./files/snapshots/ignore.ts";
export { mayChangeFiles } from "./files/snapshots/may-change.ts";
export { shownPath } from "./files/snapshots/names.ts";
export type { LeftFile, LeftReason } from "./files/snapshots/plan.ts";
export { type SnapshotImage, type SnapshotOptions, Snapshots } from "./files/snapshots/recorder.ts";
export {
  Rewinder,
  type RewindOptions,
  RewindRefused,
  type RewindRequest,
  type RewindResult,
  type RewoundSession,
} from "./files/snapshots/rewind.ts";
export type { SnapshotLimits } from "./files/snapshots/scan.ts";
export type {
  Format,
  FormatContent,
  FormatEntry,
  FormatFile,
  PartCodec,
  ReadRequest,
  RowChange,
  RowWriter,
} from "./files/target/format.ts";
export { imageType, MOST_IMAGE_BYTES } from "./files/target/images.ts";
export type { OpenedImage, OpenedText } from "./files/target/opened.ts";
export type { LineRange, Selector } from "./files/target/selector.ts";
export type { FetchLimits } from "./files/web/fetch-page.ts";
export { type CachedPage, PageCache } from "./files/web/page-cache.ts";
export type { SearchHit, SearchProvider, WebServices } from "./files/web/services.ts";
