// Engines that are tools of an MCP server: one JSON-RPC call each, without a session.

import { itemsAt, type SearchSource } from "@lathe/agent/files";
import { type JsonObject, parseJson } from "@lathe/llm";
import {
  ageOf,
  bearer,
  countFor,
  type Engine,
  EngineFailure,
  type EngineMeans,
  isWebAddress,
  sourcesOf,
} from "../engine.ts";
import { objectIn, objectsIn, textIn } from "../json-parts.ts";
import { eventsOf } from "./events.ts";

/** The server rejects these arguments, but may accept others. */
class WrongArguments extends EngineFailure {}

async function callTool(
  { send }: EngineMeans,
  url: string,
  { name, args, headers = {} }: { name: string; args: JsonObject; headers?: Readonly<Record<string, string>> },
): Promise<string> {
  const { text } = await send(url, {
    headers: { ...headers, accept: "application/json, text/event-stream" },
    json: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } },
  });
  const plain = parseJson(text);
  const answer = plain === undefined ? eventsOf(text).at(-1) : objectIn(plain);
  const error = objectIn(answer, "error");
  const said = objectsIn(answer, "result", "content")
    .flatMap((part) => textIn(part, "text") ?? [])
    .join("\n");
  const isRefused = objectIn(answer, "result")["isError"] === true;
  if (error["code"] === -32_602 || (isRefused && /argument|param|required|schema/i.test(said)))
    throw new WrongArguments(textIn(error, "message") ?? said);
  if (Object.keys(error).length > 0 || isRefused) throw new EngineFailure(textIn(error, "message") ?? said);
  if (said === "") throw new EngineFailure("the answer has no text");
  return said;
}

export const zai: Engine = {
  async search(query, means) {
    const count = countFor(query, { most: 50 });
    const shapes: readonly JsonObject[] = [
      { query: query.query, count },
      { search_query: query.query, count },
      { search_query: query.query, search_engine: "search-prime", count },
    ];
    let refused: unknown;
    for (const args of shapes) {
      try {
        const call = { name: "web_search_prime", args, headers: bearer(means.key) };
        return zaiAnswer(await callTool(means, means.baseUrl, call), means.now);
      } catch (error) {
        if (!(error instanceof WrongArguments)) throw error;
        refused = error;
      }
    }
    throw refused;
  },
};

/** The answer may be a list as JSON, sometimes encoded twice, or plain text. */
function zaiAnswer(said: string, now: () => number): { answer?: string; sources: SearchSource[] } {
  let value = parseJson(said);
  if (typeof value === "string") value = parseJson(value);
  const list = Array.isArray(value) ? value : itemsAt(value, "search_result");
  const names = { url: ["link", "url"], snippet: ["content"], date: ["publish_date"] };
  return value === undefined ? { answer: said, sources: [] } : { sources: sourcesOf(list, names, now) };
}

/** Exa's public server, for users who chose it and have no key. */
export const exaWithoutKey: Engine = {
  async search(query, means) {
    const args = { query: query.query, numResults: countFor(query, { most: 100 }) };
    const said = await callTool(means, `${means.otherUrl}/mcp`, { name: "web_search_exa", args });
    const sources = said.split(/^(?=Title: )/m).flatMap((block): SearchSource[] => {
      const field = (name: string): string | undefined => new RegExp(`^${name}: *(.+)$`, "m").exec(block)?.[1]?.trim();
      const url = field("URL");
      if (url === undefined || !isWebAddress(url)) return [];
      const published = field("Published(?: Date)?");
      const snippet = /^(?:Text|Highlights|Summary):\s*([\s\S]+)/m.exec(block)?.[1] ?? "";
      const age = published === undefined ? {} : { age: ageOf(published, means.now()) };
      return [{ title: field("Title") ?? url, url, snippet: snippet.trim(), ...age }];
    });
    if (sources.length === 0) throw new EngineFailure("the answer lists no page");
    return { sources };
  },
};
