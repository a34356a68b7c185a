// Settings of Claude Code: permissions, mode, model.

import { isJsonObject, listModels } from "@lathe/llm";
import { rulesIn } from "../rules.ts";
import { NOTHING, type TakenSettings } from "../types.ts";

const MODES: Readonly<Record<string, string>> = { default: "ask", acceptEdits: "auto-edit", plan: "plan" };

/** These names stand for the newest model of a kind. */
const KINDS = ["opus", "sonnet", "haiku"];

export function fromClaudeCode(settings: Readonly<Record<string, unknown>>): TakenSettings {
  const permissions = isJsonObject(settings["permissions"]) ? settings["permissions"] : {};
  const { rules, left } = rulesIn({
    allow: permissions["allow"],
    ask: permissions["ask"],
    deny: permissions["deny"],
  });
  const mode = permissions["defaultMode"];
  const known = typeof mode === "string" ? MODES[mode] : undefined;
  const model = modelOf(settings["model"]);
  return {
    ...NOTHING,
    rules,
    settings: {
      ...(known === undefined ? {} : { permissionMode: known }),
      ...(model === undefined ? {} : { model }),
    },
    left: [
      ...left,
      ...(mode !== undefined && known === undefined
        ? [
            {
              name: `permissions.defaultMode ${String(mode)}`,
              reason: "choose a mode without questions yourself: --permission-mode full",
            },
          ]
        : []),
      ...(settings["env"] === undefined
        ? []
        : [{ name: "env", reason: "may hold secrets: put variables into ~/.lathe/.env yourself" }]),
      ...(settings["hooks"] === undefined ? [] : [{ name: "hooks", reason: "run from where they are" }]),
    ],
  };
}

function modelOf(written: unknown): string | undefined {
  if (typeof written !== "string") return undefined;
  if (written.startsWith("claude-")) return `anthropic/${written}`;
  const kind = KINDS.find((word) => written.startsWith(word));
  const newest = kind && listModels("anthropic").find(({ id }) => id.includes(kind));
  return newest ? `anthropic/${newest.id}` : undefined;
}
