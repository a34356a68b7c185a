// The .env chain: the process wins, then the project's .env (only in a trusted folder), then the user's. Nothing already
// set is overridden.

import { readIfThere } from "../home/small-file.ts";

export interface EnvFileOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly trusted: boolean;
  readonly latheHome: string;
  readonly userHome: string;
}

export function envWithFiles(options: EnvFileOptions): Record<string, string | undefined> {
  const files = [
    ...(options.trusted ? [`${options.cwd}/.env`] : []),
    `${options.latheHome}/.env`,
    `${options.userHome}/.env`,
  ];
  const merged: Record<string, string | undefined> = { ...options.env };
  for (const file of files) {
    const text = textOf(file);
    if (text === undefined) continue;
    for (const [name, value] of parseEnv(text)) merged[name] ??= value;
  }
  return merged;
}

function parseEnv(text: string): [string, string][] {
  const pairs: [string, string][] = [];
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line);
    if (match) pairs.push([match[1] ?? "", unquote(match[2] ?? "")]);
  }
  return pairs;
}

function unquote(value: string): string {
  const quoted = /^"((?:\\.|[^"\\])*)"|^'([^']*)'/.exec(value);
  if (!quoted) return value.replace(/\s+#.*$/, "");
  return quoted[2] ?? (quoted[1] ?? "").replace(/\\(.)/g, (_, char: string) => (char === "n" ? "\n" : char));
}

/** Absent or unreadable: the chain goes on. */
function textOf(file: string): string | undefined {
  try {
    return readIfThere(file);
  } catch {
    return undefined;
  }
}
