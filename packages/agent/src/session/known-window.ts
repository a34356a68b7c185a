// The model's context window as far as we know it: the profile's number, until the server refuses a smaller request.
// With a small window, other limits shrink too: the answer, tool results, the project's instructions.

import { statedWindow } from "@lathe/llm";
import { type OutputLimit, outputLimit } from "../base/truncate/limits.ts";
import { SMALL_WINDOW } from "../context/compaction/settings.ts";
import type { RequestInfo } from "../contract/seams/types.ts";
import type { Profile } from "../tools/profiles/types.ts";
import type { HostChoices, ModelContext } from "./facades.ts";

const isSmall = ({ contextWindowSize }: Pick<Profile, "contextWindowSize">): boolean =>
  contextWindowSize > 0 && contextWindowSize <= SMALL_WINDOW;

/**
 * Called after the server refused a request: returns the request with the window known now. The session goes on with
 * that window.
 */
export function afterOverflow(core: { profile: Profile }, info: RequestInfo, error: unknown): RequestInfo {
  const assumed = core.profile.contextWindowSize;
  const said = statedWindow(error);
  // The server gave no number: the window cannot be larger than the refused request. We only assume that for small
  // windows.
  const tokens = said ?? (isSmall(core.profile) ? Math.max(info.contextTokens, LEAST_WINDOW) : undefined);
  if (tokens === undefined || assumed <= 0 || tokens >= assumed) return info;
  core.profile = { ...core.profile, contextWindowSize: tokens };
  return { ...info, contextWindow: tokens, refusedWindow: { tokens, assumed, stated: said !== undefined } };
}

/** The prompt alone fits: now that we know the window, a shorter answer limit is enough. */
export const fitsWindow = ({ refusedWindow, contextTokens, contextWindow }: RequestInfo): boolean =>
  refusedWindow?.stated === true && contextTokens < contextWindow;

const LEAST_WINDOW = 1_024;
const LEAST_ANSWER = 256;

/** Servers that count the answer limit refuse a request if prompt and limit together exceed the window. */
export function answerLimit(core: ModelContext): number | undefined {
  const { profile } = core;
  if (!isSmall(profile)) return profile.maxTokens;
  const free = profile.contextWindowSize - core.meter.cautiousTokens();
  return Math.min(profile.maxTokens ?? Number.POSITIVE_INFINITY, Math.max(LEAST_ANSWER, free));
}

const CHARS_PER_TOKEN = 3;
/** One result may take at most RESULT_SHARE of the window and at most FREE_SHARE of what is still free. */
const RESULT_SHARE = 0.15;
const FREE_SHARE = 0.3;
const LEAST_RESULT_CHARS = 400;
const DOCS_SHARE = 0.1;

/** How much of a result the model sees: the tool's own limit, or its share of the window. */
export function resultLimit(
  core: ModelContext & HostChoices,
  tool: Parameters<typeof outputLimit>[0],
): { readonly limit: OutputLimit; readonly isCapped: boolean } {
  const limit = outputLimit(tool, core.config);
  if (!isSmall(core.profile)) return { limit, isCapped: false };
  const window = core.profile.contextWindowSize;
  const tokens = Math.min(RESULT_SHARE * window, FREE_SHARE * (window - core.meter.tokens()));
  const share = Math.max(LEAST_RESULT_CHARS, Math.floor(CHARS_PER_TOKEN * tokens));
  return { limit: { ...limit, chars: Math.min(limit.chars, share) }, isCapped: true };
}

const CUT_DOCS = "\n[The project's instructions are cut here to fit this model's window.]";

export function docsForWindow(profile: Profile, projectDocs: string): string {
  if (!isSmall(profile)) return projectDocs;
  const chars = Math.floor(DOCS_SHARE * CHARS_PER_TOKEN * profile.contextWindowSize);
  return projectDocs.length <= chars ? projectDocs : projectDocs.slice(0, chars).toWellFormed() + CUT_DOCS;
}
