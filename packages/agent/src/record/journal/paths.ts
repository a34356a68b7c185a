// Names of session files: `<sessions>/--<cwd>--/<time>_<id>.jsonl`. The cwd in the header is authoritative; the folder
// is for human readers.

/** Drops the leading slash and turns `/`, `\` and `:` into `-`. */
export function sessionFolderName(cwd: string): string {
  return `--${cwd.replace(/^[/\\]/, "").replace(/[/\\:]/g, "-")}--`;
}

/** `timestamp` is ISO 8601; its `:` and `.` become `-`. */
export function sessionFileName(timestamp: string, id: string): string {
  return `${timestamp.replace(/[:.]/g, "-")}_${id}.jsonl`;
}

/** Path of a session file below the folder of all sessions. */
export function sessionPath(sessionsRoot: string, cwd: string, timestamp: string, id: string): string {
  return `${sessionsRoot}/${sessionFolderName(cwd)}/${sessionFileName(timestamp, id)}`;
}
