// A question with options: one of them, or several, or an answer in the person's own words.

import { visible } from "@lathe/tui/text";
import type { Dialog } from "lathe/client";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Markdown } from "../../text/markdown.tsx";
import type { QuestionProps } from "./question-props.ts";

type SelectDialog = Extract<Dialog, { method: "select" }>;

export function Select({ question, onAnswer }: QuestionProps<SelectDialog>): VNode {
  const { title, message, options, multi = false, recommended } = question;
  const [chosen, setChosen] = useState<readonly string[]>(() => recommendedOf(options, recommended));
  const [own, setOwn] = useState("");
  const choose = (option: string): void => {
    if (!multi) setChosen([option]);
    else setChosen(chosen.includes(option) ? chosen.filter((one) => one !== option) : [...chosen, option]);
  };
  const values = [...(own.trim() !== "" && !multi ? [] : chosen), ...(own.trim() === "" ? [] : [own.trim()])];
  const submit = (event: Event): void => {
    event.preventDefault();
    if (values.length > 0) onAnswer({ value: multi ? values : (values[0] as string) });
  };
  return (
    <form onSubmit={submit}>
      <h2>{visible(title ?? "")}</h2>
      {message !== undefined && <Markdown text={message} />}
      <fieldset class="options">
        <legend class="unseen">{multi ? "Choose any" : "Choose one"}</legend>
        {options.map((option, at) => (
          <label key={option}>
            <input
              type={multi ? "checkbox" : "radio"}
              name="option"
              checked={chosen.includes(option)}
              onChange={() => choose(option)}
            />
            <span>{visible(option)}</span>
            {at === recommended && <span class="badge">recommended</span>}
          </label>
        ))}
      </fieldset>
      <label class="own">
        <span>Something else</span>
        <input value={own} onInput={(event) => setOwn(event.currentTarget.value)} />
      </label>
      <div class="answers">
        <button type="submit" class="primary" disabled={values.length === 0}>
          Answer
        </button>
        <button type="button" onClick={() => onAnswer({ cancelled: true })}>
          Don't answer
        </button>
      </div>
    </form>
  );
}

function recommendedOf(options: readonly string[], recommended: number | undefined): readonly string[] {
  const option = recommended === undefined ? undefined : options[recommended];
  return option === undefined ? [] : [option];
}
