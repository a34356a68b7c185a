// Small tasks, and a scripted model that is weak at tools: it makes random mistakes, far fewer if its prompt tells it
// how to call tools. This shows that the benchmark notices mistakes; only `--live` shows what the rules do for a real
// model.

import { type ModelTurn, type RecordedRequest, turn } from "@lathe/testkit";

export interface Task {
  readonly name: string;
  readonly prompt: string;
  readonly files: Readonly<Record<string, string>>;
  /** The file to change, and the replacement. */
  readonly file: string;
  readonly old: string;
  readonly wanted: string;
}

export const TASKS: readonly Task[] = [
  {
    name: "fix-sum",
    prompt: "sum.js subtracts instead of adding. Fix it.",
    files: { "sum.js": "module.exports = (a, b) => a - b;\n", "other.js": "module.exports = 1;\n" },
    ...{ file: "sum.js", old: "a - b", wanted: "a + b" },
  },
  {
    name: "rename-title",
    prompt: 'Change the title in page.md to "Guide".',
    files: { "page.md": "# Manual\n\nText.\n", "notes.md": "# Manual\n" },
    ...{ file: "page.md", old: "# Manual", wanted: "# Guide" },
  },
  {
    name: "raise-limit",
    prompt: "Raise the limit in config.json to 20.",
    files: { "config.json": '{ "limit": 10 }\n', README: "The limit is 10.\n" },
    ...{ file: "config.json", old: '"limit": 10', wanted: '"limit": 20' },
  },
];

/** Random numbers in [0, 1) from a seed. */
export function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const call = (name: string, args: Readonly<Record<string, string>>): ModelTurn => turn.calls([{ name, args }]);
const shell = (command: string): ModelTurn => call("shell", { command });

type Step = (task: Task) => ModelTurn;
/** Each step done right, and as weak models do it. The last two end the work. */
const STEPS: readonly { readonly right: Step; readonly wrong: readonly Step[] }[] = [
  {
    right: ({ file }) => call("read_file", { file_path: file }),
    wrong: [
      ({ file }) => shell(`cat ${file}`),
      () => shell("find . -name '*'"),
      ({ file }) => shell(`\`\`\`sh\ncat ${file}\n\`\`\``),
      () => call("read_file", {}),
    ],
  },
  {
    right: ({ file, old, wanted }) => call("edit_file", { file_path: file, old_string: old, new_string: wanted }),
    wrong: [
      ({ file, old, wanted }) => shell(`sed -i 's/${old}/${wanted}/' ${file}`),
      ({ file, wanted }) => call("edit_file", { file_path: file, old_string: "not in there", new_string: wanted }),
      ({ files, file, wanted }) =>
        call("write_file", { file_path: Object.keys(files).find((name) => name !== file) ?? file, content: wanted }),
    ],
  },
  { right: () => turn.text("It is changed."), wrong: [() => turn.text("Now I will change it.")] },
];

const MISTAKES = { untold: 0.5, told: 0.1 };

/** The model's n-th answer in its run. */
export function weakModel(task: Task, random: () => number): (request: RecordedRequest) => ModelTurn {
  let at = 0;
  return ({ view }) => {
    const step = STEPS[Math.min(at++, STEPS.length - 1)]!;
    const share = view.system.startsWith("Rules for tool calls.") ? MISTAKES.told : MISTAKES.untold;
    // Draw both numbers each time, so that both arms of a seed get the same sequence.
    const [chance, which] = [random(), random()];
    return (chance < share ? step.wrong[Math.floor(which * step.wrong.length)]! : step.right)(task);
  };
}
