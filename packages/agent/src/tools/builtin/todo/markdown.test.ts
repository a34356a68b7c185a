import fc from "fast-check";
import { expect, it } from "vitest";
import type { TodoList } from "./list.ts";
import { parseTodoMarkdown, todoMarkdown } from "./markdown.ts";

const words = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.constantFrom("a\nb", "c:\\new", "[x] y", "# z", "- [ ] w", "\\\\n", "> q"),
);
const task = fc.record({
  content: words,
  status: fc.constantFrom("pending" as const, "in_progress" as const, "completed" as const, "abandoned" as const),
  notes: fc.array(words, { maxLength: 3 }),
});
const list: fc.Arbitrary<TodoList> = fc
  .array(fc.record({ name: words, tasks: fc.array(task, { maxLength: 4 }) }), { maxLength: 4 })
  .map((phases) =>
    phases.map(({ name, tasks }, p) => ({
      name,
      tasks: tasks.map(({ content, status, notes }, t) => ({
        content: `${p}.${t} ${content}`,
        status,
        ...(notes.length === 0 ? {} : { notes }),
      })),
    })),
  );

it("T-TODO-1 G-80 a list that is exported and imported again is the same list", () => {
  fc.assert(
    fc.property(list, (before) => {
      expect(parseTodoMarkdown(todoMarkdown(before))).toEqual({ list: before, problems: [] });
    }),
    { numRuns: 200 },
  );
});

it("G-80 what people write is understood: other marks, tasks without a box or a heading, Windows line ends", () => {
  const text = "- first\r\n* [>] second\r\n\r\n# Later\n+ [~] third\n  > because\n";
  expect(parseTodoMarkdown(text)).toEqual({
    list: [
      {
        name: "Todos",
        tasks: [
          { content: "first", status: "pending" },
          { content: "second", status: "in_progress" },
        ],
      },
      { name: "Later", tasks: [{ content: "third", status: "abandoned", notes: ["because"] }] },
    ],
    problems: [],
  });
});

it("G-80 what cannot be understood is named by its line", () => {
  expect(parseTodoMarkdown("## A\n- [?] what\nsome words\n- [ ] x\n- [ ] x\n").problems).toEqual([
    "line 2: [?] is not a checkbox; use [ ], [/], [x] or [-]",
    "line 3 is not a heading, task or note",
    'Task "x" is listed twice',
  ]);
});
