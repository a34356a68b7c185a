// Finds the browser to start: the one that the user names, or the system's own. Nothing is downloaded.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { ToolFailure } from "@lathe/agent";

/** The user's PATH is not searched, because it may lead into a project. */
const FOLDERS = ["/usr/bin", "/usr/local/bin", "/opt/google/chrome", "/run/current-system/sw/bin"];
const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"];
const MAC_APPS = ["Chromium", "Google Chrome"].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`);

export function findChromium(variables: Readonly<Record<string, string | undefined>>): string {
  const named = variables["PUPPETEER_EXECUTABLE_PATH"];
  if (named && !existsSync(named))
    throw new ToolFailure(`PUPPETEER_EXECUTABLE_PATH names ${named}, which does not exist.`);
  const candidates = [...FOLDERS.flatMap((folder) => NAMES.map((name) => join(folder, name))), ...MAC_APPS];
  const found = named || candidates.find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new ToolFailure(
    "No browser was found: install the package chromium (Debian: apt install chromium), or set PUPPETEER_EXECUTABLE_PATH.",
  );
}
