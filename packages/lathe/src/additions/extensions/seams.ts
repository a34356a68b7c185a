// Events of extensions that can change what happens, as middleware of the loop. Return values of extensions are checked
// here, because they can be anything.

import type { InputContent, Middleware, ToolResult } from "@lathe/agent";
import type { LeaveVerdict, SummaryVerdict } from "@lathe/agent/contract";
import { type JsonObject, type JsonValue, messageOf } from "@lathe/llm";
import { lookAhead } from "../../config/tool-names/foreign-calls.ts";
import type { ExtensionEventResults } from "../../platform/extension-api/index.ts";
import { contentOf, extensionContentOf } from "./custom-tool.ts";
import type { Dispatch } from "./dispatch.ts";
import { PresentedCall } from "./presented-call.ts";
import { ExtensionFailure, type RunningExtension } from "./running.ts";

/** The user pays for every continuation, so an extension that always asks for one must be stopped. */
const MOST_CONTINUED = 50;

/**
 * One middleware for all extensions, because they may change while the session runs. Each handler has its own deadline.
 */
export function seamsOf(dispatch: Dispatch, cwd: () => string): Middleware {
  return {
    name: "extensions",
    timeoutMs: 0,
    ...inputSeams(dispatch),
    ...callSeams(dispatch, cwd),
    ...compactionSeams(dispatch),
    ...leaveSeams(dispatch),
  };
}

/** Input of the user, requests, and whether the model may stop. */
function inputSeams(dispatch: Dispatch): Pick<Middleware, "onInput" | "beforeRequest" | "beforeStop"> {
  /** How often the model was kept at work since the last input, by agent. */
  const continued = new Map<string, number>();
  return {
    onInput: async ({ content }, { signal, agentId }) => {
      continued.delete(agentId ?? "");
      let current = content;
      if (dispatch.listens("input")) {
        const data = () => ({ text: textIn(current), images: imagesIn(current) });
        for await (const { result, from } of dispatch.answers("input", data, signal)) {
          if ("reject" in result) return { reject: `${String(result.reject)} (extension ${from.name})` };
          if (typeof result.text === "string") current = withText(current, result.text);
          if (textIn(current).trim() === "" && imagesIn(current) === 0)
            return { reject: `nothing is left of it (extension ${from.name})` };
        }
      }
      for await (const { result } of dispatch.answers(
        "before_agent_start",
        () => ({ prompt: textIn(current) }),
        signal,
      ))
        if (typeof result.message === "string") current = withMore(current, result.message);
      return current === content ? undefined : { content: current };
    },
    beforeRequest: async ({ request, contextTokens, contextWindow }) => {
      if (dispatch.listens("context"))
        await dispatch.notify("context", {
          messages: request.messages.length,
          tokens: contextTokens,
          window: contextWindow,
        });
      return undefined;
    },
    beforeStop: async ({ text }, { signal, agentId = "", warn }) => {
      for await (const { result, from } of dispatch.answers("stop", () => ({ text }), signal)) {
        if (typeof result.continueWith !== "string" || result.continueWith.trim() === "") continue;
        const before = continued.get(agentId) ?? 0;
        if (before >= MOST_CONTINUED) {
          warn(`The extension ${from.name} has kept the model at work ${before} times; now it may stop.`, "extension");
          return undefined;
        }
        continued.set(agentId, before + 1);
        return { continueWith: result.continueWith };
      }
      return undefined;
    },
  };
}

function callSeams(dispatch: Dispatch, cwd: () => string): Pick<Middleware, "beforeCall" | "afterCall"> {
  return {
    beforeCall: async ({ callId, tool, args, tier, summary }, context) => {
      const { signal } = context;
      let input = args;
      const present = async (): Promise<PresentedCall> => {
        const call = { tool: tool.name, args: input };
        const ahead = dispatch.listens("tool_call", "pi") ? await lookAhead(context, call) : {};
        return new PresentedCall({ ...call, ...ahead, schema: tool.schema, cwd: cwd() });
      };
      let presented = await present();
      const data = ({ source }: RunningExtension) =>
        presented.callsFor(source.dialect).map(({ name, input: shown }) => ({
          toolName: name,
          toolCallId: callId,
          input: shown,
          summary,
          tier,
        }));
      try {
        for await (const { result, event, from } of dispatch.answers("tool_call", data, signal)) {
          if ("block" in result && result.block) return { block: String(result.reason ?? "blocked by an extension") };
          const given = "input" in result && isObjectOrArray(result.input) ? result.input : undefined;
          const changed = from.source.dialect === "pi" ? presented.changesFrom(event.input, given) : given;
          if (changed === "impossible")
            return { block: `The extension ${from.name} changed arguments that the tool ${tool.name} does not have.` };
          if (changed === undefined) continue;
          input = changed as JsonObject;
          presented = await present();
        }
      } catch (error) {
        if (!(error instanceof ExtensionFailure)) throw error;
        return { block: `blocked: ${messageOf(error)}` };
      }
      return input === args ? undefined : { args: input };
    },
    afterCall: async ({ callId, tool, args, access }, result, { signal }) => {
      let current = result;
      const presented = new PresentedCall({ tool: tool.name, args, schema: tool.schema, access, cwd: cwd() });
      const data = ({ source }: RunningExtension) => {
        const [shown] = presented.callsFor(source.dialect);
        return {
          toolName: shown?.name ?? tool.name,
          toolCallId: callId,
          input: shown?.input ?? args,
          content: extensionContentOf(current.content),
          details: current.details,
          isError: current.isError ?? false,
        };
      };
      for await (const { result: change } of dispatch.answers("tool_result", data, signal))
        current = applyChange(current, change);
      return current === result ? undefined : current;
    },
  };
}

function compactionSeams(dispatch: Dispatch): Pick<Middleware, "beforeSummary"> {
  return {
    beforeSummary: async (wish, { signal }): Promise<SummaryVerdict> => {
      for await (const given of dispatch.answers("session_before_compact", () => wish, signal)) {
        const cancelled = cancelOf(given);
        if (cancelled) return cancelled;
        if ("summary" in given.result) return { notes: String(given.result.summary) };
      }
      let prompt: string | undefined;
      const context: string[] = [];
      const preserved: Record<string, unknown> = {};
      for await (const given of dispatch.answers("session.compacting", () => wish, signal)) {
        const cancelled = cancelOf(given);
        if (cancelled) return cancelled;
        const wished = given.result as Exclude<ExtensionEventResults["session.compacting"], { cancel: unknown }>;
        if (wished.prompt !== undefined) prompt = String(wished.prompt);
        context.push(...[wished.context ?? []].flat().map(String));
        Object.assign(preserved, wished.preserveData);
      }
      // Lathe itself preserves data under these names and reads it back.
      const { snapcompact: _pictures, openaiRemoteCompaction: _vendor, ...own } = preserved;
      const preserveData = Object.keys(own).length === 0 ? undefined : JSON.parse(JSON.stringify(own));
      return { prompt, context, preserveData };
    },
  };
}

/** Moves away from the current point or session, which an extension may cancel. */
function leaveSeams(dispatch: Dispatch): Pick<Middleware, "beforeTree" | "beforeBranch" | "beforeSwitch"> {
  return {
    beforeTree: async (move, { signal }) => {
      const { targetId, oldLeafId, commonAncestorId, entriesToSummarize, userWantsSummary } = move;
      const entries = entriesToSummarize.map(({ id, type }) => ({ id, type }));
      const data = { targetId, oldLeafId, commonAncestorId, entriesToSummarize: entries, userWantsSummary };
      for await (const given of dispatch.answers("session_before_tree", () => data, signal)) {
        const cancelled = cancelOf(given);
        if (cancelled) return cancelled;
        if ("summary" in given.result) return { summary: String(given.result.summary) };
      }
      return undefined;
    },
    beforeBranch: async ({ entryId }, { signal }) => {
      for await (const given of dispatch.answers("session_before_branch", () => ({ entryId }), signal)) {
        const cancelled = cancelOf(given);
        if (cancelled) return cancelled;
      }
      return undefined;
    },
    beforeSwitch: async ({ reason, sessionFile }, { signal }) => {
      const data = { reason, ...(sessionFile === undefined ? {} : { sessionFile }) };
      for await (const given of dispatch.answers("session_before_switch", () => data, signal)) {
        const cancelled = cancelOf(given);
        if (cancelled) return cancelled;
      }
      return undefined;
    },
  };
}

function cancelOf({
  from,
  result,
}: {
  readonly from: { readonly name: string };
  readonly result: object;
}): LeaveVerdict {
  const { cancel } = result as { readonly cancel?: unknown };
  if (cancel === undefined || cancel === false) return undefined;
  return { cancel: typeof cancel === "string" ? cancel : `the extension ${from.name} cancelled it` };
}

function applyChange(result: ToolResult, change: ExtensionEventResults["tool_result"]): ToolResult {
  const { content, details, isError } = change;
  const isContent = typeof content === "string" || Array.isArray(content);
  return {
    ...result,
    ...(isContent ? { content: contentOf(content) } : {}),
    ...(details === undefined ? {} : { details: JSON.parse(JSON.stringify(details)) as JsonValue }),
    ...(typeof isError === "boolean" ? { isError } : {}),
  };
}

const isObjectOrArray = (value: unknown): value is object => typeof value === "object" && value !== null;

const textIn = (content: InputContent): string =>
  typeof content === "string" ? content : content.map((part) => (part.kind === "text" ? part.text : "")).join("");

const imagesIn = (content: InputContent): number =>
  typeof content === "string" ? 0 : content.filter(({ kind }) => kind === "image").length;

/** Replaces the text and keeps the images. */
function withText(content: InputContent, text: string): InputContent {
  if (typeof content === "string") return text;
  return [{ kind: "text", text }, ...content.filter(({ kind }) => kind !== "text")];
}

const withMore = (content: InputContent, text: string): InputContent =>
  typeof content === "string" ? `${content}\n\n${text}` : [...content, { kind: "text", text }];
