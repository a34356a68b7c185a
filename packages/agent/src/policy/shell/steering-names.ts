// Names of files that become options, or other files, when another command gets them: behind a glob, or cut at blanks.

/** Pieces of a name behind a blank that are read as a file or an option of their own. */
const STEERING_PIECE = /^(?![A-Za-z\d(&+[][\w.()&,+\][-]*$)|key|secret|cred|token|passw|id_|\.(?:pem|env)/i;

/** Whether a piece of the path is read as something else when it is cut at blanks. */
export const isCutApart = (path: string): boolean =>
  path
    .split(/[\s'"\\]+/)
    .slice(1)
    .some((piece) => STEERING_PIECE.test(piece));

export const beginsWithDash = (name: string): boolean => name.startsWith("-");

/**
 * Whether a file of this path, seen from the project, may steer a command that finds its name. Commands are judged by the names that
 * are there: one that is made while they run would not have been looked at.
 */
export const mayBecomeOption = (path: string): boolean => path.split("/").some(beginsWithDash) || isCutApart(path);
