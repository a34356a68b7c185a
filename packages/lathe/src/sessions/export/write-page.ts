// Writes a page to a file that only its owner can read.

import { writeOutputFile } from "../../platform/home/output-file.ts";
import { inChunks } from "../write-pieces.ts";

/** The first piece is only produced once the session could be read, so no file is created for one that cannot. */
export async function writePage(
  file: string,
  pieces: Generator<string, void, undefined> | AsyncGenerator<string, void, undefined>,
): Promise<void> {
  const first = await pieces.next();
  await writeOutputFile(file, async (handle) => {
    if (!first.done) await handle.appendFile(first.value);
    const chunks = Symbol.asyncIterator in pieces ? pieces : inChunks(pieces);
    for await (const chunk of chunks) await handle.appendFile(chunk);
  });
}
