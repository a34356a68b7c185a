// Writes a session as one HTML page: its transcript and those of its subagents.

import { resolve } from "node:path";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { CliError } from "../../platform/usage/exit.ts";
import { childrenOf } from "../files.ts";
import { idOf } from "../find.ts";
import { openToRead } from "../open.ts";
import { sharedTranscript, transcriptOf } from "../transcript.ts";
import { type OpenTranscript, pageHtml } from "./page.ts";
import type { PageColours } from "./style.ts";
import { type Summary, summaryOf } from "./summary.ts";
import { writePage } from "./write-page.ts";

/** Returns the page's path: `out`, or by default `lathe-<id>.html` in the current directory. */
export async function exportSession(
  workspace: Workspace,
  path: string,
  { out, colours }: { readonly out?: string | undefined; readonly colours?: PageColours | undefined } = {},
): Promise<string> {
  const file = resolve(workspace.machine.cwd, out ?? `lathe-${idOf(path).slice(0, 8)}.html`);
  await writePage(file, sessionPage(workspace, path, colours));
  return file;
}

/** Yields the pieces of the page in order. It only reads, so a session in use can be exported. */
export function* sessionPage(
  workspace: Workspace,
  path: string,
  colours?: PageColours,
): Generator<string, void, undefined> {
  const children = new Map<string, () => OpenTranscript>();
  const summaries: Summary[] = [];
  const unread: string[] = [];
  for (const { path: file } of childrenOf(path)) {
    try {
      const { parentCall, summary } = childOf(openTranscript(workspace, file));
      if (parentCall === undefined) continue;
      summaries.push(summary);
      children.set(parentCall, () => openTranscript(workspace, file));
    } catch (error) {
      // A missing journal is an error for the session itself; for a subagent the page says that it is missing.
      if (!(error instanceof CliError)) throw error;
      unread.push(`A subagent is missing: ${error.message}`);
    }
  }
  const { transcript, close } = openTranscript(workspace, path);
  try {
    const summary = summaryOf(transcript);
    yield* pageHtml({ transcript, summary, summaries, children, losses: [...transcript.losses(), ...unread], colours });
  } finally {
    close();
  }
}

/** A page is made to be shared, and sessions of earlier versions may even contain known secrets. */
function openTranscript({ machine, paths, redactor }: Workspace, path: string): OpenTranscript {
  const journal = openToRead(machine, paths.blobs, path);
  return { transcript: sharedTranscript(transcriptOf(journal), redactor), close: () => void journal.close() };
}

function childOf({ transcript, close }: OpenTranscript): {
  readonly parentCall: string | undefined;
  readonly summary: Summary;
} {
  try {
    return { parentCall: transcript.header.parentCall, summary: summaryOf(transcript) };
  } finally {
    close();
  }
}
