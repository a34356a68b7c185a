// The packages as published, installed in a folder like that of a user's program, for tests in other runtimes.

import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildLibrary } from "./build.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Where scripts/setup-system.sh installs it. */
export const BUN = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "lathe-ci/bun/bin/bun");
export const hasBun = existsSync(BUN);

export interface Installed {
  readonly folder: string;
  /** Writes a file of the program and returns its path. */
  write(name: string, content: string): string;
  remove(): void;
}

/** Below the workspace, so that the packages' dependencies are found. */
export async function installPackages(names: readonly ("llm" | "agent")[]): Promise<Installed> {
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(ROOT, ".cache", "installed-"));
  for (const name of names) {
    const own = join(folder, "node_modules", "@lathe", name);
    mkdirSync(own, { recursive: true });
    copyFileSync(join(ROOT, "packages", name, "package.json"), join(own, "package.json"));
    await buildLibrary(name, join(own, "dist"));
  }
  writeFileSync(join(folder, "package.json"), '{"type":"module","private":true}\n');
  return {
    folder,
    write: (name, content) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
