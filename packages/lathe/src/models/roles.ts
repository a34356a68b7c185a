// Names for jobs instead of models: `lathe/smol`, `lathe/plan`, `lathe/critic`, each a selector that may refer to
// another role. The last effort in the chain wins.

import { isThinkingLevel, type ModelBindings } from "@lathe/llm";
import type { Settings } from "../config/settings/schema.ts";
import { usageError } from "../platform/usage/exit.ts";
import type { ActivePreset } from "./presets.ts";

/** `default`, the jobs within a session, then those of the agents it starts. */
export const ROLES = [
  "default",
  "smol",
  "slow",
  "plan",
  "executor",
  "architect",
  "planner",
  "critic",
  "vision",
] as const;

type Role = (typeof ROLES)[number];
type RoleKey = "model" | `modelRoles.${Exclude<Role, "default">}`;

export interface RoleSources {
  readonly settings: Pick<Settings, RoleKey>;
  /** The setting `model`, even if this run uses another one. */
  readonly savedModel: string;
  /** Where each setting came from; `run` for an option. */
  readonly origin: ReadonlyMap<string, string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly bindings: ModelBindings;
  readonly preset: ActivePreset | undefined;
}

const VARIABLES: Readonly<Record<string, string>> = {
  smol: "LATHE_SMOL_MODEL",
  slow: "LATHE_SLOW_MODEL",
  plan: "LATHE_PLAN_MODEL",
};

/** The role whose model is used by a role without its own; all others use the default model. */
const INHERITS: Readonly<Record<string, Role>> = { planner: "plan", architect: "slow", critic: "slow" };

const SELECTOR = /^lathe\/([a-z][\w-]*)(?::([a-z]+))?$/;

/** The selector that the user chose for this role; "" if none. */
export function chosenForRole(role: string, sources: RoleSources): string {
  const { settings, savedModel, origin, env, bindings, preset } = sources;
  const key = role === "default" ? "model" : `modelRoles.${role}`;
  const set = (settings as Readonly<Record<string, string>>)[key] ?? "";
  const isOption = origin.get(key) === "run";
  // `--model lathe/smol` is a choice for the session, not a model that roles refer to.
  const option = isOption && !(role === "default" && SELECTOR.test(set)) ? set : "";
  const byPreset = (since: ActivePreset["since"]): string => (preset?.since === since ? own(preset.mapping, role) : "");
  return (
    byPreset("session") ||
    option ||
    byPreset("run") ||
    env[own(VARIABLES, role)] ||
    byPreset("saved") ||
    own(bindings.agentModelOverrides, role) ||
    own(bindings.modelRoles, role) ||
    (isOption ? savedModelOf(role, savedModel) : set)
  );
}

const own = (map: Readonly<Record<string, string>> | undefined, role: string): string =>
  map && Object.hasOwn(map, role) ? (map[role] ?? "") : "";

const savedModelOf = (role: string, savedModel: string): string => (role === "default" ? savedModel : "");

/** The selector of the role itself, or of the role it inherits from. */
function selectorOfRole(role: string, sources: RoleSources): string {
  const chosen = chosenForRole(role, sources);
  if (chosen !== "" || role === "default") return chosen;
  return selectorOfRole(INHERITS[role] ?? "default", sources);
}

function isRole(name: string, { bindings, preset }: RoleSources): boolean {
  if ((ROLES as readonly string[]).includes(name)) return true;
  return [bindings.agentModelOverrides, bindings.modelRoles, preset?.mapping].some((map) => own(map, name) !== "");
}

/** Resolves the roles in a selector. */
export function withoutRoles(selector: string, sources: RoleSources): string {
  let text = selector;
  let effort = "";
  for (let hops = 0; hops <= 4; hops++) {
    const [, role, level] = SELECTOR.exec(text) ?? [];
    if (role === undefined) return effort === "" ? text : withEffort(text, effort);
    if (!isRole(role, sources)) throw usageError(`There is no role ${role}. Roles: ${ROLES.join(", ")}.`);
    if (effort === "" && level !== undefined) effort = level;
    text = selectorOfRole(role, sources);
    if (text === "") {
      const key = role === "default" ? "model" : `modelRoles.${role}`;
      throw usageError(`The role ${role} has no model. Set one: lathe config set ${key} <model>`);
    }
  }
  throw usageError(`The role ${selector} refers to itself. See: lathe config list`);
}

export function withEffort(selector: string, effort: string): string {
  const colon = selector.lastIndexOf(":");
  const bare = colon > 0 && isThinkingLevel(selector.slice(colon + 1)) ? selector.slice(0, colon) : selector;
  return `${bare}:${effort}`;
}
