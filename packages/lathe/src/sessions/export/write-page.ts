// Writes a page to a file that only its owner can read.

import { open } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { usageError } from "../../platform/usage/exit.ts";
import { writePieces } from "../write-pieces.ts";

/** The first piece comes when the session could be read: a page that is there is not emptied for one that cannot. */
export async function writePage(
  file: string,
  pieces: Generator<string, void, undefined> | AsyncGenerator<string, void, undefined>,
): Promise<void> {
  const first = await pieces.next();
  try {
    await writePrivate(file, first.done ? "" : first.value, pieces);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw usageError(`The page cannot be written: ${(error as Error).message}. Choose another file for it.`);
  }
}

/** Also where a file was there before. */
async function writePrivate(
  file: string,
  first: string,
  rest: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
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
