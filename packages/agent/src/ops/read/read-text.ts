// Reads a window of lines of a text file, whatever its encoding, and remembers that the session has seen the file.

import { type CallScope, ToolFailure } from "../../contract/tool.ts";
import { DocumentError, decodeDocument } from "../../edit/document.ts";
import { EnvError } from "../../env/types.ts";
import { nearPaths } from "../../paths/near-names.ts";

/** More than this is not a file to read line by line; a program can take parts of it. */
const MOST_BYTES = 64 << 20;

export interface TextWindow {
  /** Without line ends. */
  readonly lines: readonly string[];
  /** 1-based number of the first line. */
  readonly first: number;
  readonly total: number;
}

/** Bytes of a file or of an address such as artifact://3. Fails in words that name the path and the next step. */
export async function loadBytes(path: string, context: CallScope): Promise<Uint8Array> {
  const schemes = context.services.schemes;
  if (schemes?.handles(path)) return (await schemes.read(path, context.signal)).bytes;
  const { env } = context;
  if (path.trim() === "") throw new ToolFailure("The path is empty. Name a file.");
  const { real, stat } = await context.paths.locate(path);
  if (!stat) {
    if (/^~(?:\/|$)/.test(path))
      throw new ToolFailure(`File not found: ${path}. ~ is not expanded; give the whole path.`);
    const near = await nearPaths(env, path);
    throw new ToolFailure(
      near.length > 0
        ? `File not found: ${path}. Did you mean ${near.join(" or ")}?`
        : `File not found: ${path}. Look with glob or list the directory to find the right path.`,
    );
  }
  if (stat.kind === "dangling") {
    throw new ToolFailure(`${path} is a symbolic link to ${stat.realPath}, which does not exist.`);
  }
  if (stat.kind === "directory") throw new ToolFailure(`${path} is a directory. List it, or name a file in it.`);
  // Reading a pipe or a device may never end, and holds a thread that even the end of the host waits for.
  if (stat.kind === "other") {
    throw new ToolFailure(
      `${path} is a pipe, socket or device, not a file. Use a program in the shell with a time limit.`,
    );
  }
  if (stat.size > MOST_BYTES) {
    throw new ToolFailure(
      `${path} has ${stat.size} bytes, too many to read whole. Search it with grep, or print a part of it with the shell.`,
    );
  }
  try {
    const bytes = await env.readBytes(real);
    context.paths.shown.add(real);
    return bytes;
  } catch (error) {
    if (error instanceof EnvError) throw new ToolFailure(error.message);
    throw error;
  }
}

export function windowOf(
  path: string,
  bytes: Uint8Array,
  context: CallScope,
  offset: number,
  limit: number,
): TextWindow {
  const { lines } = textLines(path, bytes, context);
  if (offset > Math.max(1, lines.length)) {
    throw new ToolFailure(`${path} has ${lines.length} lines; offset ${offset} is beyond its end.`);
  }
  return { lines: lines.slice(offset - 1, offset - 1 + limit), first: offset, total: lines.length };
}

export interface TextLines {
  /** Without line ends. */
  readonly lines: readonly string[];
  /** Names the whole content in hashline edits; absent for what cannot be edited. */
  readonly tag?: string;
}

/** All lines of a text; a file is recorded as shown from now on. */
export function textLines(path: string, bytes: Uint8Array, context: CallScope): TextLines {
  const text = decode(path, bytes);
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const isFile = !context.services.schemes?.handles(path);
  const tag = isFile ? context.services.shownFiles?.record(context.env.resolve(path), text) : undefined;
  return tag === undefined ? { lines } : { lines, tag };
}

function decode(path: string, bytes: Uint8Array): string {
  try {
    return decodeDocument(bytes).text;
  } catch (error) {
    if (error instanceof DocumentError) {
      throw new ToolFailure(
        `${path} ${error.message.split(";")[0]}. Look at it with a program in the shell (file, xxd, strings).`,
      );
    }
    throw error;
  }
}
