// The model, its effort, and the permission mode.

import { visibleLine } from "@lathe/tui/text";
import type { CommandParams } from "lathe/client";
import type { VNode } from "preact";
import type { SessionView } from "../../state/session.ts";
import { tokenCount } from "../../text/numbers.ts";
import { useSession } from "../session/session-context.ts";
import { Problem } from "./problem.tsx";
import { useCommand } from "./use-command.ts";

type Level = CommandParams<"set_thinking_level">["level"];
type Mode = CommandParams<"set_permission_mode">["mode"];

const LEVELS: readonly Level[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];
const MODES: Readonly<Record<Mode, string>> = {
  "read-only": "Read-only: no changes, no commands",
  plan: "Plan: reads, and proposes a plan first",
  ask: "Ask: asks before edits and commands",
  "auto-edit": "Auto-edit: edits in the project, asks before commands",
  full: "Full: asks about nothing",
};

export function ModelPanel({ view }: { readonly view: SessionView }): VNode {
  const { command, mayPrompt } = useSession();
  const { answer, problem } = useCommand(view, "get_available_models");
  const { state } = view;
  if (!state) return <p class="hint">Loading…</p>;
  const present = `${state.model.provider}/${state.model.id}`;
  const models = answer?.models ?? [];
  const setModel = (name: string): void => {
    const model = models.find(({ provider, id }) => `${provider}/${id}` === name);
    if (model) void command("set_model", { provider: model.provider, modelId: model.id });
  };
  return (
    <fieldset disabled={!mayPrompt} class="settings">
      <Problem text={problem} />
      <label>
        <span>Model</span>
        <select value={present} onChange={(event) => setModel(event.currentTarget.value)}>
          {!models.some(({ provider, id }) => `${provider}/${id}` === present) && (
            <option>{visibleLine(present)}</option>
          )}
          {models.map(({ provider, id, contextWindow }) => (
            <option key={`${provider}/${id}`} value={`${provider}/${id}`}>
              {visibleLine(`${provider}/${id}`)} {contextWindow > 0 && `(${tokenCount(contextWindow)})`}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>Thinking</span>
        <select
          value={state.thinkingLevel}
          onChange={(event) => command("set_thinking_level", { level: event.currentTarget.value as Level })}
        >
          {LEVELS.map((level) => (
            <option key={level}>{level}</option>
          ))}
        </select>
      </label>
      <label>
        <span>Permissions</span>
        <select
          value={state.permissionMode}
          onChange={(event) => command("set_permission_mode", { mode: event.currentTarget.value as Mode })}
        >
          {Object.entries(MODES).map(([mode, meaning]) => (
            <option key={mode} value={mode}>
              {meaning}
            </option>
          ))}
        </select>
      </label>
    </fieldset>
  );
}
