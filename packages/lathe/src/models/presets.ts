// Presets: models for every job, chosen together by one name. A preset in models.yml takes precedence over a built-in
// one of the same name.

import type { ModelPreset, RegistryConfig } from "@lathe/llm";
import { usageError } from "../platform/usage/exit.ts";
import { nearest } from "../platform/usage/nearest.ts";
import { builtinPresets } from "./builtin-presets.ts";

/** Prefix of a preset's name where a model could be named as well. */
export const PRESET = "preset/";

/** The preset in use. */
export interface ActivePreset {
  readonly name: string;
  readonly requires: readonly string[];
  /** Role to selector. */
  readonly mapping: Readonly<Record<string, string>>;
  /** Chosen while the session runs, by `--mpreset`, or by the setting. */
  readonly since: "session" | "run" | "saved";
}

/** Presets by name, those of the file first. */
export function allPresets({ profiles = {} }: RegistryConfig): Readonly<Record<string, ModelPreset>> {
  return {
    ...profiles,
    ...Object.fromEntries(Object.entries(builtinPresets).filter(([name]) => !Object.hasOwn(profiles, name))),
  };
}

export function activePreset(config: RegistryConfig, name: string, since: ActivePreset["since"]): ActivePreset {
  const presets = allPresets(config);
  const found = Object.hasOwn(presets, name) ? presets[name] : undefined;
  if (!found) {
    const meant = nearest(name, Object.keys(presets));
    const way =
      since === "saved"
        ? "Choose another or none: lathe config unset modelProfile.default"
        : "See: lathe models presets";
    throw usageError(`There is no preset "${name}".${meant === undefined ? "" : ` Did you mean ${meant}?`} ${way}`);
  }
  return { name, requires: found.required_providers ?? [], mapping: found.model_mapping, since };
}
