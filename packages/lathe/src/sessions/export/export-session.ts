// Writes a session as one HTML page: its transcript and those of its subagents.

import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { finished } from "node:stream/promises";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { CliError, usageError } from "../../platform/usage/exit.ts";
import { childrenOf } from "../files.ts";
import { idOf } from "../find.ts";
import { openToRead } from "../open.ts";
import { sharedTranscript, transcriptOf } from "../transcript.ts";
import { writePieces } from "../write-pieces.ts";
import { type OpenTranscript, pageHtml } from "./page.ts";
import type { PageColours } from "./style.ts";
import { type Summary, summaryOf } from "./summary.ts";

/** Gives the page's path: `out`, else `lathe-<id>.html` where the command was started. */
export async function exportSession(
  workspace: Workspace,
  path: string,
  { out, colours }: { readonly out?: string | undefined; readonly colours?: PageColours | undefined } = {},
): Promise<string> {
  const file = resolve(workspace.machine.cwd, out ?? `lathe-${idOf(path).slice(0, 8)}.html`);
  const pieces = sessionPage(workspace, path, colours);
  // The first piece comes when the session could be read: a page that is there is not emptied for one that cannot.
  const first = pieces.next();
  try {
    await writePrivate(file, first.done ? "" : first.value, pieces);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw usageError(`The page cannot be written: ${(error as Error).message}. Choose another file for it.`);
  }
  return file;
}

/** For its owner alone, also where a file was there before. */
async function writePrivate(file: string, first: string, rest: Iterable<string>): Promise<void> {
  const handle = await open(file, "w", 0o600);
  const target = handle.createWriteStream();
  const written = finished(target);
  try {
    if ((await handle.stat()).isFile()) await handle.chmod(0o600);
    await Promise.race([writePieces(target, [first]), written]);
    await Promise.race([writePieces(target, rest), written]);
    target.end();
    await written;
  } catch (error) {
    target.destroy();
    // One failure may be reported in two ways; we report the first.
    await written.catch(() => {});
    throw error;
  }
}

/** Pieces of the page, in order. Read only: a session that is being written can be exported. */
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
      // The session is what was asked for; of a subagent's journal the page says that it is missing.
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

/** A page is made to be shown to others; sessions of earlier versions may hold even what is known to be a secret. */
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
