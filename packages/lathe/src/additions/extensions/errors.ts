// Explains why a file did not load, in one line that its author can act on.

import { dirname } from "node:path";

export class ExtensionError extends Error {
  readonly path: string;
  constructor(path: string, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ExtensionError";
    this.path = path;
  }
}

export function describeLoadFailure(path: string, error: unknown): ExtensionError {
  const fail = (message: string): ExtensionError => new ExtensionError(path, message, { cause: error });
  if (!(error instanceof Error)) return fail(`${path} threw while it was loading: ${firstLine(String(error))}`);
  const parse = /^ParseError: ([^\n]*?)\s*\n\s*(.+):(\d+):(\d+)\s*$/.exec(error.message);
  if (parse) return fail(`${parse[2]}:${parse[3]}:${parse[4]} does not parse: ${parse[1]?.replace(/\.$/, "")}.`);
  const missing = missingModule(error);
  if (missing) return fail(missing);
  const at = frameOf(error);
  return fail(`${path} threw while it was loading: ${error.name}: ${firstLine(error.message)}${at ? ` (${at})` : ""}`);
}

interface ModuleNotFound extends Error {
  readonly code?: string;
  readonly requireStack?: readonly string[];
}

function missingModule(error: ModuleNotFound): string | undefined {
  if (error.code !== "MODULE_NOT_FOUND") return undefined;
  const name = /^Cannot find module '([^']+)'/.exec(error.message)?.[1];
  const importer = error.requireStack?.[0];
  if (name === undefined || importer === undefined) return undefined;
  if (/^[./]/.test(name)) return `${importer} imports ${name}, which does not exist.`;
  const [scope, rest] = name.split("/");
  const named = name.startsWith("@") && rest !== undefined ? `${scope}/${rest}` : scope;
  return `${importer} imports ${name}, which is not installed. Run: npm install --prefix ${dirname(importer)} ${named}`;
}

/** The place of the error in the user's own code. */
function frameOf(error: Error): string | undefined {
  for (const line of (error.stack ?? "").split("\n")) {
    const place = /^\s+at (?:.*\()?(?:file:\/\/)?(\/.+?:\d+):\d+\)?$/.exec(line)?.[1];
    if (place !== undefined && !place.includes("/node_modules/jiti/")) return place;
  }
  return undefined;
}

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";
