// The model's window as far as it is known: what the profile says, until the server refuses less. In a small one everything else gets
// smaller with it: the answer that is asked for, what a result may take, the project's instructions.

import { statedWindow } from "@lathe/llm";
import { type OutputLimit, outputLimit } from "../base/truncate/limits.ts";
import { SMALL_WINDOW } from "../context/compaction/settings.ts";
import type { RequestInfo } from "../contract/seams/types.ts";
import type { Profile } from "../tools/profiles/types.ts";
import type { HostChoices, ModelContext } from "./facades.ts";

const isSmall = ({ contextWindowSize }: Pick<Profile, "contextWindowSize">): boolean =>
  contextWindowSize > 0 && contextWindowSize <= SMALL_WINDOW;

/** After a refusal: the request as it was, with the window that is known now. The session goes on with that window. */
export function afterOverflow(core: { profile: Profile }, info: RequestInfo, error: unknown): RequestInfo {
  const assumed = core.profile.contextWindowSize;
  const said = statedWindow(error);
  // Without a number: it cannot be larger than what was refused. Only of small windows is that worth assuming.
  const tokens = said ?? (isSmall(core.profile) ? Math.max(info.contextTokens, LEAST_WINDOW) : undefined);
  if (tokens === undefined || assumed <= 0 || tokens >= assumed) return info;
  core.profile = { ...core.profile, contextWindowSize: tokens };
  return { ...info, contextWindow: tokens, refusedWindow: { tokens, assumed, stated: said !== undefined } };
}

/** The prompt alone was not too long: a shorter limit of the answer is enough, now that the window is known. */
export const fitsWindow = ({ refusedWindow, contextTokens, contextWindow }: RequestInfo): boolean =>
  refusedWindow?.stated === true && contextTokens < contextWindow;

const LEAST_WINDOW = 1_024;
const LEAST_ANSWER = 256;

/** Servers that count the answer's limit in refuse a request whose prompt and limit together are larger than the window. */
export function answerLimit(core: ModelContext): number | undefined {
  const { profile } = core;
  if (!isSmall(profile)) return profile.maxTokens;
  const free = profile.contextWindowSize - core.meter.cautiousTokens();
  return Math.min(profile.maxTokens ?? Number.POSITIVE_INFINITY, Math.max(LEAST_ANSWER, free));
}

const CHARS_PER_TOKEN = 3;
/** Of the window: what one result may take, and all of those that are still to come may take of what is free. */
const RESULT_SHARE = 0.15;
const FREE_SHARE = 0.3;
const LEAST_RESULT_CHARS = 400;
const DOCS_SHARE = 0.1;

/** What the model sees of a result: the tool's own limit, or the window's share. */
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

const CUT_DOCS = "\n[The project's instructions go on here. They are cut to fit this model's window.]";

export function docsForWindow(profile: Profile, projectDocs: string): string {
  if (!isSmall(profile)) return projectDocs;
  const chars = Math.floor(DOCS_SHARE * CHARS_PER_TOKEN * profile.contextWindowSize);
  return projectDocs.length <= chars ? projectDocs : projectDocs.slice(0, chars).toWellFormed() + CUT_DOCS;
}
