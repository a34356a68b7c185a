// Translates rules of other agents to ours.

import { readRule } from "@lathe/agent/policy";
import type { TakenSettings } from "./types.ts";

type Written = { readonly [K in "allow" | "ask" | "deny"]?: unknown };

export function rulesIn(written: Written): Pick<TakenSettings, "rules" | "left"> {
  const left: { name: string; reason: string }[] = [];
  const read = (list: unknown): string[] =>
    (Array.isArray(list) ? list : []).flatMap((rule) => {
      const found = typeof rule === "string" ? readRule(rule) : { problem: "it is not text" };
      if (!("problem" in found)) return [found.text];
      left.push({ name: String(rule), reason: found.problem });
      return [];
    });
  return { rules: { allow: read(written.allow), ask: read(written.ask), deny: read(written.deny) }, left };
}
