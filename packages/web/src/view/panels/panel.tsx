// A panel next to the conversation; on a phone, in place of it.

import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { SessionView } from "../../state/session.ts";
import { AgentsPanel } from "./agents-panel.tsx";
import { ChangesPanel } from "./changes-panel.tsx";
import { ContextPanel } from "./context-panel.tsx";
import { HistoryPanel } from "./history-panel.tsx";
import { ModelPanel } from "./model-panel.tsx";

export const PANELS = {
  history: "History",
  changes: "Changes",
  context: "Context",
  agents: "Agents",
  model: "Model",
} as const;
export type PanelName = keyof typeof PANELS;

interface PanelProps {
  readonly name: PanelName;
  readonly view: SessionView;
  readonly onClose: () => void;
}

const TITLES: Readonly<Record<PanelName, string>> = {
  history: "History",
  changes: "Changed files",
  context: "Context and cost",
  agents: "Agents and jobs",
  model: "Model and permissions",
};

export function Panel({ name, view, onClose }: PanelProps): VNode {
  const title = useRef<HTMLHeadingElement>(null);
  const opener = useRef(document.activeElement);
  useEffect(() => {
    title.current?.focus();
  }, [name]);
  const close = (): void => {
    onClose();
    if (opener.current instanceof HTMLElement) opener.current.focus();
  };
  return (
    <aside
      id="panel"
      class="panel"
      aria-labelledby="panel-title"
      onKeyDown={(event) => event.key === "Escape" && close()}
    >
      <header>
        <h2 id="panel-title" ref={title} tabIndex={-1}>
          {TITLES[name]}
        </h2>
        <button type="button" class="quiet" onClick={close}>
          Close
        </button>
      </header>
      <div class="panel-body">
        {name === "history" && <HistoryPanel view={view} onDone={close} />}
        {name === "changes" && <ChangesPanel view={view} />}
        {name === "context" && <ContextPanel view={view} />}
        {name === "agents" && <AgentsPanel view={view} />}
        {name === "model" && <ModelPanel view={view} />}
      </div>
    </aside>
  );
}
