// The tags that models put around a call. Data: a new one is a new row.

import type { Offered } from "./call-forms.ts";

export interface CallTag {
  /** Anchored at the beginning. */
  readonly open: RegExp;
  /** Global, so that it can search from a position. */
  readonly close: RegExp;
  /** The tag itself is part of the call, because it names the tool. */
  readonly keepsTag?: boolean;
  /** The tag has a tool's name. Without readable arguments it is just a word in angle brackets. */
  readonly isToolName?: boolean;
  /** A token that only a chat format uses, so it is never meant as text. */
  readonly isControl?: boolean;
}

/** Characters with which a call or code may begin. */
export const TRIGGER = /[<`{[]/g;

/** Longer than any opening tag with a tool's name in it. */
export const LONGEST = 160;

const TAGS: readonly { readonly prefix: string; readonly tag: CallTag }[] = [
  { prefix: "<tool_call>", tag: { open: /^<tool_call>/, close: /<\/tool_call>/g } },
  { prefix: "<tool_calls>", tag: { open: /^<tool_calls>/, close: /<\/tool_calls>/g } },
  { prefix: "<function_call>", tag: { open: /^<function_call>/, close: /<\/function_call>/g } },
  { prefix: "<function_calls>", tag: { open: /^<function_calls>/, close: /<\/function_calls>/g } },
  { prefix: "<tool_use>", tag: { open: /^<tool_use>/, close: /<\/tool_use>/g } },
  {
    prefix: "<|tool_call>",
    tag: { open: /^<\|tool_call>/, close: /<tool_call\|>/g, isControl: true },
  },
  {
    prefix: "<|tool_call|>",
    tag: {
      open: /^<\|tool_call\|>/,
      close: /<\|\/tool_call\|>|<\/tool_call>|<\|im_end\|>|<\|eot_id\|>/g,
      isControl: true,
    },
  },
  {
    prefix: "<|python_tag|>",
    tag: { open: /^<\|python_tag\|>/, close: /<\|eom_id\|>|<\|eot_id\|>/g, isControl: true },
  },
  { prefix: "[TOOL_CALLS]", tag: { open: /^\[TOOL_CALLS\]/, close: /\[\/TOOL_CALLS\]|<\/s>/g, isControl: true } },
];

/** Tags that contain the tool's name. */
const NAMING: readonly { readonly whole: RegExp; readonly begun: RegExp; readonly tag: CallTag }[] = [
  {
    whole: /^<function=["']?[^>"'\s]+["']?\s*>/,
    begun: /^<function=[^>\n]*$/,
    tag: { open: /^<function=/, close: /<\/function>/g, keepsTag: true },
  },
  {
    whole: /^<invoke\s+name=["'][^"'\n]+["']\s*>/,
    begun: /^<invoke\s[^>\n]*$/,
    tag: { open: /^<invoke/, close: /<\/invoke>/g, keepsTag: true },
  },
];

/** The tag at the beginning of the text; `maybe`: the text may become one. */
export function openerAt(
  text: string,
  tools: readonly Offered[],
): { readonly tag: CallTag; readonly length: number } | "maybe" | undefined {
  const head = text.slice(0, LONGEST);
  for (const { prefix, tag } of TAGS) if (head.startsWith(prefix)) return { tag, length: prefix.length };
  for (const { whole, tag } of NAMING) {
    const found = whole.exec(head);
    if (found) return { tag, length: found[0].length };
  }
  for (const { name } of tools) {
    if (!head.startsWith(`<${name}>`)) continue;
    const length = name.length + 2;
    return {
      tag: { open: /^</, close: new RegExp(`</${escapePattern(name)}>`, "g"), keepsTag: true, isToolName: true },
      length,
    };
  }
  if (head.length >= LONGEST || head === "") return undefined;
  const prefixes = [
    ...TAGS.map(({ prefix }) => prefix),
    "<function=",
    "<invoke ",
    ...tools.map(({ name }) => `<${name}>`),
  ];
  const isBegun = prefixes.some((prefix) => prefix.startsWith(head)) || NAMING.some(({ begun }) => begun.test(head));
  return isBegun ? "maybe" : undefined;
}

const escapePattern = (name: string): string => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
