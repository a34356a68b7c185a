/** A path as people read it, with ~ for their home directory. */
export function shownPath(path: string, userHome: string): string {
  if (path === userHome) return "~";
  return path.startsWith(`${userHome}/`) ? `~${path.slice(userHome.length)}` : path;
}
