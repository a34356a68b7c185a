// One item of the transcript.

import { visible, visibleLine } from "@lathe/tui/text";
import type { VNode } from "preact";
import { memo } from "../../base/memo.ts";
import type { Item, UserItem } from "../../state/items.ts";
import { Markdown } from "../../text/markdown.tsx";
import { CardView } from "./card-view.tsx";
import { Disclosure } from "./disclosure.tsx";
import { Pictures } from "./pictures.tsx";

/** Drawn again only if it gets another item. */
export const ItemView = memo(
  ({ item }: { readonly item: Item }): VNode | null => renderItem(item),
  (before, after) => before.item === after.item,
);

function renderItem(item: Item): VNode | null {
  switch (item.kind) {
    case "user":
      return <UserMessage item={item} />;
    case "text":
      return (
        <div class="answer">
          <span class="unseen">Lathe:</span>
          <Markdown text={item.text} />
        </div>
      );
    case "thinking":
      return (
        <Disclosure name={item.key} class="thinking" title="Thinking">
          <div class="plain">{visible(item.text)}</div>
        </Disclosure>
      );
    case "call":
      return item.card ? <CardView item={item} card={item.card} /> : null;
    case "picture":
      return <Pictures pictures={[item.picture]} />;
    case "note":
      return item.more === undefined || item.more === "" ? (
        <p class={`note ${item.note}`}>{visible(item.text)}</p>
      ) : (
        <Disclosure name={item.key} class={`note ${item.note}`} title={visibleLine(item.text)}>
          <pre class="output">{visible(item.more)}</pre>
        </Disclosure>
      );
    case "summary":
      return (
        <Disclosure name={item.key} class="summary" title={visibleLine(item.title)}>
          <Markdown text={item.text} />
        </Disclosure>
      );
  }
}

const HOW: Readonly<Record<UserItem["how"], string | undefined>> = {
  sent: undefined,
  steered: "while it worked",
  queued: "queued",
};

function UserMessage({ item: { text, how, attached, pictures } }: { readonly item: UserItem }): VNode {
  return (
    <div class="user">
      <span class="unseen">You:</span>
      {HOW[how] !== undefined && <span class="how">{HOW[how]}</span>}
      {text !== "" && <div class="said">{visible(text)}</div>}
      <Pictures pictures={pictures} />
      {attached.length > 0 && <div class="attached">{attached.map(visibleLine).join(" · ")}</div>}
    </div>
  );
}
