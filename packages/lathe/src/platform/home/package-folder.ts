// Folders that ship in the package, and the line that tells editors which schema a user's file follows.

import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Works from dist/packs (built) and from the sources. */
export function packageFolder(name: "sample" | "schemas"): string {
  const built = fileURLToPath(new URL(`../../${name}`, import.meta.url));
  return existsSync(built) ? built : fileURLToPath(new URL(`../../../${name}`, import.meta.url));
}

/**
 * Address of the schema of config.yml, models.yml or mcp.json on this machine. A project's file is shared with others
 * and must not contain it.
 */
export const schemaAddress = (file: string): string =>
  pathToFileURL(join(packageFolder("schemas"), basename(file).replace(/\.\w+$/, ".json"))).href;

/** The first line of a new YAML file. */
export const schemaComment = (file: string): string => `# yaml-language-server: $schema=${schemaAddress(file)}\n`;
