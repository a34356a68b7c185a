// Writes a session as an encrypted page, and returns the link with which others can read it.

import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { sessionPage } from "../../sessions/export/export-session.ts";
import { writePage } from "../../sessions/export/write-page.ts";
import { idOf } from "../../sessions/find.ts";
import { sealPage } from "./sealed-page.ts";

export interface SharedPage {
  readonly file: string;
  /** Contains the key. */
  readonly link: string;
}

/** `base` is the folder that will serve the page; without it, the link opens the file on this machine. */
export async function shareSession(
  workspace: Workspace,
  path: string,
  { out, base }: { readonly out?: string | undefined; readonly base?: URL | undefined },
): Promise<SharedPage> {
  const file = resolve(workspace.machine.cwd, out ?? `lathe-share-${idOf(path).slice(0, 8)}.html`);
  const { key, pieces } = sealPage(sessionPage(workspace, path));
  await writePage(file, pieces);
  const address = base ? new URL(encodeURIComponent(basename(file)), base) : pathToFileURL(file);
  return { file, link: `${address.href}#${key}` };
}

/** Browsers decrypt only on pages loaded over https or from this machine. */
export function baseUrl(text: string): URL {
  const folder = URL.canParse(text) ? new URL(text.endsWith("/") ? text : `${text}/`) : undefined;
  const isLocal = folder?.protocol === "http:" && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(folder.hostname);
  if (!folder || !(folder.protocol === "https:" || isLocal) || folder.search !== "" || folder.hash !== "")
    throw usageError(
      `--base-url must be the https address of a folder, such as https://example.org/pages, not ${JSON.stringify(text)}.`,
    );
  return folder;
}
