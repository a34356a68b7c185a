// What a call would do, line by line, as prepared for approval: nothing is left out, and nothing in it can look like
// the question or an answer.

import { parseUnified, visible } from "@lathe/tui/text";
import type { Dialog } from "lathe/client";
import type { VNode } from "preact";
import { DiffView } from "../session/diff-view.tsx";

type Line = NonNullable<Extract<Dialog, { method: "confirm" }>["preview"]>[number];

const HUNK = /^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/;
const isOfHunk = ({ text, kind }: Line): boolean =>
  kind === "added" || kind === "removed" || (kind === undefined && /^[ \\]/.test(text));

export function Preview({ lines }: { readonly lines: readonly Line[] }): VNode {
  return (
    <section
      class="preview"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
      tabIndex={0}
      aria-label="What would be done"
    >
      {piecesOf(lines)}
    </section>
  );
}

/** Hunks are drawn as changes; anything that does not parse as one complete hunk is drawn as it is. */
function piecesOf(lines: readonly Line[]): VNode[] {
  const pieces: VNode[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as Line;
    const end = lines.findIndex((later, index) => index > at && !isOfHunk(later));
    const hunk = lines.slice(at, end < 0 ? lines.length : end);
    const isHunk = line.kind === undefined && HUNK.test(line.text) && holdsAll(hunk);
    const text = hunk.map((one) => one.text).join("\n");
    pieces.push(
      isHunk ? (
        <DiffView key={at} diff={text} most={Number.POSITIVE_INFINITY} />
      ) : (
        <pre key={at} class={line.kind ?? "plain"}>
          {visible(line.text)}
        </pre>
      ),
    );
    at += isHunk ? hunk.length : 1;
  }
  return pieces;
}

/** Whether all lines of the hunk would be drawn. */
function holdsAll(hunk: readonly Line[]): boolean {
  const lines = hunk.slice(1).map(({ text }) => text);
  if (lines.some((text) => text.includes("\n") || text.includes("\r") || text.startsWith("\\"))) return false;
  const files = parseUnified(hunk.map(({ text }) => text).join("\n"));
  const drawn = files.flatMap(({ hunks }) => hunks.flat());
  return (
    files.length === 1 && drawn.length === lines.length && drawn.every(({ text }, at) => lines[at]?.slice(1) === text)
  );
}
