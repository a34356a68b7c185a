// Starts a session in a folder below one of the server's roots.

import type { LatheClient } from "lathe/client";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { problemOf } from "../../base/problem.ts";
import { addressOf } from "../place.ts";

interface NewSessionProps {
  readonly client: LatheClient;
  readonly roots: readonly string[];
  readonly onCancel: () => void;
}

export function NewSession({ client, roots, onCancel }: NewSessionProps): VNode {
  const [folder, setFolder] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const cwd = folder ?? roots[0] ?? "";
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      location.hash = addressOf(await client.createSession({ cwd }));
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <form class="sheet" onSubmit={submit} aria-labelledby="new-session">
      <h2 id="new-session">New session</h2>
      <label for="folder">Folder</label>
      <input
        id="folder"
        list="roots"
        value={cwd}
        ref={focusOnce}
        onInput={(event) => setFolder(event.currentTarget.value)}
        autocapitalize="off"
        spellcheck={false}
        aria-describedby="folder-hint"
      />
      <datalist id="roots">
        {roots.map((root) => (
          <option key={root} value={root} />
        ))}
      </datalist>
      <p id="folder-hint" class="hint">
        {roots.length > 1 ? `A folder in ${roots.join(", ")}` : "A folder of this server"}
      </p>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="answers">
        <button type="submit" class="primary" disabled={isBusy || cwd === ""}>
          Start
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}

const focusOnce = (input: HTMLInputElement | null): void => input?.focus();
