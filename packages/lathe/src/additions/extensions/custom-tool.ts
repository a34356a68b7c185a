// Turns an extension's tool into a tool of the loop.

import type { CardBody, CardLine, PreviewLine, ToolContent, ToolDef, ToolResult, ToolServices } from "@lathe/agent";
import {
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  jsonSchemaOf,
  messageOf,
  type SchemaInput,
} from "@lathe/llm";
import type {
  CustomTool,
  CustomToolOutcome,
  ExtensionContent,
  ExtensionLines,
  PendingCustomAction,
} from "../../platform/extension-api/index.ts";
import { type ContextParts, contextFor } from "./context.ts";
import { runAsLathe } from "./guard/current.ts";
import { PausableDeadline } from "./pausable-deadline.ts";
import type { RunningExtension } from "./running.ts";

export interface ToolParts {
  readonly context: () => ContextParts;
  readonly deps: ConstructorParameters<typeof PausableDeadline>[0];
  readonly report: (line: string) => void;
}

const TIMEOUT_MS = 120_000;
const SHOWN_LINES = 12;

export function toolOf(extension: RunningExtension, tool: CustomTool, parts: ToolParts): ToolDef {
  const { name, label = name, description, tier = "exec", timeoutMs = TIMEOUT_MS } = tool;
  const { renderCall, renderResult } = tool;
  /** The renderer's result; undefined if it fails, which shows the call without a renderer. */
  const renderSafely = <T>(what: string, work: () => T): T | undefined => {
    try {
      return extension.callNow(`${what} of the tool ${name}`, work);
    } catch (error) {
      parts.report(messageOf(error));
      return undefined;
    }
  };
  const summary = (args: JsonObject): string =>
    (renderCall && renderSafely("renderCall", () => String(renderCall(args)))) ?? shortArguments(args);
  return {
    name,
    label,
    description,
    schema: plainSchema(tool),
    tier,
    replay: "never",
    timeoutMs,
    ...(tool.deferrable ? { deferrable: true } : {}),
    ...(tool.loadMode === "discoverable" ? { loadMode: tool.loadMode } : {}),
    summary: (args) => `${label} ${summary(args)}`.trim(),
    card: (args, result) => {
      const headline = { verb: label, subject: summary(args) };
      if (!result) return headline;
      const { text, isError, details } = result;
      const outcome: CustomToolOutcome = { content: [{ type: "text", text }], details, isError };
      const cardLines = (expanded: boolean): readonly CardLine[] | undefined =>
        renderResult && renderSafely("renderResult", () => linesOf(renderResult(outcome, { expanded })));
      const brief = cardLines(false);
      const lines = brief && cardLines(true);
      if (!lines) return { ...headline, body: outputOf(text) };
      return { ...headline, body: { kind: "lines", lines, brief, collapsed: SHOWN_LINES } };
    },
    execute: async (args, { callId, signal, onOutput, services }) => {
      // The session enforces the call's deadline; this object only carries its signal.
      const deadline = new PausableDeadline(parts.deps, timeoutMs);
      const running = extension.callUnlimited(() =>
        tool.execute({
          toolCallId: callId,
          input: args,
          signal: deadline.signal,
          context: contextFor(parts.context(), deadline),
          onUpdate: (text) => runAsLathe(() => onOutput(String(text), "stdout")),
          pushPendingAction: (action) => runAsLathe(() => pushAction(services, extension, tool, action)),
        }),
      );
      const result = await deadline.waitUnlessAborted(running, signal);
      return typeof result === "string" ? result : resultOf(extension, tool, result);
    },
  };
}

/** Copies the schema, so that it has no circles and no getters. */
function plainSchema({ parameters }: CustomTool): JsonSchema {
  try {
    return JSON.parse(JSON.stringify(jsonSchemaOf(parameters as SchemaInput))) as JsonSchema;
  } catch (error) {
    throw new Error("its parameters cannot be written as JSON; they may contain themselves", {
      cause: error,
    });
  }
}

function pushAction(
  { pendingActions }: ToolServices,
  extension: RunningExtension,
  tool: CustomTool,
  action: PendingCustomAction,
): void {
  if (!pendingActions) throw new Error("Pending action store unavailable for custom tools in this runtime.");
  const { label, details, sourceToolName = "custom_tool", preview } = action;
  pendingActions.push({
    label: String(label),
    tier: tool.tier ?? "exec",
    sourceToolName,
    ...(details === undefined ? {} : { details: JSON.parse(JSON.stringify(details)) as JsonValue }),
    ...(preview === undefined ? {} : { preview: () => ({ lines: previewLines(String(preview)), shows: [] }) }),
    apply: async (reason) => {
      const result = await extension.callUnlimited(() => action.apply(reason));
      return typeof result === "string" ? result : resultOf(extension, tool, result);
    },
    ...(action.reject ? { reject: (reason) => extension.callUnlimited(() => action.reject?.(reason)) } : {}),
  });
}

/** Marks added and removed lines if the preview is a diff. */
const previewLines = (text: string): PreviewLine[] =>
  text
    .split("\n")
    .map((line) => ({ text: line, kind: { "+": "added" as const, "-": "removed" as const }[line[0] ?? ""] }));

function resultOf({ name }: RunningExtension, tool: CustomTool, result: CustomToolOutcome): ToolResult {
  if (!Array.isArray(result?.content))
    throw new Error(`the tool ${tool.name} of the extension ${name} returned neither text nor { content: [...] }`);
  const { content, details, isError = false } = result;
  return {
    content: contentOf(content),
    isError,
    ...(details === undefined ? {} : { details: JSON.parse(JSON.stringify(details)) as JsonValue }),
  };
}

/** Converts an extension's content to the loop's. */
export function contentOf(content: string | readonly ExtensionContent[]): readonly ToolContent[] {
  if (typeof content === "string") return [{ kind: "text", text: content }];
  return content.map((part): ToolContent => {
    if (part?.type === "text") return { kind: "text", text: String(part.text) };
    if (part?.type === "image" && typeof part.data === "string")
      return { kind: "image", image: { data: Buffer.from(part.data, "base64"), mediaType: part.mediaType } };
    throw new Error(
      'its content holds something that is neither { type: "text", text } nor { type: "image", data, mediaType }',
    );
  });
}

/** Converts the loop's content to an extension's. */
export function extensionContentOf(content: readonly ToolContent[]): readonly ExtensionContent[] {
  return content.map((part) =>
    part.kind === "text"
      ? { type: "text", text: part.text }
      : {
          type: "image",
          data: Buffer.from(part.image.data ?? []).toString("base64"),
          mediaType: part.image.mediaType ?? "image/png",
        },
  );
}

const outputOf = (text: string): CardBody => ({ kind: "output", text, keeps: "head", collapsed: SHOWN_LINES });

function linesOf(lines: ExtensionLines): readonly CardLine[] {
  const list = typeof lines === "string" ? lines.split("\n") : lines;
  return list.map((line) => (typeof line === "string" ? { text: line } : { text: String(line.text), kind: "note" }));
}

function shortArguments(args: JsonObject): string {
  const text = JSON.stringify(args);
  return text === "{}" ? "" : text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
