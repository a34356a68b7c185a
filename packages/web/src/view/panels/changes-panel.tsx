// Files that the session has changed, and the project's differences from the last commit.

import { visible, visibleLine } from "@lathe/tui/text";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { SessionView } from "../../state/session.ts";
import { countText } from "../../text/numbers.ts";
import { withoutFolder } from "../session/card-view.tsx";
import { DiffView } from "../session/diff-view.tsx";
import { Disclosure } from "../session/disclosure.tsx";
import { useSession } from "../session/session-context.ts";
import { Problem } from "./problem.tsx";
import { useCommand } from "./use-command.ts";

export function ChangesPanel({ view }: { readonly view: SessionView }): VNode {
  const [what, setWhat] = useState<"session" | "commit">("session");
  return (
    <>
      <fieldset class="tabs">
        <legend class="unseen">Compare with</legend>
        <button type="button" aria-pressed={what === "session"} onClick={() => setWhat("session")}>
          By this session
        </button>
        <button type="button" aria-pressed={what === "commit"} onClick={() => setWhat("commit")}>
          Since the last commit
        </button>
      </fieldset>
      {what === "session" ? <SessionChanges view={view} /> : <CommitDiff view={view} />}
    </>
  );
}

/** A longer list is collapsed at first. */
const FEW_FILES = 4;

function SessionChanges({ view }: { readonly view: SessionView }): VNode {
  const { cwd } = useSession();
  const { answer, problem } = useCommand(view, "get_changes");
  return (
    <>
      <Problem text={problem} />
      {answer?.files.length === 0 && <p class="hint">This session has changed no files.</p>}
      {answer?.files.map(({ path, change, diff }) => {
        const name = visibleLine(withoutFolder(path, cwd));
        const title = (
          <>
            <span class="path">{name}</span> {change !== "changed" && <span class="badge">{change}</span>}
          </>
        );
        return (
          <Disclosure
            key={path}
            name={`change ${path}`}
            class="entry"
            isOpen={answer.files.length <= FEW_FILES}
            title={title}
          >
            {diff === "" ? <p class="hint">Its content is not text.</p> : <DiffView diff={diff} />}
          </Disclosure>
        );
      })}
    </>
  );
}

function CommitDiff({ view }: { readonly view: SessionView }): VNode {
  const { answer, problem } = useCommand(view, "get_diff");
  return (
    <>
      <Problem text={problem} />
      {answer?.note !== undefined && <p class="hint">{visible(answer.note)}</p>}
      {answer && answer.diff === "" && answer.untracked.length === 0 && <p class="hint">There are no changes.</p>}
      {answer && answer.diff !== "" && <DiffView diff={answer.diff} />}
      {answer && answer.untracked.length > 0 && (
        <>
          <h3>{countText(answer.untracked.length, "untracked file")}</h3>
          <pre class="output">{visible(answer.untracked.join("\n"))}</pre>
        </>
      )}
    </>
  );
}
