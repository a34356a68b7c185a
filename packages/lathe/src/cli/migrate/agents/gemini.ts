// Settings of Gemini CLI: model, approvals, tools that need no approval.

import { isJsonObject } from "@lathe/llm";
import { rulesIn } from "../rules.ts";
import { NOTHING, type TakenSettings } from "../types.ts";

const MODES: Readonly<Record<string, string>> = { default: "ask", auto_edit: "auto-edit", plan: "plan" };

export function fromGemini(settings: Readonly<Record<string, unknown>>): TakenSettings {
  const section = (name: string): Readonly<Record<string, unknown>> =>
    isJsonObject(settings[name]) ? settings[name] : {};
  const model = typeof settings["model"] === "string" ? settings["model"] : section("model")["name"];
  const mode = section("general")["defaultApprovalMode"] ?? section("tools")["approvalMode"];
  const known = typeof mode === "string" ? MODES[mode] : undefined;
  const allowed = section("tools")["allowed"] ?? settings["allowedTools"];
  const { rules, left } = rulesIn({ allow: Array.isArray(allowed) ? allowed.map(asOurs) : undefined });
  return {
    ...NOTHING,
    rules,
    settings: {
      ...(typeof model === "string" ? { model: `gemini/${model}` } : {}),
      ...(known === undefined ? {} : { permissionMode: known }),
    },
    left: [
      ...left,
      ...(mode !== undefined && known === undefined
        ? [
            {
              name: `approval mode ${String(mode)}`,
              reason: "choose a mode without questions yourself: --permission-mode full",
            },
          ]
        : []),
    ],
  };
}

/** `run_shell_command(git status)` allows commands that begin with these words. */
function asOurs(written: unknown): unknown {
  const [, words] = /^(?:run_shell_command|ShellTool)\((.*)\)$/.exec(String(written)) ?? [];
  if (words !== undefined) return `shell(${words} *)`;
  return ["run_shell_command", "ShellTool"].includes(String(written)) ? "shell" : written;
}
