// Names of files that become options, or other files, when another command receives them: through a glob, or split at
// blanks.

/** Pieces of a name after a blank that would be parsed as a separate file or option. */
const STEERING_PIECE = /^(?![A-Za-z\d(&+[][\w.()&,+\][-]*$)|key|secret|cred|token|passw|id_|\.(?:pem|env)/i;

/** Whether a piece of the path has another meaning when it is split at blanks. */
export const isCutApart = (path: string): boolean =>
  path
    .split(/[\s'"\\]+/)
    .slice(1)
    .some((piece) => STEERING_PIECE.test(piece));

export const beginsWithDash = (name: string): boolean => name.startsWith("-");

/**
 * Whether a file with this path, relative to the project, may influence a command that finds its name. Commands are
 * judged by the names that exist; a file created while they run is not checked.
 */
export const mayBecomeOption = (path: string): boolean => path.split("/").some(beginsWithDash) || isCutApart(path);
