// The model's text as elements, without a browser: the tests read the tree of elements.

import type { ComponentChild, VNode } from "preact";
import { describe, expect, it } from "vitest";
import { Markdown } from "../src/text/markdown.tsx";

interface Drawn {
  readonly tag: string;
  readonly props: Readonly<Record<string, unknown>>;
}

type Component = (props: object) => ComponentChild;
interface ComponentClass {
  new (props: object): { props: object; render(): ComponentChild };
}

/** All elements and all text that would appear in the document. */
function draw(child: ComponentChild, into: { elements: Drawn[]; text: string }): typeof into {
  if (Array.isArray(child)) for (const one of child as ComponentChild[]) draw(one, into);
  else if (typeof child === "string" || typeof child === "number") into.text += child;
  else if (typeof child === "object" && child !== null) {
    const { type, props } = child as VNode<Record<string, unknown>>;
    if (typeof type === "string") {
      into.elements.push({ tag: type, props });
      draw(props["children"] as ComponentChild, into);
    } else draw(outputOf(type as Component | ComponentClass, props), into);
  }
  return into;
}

function outputOf(type: Component | ComponentClass, props: object): ComponentChild {
  if (!("render" in (type.prototype ?? {}))) return (type as Component)(props);
  const component = new (type as ComponentClass)(props);
  component.props = props;
  return component.render();
}

const drawn = (text: string) => draw(Markdown({ text }), { elements: [], text: "" });
const tags = (text: string): string[] => drawn(text).elements.map(({ tag }) => tag);
const links = (text: string): unknown[] =>
  drawn(text).elements.flatMap(({ tag, props }) => (tag === "a" ? props["href"] : []));

const HOSTILE = [
  "<script>window.broken = 1</script>",
  '<img src=x onerror="window.broken = 2">',
  "a <b onmouseover=window.broken=3>b</b> c",
  "[click](javascript:window.broken=4)",
  "[click](JaVaScRiPt&colon;window.broken=5)",
  "[click](java&#10;script:alert(6))",
  "[click](data:text/html,<script>window.broken=7</script>)",
  "![seen](javascript:window.broken=8)",
  "<javascript:window.broken=9>",
  "[x]: javascript:window.broken=10\n\n[x]",
  "| a |\n| - |\n| <iframe srcdoc='x'> [t](vbscript:x) |",
  "<style>body{display:none}</style>\n\n<svg/onload=window.broken=11>",
  "- [ ] <input onfocus=window.broken=12 autofocus>",
];
const ALLOWED = /^(div|p|h[3-6]|pre|code|blockquote|ul|ol|li|hr|br|strong|em|del|a|input|table|thead|tbody|tr|th|td)$/;

describe("markdown of a model", () => {
  it.each(HOSTILE)("M1 stays text where it could become something else: %s", (text) => {
    const { elements, text: shown } = drawn(text);
    for (const { tag, props } of elements) {
      expect(tag).toMatch(ALLOWED);
      expect(Object.keys(props).filter((name) => /^on|srcdoc|dangerously|^style$/i.test(name))).toEqual([]);
      if (tag === "a") expect(props).toMatchObject({ href: expect.stringMatching(/^(https?|mailto):/) });
    }
    expect(shown).toMatch(/script|onerror|onmouseover|onload|onfocus|java|\[x\]/i);
  });

  it("M1 links of the web and of mail are links that tell nothing about the page; pictures are never loaded", () => {
    const text =
      "[a](https://a.example/?x=1&amp;y=2) <mailto:b@b.example> https://c.example ![d](https://d.example/p.png)";
    expect(links(text)).toEqual([
      "https://a.example/?x=1&y=2",
      "mailto:b@b.example",
      "https://c.example/",
      "https://d.example/p.png",
    ]);
    const anchors = drawn(text).elements.filter(({ tag }) => tag === "a");
    for (const { props } of anchors) expect(props["rel"]).toMatch(/noopener/);
    expect(tags(text)).not.toContain("img");
  });

  it("is drawn with its structure", () => {
    expect(tags("# T\n\n1. **a**\n2. `b`\n\n- [x] c\n\n> d\n\n```js\ne\n```\n\n| f |\n| - |\n| g |")).toEqual(
      "div h3 ol li strong li code ul li input blockquote p pre code div table thead tr th tbody tr td".split(" "),
    );
    expect(drawn("a &lt;b&gt; &amp; `&lt;` \u202egnp").text).toBe("a <b> & &lt; <U+202E>gnp");
  });

  it("is shown as it is when it is nested without end", () => {
    const text = `${"> ".repeat(5_000)}deep ${"[".repeat(5_000)}`;
    expect(drawn(text).text).toContain("deep");
  });
});
