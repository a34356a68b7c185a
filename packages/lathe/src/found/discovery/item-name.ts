// Names that files give themselves. Users type them after a slash, they are parts of addresses, and models read them,
// so they must be plain.

/** A name that can be typed in a command line without quotes. */
const PLAIN = /^(?=.*\w)[\w:.-]{1,128}$/;

/** The file's own name or else its folder's, and what is wrong with them. */
export function ownName(written: unknown, folderName: string): { readonly name?: string; readonly problem?: string } {
  const own = typeof written === "string" ? written.trim() : "";
  const wanted = own === "" ? folderName : own;
  if (PLAIN.test(wanted)) return { name: wanted };
  const reason = `"${wanted.length > 60 ? `${wanted.slice(0, 60)}…` : wanted}" is not a valid name: use letters, digits, _, -, . and :`;
  if (!PLAIN.test(folderName)) return { problem: `${reason}. It is not used` };
  return { name: folderName, problem: `${reason}. It is called ${folderName}, like its folder` };
}
