// @lathe/agent/tools: the built-in tools, running commands, to-do lists, profiles in detail.

export type { TextEdit } from "./files/edit/endings.ts";
export { type RefactoredFile, type Refactoring, refactoredPaths } from "./files/edit/refactoring.ts";
export type { BrowserRequest, BrowserService } from "./tools/builtin/browser/index.ts";
export type { BrowserArgs } from "./tools/builtin/browser/params.ts";
export { runScript, type ScriptOutcome } from "./tools/builtin/browser/run-script.ts";
export type { TabReach } from "./tools/builtin/browser/script-access.ts";
export type { TabScript, TabScriptEnd, TabScriptHost, TabScripts } from "./tools/builtin/browser/tab-scripts.ts";
export type { Desktop, DesktopOrder, DesktopPicture } from "./tools/builtin/computer/index.ts";
export type { DebugAnswer, Debuggers, DebugRequest } from "./tools/builtin/debug/index.ts";
export type { DebugAction, DebugArgs } from "./tools/builtin/debug/params.ts";
export { type EditVariant, editVariant } from "./tools/builtin/edit-variant.ts";
export {
  type Cell,
  type CellEnd,
  type CellHost,
  type CellLanguage,
  type CellQuestion,
  type CellService,
  LANGUAGE_NAMES,
} from "./tools/builtin/eval/cells.ts";
export type { PlanMode, PlanVerdict } from "./tools/builtin/exit-plan-mode/index.ts";
export { fileAccess } from "./tools/builtin/file-access.ts";
export type {
  PictureBytes,
  PictureMaker,
  PictureOrder,
  PictureShape,
} from "./tools/builtin/generate-image/index.ts";
export type { GitHosts, GithubReach } from "./tools/builtin/github/index.ts";
export type { GithubArgs } from "./tools/builtin/github/params.ts";
export {
  type LanguageServices,
  type LspAction,
  type LspQuestion,
  lspTool,
  type ServerCommand,
} from "./tools/builtin/lsp/index.ts";
export type { ReadingOptions } from "./tools/builtin/read/index.ts";
export { RECALL_POINTER } from "./tools/builtin/recall/index.ts";
export { MAP_TOKENS, type RepoMapper, type RepoMapRequest } from "./tools/builtin/repo-map/index.ts";
export { type AccessScope, commandAccess } from "./tools/builtin/shell/access.ts";
export { programSetting } from "./tools/builtin/shell/git-settings.ts";
export { type SshHosts, sshTool } from "./tools/builtin/ssh/index.ts";
export type { RecordLimits } from "./tools/builtin/task/records.ts";
export { TODO_FACT } from "./tools/builtin/todo/index.ts";
export {
  applyOps,
  keepOneInProgress,
  renderTodo,
  type TodoList,
  type TodoOp,
  type TodoOutcome,
  type TodoPhase,
  type TodoStatus,
  type TodoTask,
  withoutSettled,
} from "./tools/builtin/todo/list.ts";
export { parseTodoMarkdown, todoMarkdown } from "./tools/builtin/todo/markdown.ts";
export { webFetchTool } from "./tools/builtin/web-fetch/index.ts";
export { webSearchTool } from "./tools/builtin/web-search/index.ts";
export { Checkpoints } from "./tools/checkpoint/checkpoints.ts";
export type { EditKit } from "./tools/profiles/edit-kits.ts";
export { knownTool, knownTools } from "./tools/profiles/known-tools.ts";
export { type DetachableRequest, type Detached, runDetachable } from "./tools/run/detachable.ts";
export {
  type BackgroundRules,
  type Job,
  type JobFollower,
  type JobOptions,
  type JobSpill,
  type JobState,
  Jobs,
  type JobWait,
  jobState,
  jobStatus,
} from "./tools/run/jobs.ts";
export type { BashSettings, LastingShell } from "./tools/run/lasting-shell.ts";
export { plainOutput } from "./tools/run/plain-output.ts";
export { type BackgroundNote, backgroundNote } from "./tools/run/run-command.ts";
export { type RunningCommand, RunningCommands } from "./tools/run/running-commands.ts";
export type { RunningTerminal, ScreenSpan, TerminalScreen } from "./tools/run/terminal-screen.ts";
