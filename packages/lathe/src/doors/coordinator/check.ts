// Checks whether a coordinator could start and what it would offer, without a transport, a provider or a key.

import type { Configuration } from "./configuration.ts";
import { contractSummary, SERVER_NAME, TOOL_NAMES } from "./contract.ts";

/** The configuration has been read by now: invalid variables were refused, as at a start. */
export function checkCoordinator(configuration: Configuration, version: string, isJson: boolean): string {
  const { roots, mutations, sessionCommand, profile, repo } = configuration;
  const allowed = { roots, mutations: [...mutations], session_command: sessionCommand !== undefined };
  const summary = { ok: true, ...contractSummary(version), namespace: { profile, repo }, allowed };
  return isJson ? `${JSON.stringify(summary)}\n` : `${SERVER_NAME}: ${TOOL_NAMES.length} tools, ready.\n`;
}
