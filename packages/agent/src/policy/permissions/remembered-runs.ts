// Files whose text decides what a remembered command runs: anyone who may change a Makefile without approval can run
// anything once `make test` is remembered.

import { posix } from "node:path";
import { patternWords } from "../shell/match.ts";
import { fitsName, isGlob } from "./credential-globs.ts";
import type { Rule } from "./rule.ts";

/**
 * Programs, the files that define what they run, and a name that a wildcard may match. Subcommands that only print
 * information are not covered.
 */
const RUNNERS: readonly (readonly [program: RegExp, file: RegExp, name: string])[] = [
  [/^(?:npm|pnpm|yarn|bun)$/, /^package\.json$/i, "package.json"],
  [/^g?make$/, /^(?:gnu)?makefile$|\.mk$/i, "Makefile"],
  [/^just$/, /^\.?justfile$/i, "justfile"],
  [/^task$/, /^taskfile(?:\.dist)?\.ya?ml$/i, "Taskfile.yml"],
  [/^rake$/, /^rakefile$/i, "Rakefile"],
];
const TELLS =
  /^(?:-v|-V|--version|--help|help|ls|list|ll|la|view|info|show|outdated|audit|root|prefix|bin|why|explain|search|config|get|ping|whoami|doctor|fund|licenses)$/;

/** The text of the remembered rule that would run the content of this file, or of one that the name may match. */
export function rememberedRun(path: string, rules: readonly Rule[]): string | undefined {
  const name = posix.basename(path);
  // `*` alone names nothing in particular.
  const isPattern = isGlob(name) && /\w/.test(name);
  const files = RUNNERS.filter(
    ([, file, example]) => file.test(name) || (isPattern && fitsName(name, example, "as in a shell")),
  );
  if (files.length === 0) return undefined;
  return rules.find(({ decision, insideOnly, pattern }) => {
    if (decision !== "allow" || !insideOnly || pattern === undefined) return false;
    const [program = "", first = ""] = patternWords(pattern);
    return files.some(([runner]) => runner.test(posix.basename(program))) && !TELLS.test(first);
  })?.text;
}
