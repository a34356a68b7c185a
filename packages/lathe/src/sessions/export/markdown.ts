// Renders the model's Markdown as HTML. The text is not trusted: raw HTML is shown as text, images are never loaded,
// and links only lead to the web.

import { Marked, type Tokens } from "marked";
import { escapeHtml, Html, html } from "./html.ts";

const marked = new Marked({
  gfm: true,
  async: false,
  // A tag does not start an HTML block: the text around it stays Markdown.
  tokenizer: { html: () => undefined, tag: () => undefined },
  renderer: {
    html: ({ text }) => escapeHtml(text),
    // An entity in Markdown is one character and cannot become markup, so it is kept.
    text(token) {
      const inner = (token as Tokens.Text).tokens;
      return inner ? this.parser.parseInline(inner) : escapeHtml(token.text).replace(/&amp;(#?\w{1,31};)/g, "&$1");
    },
    code: ({ text }) => html`<pre><code>${text}</code></pre>`.text,
    codespan: ({ text }) => html`<code>${text}</code>`.text,
    link({ href, tokens }) {
      const inner = new Html(this.parser.parseInline(tokens));
      return isWeb(href) ? html`<a href="${href}" rel="noopener noreferrer">${inner}</a>`.text : inner.text;
    },
    image: ({ href, text }) => html`<span class="muted">[image: ${text || href}]</span>`.text,
    table(token) {
      const cell = (name: "th" | "td") => (one: Tokens.TableCell) => {
        const align = one.align === null ? "" : html` class="${one.align}"`.text;
        return `<${name}${align}>${this.parser.parseInline(one.tokens)}</${name}>`;
      };
      const rows = token.rows.map((row) => `<tr>${row.map(cell("td")).join("")}</tr>`).join("");
      const head = token.header.map(cell("th")).join("");
      return `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table></div>`;
    },
  },
});

/**
 * The parser compares each emphasis mark with all others in its paragraph, and recurses into quotes. Text beyond what
 * an author would write by hand is shown as it is.
 */
const MOST_PARAGRAPH = 20_000;
const MOST_MARKS = 500;
const DEEP_QUOTE = /^(?:> ?){30}/m;

export function markdown(text: string): Html {
  return isLaborious(text) ? html`<pre>${text}</pre>` : new Html(marked.parse(text) as string);
}

function isLaborious(text: string): boolean {
  if (DEEP_QUOTE.test(text)) return true;
  return text
    .split(/\n\s*\n/)
    .some((paragraph) => paragraph.length > MOST_PARAGRAPH || (paragraph.match(/[*_]/g)?.length ?? 0) > MOST_MARKS);
}

const isWeb = (href: string): boolean => /^(https?:\/\/|mailto:)/i.test(href);
