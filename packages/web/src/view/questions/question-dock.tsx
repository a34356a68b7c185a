// Open questions: approvals of calls, plans, and questions of the model. They appear above the composer, one at a time;
// the first valid answer of any client counts.

import { visibleLine } from "@lathe/tui/text";
import type { Dialog, DialogAnswer } from "lathe/client";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { SessionView } from "../../state/session.ts";
import { useSession } from "../session/session-context.ts";
import { Confirm } from "./confirm.tsx";
import type { QuestionProps } from "./question-props.ts";
import { Select } from "./select.tsx";
import { Words } from "./words.tsx";

interface QuestionDockProps {
  readonly view: SessionView;
  /** Called after an answer, to move the focus on. */
  readonly onAnswered: () => void;
}

export function QuestionDock({ view, onAnswered }: QuestionDockProps): VNode | null {
  const { client, id, mayAnswer, report, announce } = useSession();
  const [asked, setAsked] = useState<string>();
  const dock = useRef<HTMLElement>(null);
  const question = view.questions[0];
  useFocusWhenIdle(dock, question?.id);
  if (!question) return <SettledByOther settled={view.settled} />;

  const onAnswer = async (answer: DialogAnswer): Promise<void> => {
    setAsked(question.id);
    try {
      const outcome = await client.answer(id, question.id, answer);
      announce(outcome.status === "settled" ? `Already answered by ${visibleLine(outcome.by)}.` : "Answered.");
      if (outcome.status === "settled")
        report(new Error(`This question was already answered by ${visibleLine(outcome.by)}.`));
      if (view.questions.length === 1) onAnswered();
    } catch (error) {
      setAsked(undefined);
      report(error);
    }
  };
  return (
    <section class="dock" ref={dock} tabIndex={-1} aria-label="Question">
      <fieldset disabled={!mayAnswer || asked === question.id}>
        <QuestionView key={question.id} question={question} isBusy={asked === question.id} onAnswer={onAnswer} />
      </fieldset>
      {!mayAnswer && <p class="hint">You are signed in without the right to answer.</p>}
      {view.questions.length > 1 && <p class="hint">{view.questions.length - 1} more waiting</p>}
    </section>
  );
}

function QuestionView(props: QuestionProps<Dialog>): VNode {
  const { question } = props;
  switch (question.method) {
    case "confirm":
      return <Confirm {...props} question={question} />;
    case "select":
      return <Select {...props} question={question} />;
    case "input":
    case "editor":
      return <Words {...props} question={question} />;
  }
}

function SettledByOther({ settled }: { readonly settled: SessionView["settled"] }): VNode | null {
  const { me } = useSession();
  if (!settled || settled.by === me) return null;
  const by =
    settled.by === "deadline"
      ? "Nobody answered in time"
      : settled.by === "session"
        ? undefined
        : `Answered by ${visibleLine(settled.by)}`;
  return by === undefined ? null : <p class="notice hint" role="status">{`${by}: ${visibleLine(settled.title)}`}</p>;
}

/** A user who is typing keeps the focus, and moves to the question deliberately. */
function useFocusWhenIdle(dock: { readonly current: HTMLElement | null }, questionId: string | undefined): void {
  useEffect(() => {
    const isIdle = document.activeElement === null || document.activeElement === document.body;
    if (questionId !== undefined && isIdle) dock.current?.focus();
  }, [questionId]);
}
