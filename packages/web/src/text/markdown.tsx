// Renders Markdown as elements. The model's text never becomes HTML: markup in it stays text, and so do addresses other
// than web and mail addresses. Nothing is loaded from other hosts.

import { visible } from "@lathe/tui/text";
import { marked, type Token, type Tokens } from "marked";
import type { ComponentChild, VNode } from "preact";
import { memo } from "../base/memo.ts";
import { safeAddress } from "./links.ts";

/** Texts longer or nested deeper than this are shown unformatted. */
const LONGEST = 300_000;
const DEEPEST = 24;

/** The model's text. While it streams in, only its last block is drawn again. */
export function Markdown({ text }: { readonly text: string }): VNode {
  const blocks = blocksOf(visible(text));
  return (
    <div class="md">
      {blocks ? blocks.map((token, at) => <Block key={at} raw={token.raw} token={token} />) : <p>{visible(text)}</p>}
    </div>
  );
}

const Block = memo(
  ({ token }: { readonly raw: string; readonly token: Token }) => <>{blockOf(token, 0)}</>,
  (before, after) => before.raw === after.raw,
);

/** Undefined if the parser fails, for example because the text is nested a thousand levels deep. */
function blocksOf(text: string): readonly Token[] | undefined {
  if (text.length > LONGEST) return undefined;
  try {
    return marked.lexer(text, { gfm: true });
  } catch {
    return undefined;
  }
}

const all = (tokens: readonly Token[] | undefined, depth: number, draw = inlineOf): ComponentChild[] =>
  (tokens ?? []).map((token) => (depth > DEEPEST ? token.raw : draw(token, depth + 1)));

function blockOf(token: Token, depth: number): ComponentChild {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "hr":
      return <hr />;
    case "heading":
      return headingOf(token as Tokens.Heading, depth);
    case "paragraph":
      return <p>{all(token["tokens"], depth)}</p>;
    case "code":
      return (
        <pre>
          <code>{token["text"]}</code>
        </pre>
      );
    case "blockquote":
      return <blockquote>{all(token["tokens"], depth, blockOf)}</blockquote>;
    case "list":
      return listOf(token as Tokens.List, depth);
    case "table":
      return tableOf(token as Tokens.Table, depth);
    case "html":
      return <p class="raw">{token.raw.trim()}</p>;
    default:
      return inlineOf(token, depth);
  }
}

const HEADINGS = ["h3", "h4", "h5", "h6"] as const;

/** The page has its own headings above those of an answer. */
function headingOf({ depth: level, tokens }: Tokens.Heading, depth: number): VNode {
  const Heading = HEADINGS[Math.min(level, HEADINGS.length) - 1] ?? "h6";
  return <Heading class={`heading h${level}`}>{all(tokens, depth)}</Heading>;
}

function listOf({ ordered, start, items }: Tokens.List, depth: number): VNode {
  const rows = items.map((item, at) => (
    <li key={at} class={item.task ? "task" : undefined}>
      {item.task && <input type="checkbox" checked={item.checked === true} disabled aria-label="Task" />}
      {all(
        item.tokens.filter(({ type }) => type !== "checkbox"),
        depth,
        blockOf,
      )}
    </li>
  ));
  return ordered ? <ol start={Number(start) || 1}>{rows}</ol> : <ul>{rows}</ul>;
}

function tableOf({ header, rows }: Tokens.Table, depth: number): VNode {
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            {header.map((cell, at) => (
              <th key={at} scope="col" class={cell.align ?? undefined}>
                {all(cell.tokens, depth)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column} class={cell.align ?? undefined}>
                  {all(cell.tokens, depth)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inlineOf(token: Token, depth: number): ComponentChild {
  switch (token.type) {
    case "strong":
      return <strong>{all(token["tokens"], depth)}</strong>;
    case "em":
      return <em>{all(token["tokens"], depth)}</em>;
    case "del":
      return <del>{all(token["tokens"], depth)}</del>;
    case "codespan":
      return <code>{token["text"]}</code>;
    case "br":
      return <br />;
    case "link":
      return linkOf(token as Tokens.Link, depth);
    case "image":
      return imageOf(token as Tokens.Image);
    case "text":
      return token["tokens"] ? all(token["tokens"], depth) : withEntities(token["text"]);
    case "escape":
      return token["text"];
    default:
      return token.raw;
  }
}

function linkOf({ href, tokens, raw }: Tokens.Link, depth: number): ComponentChild {
  const address = safeAddress(withEntities(href));
  if (address === undefined) return raw;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      {all(tokens, depth)}
    </a>
  );
}

/** Loading the picture would tell its host who reads this. */
function imageOf({ href, text, raw }: Tokens.Image): ComponentChild {
  const address = safeAddress(withEntities(href));
  if (address === undefined) return raw;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      Image: {text || address}
    </a>
  );
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** The parser leaves entities for HTML to decode, but we render no HTML. */
function withEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,6}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? visible(String.fromCodePoint(code)) : whole;
  });
}
