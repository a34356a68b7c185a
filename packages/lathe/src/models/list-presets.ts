// Presets as shown to users: which providers they need, whether those can be used, and each job's model with its
// effective effort.

import { findRow } from "@lathe/llm/providers";
import { CliError } from "../platform/usage/exit.ts";
import type { Models } from "./models.ts";
import { allPresets } from "./presets.ts";

export interface ListedPreset {
  readonly name: string;
  /** Names of its providers, as shown to the user. */
  readonly group: string;
  readonly requires: readonly string[];
  /** Those of its providers that have no credential. */
  readonly missing: readonly string[];
  /** Role to selector, with efforts limited to what the models support. */
  readonly mapping: Readonly<Record<string, string>>;
  readonly isActive: boolean;
}

/** All presets by provider, usable ones first. */
export function listPresets(models: Models): readonly ListedPreset[] {
  const active = models.preset?.name;
  const listed = Object.entries(allPresets(models.registry.config)).map(([name, preset]): ListedPreset => {
    const requires = preset.required_providers ?? [];
    return {
      name,
      group: requires.map((provider) => findRow(provider)?.name ?? provider).join(" and "),
      requires,
      missing: requires.filter((provider) => !models.registry.isAvailable(provider)),
      mapping: Object.fromEntries(
        Object.entries(preset.model_mapping).map(([role, selector]) => [role, effectiveSelector(models, selector)]),
      ),
      isActive: name === active,
    };
  });
  const rank = ({ missing }: ListedPreset): number => Math.min(missing.length, 1);
  return listed.sort((a, b) => rank(a) - rank(b) || a.group.localeCompare(b.group));
}

/** Formats the roles as `default x, smol y`. */
export const rolesText = (mapping: ListedPreset["mapping"]): string =>
  Object.entries(mapping)
    .map(([role, selector]) => `${role} ${selector}`)
    .join(", ");

/** An unknown model is shown as written: choosing it reports the problem. */
function effectiveSelector(models: Models, selector: string): string {
  try {
    const { provider, id, effort } = models.choose(selector);
    return `${provider}/${id}${effort === undefined ? "" : `:${effort}`}`;
  } catch (error) {
    if (error instanceof CliError) return selector;
    throw error;
  }
}
