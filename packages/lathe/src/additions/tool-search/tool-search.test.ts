import type { ToolContext, ToolDef, ToolResult } from "@lathe/agent";
import type { JsonObject } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { rank, tokens } from "./rank-tools.ts";
import { documentOf, SEARCH_TOOL, type ServerTool, ToolSearch, type ToolSearchOptions } from "./tool-search.ts";

const tool = (name: string, description = "", keys: readonly string[] = []): ToolDef => ({
  name,
  label: name,
  description,
  schema: { type: "object", properties: Object.fromEntries(keys.map((key) => [key, { type: "string" }])) },
  tier: "exec",
  replay: "never",
  execute: () => name,
});
const ofServer = (server: string, name: string, description = "", keys: readonly string[] = []): ServerTool => ({
  ...tool(`mcp__${server}__${name}`, description, keys),
  ofServer: { tool: name, server },
});
const padded = (count: number): ServerTool[] =>
  Array.from({ length: count }, (_, i) => ofServer("pad", `task_${i}`, `Task ${i}`));

type Given = Partial<Omit<ToolSearchOptions, "known">> & { fromServers?: () => readonly ToolDef[] };

function searchOver({ fromServers = () => [], ...options }: Given): { search: ToolSearch; found: string[][] } {
  const found: string[][] = [];
  const { builtin = () => [] } = options;
  const search = new ToolSearch({
    mode: "auto",
    essential: [],
    selected: [],
    onSelected: (names) => found.push([...names]),
    ...options,
    builtin,
    knownTools: () => [...builtin(), ...fromServers()],
  });
  servers.set(search, fromServers);
  return { search, found };
}
/** The servers' tools, which come from another provider in a session. */
const servers = new Map<ToolSearch, () => readonly ToolDef[]>();
const namesOf = (search: ToolSearch): string[] => {
  const own = search.tools().map(({ name }) => name);
  const others =
    servers
      .get(search)?.()
      .filter((one) => !search.hides(one)) ?? [];
  return [...own, ...others.map(({ name }) => name)];
};
const run = async (search: ToolSearch, args: JsonObject): Promise<ToolResult> => {
  const found = search.tools().find(({ name }) => name === SEARCH_TOOL) as ToolDef;
  return (await found.execute(args, {} as ToolContext)) as ToolResult;
};

describe("when tools are hidden", () => {
  it("MC-04 with 40 tools all are offered; with 41 those of servers are behind the search", () => {
    const builtin = Array.from({ length: 10 }, (_, i) => tool(`own_${i}`));
    const thirty = padded(30);
    const few = searchOver({ builtin: () => builtin, fromServers: () => thirty });
    expect(namesOf(few.search)).toHaveLength(30);
    const more = padded(31);
    const many = searchOver({ builtin: () => builtin, fromServers: () => more });
    expect(namesOf(many.search)).toEqual([SEARCH_TOOL]);
    expect(builtin.some((one) => many.search.hides(one))).toBe(false);
  });

  it("G-74 mode all hides the built-in ones as well, except those for reading, editing and commands", async () => {
    const builtin = ["read_file", "shell", "edit_file", "write_file", "exit_plan_mode"].map((name) =>
      tool(name, name === "write_file" ? "Creates or overwrites a file" : ""),
    );
    const { search } = searchOver({ mode: "all", builtin: () => builtin });
    expect(namesOf(search)).toEqual([SEARCH_TOOL]);
    expect(builtin.filter((one) => search.hides(one)).map(({ name }) => name)).toEqual(["write_file"]);
    const chosen = searchOver({ mode: "all", builtin: () => builtin, essential: ["write_file"] });
    expect(chosen.search.hides(builtin[0] as ToolDef)).toBe(true);
    await run(search, { query: "create file" });
    expect(search.hides(builtin[3] as ToolDef)).toBe(false);
  });

  it("mode off and no servers: nothing is hidden and there is no search", () => {
    const many = padded(60);
    expect(namesOf(searchOver({ mode: "off", fromServers: () => many }).search)).toHaveLength(60);
    expect(namesOf(searchOver({ mode: "mcp-only" }).search)).toEqual([]);
  });
});

describe("discoverable tools", () => {
  const debug: ToolDef = {
    ...tool("debug", "Runs a program step by step, e.g. to look at values. It needs an adapter."),
    loadMode: "discoverable",
  };
  const wordy: ToolDef = { ...tool("wordy", "word ".repeat(100)), loadMode: "discoverable" };
  const builtin = () => [tool("read_file"), debug, wordy];

  it("T-SUB-1 are behind the search without any server, and its description names each in a few words", async () => {
    const { search } = searchOver({ builtin });
    const [searchTool, ...more] = search.tools() as ToolDef[];
    expect(more).toEqual([]);
    expect(
      builtin()
        .filter((one) => search.hides(one))
        .map(({ name }) => name),
    ).toEqual(["debug", "wordy"]);
    const lines = searchTool?.description.split("\n").slice(-2) ?? [];
    expect(lines[0]).toBe("- debug: Runs a program step by step, e.g. to look at values.");
    expect(lines[1]).toMatch(/^- wordy: word word .*…$/);
    expect(lines[1]?.length).toBeLessThanOrEqual(90);
    await run(search, { query: "step by step" });
    expect(search.hides(debug)).toBe(false);
    expect(search.tools()[0]).toBe(searchTool);
  });

  it("T-SUB-1 mode off offers them at once, and so does a host that names them", () => {
    expect(searchOver({ builtin, mode: "off" }).search.tools()).toEqual([]);
    expect(searchOver({ builtin, mode: "off" }).search.hides(debug)).toBe(false);
    expect(searchOver({ builtin, selected: ["debug"] }).search.hides(debug)).toBe(false);
  });
});

describe("a search", () => {
  const many = [...padded(60), ofServer("github", "createIssue", "Opens an issue", ["title", "repository"])];

  it("T-DISC-1 G-74 adds the best matches, once each, and says so as JSON", async () => {
    const { search, found } = searchOver({ fromServers: () => many });
    const before = search.tools();
    const result = await run(search, { query: "create github issue", limit: 2 });
    expect(result.content).toEqual([
      {
        kind: "text",
        text: '{"query":"create github issue","activated_tools":["mcp__github__createIssue"],"match_count":1,"total_tools":61}',
      },
    ]);
    expect(search.tools()).not.toBe(before);
    expect(namesOf(search)).toEqual([SEARCH_TOOL, "mcp__github__createIssue"]);
    expect(found).toEqual([["mcp__github__createIssue"]]);
    expect((await run(search, { query: "create github issue" })).details).toMatchObject({ match_count: 0 });
    expect((await run(search, { query: "task" })).details).toMatchObject({ match_count: 8, total_tools: 61 });
  });

  it("a session that is resumed has what it had found", () => {
    const { search } = searchOver({ fromServers: () => many, selected: ["mcp__github__createIssue"] });
    expect(namesOf(search)).toEqual([SEARCH_TOOL, "mcp__github__createIssue"]);
  });

  it("without a letter or number is refused in words", async () => {
    const { search } = searchOver({ fromServers: () => many });
    await expect(run(search, { query: " ?! " })).rejects.toThrow("Query must contain at least one letter or number.");
  });
});

describe("ranking", () => {
  it("splits names as people write them", () => {
    expect(tokens("parseHTTPResponse v2Beta snake_case Größe")).toEqual([
      ...["parse", "http", "response", "v2", "beta", "snake", "case", "große"],
    ]);
  });

  it("G-74 scores are those of BM25+ worked out by hand on the same corpus", () => {
    const corpus = [
      ofServer("db", "query", "Runs sqlite queries", ["sql"]),
      ofServer("db", "backup", "Writes an archive file", ["path"]),
      ofServer("files", "create", "Creates a file", ["path", "content"]),
    ].map(documentOf);
    const query = "sqlite archive file create";
    expect(rank(query, corpus).map(({ name, score }) => [name, score.toFixed(6)])).toEqual(
      byHand(query.split(" "), corpus).map(([name, score]) => [name, score.toFixed(6)]),
    );
  });

  it("equal scores are in the order of names", () => {
    const twins = ["b", "a", "c"].map((server) => ({ name: `${server}_same`, fields: [{ text: "same", weight: 1 }] }));
    expect(rank("same", twins).map(({ name }) => name)).toEqual(["a_same", "b_same", "c_same"]);
  });
});

/** Repeats each word as often as its weight, then applies the textbook formula. */
function byHand(query: readonly string[], corpus: ReturnType<typeof documentOf>[]): [string, number][] {
  const texts = corpus.map(({ name, fields }) => ({
    name,
    words: fields.flatMap(({ text, weight }) =>
      tokens(text).flatMap((word) => Array.from({ length: weight }, () => word)),
    ),
  }));
  const average = texts.reduce((sum, { words }) => sum + words.length, 0) / texts.length;
  const scored = texts.map(({ name, words }): [string, number] => {
    let score = 0;
    for (const word of query) {
      const f = words.filter((one) => one === word).length;
      if (f === 0) continue;
      const n = texts.filter((one) => one.words.includes(word)).length;
      const idf = Math.log((texts.length - n + 0.5) / (n + 0.5) + 1);
      score += idf * ((f * 2.2) / (f + 1.2 * (0.25 + (0.75 * words.length) / average)) + 1);
    }
    return [name, score];
  });
  return scored.filter(([, score]) => score > 0).sort((a, b) => b[1] - a[1]);
}
