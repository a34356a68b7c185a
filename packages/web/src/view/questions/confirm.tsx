// A yes-or-no question: whether a call may run, with everything that it would do, or whether to carry out a plan.

import { visible, visibleLine } from "@lathe/tui/text";
import type { Dialog } from "lathe/client";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { About } from "./about.tsx";
import { Preview } from "./preview.tsx";
import type { QuestionProps } from "./question-props.ts";

type ConfirmDialog = Extract<Dialog, { method: "confirm" }>;

export function Confirm({ question, isBusy, onAnswer }: QuestionProps<ConfirmDialog>): VNode {
  const [words, setWords] = useState<string>();
  const { title, message, preview, reason, remember = [] } = question;
  return (
    <>
      <h2>{visibleLine(title ?? "")}</h2>
      {reason !== undefined && <p class="reason">Asked because: {visibleLine(reason)}</p>}
      {preview ? (
        <Preview lines={preview} />
      ) : question.toolCallId === undefined ? (
        <About text={message ?? ""} />
      ) : (
        <Message text={message ?? ""} />
      )}
      <div class="answers">
        <button type="button" class="primary" onClick={() => onAnswer({ confirmed: true })}>
          {question.toolCallId === undefined ? "Yes" : "Yes, this once"}
        </button>
        {remember.map((offer) => (
          <button key={offer.width} type="button" onClick={() => onAnswer({ confirmed: true, remember: offer.width })}>
            {visibleLine(offer.label)}
          </button>
        ))}
        <button type="button" onClick={() => onAnswer({ confirmed: false })}>
          No
        </button>
        {words === undefined && (
          <button type="button" onClick={() => setWords("")}>
            No, and say what to do instead
          </button>
        )}
      </div>
      {words !== undefined && (
        <form
          class="words"
          onSubmit={(event) => {
            event.preventDefault();
            if (!isBusy && words.trim() !== "") onAnswer({ confirmed: false, value: words.trim() });
          }}
        >
          <label for="instead">What should Lathe do instead?</label>
          <input id="instead" value={words} ref={focusOnce} onInput={(event) => setWords(event.currentTarget.value)} />
          <button type="submit" class="primary" disabled={words.trim() === ""}>
            Send
          </button>
        </form>
      )}
    </>
  );
}

function Message({ text }: { readonly text: string }): VNode {
  return (
    <section
      class="preview"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
      tabIndex={0}
      aria-label="What would be done"
    >
      <pre>{visible(text)}</pre>
    </section>
  );
}

const focusOnce = (input: HTMLInputElement | null): void => input?.focus();
