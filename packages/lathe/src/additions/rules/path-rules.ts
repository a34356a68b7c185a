// Rules for certain files, given when one of them is first touched: rules with globs, and instructions with `applyTo`.

import type { Middleware, SeamContext } from "@lathe/agent";
import { compileFilter } from "@lathe/agent/world";
import { messageOf } from "@lathe/llm";
import { type PathText, pathTexts } from "../../conversation/path-texts.ts";
import type { Place } from "../../found/discovery/place.ts";
import type { Source } from "../../found/discovery/types.ts";
import { warningLine } from "../../found/discovery/warning-line.ts";
import intro from "./path-rules.md";

/** A text for the files that match one of its globs. */
export interface PathRule {
  readonly name: string;
  readonly text: string;
  readonly globs: readonly string[];
  readonly source: Source;
}

export function pathRules(rules: () => readonly PathRule[], place: Place): Middleware {
  /** Compiled rules. Each is compiled when the first file is touched; /reload creates new rules. */
  const compiled = new WeakMap<PathRule, (path: string) => boolean>();
  const matches = (rule: PathRule, path: string, { warn }: SeamContext): boolean => {
    const known = compiled.get(rule) ?? matcherOf(rule, place, (message) => warn(message, "rule"));
    compiled.set(rule, known);
    return known(path);
  };
  return pathTexts({
    name: "rules for files",
    intro,
    textsFor: (path, context) => rules().flatMap((rule) => (matches(rule, path, context) ? [textOf(rule)] : [])),
  });
}

function textOf({ name, text }: PathRule): PathText {
  const tag = `<rule name="${name}">`;
  return { tag, text: `${tag}\n${text}\n</rule>` };
}

/** Globs are relative to the folder of the rule; those of the user's rules, to the project. */
function matcherOf(
  { globs, source }: PathRule,
  { folders, root }: Place,
  warn: (message: string) => void,
): (path: string) => boolean {
  const base = folders.find((folder) => source.path.startsWith(`${folder}/`)) ?? root;
  const filters = globs.flatMap((glob) => {
    try {
      return [compileFilter(glob.endsWith("/") ? `${glob}**` : glob)];
    } catch (error) {
      warn(warningLine({ path: source.path, message: messageOf(error).replace(/\.$/, "") }));
      return [];
    }
  });
  return (path) => path.startsWith(`${base}/`) && filters.some((filter) => filter(path.slice(base.length + 1)));
}
