// Describes agents without reading files.

import type { Agent } from "./agents.ts";
import { BUNDLED_FILES } from "./bundled/index.ts";

/** Avoids parsing YAML, which would slow down the start. */
export function bundledDescriptions(): readonly Pick<Agent, "name" | "description">[] {
  return Object.entries(BUNDLED_FILES).map(([name, text]) => {
    const [, description = '""'] = /^description: (".*")$/m.exec(text) ?? [];
    return { name, description: JSON.parse(description) as string };
  });
}

/** The origin of an agent, in a word or two. */
export const sourceName = ({ source }: Pick<Agent, "source">): string =>
  source ? `${source.providerName}, ${source.level}` : "bundled";
