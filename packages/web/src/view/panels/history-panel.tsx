// Earlier messages of the user, on all branches: rewind to one, undo the last rewind, or continue in a new session.

import { visibleLine } from "@lathe/tui/text";
import type { CommandData } from "lathe/client";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { SessionView } from "../../state/session.ts";
import { countText } from "../../text/numbers.ts";
import { shorten } from "../../text/shorten.ts";
import { useSession } from "../session/session-context.ts";
import { Problem } from "./problem.tsx";
import { useCommand } from "./use-command.ts";

type Row = CommandData<"get_tree">["entries"][number];
type Rewound = CommandData<"rewind">;

interface HistoryPanelProps {
  readonly view: SessionView;
  readonly onDone: () => void;
}

const LONGEST = 160;

export function HistoryPanel({ view, onDone }: HistoryPanelProps): VNode {
  const { command, fillDraft, mayPrompt } = useSession();
  const { answer, problem } = useCommand(view, "get_tree", { filter: "user-only" });
  const [chosen, setChosen] = useState<string>();
  const [left, setLeft] = useState<Rewound["left"]>([]);
  const isBusy = view.live.isBusy;

  /** If files could not be restored, name them before the panel closes. */
  const finish = (rewound: { data: Rewound } | undefined): void => {
    if (!rewound) return;
    if (rewound.data.text !== null) fillDraft(rewound.data.text);
    setLeft(rewound.data.left);
    setChosen(undefined);
    if (rewound.data.left.length === 0) onDone();
  };
  const goTo = async (entryId: string): Promise<void> => {
    const moved = await command("navigate_tree", { entryId });
    if (!moved) return;
    if (moved.data.text !== null) fillDraft(moved.data.text);
    onDone();
  };

  return (
    <>
      {mayPrompt && (
        <div class="answers">
          <button type="button" disabled={isBusy} onClick={async () => finish(await command("undo"))}>
            Undo the last message
          </button>
          <button type="button" disabled={isBusy} onClick={async () => finish(await command("redo"))}>
            Redo
          </button>
        </div>
      )}
      {isBusy && <p class="hint">Stop the work to go back.</p>}
      <Problem text={problem} />
      {left.length > 0 && <LeftFiles left={left} />}
      {answer?.entries.length === 0 && <p class="hint">There are no messages yet.</p>}
      <ol class="history">
        {answer?.entries.map((row) => (
          <li key={row.entryId} class={row.active ? "active" : "other"} data-depth={Math.min(row.depth, 6)}>
            <button
              type="button"
              class="disclosure"
              disabled={isBusy || !mayPrompt}
              aria-expanded={chosen === row.entryId}
              onClick={() => setChosen(chosen === row.entryId ? undefined : row.entryId)}
            >
              {shorten(visibleLine(row.text), LONGEST)}
              {row.label !== undefined && <span class="badge">{visibleLine(row.label)}</span>}
              {!row.active && <span class="badge">other branch</span>}
            </button>
            {chosen === row.entryId && <Choices row={row} goTo={goTo} finish={finish} />}
          </li>
        ))}
      </ol>
    </>
  );
}

interface ChoicesProps {
  readonly row: Row;
  readonly goTo: (entryId: string) => Promise<void>;
  readonly finish: (rewound: { data: Rewound } | undefined) => void;
}

function Choices({ row: { entryId, active }, goTo, finish }: ChoicesProps): VNode {
  const { command } = useSession();
  const rewind = (parts: "both" | "files" | "conversation") => async (): Promise<void> =>
    finish(await command("rewind", { entryId, parts }));
  if (!active)
    return (
      <div class="answers">
        <button type="button" class="primary" onClick={() => goTo(entryId)}>
          Continue from this branch
        </button>
      </div>
    );
  return (
    <div class="answers">
      <button type="button" class="primary" onClick={rewind("both")}>
        Rewind messages and files
      </button>
      <button type="button" onClick={rewind("conversation")}>
        Messages only
      </button>
      <button type="button" onClick={rewind("files")}>
        Files only
      </button>
      <button type="button" onClick={() => command("branch", { entryId })}>
        Continue in a new session
      </button>
    </div>
  );
}

function LeftFiles({ left }: { readonly left: Rewound["left"] }): VNode {
  return (
    <div class="notice" role="status">
      <div>
        <b>{countText(left.length, "file")} not restored</b>
        <ul>
          {left.map(({ path, why }) => (
            <li key={path}>
              <span class="path">{visibleLine(path)}</span> <span class="hint">{why}</span>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
