// Suggests slash commands while one is being typed.

import { visibleLine } from "@lathe/tui/text";
import type { CommandData } from "lathe/client";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useSession } from "../session/session-context.ts";

type Command = CommandData<"get_commands">["commands"][number];

export interface OpenList {
  readonly shown: readonly Command[];
  readonly at: number;
  choose(name: string): void;
  /** Returns true if the list used the key. */
  onKey(event: KeyboardEvent): boolean;
  readonly inputProps: object;
}

const MOST = 8;

export function useCommandList(text: string, choose: (name: string) => void): OpenList {
  const { client, id, report } = useSession();
  const [all, setAll] = useState<readonly Command[]>();
  const [at, setAt] = useState(0);
  const [closedFor, setClosedFor] = useState<string>();
  const word = /^\/(\S*)$/.exec(text)?.[1];
  const isWanted = word !== undefined;
  useEffect(() => {
    if (isWanted && !all) client.command(id, "get_commands").then(({ commands }) => setAll(commands), report);
  }, [isWanted]);
  useEffect(() => setAt(0), [word]);
  const matching = isWanted && closedFor !== text ? (all ?? []).filter(({ name }) => name.startsWith(word)) : [];
  const shown = matching.slice(0, MOST);
  const onKey = (event: KeyboardEvent): boolean => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    const current = shown[at];
    if (!current) return false;
    if (step !== undefined) setAt((at + step + shown.length) % shown.length);
    else if (event.key === "Tab" || (event.key === "Enter" && current.name !== word)) choose(current.name);
    else if (event.key === "Escape") setClosedFor(text);
    else return false;
    event.preventDefault();
    return true;
  };
  const inputProps =
    shown.length === 0
      ? {}
      : {
          role: "combobox",
          "aria-expanded": true,
          "aria-controls": "commands",
          "aria-activedescendant": `command-${at}`,
        };
  return { shown, at, choose, onKey, inputProps };
}

export function CommandList({ list: { shown, at, choose } }: { readonly list: OpenList }): VNode | null {
  if (shown.length === 0) return null;
  return (
    <div class="commands" id="commands" role="listbox" aria-label="Commands">
      {shown.map(({ name, arguments: values, description }, index) => (
        <div
          key={name}
          id={`command-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          onMouseDown={(event) => {
            event.preventDefault();
            choose(name);
          }}
        >
          <span class="name">
            /{visibleLine(name)} {values !== undefined && <span class="hint">{visibleLine(values)}</span>}
          </span>
          <span class="hint">{visibleLine(description)}</span>
        </div>
      ))}
    </div>
  );
}
