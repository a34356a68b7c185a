// Quoting for POSIX shells.

/** A word of a command, quoted if necessary. */
export function quoteShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
