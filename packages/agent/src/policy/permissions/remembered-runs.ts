// Files whose text decides what a remembered command runs: anyone who may change a Makefile without approval can run
// anything once `make test` is remembered.

import { posix } from "node:path";
import { patternWords } from "../shell/match.ts";
import type { Rule } from "./rule.ts";

/** Programs, and the files that define what they run. Subcommands that only print information are not covered. */
const RUNNERS: readonly (readonly [program: RegExp, file: RegExp])[] = [
  [/^(?:npm|pnpm|yarn|bun)$/, /^package\.json$/i],
  [/^g?make$/, /^(?:gnu)?makefile$|\.mk$/i],
  [/^just$/, /^\.?justfile$/i],
  [/^task$/, /^taskfile(?:\.dist)?\.ya?ml$/i],
  [/^rake$/, /^rakefile$/i],
];
const TELLS =
  /^(?:-v|-V|--version|--help|help|ls|list|ll|la|view|info|show|outdated|audit|root|prefix|bin|why|explain|search|config|get|ping|whoami|doctor|fund|licenses)$/;

/** The text of the remembered rule that would run the content of this file. */
export function rememberedRun(path: string, rules: readonly Rule[]): string | undefined {
  const name = posix.basename(path);
  const files = RUNNERS.filter(([, file]) => file.test(name));
  if (files.length === 0) return undefined;
  return rules.find(({ decision, insideOnly, pattern }) => {
    if (decision !== "allow" || !insideOnly || pattern === undefined) return false;
    const [program = "", first = ""] = patternWords(pattern);
    return files.some(([runner]) => runner.test(posix.basename(program))) && !TELLS.test(first);
  })?.text;
}
