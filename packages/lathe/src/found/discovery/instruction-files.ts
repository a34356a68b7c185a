// Which files an instruction in Copilot's format applies to.

import type { MarkdownValue } from "./types.ts";

/** The globs of `applyTo`; undefined if it applies to all files. */
export function filesOfInstruction({ frontmatter: { applyTo } }: MarkdownValue): readonly string[] | undefined {
  const globs = (Array.isArray(applyTo) ? applyTo : String(applyTo ?? "").split(/,(?![^{]*\})/))
    .map((glob) => String(glob).trim())
    .filter((glob) => glob !== "");
  return globs.length === 0 || globs.some((glob) => /^\*\*?(?:\/\*{1,2})?$/.test(glob)) ? undefined : globs;
}
