// Files as addresses, and back. Paths are those of the environment, which need not be this machine.

/** Every byte that is not plain is written by its number, as all servers read it. */
export const toUri = (path: string): string => `file://${path.split("/").map(encodeURIComponent).join("/")}`;

/** Undefined for what is no file. */
export function toPath(uri: string): string | undefined {
  const [, path] = /^file:\/\/(?:localhost)?(\/[^?#]*)/i.exec(uri) ?? [];
  try {
    return path === undefined ? undefined : decodeURIComponent(path);
  } catch {
    return undefined; // no text in UTF-8
  }
}
