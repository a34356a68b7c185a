// A question that takes text: one line, or a longer text.

import { visible } from "@lathe/tui/text";
import type { Dialog } from "lathe/client";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { About } from "./about.tsx";
import type { QuestionProps } from "./question-props.ts";

type WordsDialog = Extract<Dialog, { method: "input" | "editor" }>;

export function Words({ question, onAnswer }: QuestionProps<WordsDialog>): VNode {
  const [text, setText] = useState(question.method === "editor" ? (question.prefill ?? "") : "");
  const { title, message } = question;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer({ value: text });
      }}
    >
      <h2 id="words-title">{visible(title ?? "")}</h2>
      {message !== undefined && <About text={message} />}
      {question.method === "input" ? (
        <input
          aria-labelledby="words-title"
          value={text}
          placeholder={question.placeholder}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      ) : (
        <textarea
          aria-labelledby="words-title"
          rows={8}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      )}
      <div class="answers">
        <button type="submit" class="primary">
          Answer
        </button>
        <button type="button" onClick={() => onAnswer({ cancelled: true })}>
          Don't answer
        </button>
      </div>
    </form>
  );
}
