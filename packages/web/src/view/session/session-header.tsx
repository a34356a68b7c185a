// The session's name, the state of the connection, and buttons for the panels.

import { visibleLine } from "@lathe/tui/text";
import type { VNode } from "preact";
import type { SessionView } from "../../state/session.ts";
import { PANELS, type PanelName } from "../panels/panel.tsx";
import { addressOf } from "../place.ts";

interface SessionHeaderProps {
  readonly view: SessionView;
  readonly title: string;
  readonly panel: PanelName | undefined;
  readonly onPanel: (name: PanelName | undefined) => void;
}

export function SessionHeader({ view, title, panel, onPanel }: SessionHeaderProps): VNode {
  const others = view.clients.length - 1;
  return (
    <header class="bar">
      <a class="back" href={addressOf()} aria-label="All sessions">
        ‹
      </a>
      <h1 title={title}>{title}</h1>
      {!view.isConnected && <span class="badge asks">connection lost, trying again</span>}
      {others > 0 && (
        <span class="badge" title={view.clients.map(({ name, kind }) => `${visibleLine(name)} (${kind})`).join(", ")}>
          {others === 1 ? "1 other client" : `${others} other clients`}
        </span>
      )}
      <nav aria-label="About this session">
        {Object.entries(PANELS).map(([name, label]) => (
          <button
            key={name}
            type="button"
            class="quiet"
            aria-expanded={panel === name}
            aria-controls="panel"
            onClick={() => onPanel(panel === name ? undefined : (name as PanelName))}
          >
            {label}
          </button>
        ))}
      </nav>
    </header>
  );
}
