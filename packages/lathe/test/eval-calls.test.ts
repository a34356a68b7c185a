// What cells may call: tools, a model, agents. Each is a separate call, approved and counted.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RecordedRequest, type Script, type Turn, turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import { type Stage, stage } from "./contract-kit.ts";

const FULL = ["--permission-mode", "full", "--profile", "lathe"];

let scene: Stage;
afterEach(() => scene.close());
const file = (name: string): string => join(scene.box.dir, name);
const cell = (language: "py" | "js", code: string) =>
  turn.calls([{ name: "eval", args: { cells: [{ language, code }] } }]);

/** The session plays its turns one by one; `others` answers what cells ask for. */
async function begin(
  own: readonly Turn[],
  others: (request: RecordedRequest) => Turn | undefined = () => undefined,
): Promise<void> {
  const script: Script = (request) => {
    const given = request.view.messages.flatMap((message) => message.results).length;
    return others(request) ?? own[given] ?? turn.text("done");
  };
  scene = await stage(script);
  writeFileSync(join(scene.box.home, "fast.yml"), "retry:\n  baseDelay: 0.001\ntools:\n  discoveryMode: off\n");
  writeFileSync(file("a.txt"), "one\ntwo\n");
}

/** The results of the session's model's calls, in order. */
const results = (): string[] => {
  const own = scene.server.requests.filter(({ view }) => !isChild(view) && view.tools.includes("eval"));
  return own.at(-1)?.view.messages.flatMap((message) => message.results.map(({ text }) => text)) ?? [];
};
const isChild = (view: RecordedRequest["view"]): boolean => view.tools.includes("yield");

it("T-EVAL-2 a tool called from a cell gives its text, writes without waiting for its caller, and a denied one stays denied", async () => {
  await begin([
    turn.calls([{ name: "read", args: { path: "a.txt" } }]),
    cell("js", 'const t = await tool.read({ path: "a.txt" }); console.log(t)'),
    cell(
      "py",
      'tool.write(path="new.txt", content="hi\\n")\nparallel([lambda i=i: tool.write(path=f"n{i}", content=str(i)) for i in range(3)]);',
    ),
    cell(
      "py",
      'for i in range(2):\n  try: tool.bash(command="touch blocked")\n  except ToolError as error: print("no:", error)',
    ),
    cell("js", "try { await tool.nothing() } catch (error) { console.log(error.message) }"),
    cell("js", 'await tool.eval({ cells: [{ language: "js", code: "globalThis.inner=3" }] }); inner'),
  ]);
  expect(await scene.run([...FULL, "--deny", "shell(touch *)", "go"])).toMatchObject({ code: 0 });
  const [read, same, written, denied, unknown, inner] = results();
  expect(same).toBe(read);
  expect(written).toBe("(no output)");
  expect([readFileSync(file("new.txt"), "utf8"), readFileSync(file("n2"), "utf8")]).toEqual(["hi\n", "2"]);
  expect(denied?.match(/no: .*touch/g)).toHaveLength(2);
  expect(existsSync(file("blocked"))).toBe(false);
  expect(unknown).toBe("Unknown tool: nothing");
  expect(inner).toBe("3");
}, 120_000);

it("T-EVAL-4 T-EVAL-5 cells ask a model without history and run agents, which share their kernels", async () => {
  const schema = '{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}';
  const asked: RecordedRequest[] = [];
  await begin(
    [
      cell("py", `completion("how many?", model="smol", system="Count.", schema=${schema})["n"] + 1`),
      cell("js", 'await completion("a word?")'),
      cell("js", 'await parallel([1, 2, 3].map((n) => () => agent("item " + n, { label: "item" + n })))'),
      cell("js", "[z, await output('item2')]"),
      cell("py", `w = 1\nagent("item 9", schema=${schema})["n"] + w`),
      cell("js", 'await agent("item 1", { agentType: "nobody" })'),
    ],
    (request) => {
      const { view } = request;
      if (isChild(view)) {
        const item = /item (\d)/.exec(request.text)?.[1] ?? "?";
        const code = item === "9" ? "w = 5" : "globalThis.z=(globalThis.z ?? 0) + 1";
        if (view.messages.every(({ role }) => role !== "assistant")) return cell(item === "9" ? "py" : "js", code);
        return turn.calls([{ name: "yield", args: { output: item === "9" ? '{"n": 9}' : `did ${item}` }, id: "y" }]);
      }
      if (view.tools.includes("eval")) return undefined;
      asked.push(request);
      return view.tools.includes("respond")
        ? turn.calls([{ name: "respond", args: { n: 4 }, id: "r" }])
        : turn.text("word");
    },
  );
  expect(await scene.run([...FULL, "go"])).toMatchObject({ code: 0 });
  const [object, word, agents, shared, fromChild, refused] = results();
  expect(object).toBe("5");
  expect(word).toBe("word");
  expect(asked.map(({ view }) => [view.tools, view.messages.length])).toEqual([
    [["respond"], 1],
    [[], 1],
  ]);
  expect(agents).toBe("[ 'did 1', 'did 2', 'did 3' ]");
  expect(shared).toBe("[ 3, 'did 2' ]");
  expect(fromChild).toBe("14");
  expect(refused).toContain('Unknown agent "nobody"');
  const { stdout } = await scene.box.run(["stats", "--json"]);
  const { total, messages } = JSON.parse(stdout) as { total: { answers: number }; messages: { assistant: number } };
  // What completions cost is in the ledger beside the answers of the conversation.
  expect(total.answers - messages.assistant).toBe(2);
}, 120_000);

it("T-EVAL-1 a cell is judged like python3 -c, and a long output is kept whole beside the result", async () => {
  const print = "for i in range(60000): print('line', i)";
  await begin([
    cell("py", print),
    turn.calls([{ name: "bash", args: { command: `python3 -c "${print}" | tail -n 1` } }]),
    cell("js", 'await tool.write({ path: "sub/.git/config", content: "x" })'),
    turn.calls([{ name: "eval_completion", args: { prompt: "hello" } }]),
  ]);
  await scene.run(["--permission-mode", "auto-edit", "--profile", "lathe", "go"]);
  const [own, shell, other, hidden] = results();
  for (const denied of [own, shell, other])
    expect(denied).toContain("needs permission (exec) and no user can be asked here");
  // A path in the code is named, not the code as a path.
  expect(other).toContain(`A change to ${file("sub/.git/config")} can make programs run later: git reads it.`);
  expect(hidden).toBe("Unknown tool: eval_completion");
  expect(await scene.run([...FULL, "go"])).toMatchObject({ code: 0 });
  const [long = ""] = results();
  expect(long).toMatch(/^line 0\nline 1\n/);
  expect(long).toContain("line 59999");
  expect(long.length).toBeLessThan(60_000);
  expect(long).toMatch(/artifact:\/\/\d+/);
}, 120_000);
