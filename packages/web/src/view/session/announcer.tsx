// Announces events to screen readers: when work begins and ends, not each word that streams in.

import { visibleLine } from "@lathe/tui/text";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { SessionView } from "../../state/session.ts";
import { shorten } from "../../text/shorten.ts";

const LONGEST = 400;

export function Announcer({ view, said }: { readonly view: SessionView; readonly said: string }): VNode {
  const [news, setNews] = useState("");
  const isBusy = view.live.isBusy;
  const wasBusy = useRef(isBusy);
  useEffect(() => {
    if (isBusy === wasBusy.current) return;
    wasBusy.current = isBusy;
    setNews(isBusy ? "Lathe is working." : `Lathe has finished. ${lastText(view)}`);
  }, [isBusy]);
  useEffect(() => setNews(said), [said]);
  const question = view.questions[0]?.title;
  return (
    <div class="unseen">
      <p role="status">{news}</p>
      <p role="alert">
        {!view.isConnected && "The connection is lost. Trying again."}
        {question !== undefined && `A question waits for an answer: ${visibleLine(question)}`}
      </p>
    </div>
  );
}

function lastText({ live: { items } }: SessionView): string {
  const last = items.findLast(({ kind }) => kind === "text" || kind === "note");
  return last && "text" in last ? shorten(visibleLine(last.text), LONGEST) : "";
}
