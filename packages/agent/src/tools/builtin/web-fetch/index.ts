import type { JsonObject } from "@lathe/llm";
import { webGate } from "../../../files/web/gate/web-gate.ts";
import "../../../files/web/services.ts";
import { flag, integer, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import { type ToolDef, ToolFailure } from "../../../contract/tool.ts";
import { verbOf } from "../card.ts";
import { webAccess } from "../web-access.ts";
import description from "./description.md";

const params = {
  url: text("Full address, http or https"),
  timeout: optional(integer("Seconds to wait, 1 to 45; 30 when absent")),
  raw: optional(flag("The page as the server gives it")),
};

const LIMITS = { maxBytes: 5 << 20, maxRedirects: 5, timeoutMs: 30_000 };
const SECONDS = { least: 1, most: 45 };

/** Fetches a page and gives it to the model as markdown; add it to the `tools` of a profile or session. */
export const webFetchTool: ToolDef = {
  name: "web_fetch",
  label: "Fetch",
  description: description.trim(),
  schema: object(params),
  tier: "network",
  replay: "safe",
  access: async ({ url }, scope) => [await webAccess(url, scope)],
  summary: ({ url }) => url,
  card: ({ url }, result) => ({
    verb: verbOf(["Fetching", "Fetched", "Fetch"], result),
    subject: url,
    outcome: result && outcomeOf(result.details),
  }),
  async execute({ url, timeout, raw = false }, scope) {
    // Loaded with the first page, because most sessions fetch none.
    const { loadPage } = await import("../../../files/web/load-page.ts");
    const web = scope.services.web ?? { gate: webGate(scope) };
    const given =
      timeout === undefined ? {} : { timeoutMs: Math.min(Math.max(timeout, SECONDS.least), SECONDS.most) * 1000 };
    const page = await loadPage({ url, isRaw: raw, limits: { ...LIMITS, ...web.fetch, ...given } }, web, scope);
    const { status, mediaType, bytes, method, text: body, notes = [] } = page;
    if (body === undefined) throw new ToolFailure(`${page.url} is ${mediaType}, not text. Read it with the tool read.`);
    const isFailed = status >= 400;
    const moved = page.url === url ? [] : [page.url];
    const head = isFailed ? [`${page.url} answered with status ${status}.`] : moved;
    const said = [
      ...(page.isMainPart ? ["only the main part of the page; raw gives all of it"] : []),
      ...(page.truncated ? [tooLong(bytes)] : []),
      ...notes,
    ].map((note) => `[${note}]`);
    return {
      content: [{ kind: "text", text: [...head, body, ...said].join("\n") }],
      details: {
        url: page.url,
        status,
        mediaType,
        bytes,
        method,
        ...(page.site === undefined ? {} : { site: page.site }),
      },
      isError: isFailed,
      effects: "none",
    };
  },
} satisfies ToolDef<StaticFields<typeof params>>;

const tooLong = (bytes: number): string =>
  `the page is longer; only its first ${bytes} bytes were read. Download it with a program in the shell to read the rest`;

function outcomeOf({ status, mediaType, bytes, site }: JsonObject): string | undefined {
  if (typeof status === "number" && status >= 400) return `status ${status}`;
  const what = typeof site === "string" ? `from the API of ${site}` : mediaType;
  return typeof bytes === "number" ? `${what}, ${bytes} bytes` : undefined;
}
