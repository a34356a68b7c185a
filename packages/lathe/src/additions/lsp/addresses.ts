// Converts files to addresses and back. Paths are those of the environment, which may be another machine.

/** Escapes every byte that is not plain; all servers can read that. */
export const toUri = (path: string): string => `file://${path.split("/").map(encodeURIComponent).join("/")}`;

/** Undefined if the address is not of a file. */
export function toPath(uri: string): string | undefined {
  const [, path] = /^file:\/\/(?:localhost)?(\/[^?#]*)/i.exec(uri) ?? [];
  try {
    return path === undefined ? undefined : decodeURIComponent(path);
  } catch {
    return undefined; // not UTF-8
  }
}
