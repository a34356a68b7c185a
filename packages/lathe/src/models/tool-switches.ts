// Settings that disable a tool, so that the error about a disabled tool can say how to enable it.

import type { Settings } from "../config/settings/schema.ts";

const SWITCHES = {
  bash: "bash.enabled",
  todo: "todo.enabled",
  debug: "debug.enabled",
  lsp: "lsp.enabled",
  computer: "computer.enabled",
  web_search: "web_search.enabled",
  inspect_image: "inspect_image.enabled",
  generate_image: "generate_image.enabled",
  render_mermaid: "renderMermaid.enabled",
} as const;

/** The setting that disables this tool. */
export function switchThatIsOff(tool: string, settings: Settings): string | undefined {
  const key = Object.hasOwn(SWITCHES, tool) ? SWITCHES[tool as keyof typeof SWITCHES] : undefined;
  return key !== undefined && !settings[key] ? key : undefined;
}
