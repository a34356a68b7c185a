// What the hooks of middleware may return. Untyped hosts can return anything: a wrong shape counts as a failure of the
// hook, by name, and not as an internal error where the value is used.

import { inspect } from "node:util";
import { isJsonObject } from "@lathe/llm";
import { problemWithInput } from "../input-content.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Untyped hosts can return anything. A value that is not a verdict, such as false, must not let a call run. */
export function noVerdict(value: unknown, wanted: string): Error {
  const given = inspect(value, { depth: 1, breakLength: Number.POSITIVE_INFINITY });
  return new Error(`it returned ${given}, not undefined${/\bor \{/.test(wanted) ? "," : " or"} ${wanted}`);
}

const isText = (value: unknown): boolean => typeof value === "string";
const isInput = (value: unknown): boolean => problemWithInput(value) === undefined;
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
export const isPlanOrDemand = (value: unknown): boolean => {
  const { firstKeptEntryId, summary, summarize } = Object(value) as Fields;
  return typeof summarize === "function" || (isText(firstKeptEntryId) && isText(summary));
};
const isResult = ({ content }: Fields): boolean =>
  Array.isArray(content) &&
  content.every((part) => {
    const { kind, text, image } = Object(part) as Fields;
    return kind === "text" ? isText(text) : kind === "image" && isObject(image);
  });
const makesRoom = ({ compact, prune, retry }: Fields): boolean =>
  isPlanOrDemand(compact) || isTexts(prune) || retry === true;
const cancels = ({ cancel }: Fields): boolean => isText(cancel);

const isVerification = ({ verdict, reasons }: Fields): boolean =>
  isText(verdict) && /^(?:verified|failed|unverified|none)$/.test(verdict as string) && isTexts(reasons);
const isCut = ({ cut, discard = "", rules = [] }: Fields): boolean => isText(cut) && isText(discard) && isTexts(rules);

const WISHES = ["notes", "prompt", "context", "preserveData"];

/** All wishes are optional, but a value that has none of them means something else. */
function isWishes(verdict: Fields): boolean {
  const { notes = "", prompt = "", context = [], preserveData = {} } = verdict;
  const names = Object.keys(verdict);
  const isMeant = names.length === 0 || names.some((name) => WISHES.includes(name));
  return isMeant && isText(notes) && isText(prompt) && isTexts(context) && isJsonObject(preserveData);
}

interface Shape {
  readonly wanted: string;
  fits(verdict: Fields): boolean;
}

const LEAVE: Shape = { wanted: "{ cancel: reason }", fits: cancels };

const SHAPES: Readonly<Record<string, Shape>> = {
  onInput: {
    wanted: "{ content: text or parts } or { reject: reason }",
    fits: (verdict) => ("reject" in verdict ? isText(verdict["reject"]) : isInput(verdict["content"])),
  },
  beforeRequest: {
    wanted: "{ request }, { compact }, { prune: entry ids }, { branch: { to, summary } } or { retry: true }",
    fits: (verdict) => {
      if ("request" in verdict) return Array.isArray((Object(verdict["request"]) as Fields)["messages"]);
      const { to, summary } = Object(verdict["branch"]) as Fields;
      return makesRoom(verdict) || (isText(to) && isText(summary));
    },
  },
  onFailure: { wanted: "{ retry: true }", fits: ({ retry }) => retry === true },
  onStreamEvent: { wanted: "{ cut: text }, with { discard: text } or { rules: names }", fits: isCut },
  onOverflow: { wanted: "{ compact }, { prune: entry ids } or { retry: true }", fits: makesRoom },
  onUnreadable: {
    wanted: "{ name, arguments }",
    fits: (verdict) => isText(verdict["name"]) && isJsonObject(verdict["arguments"]),
  },
  afterCall: { wanted: "a result: { content: parts }", fits: isResult },
  afterRound: { wanted: "{ tell: text or parts }", fits: ({ tell }) => isInput(tell) },
  beforeStop: { wanted: "{ continueWith: text or parts }", fits: ({ continueWith }) => isInput(continueWith) },
  verdictAtEnd: {
    wanted: "{ verdict: verified, failed, unverified or none, reasons: texts }",
    fits: isVerification,
  },
  beforeSummary: {
    wanted: "wishes ({ notes, prompt, context, preserveData }) or { cancel: reason }",
    fits: (verdict) => ("cancel" in verdict ? cancels(verdict) : !Array.isArray(verdict) && isWishes(verdict)),
  },
  beforeCompact: {
    wanted: "{ plan } or { cancel: reason }",
    fits: (verdict) => cancels(verdict) || isPlanOrDemand(verdict["plan"]),
  },
  beforeTree: {
    wanted: "{ summary } or { cancel: reason }",
    fits: (verdict) => cancels(verdict) || isText(verdict["summary"]),
  },
  beforeBranch: LEAVE,
  beforeSwitch: LEAVE,
};

/** Returns the verdict; throws if the hook cannot have meant it. Only undefined means that it has no opinion. */
export function checkVerdict<T>(hook: string, verdict: T): T {
  const shape = SHAPES[hook];
  if (verdict === undefined || shape === undefined) return verdict;
  if (!isObject(verdict) || !shape.fits(verdict as Fields)) throw noVerdict(verdict, shape.wanted);
  return verdict;
}
