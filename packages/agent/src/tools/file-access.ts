// What file tools declare of their paths: an address of a registered scheme, or the real path of a file.

import type { Access, CallScope } from "../contract/tool.ts";

export function fileAccess(
  kind: "read" | "write",
  paths: readonly string[],
  { services, paths: callPaths }: CallScope,
): Promise<Access[]> {
  return Promise.all(
    [...new Set(paths)].map(async (path): Promise<Access> => {
      if (services.schemes?.handles(path)) return { kind: "address", url: path, write: kind === "write" };
      return { kind, path: (await callPaths.locate(path)).real };
    }),
  );
}
