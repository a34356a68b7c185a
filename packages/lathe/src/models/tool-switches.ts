// Settings that take a tool away, so that asking for one that is off can say what turns it on.

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

/** The setting that has turned this tool off. */
export function switchThatIsOff(tool: string, settings: Settings): string | undefined {
  const key = Object.hasOwn(SWITCHES, tool) ? SWITCHES[tool as keyof typeof SWITCHES] : undefined;
  return key !== undefined && !settings[key] ? key : undefined;
}
