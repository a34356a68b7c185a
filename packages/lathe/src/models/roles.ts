// Names for jobs instead of models: `lathe/smol`, `lathe/slow`, `lathe/plan`, `lathe/default`, each a selector that may name
// another role. The effort written last wins.

import { isThinkingLevel } from "@lathe/llm";
import type { Settings } from "../settings/schema.ts";
import { usageError } from "../usage/exit.ts";

type Role = "default" | "smol" | "slow" | "plan";

export interface RoleSources {
  readonly settings: Pick<Settings, "model" | "modelRoles.smol" | "modelRoles.slow" | "modelRoles.plan">;
  /** The setting `model`, whatever this run names. */
  readonly savedModel: string;
  /** Where a setting came from; `run` for an option. */
  readonly origin: ReadonlyMap<string, string>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const VARIABLES = { smol: "LATHE_SMOL_MODEL", slow: "LATHE_SLOW_MODEL", plan: "LATHE_PLAN_MODEL" } as const;

const ROLE = /^lathe\/(default|smol|slow|plan)(?::([a-z]+))?$/;

/** The selector behind a role: option, variable, setting. Without one, small and hard jobs get the default model. */
function selectorOfRole(role: Role, { settings, savedModel, origin, env }: RoleSources): string {
  // `--model lathe/smol` is not what the roles lead to.
  const usual = ROLE.test(settings.model) && origin.get("model") === "run" ? savedModel : settings.model;
  if (role === "default") return usual;
  const key = `modelRoles.${role}` as const;
  const set = settings[key];
  return (origin.get(key) === "run" ? set : env[VARIABLES[role]] || set) || usual;
}

/** A selector without roles in it. */
export function withoutRoles(selector: string, sources: RoleSources): string {
  let text = selector;
  let effort = "";
  for (let hops = 0; hops <= 4; hops++) {
    const role = ROLE.exec(text);
    if (!role) return effort === "" ? text : withEffort(text, effort);
    if (effort === "" && role[2] !== undefined) effort = role[2];
    text = selectorOfRole(role[1] as Role, sources);
    if (text === "") {
      const key = role[1] === "default" ? "model" : `modelRoles.${role[1]}`;
      throw usageError(`The role ${role[1]} has no model. Set one: lathe config set ${key} <model>`);
    }
  }
  throw usageError(`The role ${selector} refers to itself. See: lathe config list`);
}

function withEffort(selector: string, effort: string): string {
  const colon = selector.lastIndexOf(":");
  const bare = colon > 0 && isThinkingLevel(selector.slice(colon + 1)) ? selector.slice(0, colon) : selector;
  return `${bare}:${effort}`;
}
