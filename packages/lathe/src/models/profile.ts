// Which tools and prompt a model gets: those of its family, modified by settings and options.

import {
  defineProfile,
  FAMILIES,
  type FamilyName,
  familyOf,
  ircTool,
  type Profile,
  type ProfileOptions,
  type ToolDef,
} from "@lathe/agent";
import { webFetchTool } from "@lathe/agent/tools";
import { SETTINGS, type Settings } from "../config/settings/schema.ts";
import { choicesOf } from "../config/settings/setting-kinds.ts";
import type { Workspace } from "../config/workspace/workspace.ts";
import { usageError } from "../platform/usage/exit.ts";
import type { ModelChoice } from "./connect.ts";
import type { LearnableVariant } from "./edit-record.ts";
import { PRACTICE_PROVIDER } from "./models.ts";

export interface ProfileWish {
  readonly profile?: FamilyName;
  /** Names of the tools to offer; all by default. */
  readonly tools?: readonly string[];
  readonly userInstructions?: string;
  /** The edit format that worked best so far; the user's choice takes precedence. */
  readonly learnedVariant?: LearnableVariant;
  /** The tool that starts agents; it lists the agents available here. */
  readonly agentTool?: ToolDef;
}

export function profileFor(workspace: Workspace, wish: ProfileWish, model: ModelChoice): Profile {
  const { settings } = workspace;
  // The script behind the practice model only knows one set of tools.
  const isPractice = model.provider === PRACTICE_PROVIDER;
  const family = FAMILIES[isPractice ? "minimal" : (wish.profile ?? familyOf(model.id, model.info?.contextWindow))];
  const cap = settings.maxOutputTokens;
  const maxTokens = model.info?.maxOutput ? Math.min(model.info.maxOutput, cap) : cap;
  const options: ProfileOptions = {
    model: model.id,
    provider: model.provider,
    shellTimeoutMs: settings["shell.timeoutMs"],
    ...(settings.toolDiscipline === "auto" ? {} : { isDisciplined: settings.toolDiscipline === "on" }),
    ...(isPractice ? {} : toolForm(workspace, wish)),
    without: [...(settings["todo.enabled"] ? [] : ["todo"]), ...(settings["bash.enabled"] ? [] : ["bash"])],
    ...(model.info ? { modelInfo: model.info } : {}),
    ...(maxTokens > 0 ? { maxTokens } : {}),
    ...((model.info?.cacheRetention ?? settings.cacheRetention) === "long" ? { cachesLong: true } : {}),
    ...(wish.userInstructions === undefined ? {} : { userInstructions: wish.userInstructions }),
    tools: productTools(family.id, wish),
  };
  const whole = withPrompt(workspace, defineProfile(family, options));
  if (wish.tools === undefined) return whole;
  const known = whole.toolRegistry.names();
  const unknown = wish.tools.find((name) => !known.includes(name));
  if (unknown !== undefined) throw usageError(`Unknown tool "${unknown}". This profile has: ${known.join(", ")}.`);
  return withPrompt(workspace, defineProfile(family, { ...options, only: wish.tools }));
}

/**
 * The tools that the product adds to a family. The profile lathe reads web pages with `read`; the minimal profile stays
 * small.
 */
function productTools(family: string, { agentTool }: ProfileWish): ToolDef[] {
  if (family === "minimal") return [];
  return [...(family === "lathe" ? [] : [webFetchTool as never]), ...(agentTool ? [agentTool, ircTool as never] : [])];
}

/** NULL_PROMPT=true sends no system prompt at all, to show what a model does on its own. */
function withPrompt({ env }: Workspace, profile: Profile): Profile {
  return env["NULL_PROMPT"] === "true" ? { ...profile, buildSystemPrompt: () => "" } : profile;
}

/** LATHE_EDIT_VARIANT overrides the setting if it holds a valid format. */
function toolForm({ settings, env }: Workspace, { learnedVariant }: ProfileWish): Pick<ProfileOptions, "editVariant"> {
  const forced = env["LATHE_EDIT_VARIANT"] ?? "";
  const editVariant = isEditVariant(forced) ? forced : settings.editVariant;
  if (editVariant !== "") return { editVariant };
  return learnedVariant === undefined ? {} : { editVariant: learnedVariant };
}

const isEditVariant = (name: string): name is Settings["editVariant"] =>
  choicesOf(SETTINGS.editVariant)?.includes(name) === true;
