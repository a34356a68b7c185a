// How a call is shown to the editor: kind and locations come from the access that the call declares, content from its
// card and the files it changed. Nothing here knows a particular tool.

import type { ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk/unstable";
import type { Access, Card } from "@lathe/agent";
import type { FileChange } from "@lathe/agent/contract";

/** Reads a blob; undefined if it is gone. */
export type Blobs = { get(sha256: string): Uint8Array | undefined };

/** A diff carries both whole files, and the editor renders them at once. */
const MOST_DIFF_BYTES = 1 << 20;
const MOST_TEXT = 16_000;
const MOST_LOCATIONS = 20;

export function kindOf(access: readonly Access[] | undefined, changes: readonly FileChange[] = []): ToolKind {
  if (changes.length > 0 && changes.every(({ after }) => !after)) return "delete";
  if (changes.length > 0 && access?.some(({ kind }) => kind === "write")) return "edit";
  if (!access) return "other";
  const has = (kind: Access["kind"]): boolean => access.some((one) => one.kind === kind);
  if (has("exec")) return "execute";
  if (has("write")) return "edit";
  if (has("network")) return "fetch";
  if (access.some((one) => one.kind === "read" && "search" in one)) return "search";
  return has("read") ? "read" : "other";
}

export function locationsOf(
  access: readonly Access[] = [],
  changes: readonly FileChange[] = [],
): readonly ToolCallLocation[] {
  const declared = access.flatMap((one) => (one.kind === "read" || one.kind === "write" ? [one.path] : []));
  return [...new Set([...changes.map(({ path }) => path), ...declared])]
    .slice(0, MOST_LOCATIONS)
    .map((path) => ({ path }));
}

export const titleOf = ({ verb, subject }: Card): string => `${verb} ${subject}`.trim();

/** What the editor shows below the title once the call has ended. */
export function contentOf(card: Card, changes: readonly FileChange[], blobs: Blobs): ToolCallContent[] {
  const diffs = changes.flatMap((change) => diffOf(change, blobs) ?? []);
  if (diffs.length > 0) return diffs;
  const text = bodyText(card);
  return text === "" ? [] : [textContent(text)];
}

/** Undefined for binary files and files too large for a diff. */
function diffOf({ path, before, after }: FileChange, blobs: Blobs): ToolCallContent | undefined {
  const [oldText, newText] = [before, after].map((ref) => {
    if (!ref) return null;
    return ref.bytes > MOST_DIFF_BYTES ? undefined : textOf(blobs.get(ref.sha256));
  });
  if (oldText === undefined || newText === undefined) return undefined;
  return { type: "diff", path, oldText, newText: newText ?? "" };
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  if (!bytes) return undefined;
  const text = Buffer.from(bytes).toString("utf8");
  return text.includes("\0") ? undefined : text;
}

function bodyText({ body, outcome }: Card): string {
  switch (body?.kind) {
    case "output":
      return fencedText(cut(body.text, body.keeps));
    case "markdown":
      return cut(body.text, "head");
    case "lines":
      return cut(
        body.lines.map(({ text, kind }) => (kind === "heading" ? `**${text}**` : `- ${text}`)).join("\n"),
        "head",
      );
    case "diff":
      return body.files.map(({ path, diff }) => `${path}\n${fencedText(cut(diff, "head"), "diff")}`).join("\n\n");
    default:
      return outcome ?? "";
  }
}

const cut = (text: string, keeps: "head" | "tail"): string =>
  text.length <= MOST_TEXT ? text : keeps === "head" ? `${text.slice(0, MOST_TEXT)}…` : `…${text.slice(-MOST_TEXT)}`;

/** Wraps output in a fence longer than any fence inside it. */
export function fencedText(text: string, language = ""): string {
  if (text.trim() === "") return "";
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

export const textContent = (text: string): ToolCallContent => ({ type: "content", content: { type: "text", text } });
