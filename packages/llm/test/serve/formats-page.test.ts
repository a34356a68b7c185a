// docs/gateway-formats.md contains the tables of the code. LATHE_WRITE_DOCS=1 writes them.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { chatBody } from "../../src/serve/chat/request.ts";
import { messagesBody } from "../../src/serve/messages/request.ts";
import { responsesBody } from "../../src/serve/responses/request.ts";
import { streamRequest } from "../../src/serve/stream/request.ts";
import { COLUMNS, FATES, fateOf } from "../../src/serve/table.ts";

const page = fileURLToPath(new URL("../../../../docs/gateway-formats.md", import.meta.url));

const TITLES: Readonly<Record<(typeof COLUMNS)[number], string>> = {
  anthropic: "Anthropic",
  bedrock: "Bedrock",
  gemini: "Gemini",
  responses: "Responses",
  chat: "Chat",
  ollama: "Ollama",
};

function table(rows: readonly (readonly string[])[]): string {
  const [head = [], ...rest] = rows;
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rest.map(line)].join("\n");
}

function fates(): string {
  const head = ["part of a request", "in the header", ...COLUMNS.map((column) => TITLES[column])];
  const rows = FATES.map(({ what, meaning }) => {
    const cells = COLUMNS.map((column) => fateOf(what, column));
    return [meaning, cells.includes("dropped") ? `\`${what}\`` : "", ...cells];
  });
  return table([head, ...rows]);
}

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

function fields(): string {
  const sections = [
    ["Chat Completions", chatBody],
    ["Messages", messagesBody],
    ["Responses", responsesBody],
    ["Lathe's own (members of `request`)", streamRequest],
  ] as const;
  return sections
    .map(([title, { fields }]) => {
      const why = Object.entries(fields.unsupported).map(([name, reason]) => `- \`${name}\`: ${reason}`);
      return [
        `### ${title}`,
        "",
        `Read: ${code(fields.read)}.`,
        "",
        ...(fields.ignored.length === 0 ? [] : [`Ignored: ${code(fields.ignored)}.`, ""]),
        "Refused, among others:",
        "",
        ...why,
      ].join("\n");
    })
    .join("\n\n");
}

const within = (text: string, mark: string, content: string): string =>
  text.replace(
    new RegExp(`(<!-- ${mark} -->)[\\s\\S]*(<!-- /${mark} -->)`),
    (_, open: string, close: string) => `${open}\n\n${content}\n\n${close}`,
  );

describe("AU-05 docs/gateway-formats.md", () => {
  it("AU-05 says what the code does", () => {
    const text = readFileSync(page, "utf8");
    const written = within(within(text, "fates", fates()), "fields", fields());
    if (process.env["LATHE_WRITE_DOCS"]) writeFileSync(page, written);
    expect(text).toBe(process.env["LATHE_WRITE_DOCS"] ? text : written);
  });
});
