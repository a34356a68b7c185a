// The conversation so far, and the current activity.

import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { VirtualList } from "../../list/virtual-list.tsx";
import type { Item } from "../../state/items.ts";
import type { SessionView } from "../../state/session.ts";
import { ItemView } from "./item-view.tsx";

interface TranscriptProps {
  readonly view: SessionView;
  readonly onTop: () => void;
}

/** A pending call is drawn once it begins. */
const isShown = (item: Item): boolean => item.kind !== "call" || item.card !== undefined;

export function Transcript({ view, onTop }: TranscriptProps): VNode {
  const { past, live, phase, olderEntries } = view;
  const pastShown = useMemo(() => past.filter(isShown), [past]);
  const rows = useMemo(() => [...pastShown, ...live.items.filter(isShown)], [pastShown, live.items]);
  if (phase === "loading") return <p class="splash">Loading…</p>;
  return (
    <>
      {rows.length === 0 && phase === "open" && <p class="splash">Ask for a change to begin.</p>}
      <VirtualList
        rows={rows}
        draw={(item) => <ItemView item={item} />}
        label="Transcript"
        isBusy={live.isBusy}
        missing={olderEntries}
        onTop={onTop}
      />
    </>
  );
}
