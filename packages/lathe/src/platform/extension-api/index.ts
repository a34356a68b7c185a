// What the author of an extension, a custom tool or a module hook imports: `import type { ExtensionApi } from "lathe/extension"`.
// Types only: nothing of it is there when the file runs. How they are used: docs/extensions.md.

export type {
  CustomToolFactory,
  Extension,
  ExtensionApi,
  ExtensionCommand,
  ExtensionFlag,
  ExtensionShortcut,
} from "./api.ts";
export type {
  ExtensionCommandContext,
  ExtensionContext,
  ExtensionExec,
  ExtensionExecOptions,
  ExtensionModelCall,
  ExtensionSession,
  ExtensionStorage,
} from "./context.ts";
export type {
  ExtensionEvent,
  ExtensionEventName,
  ExtensionEventResult,
  ExtensionEventResults,
  ExtensionEvents,
  ExtensionHandler,
} from "./events.ts";
export type {
  ExtensionModel,
  ExtensionProvider,
  ExtensionReplyPart,
  ExtensionRequest,
  ExtensionRequestMessage,
} from "./provider.ts";
export type { ExtensionEntryRenderer, ExtensionLine, ExtensionLines, ExtensionTheme } from "./rendering.ts";
export type {
  CustomTool,
  CustomToolCall,
  CustomToolOutcome,
  CustomToolReturn,
  ExtensionContent,
  PendingCustomAction,
} from "./tool.ts";
export type { ExtensionDialogOptions, ExtensionUi } from "./ui.ts";
