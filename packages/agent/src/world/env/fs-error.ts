// Consistent wording for failed file operations: what happened, to which path, and what to do next.

import { EnvError, type EnvErrorCode } from "./types.ts";

/** What can be wrong with a path. */
export type PathErrorCode = Exclude<EnvErrorCode, "busy" | "closed" | "timed_out" | "not_permitted">;

const BY_ERRNO: Readonly<Record<string, PathErrorCode>> = {
  ENOENT: "not_found",
  EACCES: "permission_denied",
  EPERM: "permission_denied",
  EISDIR: "is_directory",
  ENOTDIR: "not_directory",
  EEXIST: "exists",
  ENOTEMPTY: "exists",
  ENOSPC: "no_space",
  EDQUOT: "no_space",
  EROFS: "read_only",
};

const WORDING: Readonly<Record<PathErrorCode, (path: string) => string>> = {
  not_found: (path) => `File not found: ${path}. Check the path, or list the directory to see what is there.`,
  permission_denied: (path) => `Permission denied: ${path}. Check the owner and mode of the file and its directory.`,
  is_directory: (path) => `Is a directory, not a file: ${path}. List it, or name a file inside it.`,
  not_directory: (path) => `Not a directory: ${path}. Name a directory, or read it as a file.`,
  not_file: (path) =>
    `Not a regular file: ${path}. It is a pipe, socket or device; use a program in the shell with a time limit.`,
  exists: (path) => `Already exists: ${path}. Choose another name or remove it first.`,
  changed: (path) => `Changed by another program in the meantime: ${path}. Read it again and repeat the edit.`,
  overwrote: (path) =>
    `Written, but what another program wrote to ${path} at the same moment was overwritten. Check the file.`,
  no_space: (path) => `No space left on the device for ${path}. Free some space and try again.`,
  read_only: (path) => `Read-only file system: ${path}. Write to another place.`,
  outside_root: (path) => `Outside the allowed directories: ${path}. Use a path inside the working directory.`,
  bad_pattern: (path) => `Bad pattern: ${path}. Correct it and try again.`,
  unavailable: (path) => `Not available here: ${path}.`,
  io: (path) => `Input/output error: ${path}. Try again.`,
};

export function pathError(code: PathErrorCode, path: string, cause?: unknown): EnvError {
  return new EnvError(code, WORDING[code](path), { path, ...(cause === undefined ? {} : { cause }) });
}

/** Listing the directory, as for other missing files, would show the link but not explain the error. */
export function linkLoop(path: string, cause?: unknown): EnvError {
  const what = `${path} is a symbolic link that points back to itself. Name the file itself, or fix the link in the shell.`;
  return new EnvError("not_found", what, { path, ...(cause === undefined ? {} : { cause }) });
}

/** Turns what node:fs throws into an EnvError; an EnvError passes unchanged. */
export function fromErrno(error: unknown, path: string): EnvError {
  if (error instanceof EnvError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const known = code === undefined ? undefined : BY_ERRNO[code];
  if (known !== undefined) return pathError(known, path, error);
  if (code === "ELOOP") return linkLoop(path, error);
  if (path.includes("\0")) {
    const shown = path.replaceAll("\0", "\\0");
    return new EnvError("io", `The path contains a NUL character: ${shown}. Remove it.`, { path, cause: error });
  }
  if (code === "EMFILE" || code === "ENFILE") {
    return new EnvError("busy", `Too many files are open to open ${path}. Try again when fewer files are open.`, {
      path,
      cause: error,
    });
  }
  if (code === "ENAMETOOLONG") {
    return new EnvError("io", `The path is too long: ${path.slice(0, 100)}…. Choose a shorter name.`, {
      path,
      cause: error,
    });
  }
  return new EnvError("io", `${message ?? String(error)}: ${path}. Check the path and try again.`, {
    path,
    cause: error,
  });
}
