// Identifies a set of changes: the same files with the same bytes before and after. This shows whether what would be
// written is what was approved.

import { createHash } from "node:crypto";
import type { FileContent, StagedChange } from "./staged.ts";

export function planOf(changes: readonly StagedChange[]): string {
  const lines = changes.map(({ target, before, after }) =>
    JSON.stringify([target.real, target.part?.inner ?? null, digest(before), digest(after)]),
  );
  return createHash("sha256").update(lines.sort().join("\n")).digest("hex");
}

function digest(content: FileContent | undefined): string | null {
  if (!content) return null;
  return content.executable ? `${content.digest()} executable` : content.digest();
}
