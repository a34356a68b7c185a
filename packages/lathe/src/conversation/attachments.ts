// What is sent along with a prompt: files that it names with @, and piped input. Each is either an image, recognized by
// its first bytes, or text in any encoding.

import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { EnvError, ExecutionEnvironment, InputContent, InputPart } from "@lathe/agent";
import { DocumentError, documentText, imageType, MOST_IMAGE_BYTES } from "@lathe/agent/files";
import { isInside } from "@lathe/agent/policy";
import type { Permissions } from "../found/permissions/permissions.ts";
import type { Machine } from "../platform/machine/machine.ts";
import { usageError } from "../platform/usage/exit.ts";
import { readUserFile } from "../platform/usage/user-file.ts";

export interface Attachment {
  /** The name that messages use. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Tags around the content in the conversation; text without them is the prompt itself. */
  readonly tags?: readonly [open: string, close: string];
}

export function attachmentParts({ name, bytes, tags }: Attachment): InputPart[] {
  const mediaType = imageType(bytes);
  if (mediaType !== undefined) {
    if (bytes.length > MOST_IMAGE_BYTES)
      throw usageError(
        `${name} is an image of ${megabytes(bytes.length)}; the limit is ${megabytes(MOST_IMAGE_BYTES)}. Use a smaller copy.`,
      );
    const image: InputPart = { kind: "image", image: { data: bytes, mediaType } };
    return tags ? [{ kind: "text", text: tags[0] }, image, { kind: "text", text: tags[1] }] : [image];
  }
  const text = textIn(bytes);
  if (text === undefined)
    throw usageError(`${name} is binary. Only text and images (png, jpg, gif, webp) can be attached.`);
  const whole = text.replace(/\n+$/, "");
  return [{ kind: "text", text: tags ? `${tags[0]}\n${whole}\n${tags[1]}` : whole }];
}

function textIn(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 8192));
  // The beginning of a PDF may look like text.
  if (start.subarray(0, 5).toString("latin1") === "%PDF-") return undefined;
  try {
    return documentText(bytes);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    // A log with mixed encodings is still worth reading.
    return start.includes(0) ? undefined : Buffer.from(bytes).toString("utf8");
  }
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** Without `userHome`, a ~ is an ordinary character. */
type Places = Pick<Machine, "cwd"> & Partial<Pick<Machine, "userHome">>;
/** File access in the environment of the run: a run in a view reads the view's files. */
export type AttachmentFiles = Pick<ExecutionEnvironment, "stat" | "readBytes">;

/** Attaches a file that must exist. */
export async function fileParts(file: string, places: Places, files?: AttachmentFiles): Promise<InputPart[]> {
  const path = pathOf(file, places);
  let bytes: Uint8Array;
  try {
    bytes = files ? await files.readBytes(path) : await readUserFile(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException | EnvError).code ?? "";
    throw usageError(`@${file}: ${WRONG[code] ?? code}. Give the path of a text or image file.`);
  }
  return attachmentParts({ name: `@${file}`, bytes, tags: [`<file path="${file}">`, "</file>"] });
}

const WRONG: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  not_found: "no such file",
  ENOTDIR: "no such file",
  not_directory: "no such file",
  EISDIR: "is a directory",
  is_directory: "is a directory",
  EACCES: "you have no permission to read it",
  permission_denied: "you have no permission to read it",
  ELOOP: "it is a symbolic link that points back to itself",
  ENAMETOOLONG: "the name is too long",
};

/** A word of the form @file. */
const MENTION = /(?<=^|\s)@(?:"([^"]+)"|(\S+))/g;

/** The user's text with the files it names. A word with an @ that names no file stays plain text. */
export async function withAttachments(
  text: string,
  places: Places,
  files?: AttachmentFiles,
  mayBeSent?: (realPath: string) => boolean,
): Promise<InputContent> {
  const named = [...text.matchAll(MENTION)].map(([, quoted, bare]) => quoted ?? bare ?? "");
  const parts: InputPart[] = [];
  for (const name of new Set(named)) {
    const file = await findExisting(name, places, files, mayBeSent);
    if (file !== undefined) parts.push(...(await fileParts(file, places, files)));
  }
  return parts.length === 0 ? text : [...parts, { kind: "text", text }];
}

/**
 * The same for text that others may have written: it attaches only files of the project, and none that may hold keys
 * (decision 0314).
 */
export async function withProjectFiles(
  text: string,
  env: ExecutionEnvironment,
  permissions: Pick<Permissions, "holdsKeys">,
): Promise<InputContent> {
  const cwd = env.workingDirectory();
  const root = (await env.stat(cwd))?.realPath ?? cwd;
  // A repository's git settings may contain addresses with passwords.
  const mayHoldKeys = (path: string): boolean => permissions.holdsKeys(path) || path.includes("/.git/");
  return withAttachments(text, { cwd }, env, (path) => isInside(path, root) && !mayHoldKeys(path));
}

/** Looks for the name as typed, then without trailing punctuation. */
async function findExisting(
  name: string,
  places: Places,
  files?: AttachmentFiles,
  mayBeSent?: (realPath: string) => boolean,
): Promise<string | undefined> {
  for (const candidate of [name, name.replace(/[.,;:!?)\]}'"]+$/, "")]) {
    const path = pathOf(candidate, places);
    const found = await (files?.stat(path) ?? stat(path)).catch(() => undefined);
    const isFile = found && ("kind" in found ? found.kind === "file" : found.isFile());
    if (isFile) return mayBeSent && "realPath" in found && !mayBeSent(found.realPath) ? undefined : candidate;
  }
  return undefined;
}

/** The shell does not expand a ~ after an @, so this does. */
function pathOf(file: string, { cwd, userHome }: Places): string {
  return userHome !== undefined && file.startsWith("~/") ? join(userHome, file.slice(2)) : resolve(cwd, file);
}
