import type { JsonObject } from "@lathe/llm";
import type { FetchLimits } from "../../../files/web/fetch-page.ts";
import { webGate } from "../../../files/web/gate/web-gate.ts";
import "../../../files/web/services.ts";
import { object, type StaticFields, text } from "@lathe/llm/schema";
import type { ToolDef } from "../../../contract/tool.ts";
import { verbOf } from "../card.ts";
import { webAccess } from "../web-access.ts";
import description from "./description.md";

const params = { url: text("Full address, http or https") };

const LIMITS: FetchLimits = { maxBytes: 5 << 20, maxRedirects: 5, timeoutMs: 30_000 };

/** Fetches a page and gives it to the model as markdown; add it to `tools` of a profile or session. */
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
  async execute({ url }, scope) {
    // Loaded with the first page: most sessions fetch none.
    const [{ fetchPage }, { pageText }] = await Promise.all([
      import("../../../files/web/fetch-page.ts"),
      import("../../../files/web/to-markdown.ts"),
    ]);
    const { gate = webGate(scope), fetch } = scope.services.web ?? {};
    const page = await fetchPage(gate, url, { ...LIMITS, ...fetch }, scope.signal);
    scope.paths.pages.set(url, page.url);
    const { text: body } = await pageText(page, scope);
    const note = page.truncated
      ? `\n[the page is longer; only its first ${page.body.length} bytes were read. Download it with a program in the shell to read the rest]`
      : "";
    const failed = page.status >= 400;
    const head = failed
      ? `${page.url} answered with status ${page.status}.\n`
      : page.url === url
        ? ""
        : `${page.url}\n`;
    return {
      content: [{ kind: "text", text: `${head}${body}${note}` }],
      details: { url: page.url, status: page.status, mediaType: page.mediaType, bytes: page.body.length },
      isError: failed,
      effects: "none",
    };
  },
} satisfies ToolDef<StaticFields<typeof params>>;

function outcomeOf({ status, mediaType, bytes }: JsonObject): string | undefined {
  if (typeof status === "number" && status >= 400) return `status ${status}`;
  return typeof bytes === "number" ? `${mediaType}, ${bytes} bytes` : undefined;
}
