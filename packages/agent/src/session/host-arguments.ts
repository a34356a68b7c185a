// Checks what a host passes to a session, before anything of it is stored.

import { isPlanOrDemand } from "../contract/seams/verdict-shapes.ts";
import { checkFunction, checkOptions, checkText, isObject, wrongArgument } from "../contract/wrong-argument.ts";

const PROFILE_FUNCTIONS = ["buildSystemPrompt", "tools", "providerOptions"];

export function checkProfile(profile: unknown): void {
  if (!isObject(profile)) throw wrongArgument("the profile", "an object, such as one made by defineProfile", profile);
  for (const field of ["id", "model"]) checkText(`${field} of the profile`, profile[field]);
  for (const field of PROFILE_FUNCTIONS)
    if (typeof profile[field] !== "function")
      throw wrongArgument(`${field} of the profile`, "a function", profile[field]);
  const { toolRegistry } = profile;
  if (!isObject(toolRegistry) || typeof toolRegistry["names"] !== "function")
    throw wrongArgument("toolRegistry of the profile", "a ToolRegistry", toolRegistry);
}

export function checkSubmitOptions(options: unknown): void {
  checkOptions("submit", options);
  const { onRecorded, entryId } = Object(options) as Readonly<Record<string, unknown>>;
  checkFunction("submit: onRecorded", onRecorded);
  if (entryId !== undefined && typeof entryId !== "string") throw wrongArgument("submit: entryId", "a text", entryId);
}

export function checkCompaction(plan: unknown): void {
  const wanted = "{ reason, summarize } or { reason, summary, firstKeptEntryId }";
  if (!isPlanOrDemand(plan) || typeof (plan as { reason?: unknown }).reason !== "string")
    throw wrongArgument("the compaction", wanted, plan);
}
