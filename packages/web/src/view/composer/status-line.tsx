// Mode, folder, model, context and cost, like the terminal's status line.

import { visibleLine } from "@lathe/tui/text";
import type { VNode } from "preact";
import type { SessionView } from "../../state/session.ts";
import { percent, tokenCount } from "../../text/numbers.ts";
import type { PanelName } from "../panels/panel.tsx";

interface StatusLineProps {
  readonly view: SessionView;
  readonly onPanel: (name: PanelName) => void;
}

export function StatusLine({ view: { state }, onPanel }: StatusLineProps): VNode | null {
  if (!state) return null;
  const { permissionMode, cwd, model, contextUsage, thinkingLevel } = state;
  const { percent: share, contextWindow } = contextUsage;
  return (
    <footer class="status">
      <button
        type="button"
        class={`mode ${permissionMode}`}
        aria-label={`Permission mode ${permissionMode}: change`}
        onClick={() => onPanel("model")}
      >
        {permissionMode}
      </button>
      <span class="path" title={cwd}>
        {visibleLine(cwd)}
      </span>
      <span class="grow" />
      <button
        type="button"
        class="model"
        aria-label={`Model ${visibleLine(model.id)}: change`}
        onClick={() => onPanel("model")}
      >
        {visibleLine(model.id)}
        {thinkingLevel !== "off" && <span class="hint"> {thinkingLevel}</span>}
      </button>
      {share !== null && contextWindow !== null && (
        <button type="button" class="context" aria-label="Context and cost" onClick={() => onPanel("context")}>
          <meter min={0} max={100} value={share} high={80} aria-label="Context used" />
          {percent(share)} of {tokenCount(contextWindow)}
        </button>
      )}
    </footer>
  );
}
