// The text above a question, as Markdown. It scrolls separately, so that a long text does not push the answers away.

import type { VNode } from "preact";
import { Markdown } from "../../text/markdown.tsx";

export function About({ text }: { readonly text: string }): VNode {
  return (
    <section
      class="preview"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
      tabIndex={0}
      aria-label="Text of the question"
    >
      <Markdown text={text} />
    </section>
  );
}
