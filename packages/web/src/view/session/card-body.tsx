// The body of a card: output, a list, a change or text. It shows a few lines until the user asks for more.

import { visible } from "@lathe/tui/text";
import type { ComponentChildren, VNode } from "preact";
import type { CallItem, Card, CardBody } from "../../state/items.ts";
import { Markdown } from "../../text/markdown.tsx";
import { countText } from "../../text/numbers.ts";
import { DiffView } from "./diff-view.tsx";
import { useOpened } from "./disclosure.tsx";

type Body<K extends CardBody["kind"]> = Extract<CardBody, { kind: K }>;

interface BodyProps {
  readonly item: CallItem;
  readonly card: Card;
  readonly cwd: string | undefined;
}

/** Lines shown of a running call's output. */
const LIVE_LINES = 8;
/** Never draws more lines, even if the user asks for all. */
const MOST_LINES = 5_000;

export function CardBodyView({ item, card: { body }, cwd }: BodyProps): VNode | null {
  if (item.state === "running" && item.live !== "") return <Live text={item.live} />;
  if (!body || item.state === "waiting") return null;
  switch (body.kind) {
    case "output":
      return <Output name={item.key} body={body.text === "" ? { ...body, text: item.live } : body} />;
    case "lines":
      return <Lines name={item.key} body={body} />;
    case "diff":
      return <Diffs name={item.key} body={body} cwd={cwd} />;
    case "markdown":
      return <Written name={item.key} body={body} />;
  }
}

function Live({ text }: { readonly text: string }): VNode {
  const lines = visible(text).trimEnd().split("\n");
  return <pre class="output">{lines.slice(-LIVE_LINES).join("\n")}</pre>;
}

function Output({ name, body: { text, keeps, collapsed } }: { readonly name: string; readonly body: Body<"output"> }) {
  const lines = visible(text).trimEnd().split("\n");
  const [isOpen, toggle] = useOpened(name, false);
  if (lines.join("") === "") return null;
  const isTail = keeps === "tail";
  const most = isOpen ? MOST_LINES : collapsed;
  const shown = isTail ? lines.slice(-most) : lines.slice(0, most);
  const hidden = lines.length - shown.length;
  const more = <More hidden={hidden} which={isTail ? "earlier" : "more"} isOpen={isOpen} toggle={toggle} />;
  return (
    <>
      {isTail && more}
      <pre class="output">{shown.join("\n")}</pre>
      {!isTail && more}
    </>
  );
}

const LINE_STATES = { done: "Done: ", current: "Now: ", open: "To do: ", dropped: "Dropped: " } as const;

function Lines({
  name,
  body: { lines: all, brief, collapsed },
}: {
  readonly name: string;
  readonly body: Body<"lines">;
}) {
  const [isOpen, toggle] = useOpened(name, false);
  const lines = isOpen ? all : (brief ?? all);
  // The visible part of the list includes the current line and the one before it.
  const current = lines.findIndex(({ kind }) => kind === "current");
  const first = isOpen ? 0 : Math.max(0, Math.min(Math.max(0, current) - 2, lines.length - collapsed));
  const shown = isOpen ? lines.slice(0, MOST_LINES) : lines.slice(first, first + collapsed);
  return (
    <>
      <ul class="lines">
        {shown.map(({ text, kind = "plain" }, at) => (
          <li key={at} class={kind}>
            {kind in LINE_STATES && <span class="unseen">{LINE_STATES[kind as keyof typeof LINE_STATES]}</span>}
            {visible(text)}
          </li>
        ))}
      </ul>
      <More hidden={all.length - shown.length} which="more" isOpen={isOpen} toggle={toggle} />
    </>
  );
}

function Diffs({
  name,
  body,
  cwd,
}: {
  readonly name: string;
  readonly body: Body<"diff">;
  readonly cwd: string | undefined;
}) {
  const [isOpen, toggle] = useOpened(name, false);
  const { files, collapsed } = body;
  const most = isOpen ? undefined : Math.max(4, Math.ceil(collapsed / files.length));
  const lines = files.reduce((sum, { diff }) => sum + diff.split("\n").length, 0);
  const isLong = most !== undefined && lines > most * files.length + 1;
  return (
    <>
      {files.map(({ path, diff }) => {
        const shown = cwd !== undefined && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
        return (
          <div key={path}>
            {files.length > 1 && <div class="path">{visible(shown)}</div>}
            <DiffView diff={diff} {...(most === undefined || !isLong ? {} : { most })} />
          </div>
        );
      })}
      {(isLong || isOpen) && (
        <More hidden={isLong ? lines - (most ?? 0) : 0} which="more" isOpen={isOpen} toggle={toggle} />
      )}
    </>
  );
}

function Written({
  name,
  body: { text, collapsed },
}: {
  readonly name: string;
  readonly body: Body<"markdown">;
}): VNode {
  const [isOpen, toggle] = useOpened(name, false);
  const lines = text.trimEnd().split("\n");
  const shown = isOpen ? lines : lines.slice(0, collapsed);
  return (
    <>
      <Markdown text={shown.join("\n")} />
      <More hidden={lines.length - shown.length} which="more" isOpen={isOpen} toggle={toggle} />
    </>
  );
}

interface MoreProps {
  readonly hidden: number;
  readonly which: "earlier" | "more";
  readonly isOpen: boolean;
  readonly toggle: () => void;
}

function More({ hidden, which, isOpen, toggle }: MoreProps): VNode | null {
  if (hidden <= 0 && !isOpen) return null;
  const label: ComponentChildren = isOpen ? "Show less" : `${countText(hidden, `${which} line`)}`;
  return (
    <button type="button" class="more" aria-expanded={isOpen} onClick={toggle}>
      {label}
    </button>
  );
}
