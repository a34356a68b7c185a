// A call as its card describes it: what it does and to what, its state, and below that the body that the tool provides.
// It knows no particular tool.

import { visible, visibleLine } from "@lathe/tui/text";
import type { VNode } from "preact";
import type { CallItem, Card } from "../../state/items.ts";
import { shorten } from "../../text/shorten.ts";
import { CardBodyView } from "./card-body.tsx";
import { Pictures } from "./pictures.tsx";
import { useSession } from "./session-context.ts";

const LONGEST_SUBJECT = 400;

const STATES = {
  pending: "not begun",
  running: "running",
  waiting: "waiting for an answer",
  done: "done",
  failed: "failed",
  skipped: "not carried out",
} as const;

export function CardView({ item, card }: { readonly item: CallItem; readonly card: Card }): VNode {
  const { cwd } = useSession();
  const state = card.failed === true ? "failed" : item.state;
  const subject = card.namesFiles ? withoutFolder(card.subject, cwd) : card.subject;
  return (
    <div class={`card ${state}${item.nestedIn === undefined ? "" : " nested"}`}>
      <div class="headline">
        <span class="mark" role="img" aria-label={STATES[state]} />
        <span class="verb">{visibleLine(card.verb)}</span> <span class="subject">{shownSubject(subject)}</span>
        <Outcome outcome={card.outcome} isFailed={state === "failed"} />
        {state === "waiting" && <span class="outcome asks">waiting for an answer</span>}
        {state === "skipped" && <span class="outcome">not carried out</span>}
        {item.decision !== undefined && <span class="outcome">{item.decision}</span>}
      </div>
      <CardBodyView item={item} card={card} cwd={cwd} />
      {item.pictures && <Pictures pictures={item.pictures} />}
    </div>
  );
}

const shownSubject = (subject: string): string => shorten(visible(subject).trim(), LONGEST_SUBJECT);

function Outcome({ outcome, isFailed }: { readonly outcome: string | undefined; readonly isFailed: boolean }) {
  if (outcome === undefined || outcome === "") return null;
  const [, added, removed] = /^\+(\d+) -(\d+)$/.exec(outcome) ?? [];
  if (added === undefined || isFailed)
    return <span class={isFailed ? "outcome bad" : "outcome"}>{visibleLine(outcome)}</span>;
  return (
    <span class="outcome" role="img" aria-label={`${added} lines added, ${removed} removed`}>
      <span class="plus">+{added}</span> <span class="minus">−{removed}</span>
    </span>
  );
}

/** A path in the session's folder, relative to that folder. */
export function withoutFolder(text: string, cwd: string | undefined): string {
  return cwd === undefined || cwd === "/" ? text : text.replaceAll(`${cwd}/`, "");
}
