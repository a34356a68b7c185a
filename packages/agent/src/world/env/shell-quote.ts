// Quoting for POSIX shells.

/** One word of a command, quoted where it has to be. */
export function quoteShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
