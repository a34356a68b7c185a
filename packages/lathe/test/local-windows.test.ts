import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ModelTurn, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { type Sandbox, sandbox } from "./command.ts";
import { type LocalKind, localServer, writtenCall } from "./local-kit.ts";

type Step = readonly [tool: string, args: Record<string, unknown>];

interface Task {
  readonly name: string;
  readonly steps: readonly Step[];
  /** File and what it must hold at the end. */
  readonly leaves?: readonly [string, string];
}

const read = (file_path: string, offset?: number): Step => [
  "read",
  { file_path, ...(offset === undefined ? {} : { offset }) },
];
const bash = (command: string): Step => ["bash", { command }];
const write = (file_path: string, content: string): Step => ["write", { file_path, content }];
const edit = (file_path: string, old_string: string, new_string: string): Step => [
  "edit",
  { file_path, old_string, new_string },
];
const many = (count: number, step: (nth: number) => Step): Step[] =>
  Array.from({ length: count }, (_, nth) => step(nth));

const TASKS: readonly Task[] = [
  { name: "answers at once", steps: [] },
  { name: "reads a large file", steps: [read("big.txt")] },
  { name: "reads a large file in parts", steps: many(8, (nth) => read("big.txt", 1 + 500 * nth)) },
  { name: "prints a large file", steps: [bash("cat big.txt")] },
  { name: "prints it again and again", steps: many(8, (nth) => bash(`cat big.txt; echo ${nth}`)) },
  { name: "one line of 200 KB", steps: [bash("cat wide.txt"), read("wide.txt")] },
  { name: "digits, which take many tokens", steps: many(4, (nth) => bash(`seq ${nth} 20000`)) },
  { name: "writes a file", steps: [write("a.txt", "one\n")], leaves: ["a.txt", "one\n"] },
  {
    name: "writes a long file",
    steps: [write("a.txt", "line of words\n".repeat(120))],
    leaves: ["a.txt", "line of words\n".repeat(120)],
  },
  {
    name: "writes ten files",
    steps: many(10, (nth) => write(`${nth}.txt`, `${nth}\n`.repeat(60))),
    leaves: ["9.txt", "9\n".repeat(60)],
  },
  {
    name: "edits",
    steps: [read("small.txt"), edit("small.txt", "two", "TWO")],
    leaves: ["small.txt", "one\nTWO\nthree\n"],
  },
  {
    name: "edits after much reading",
    steps: [...many(6, (nth) => read("big.txt", 1 + 300 * nth)), edit("small.txt", "two", "TWO")],
    leaves: ["small.txt", "one\nTWO\nthree\n"],
  },
  { name: "edits that fail", steps: many(6, (nth) => edit("small.txt", `no ${nth}`, "x")) },
  {
    name: "a command that fails with much output",
    steps: [bash("cat big.txt; exit 3"), bash("cat big.txt >&2; exit 4")],
  },
  { name: "searches", steps: many(5, (nth) => bash(`grep -rn "words ${nth}" .`)) },
  { name: "lists", steps: [bash("for i in $(seq 3000); do echo file-$i.txt; done")] },
  { name: "no such file", steps: many(5, (nth) => read(`none-${nth}.txt`)) },
  { name: "thirty short commands", steps: many(30, (nth) => bash(`echo ${nth}`)) },
  { name: "long answers between calls", steps: many(6, (nth) => bash(`echo ${nth}; cat small.txt`)) },
  {
    name: "all of it",
    steps: [
      read("big.txt"),
      bash("cat big.txt"),
      write("a.txt", "x\n".repeat(200)),
      edit("small.txt", "one", "1"),
      bash("seq 9000"),
      read("wide.txt"),
    ],
    leaves: ["small.txt", "1\ntwo\nthree\n"],
  },
];

async function prepare({ dir }: Sandbox): Promise<void> {
  await mkdir(dir, { recursive: true });
  await writeFile(
    join(dir, "big.txt"),
    Array.from({ length: 4_000 }, (_, nth) => `${nth} some words ${nth} of a line\n`).join(""),
  );
  await writeFile(join(dir, "wide.txt"), "0123456789abcdef".repeat(12_500));
  await writeFile(join(dir, "small.txt"), "one\ntwo\nthree\n");
  await writeFile(join(dir, "AGENTS.md"), `# Rules\n${"Keep to the rules of this project.\n".repeat(200)}`);
}

const WORDS = "I have looked at this carefully and will go on step by step. ";
const FORMS = ["tag", "fence", "function"] as const;

function answer([tool, args]: Step, nth: number, asText: boolean, talks: boolean): ModelTurn {
  if (asText) return writtenCall(tool, args, FORMS[nth % FORMS.length]);
  const said = talks ? [{ type: "text" as const, text: WORDS.repeat(12) }] : [];
  return turn.blocks([...said, { type: "call", name: tool, args }]);
}

const KINDS: readonly LocalKind[] = ["llama.cpp", "ollama", "lm-studio", "vllm"];
const variants = [4_096, 8_192].flatMap((window) => [false, true].map((asText) => ({ window, asText })));
// The short run tries each task in one of the four ways, so that each way has five tasks.
const rows = TASKS.flatMap((task, at) =>
  variants
    .filter((_, nth) => process.env["LATHE_LONG"] || nth === (at + Math.floor(at / 4)) % variants.length)
    .map((variant, nth) => ({ ...task, ...variant, kind: KINDS[(at + nth) % KINDS.length]!, lies: at % 3 === 0 })),
);

describe("small windows", () => {
  it.each(rows)("LS-08 $name: $window tokens, $kind, as text: $asText, says more than it has: $lies", async (row) => {
    const box = await sandbox();
    await prepare(box);
    const { steps, leaves, window, asText, kind, lies, name } = row;
    const talks = name.startsWith("long answers");
    const server = await localServer({
      kind,
      window,
      claims: lies ? 16_384 : window,
      tools: !asText,
      play: (step) => (step < steps.length ? answer(steps[step]!, step, asText, talks) : turn.text("Done.")),
    });
    try {
      const args = ["--model", server.model, "--profile", "minimal", "--permission-mode", "full", "-p", "Do it."];
      const { code, stdout, stderr } = await box.run(args, { env: server.env });
      expect({ code, stdout, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stdout: "Done.\n", stderr: "" });
      expect(server.seen.steps).toBe(steps.length + 1);
      expect(server.seen.overflows).toBeLessThanOrEqual(lies ? 1 : 0);
      if (leaves) expect(await readFile(join(box.dir, leaves[0]), "utf8")).toBe(leaves[1]);
    } finally {
      await server.close();
      await box.remove();
    }
  });
});
