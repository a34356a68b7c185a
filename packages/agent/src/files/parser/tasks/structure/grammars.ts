// Grammars by name: some are part of @ast-grep/napi, the others are packages that are used if installed.

import { createRequire } from "node:module";
import { missingPackage } from "../../../../base/optional-package.ts";
import { CannotParse } from "../types.ts";

type AstGrep = typeof import("@ast-grep/napi");

/** Replaces `$` while a pattern is parsed, in languages where names cannot begin with it. */
const EXPANDO: Readonly<Record<string, string>> = { Css: "_", Html: "z" };
const INSIDE: ReadonlySet<string> = new Set(["TypeScript", "Tsx", "JavaScript", "Html", "Css"]);

type Registration = Parameters<AstGrep["registerDynamicLanguage"]>[0][string];

/** The library accepts additional grammars only once per process, so all that are installed are registered together. */
let registered: ReadonlyMap<string, Registration> | undefined;

export interface Grammars {
  readonly astGrep: AstGrep;
  has(grammar: string): boolean;
  /** The pattern in a form that the grammar can parse. */
  readablePattern(grammar: string, pattern: string): string;
}

export async function loadGrammars(
  wanted: readonly string[],
  packages: Readonly<Record<string, string>>,
): Promise<Grammars> {
  const astGrep = await loadPackage();
  if (registered === undefined && wanted.some((grammar) => !INSIDE.has(grammar))) {
    const found = findInstalled(packages);
    if (found.size > 0) astGrep.registerDynamicLanguage(Object.fromEntries(found));
    registered = found;
  }
  return {
    astGrep,
    has: (grammar) => INSIDE.has(grammar) || registered?.has(grammar) === true,
    readablePattern: (grammar, pattern) =>
      pattern.replaceAll("$", () => EXPANDO[grammar] ?? registered?.get(grammar)?.expandoChar ?? "$"),
  };
}

async function loadPackage(): Promise<AstGrep> {
  try {
    return await import("@ast-grep/napi");
  } catch {
    throw new CannotParse(missingPackage("structural searches", "@ast-grep/napi"));
  }
}

function findInstalled(packages: Readonly<Record<string, string>>): Map<string, Registration> {
  const require = createRequire(import.meta.url);
  const found = new Map<string, Registration>();
  for (const [grammar, name] of Object.entries(packages)) {
    try {
      const registration = require(name) as Registration;
      // Accessed here, because it throws if the package has no library for this machine.
      found.set(grammar, { ...registration, libraryPath: registration.libraryPath });
    } catch {
      // Not installed, or not available for this machine: a search in this language names the package.
    }
  }
  return found;
}
