// The parts of the language server protocol that are used here. Servers may send anything else, so input is checked.

import { isJsonObject as isRecord } from "@lathe/llm";
import type { Encoding, Range } from "./positions.ts";

export interface Problem {
  readonly range: Range;
  /** 1 error, 2 warning, 3 information, 4 hint; if absent, an error. */
  readonly severity?: number;
  readonly code?: number | string;
  readonly source?: string;
  readonly message: string;
}

export interface Location {
  readonly uri: string;
  readonly range: Range;
}

/** What the client offers, from which servers choose. */
export const CLIENT_CAPABILITIES = {
  general: { positionEncodings: ["utf-16", "utf-8"] satisfies Encoding[] },
  window: { workDoneProgress: true },
  workspace: {
    configuration: true,
    workspaceFolders: true,
    didChangeConfiguration: { dynamicRegistration: true },
    didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
    symbol: {},
    diagnostics: { refreshSupport: true },
    applyEdit: true,
    executeCommand: {},
    workspaceEdit: {
      documentChanges: true,
      resourceOperations: ["create", "rename", "delete"],
      failureHandling: "abort",
    },
    fileOperations: { willRename: true, didRename: true },
  },
  textDocument: {
    synchronization: { didSave: true },
    publishDiagnostics: { versionSupport: true },
    diagnostic: { dynamicRegistration: true, relatedDocumentSupport: false },
    hover: { contentFormat: ["markdown", "plaintext"] },
    definition: { linkSupport: true },
    typeDefinition: { linkSupport: true },
    implementation: { linkSupport: true },
    references: {},
    callHierarchy: {},
    rename: { prepareSupport: false },
    codeAction: {
      disabledSupport: true,
      codeActionLiteralSupport: { codeActionKind: { valueSet: ["", "quickfix", "refactor", "source"] } },
      resolveSupport: { properties: ["edit", "command"] },
    },
    formatting: {},
    rangeFormatting: {},
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
  },
};

const MOST_PROBLEMS = 1000;
const LONGEST_MESSAGE = 2000;

/** The valid problems in a server's list. */
export function problemsIn(list: unknown): Problem[] {
  if (!Array.isArray(list)) return [];
  return list.slice(0, MOST_PROBLEMS).flatMap((one) => {
    if (!isRecord(one) || !isRange(one["range"])) return [];
    const { range, severity, code, source, message } = one;
    return {
      range,
      message: String(isRecord(message) ? message["value"] : message).slice(0, LONGEST_MESSAGE),
      ...(typeof severity === "number" ? { severity } : {}),
      ...(typeof code === "number" || typeof code === "string" ? { code } : {}),
      ...(typeof source === "string" ? { source } : {}),
    };
  });
}

/** Locations, or links to locations; a single one or a list. */
export function locationsIn(answer: unknown): Location[] {
  const list = Array.isArray(answer) ? answer : [answer];
  return list.flatMap((one) => {
    if (!isRecord(one)) return [];
    const uri = one["uri"] ?? one["targetUri"];
    const range = one["range"] ?? one["targetSelectionRange"] ?? one["targetRange"];
    return typeof uri === "string" && isRange(range) ? { uri, range } : [];
  });
}

export function isRange(value: unknown): value is Range {
  return isRecord(value) && isPosition(value["start"]) && isPosition(value["end"]);
}

const isPosition = (value: unknown): boolean =>
  isRecord(value) && isCount(value["line"]) && isCount(value["character"]);

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
