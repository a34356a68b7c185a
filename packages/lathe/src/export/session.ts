// Gathers what a page needs of a session file: its transcript and those of its subagents.

import type { Machine } from "../run/machine.ts";
import { childrenOf } from "../sessions/files.ts";
import { openToRead } from "../sessions/open.ts";
import { type Transcript, transcriptOf } from "../sessions/transcript.ts";
import { pageHtml } from "./page.ts";

/** The whole page. Read only: a session that is being written can be exported. */
export async function exportSession(machine: Machine, blobFolder: string, path: string): Promise<string> {
  const read = async (file: string): Promise<Transcript> => {
    const journal = openToRead(machine, blobFolder, file);
    try {
      return transcriptOf(journal);
    } finally {
      await journal.close();
    }
  };
  const children = new Map<string, Transcript>();
  for (const file of childrenOf(path)) {
    const child = await read(file.path);
    if (child.header.parentCall !== undefined) children.set(child.header.parentCall, child);
  }
  return pageHtml({ transcript: await read(path), children });
}
