// Sign-in with the one-time code of a link.

import type { VNode } from "preact";
import { useState } from "preact/hooks";

interface SignInProps {
  readonly problem: string | undefined;
  readonly onCode: (code: string) => Promise<void>;
}

export function SignIn({ problem, onCode }: SignInProps): VNode {
  const [code, setCode] = useState("");
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    await onCode(codeIn(code));
    setBusy(false);
  };
  return (
    <main class="sign-in">
      <h1>Lathe</h1>
      <p>
        Open the link that <code>lathe serve</code> has printed, or enter its code. A code works once.
      </p>
      <form onSubmit={submit}>
        <label for="code">Sign-in code or link</label>
        <input
          id="code"
          value={code}
          onInput={(event) => setCode(event.currentTarget.value)}
          autocomplete="one-time-code"
          autocapitalize="off"
          spellcheck={false}
          aria-describedby={problem === undefined ? undefined : "sign-in-problem"}
          aria-invalid={problem !== undefined}
        />
        <button type="submit" class="primary" disabled={isBusy || code.trim() === ""}>
          Sign in
        </button>
      </form>
      {problem !== undefined && (
        <p id="sign-in-problem" class="problem" role="alert">
          {problem}
        </p>
      )}
    </main>
  );
}

/** Users paste the whole link. */
const codeIn = (typed: string): string => typed.trim().replace(/^.*#code=/, "");
