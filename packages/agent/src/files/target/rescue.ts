// A path with a wrong beginning still finds its file, if exactly one file of the project ends like it. Only for
// reading: a write goes exactly where it says.

import { type CallScope, ToolFailure } from "../../contract/tool.ts";

const MOST_MS = 5_000;

/**
 * Undefined if there is no such file, or finding out would take too long. If there are several, throws with their
 * names.
 */
export async function rescuePath(path: string, scope: CallScope): Promise<string | undefined> {
  const suffix = path.replace(/^(?:\.{0,2}\/)+/, "");
  if (suffix === "" || suffix.endsWith("/") || /[*?[\]{}\\]|(?:^|\/)\.\.(?:\/|$)/.test(suffix)) return undefined;
  // A bare name would match unrelated files; an absolute path elsewhere is meant literally.
  if (!suffix.includes("/")) return undefined;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), MOST_MS);
  try {
    const signal = AbortSignal.any([scope.signal, late.signal]);
    const { paths } = await scope.env.glob(`**/${suffix}`, ".", { maxResults: 6, signal });
    const [first, second] = paths;
    if (first === undefined) return undefined;
    if (second === undefined) return first;
    throw new ToolFailure(
      `File not found: ${path}. Several files end like this: ${paths.slice(0, 5).join(", ")}${paths.length > 5 ? ", …" : ""}. Name one of them.`,
    );
  } catch (error) {
    if (late.signal.aborted && !scope.signal.aborted) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
