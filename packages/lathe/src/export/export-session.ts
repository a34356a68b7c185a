// Writes a session as one HTML page: its transcript and those of its subagents.

import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { childrenOf } from "../sessions/files.ts";
import { idOf } from "../sessions/find.ts";
import { openToRead } from "../sessions/open.ts";
import { type Transcript, transcriptOf } from "../sessions/transcript.ts";
import { CliError, usageError } from "../usage/exit.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { pageHtml } from "./page.ts";

/** Gives the page's path: `out`, else `lathe-<id>.html` where the command was started. */
export async function exportSession(workspace: Workspace, path: string, out?: string): Promise<string> {
  const file = resolve(workspace.machine.cwd, out ?? `lathe-${idOf(path).slice(0, 8)}.html`);
  const page = await sessionPage(workspace, path);
  try {
    await writePrivate(file, page);
  } catch (error) {
    throw usageError(`The page cannot be written: ${(error as Error).message}. Choose another file for it.`);
  }
  return file;
}

/** For its owner alone, also where a file was there before. */
async function writePrivate(file: string, text: string): Promise<void> {
  const handle = await open(file, "w", 0o600);
  try {
    if ((await handle.stat()).isFile()) await handle.chmod(0o600);
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
}

/** The whole page. Read only: a session that is being written can be exported. */
export async function sessionPage({ machine, paths, redactor }: Workspace, path: string): Promise<string> {
  const read = async (file: string): Promise<Transcript> => {
    const journal = openToRead(machine, paths.blobs, file);
    try {
      // Sessions of earlier versions may hold what is known to be a secret.
      return redactor.value(transcriptOf(journal));
    } finally {
      await journal.close();
    }
  };
  const transcript = await read(path);
  const children = new Map<string, Transcript>();
  const unread: string[] = [];
  for (const file of childrenOf(path)) {
    try {
      const child = await read(file.path);
      if (child.header.parentCall !== undefined) children.set(child.header.parentCall, child);
    } catch (error) {
      // The session is what was asked for; of a subagent's journal the page says that it is missing.
      if (!(error instanceof CliError)) throw error;
      unread.push(`A subagent is missing: ${error.message}`);
    }
  }
  return pageHtml({ transcript: { ...transcript, losses: [...transcript.losses, ...unread] }, children });
}
