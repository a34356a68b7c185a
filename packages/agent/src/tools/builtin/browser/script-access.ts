// What a script on a tab accesses: the hosts that its tab can reach, and the files that the call names.

import { type Access, type CallScope, type PreviewLine, ToolFailure } from "../../../contract/tool.ts";
import { fileAccess } from "../file-access.ts";

/** What a tab can reach, so that its scripts can be judged. */
export interface TabReach {
  /** Host and port of every server. */
  readonly servers: readonly { readonly host: string; readonly port: number }[];
  /** The tab is in an unconfined browser, so its scripts can reach anything. */
  readonly isOpen: boolean;
}

/** A script can send out what the model knows, so each host is judged again, except for the session's own servers. */
export async function scriptAccess(
  reach: TabReach,
  { name, code, files }: { readonly name: string; readonly code: string; readonly files: readonly string[] },
  scope: CallScope,
): Promise<Access[]> {
  const { env, services } = scope;
  const accesses = await fileAccess("read", files, scope);
  if (accesses.some(({ kind }) => kind !== "read")) throw new ToolFailure("Only files on the disk can be uploaded.");
  if (reach.isOpen)
    accesses.push({ kind: "exec", command: `browser run ${name}: ${code}`, cwd: env.workingDirectory(), doubt: OPEN });
  const hosts = new Map<string, boolean>();
  for (const { host, port } of reach.servers) {
    const isOwn = (await services.web?.gate.isOwn(host, port)) ?? false;
    hosts.set(host, isOwn && hosts.get(host) !== false);
  }
  return [
    ...accesses,
    ...[...hosts].map(([host, isOwn]): Access => ({ kind: "network", host, ...(isOwn ? { own: true } : {}) })),
  ];
}

const OPEN = "it runs in a browser that is not confined, so its requests are not judged";

export function scriptPreview(name: string, code: string, files: readonly string[]): PreviewLine[] {
  const uploads = files.map((path): PreviewLine => ({ text: `may upload ${path}`, kind: "note" }));
  return [
    { text: `Run this script on the tab ${name}`, kind: "question" },
    ...uploads,
    ...code.split("\n").map((line) => ({ text: `│ ${line}` })),
  ];
}
