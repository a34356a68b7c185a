// A question with options: the user chooses one or several, or answers in other words.

import { visible } from "@lathe/tui/text";
import type { Dialog } from "lathe/client";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { About } from "./about.tsx";
import type { QuestionProps } from "./question-props.ts";

type SelectDialog = Extract<Dialog, { method: "select" }>;

export function Select({ question, onAnswer }: QuestionProps<SelectDialog>): VNode {
  const { title, message, options, multi = false, recommended } = question;
  const [chosen, setChosen] = useState<readonly string[]>(() => recommendedOf(options, recommended));
  const [own, setOwn] = useState("");
  const [saysOwn, setSaysOwn] = useState(false);
  const choose = (option: string): void => {
    if (multi) setChosen(chosen.includes(option) ? chosen.filter((one) => one !== option) : [...chosen, option]);
    else {
      setChosen([option]);
      setSaysOwn(false);
    }
  };
  const sayOwn = (isSaid: boolean): void => {
    setSaysOwn(isSaid);
    if (isSaid && !multi) setChosen([]);
  };
  const values = [...chosen, ...(saysOwn && own.trim() !== "" ? [own.trim()] : [])];
  const submit = (event: Event): void => {
    event.preventDefault();
    if (values.length > 0) onAnswer({ value: multi ? values : (values[0] as string) });
  };
  return (
    <form onSubmit={submit}>
      <h2>{visible(title ?? "")}</h2>
      {message !== undefined && <About text={message} />}
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
        <label>
          <input
            type={multi ? "checkbox" : "radio"}
            name="option"
            checked={saysOwn}
            onChange={(event) => sayOwn(event.currentTarget.checked)}
          />
          <span>Something else</span>
        </label>
        <textarea
          rows={2}
          aria-label="In your own words"
          value={own}
          onInput={(event) => {
            setOwn(event.currentTarget.value);
            if (event.currentTarget.value.trim() !== "") sayOwn(true);
          }}
        />
      </fieldset>
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
