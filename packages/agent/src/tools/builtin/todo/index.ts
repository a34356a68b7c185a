import type { JsonValue } from "@lathe/llm";
import { choice, listOf, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import "../../../contract/session-state.ts";
import type { ToolDef } from "../../../contract/tool.ts";
import { todoCard } from "./card.ts";
import description from "./description.md";
import { applyOps, hasOpenTasks, renderTodo, type TodoList, type TodoOp } from "./list.ts";

const params = {
  ops: listOf(
    object(
      {
        op: choice(["init", "start", "done", "drop", "rm", "append", "note"], "What to do"),
        list: optional(
          listOf(
            object({ phase: text("Name of the phase"), items: listOf(text("A task"), "Its tasks") }, "A phase"),
            "For init: the phases with their tasks",
          ),
        ),
        task: optional(text("Exact text of the task")),
        phase: optional(text("For append: the phase to add to; for done, drop and rm: all its tasks")),
        items: optional(listOf(text("A task"), "For append: the tasks to add")),
        text: optional(text("For note: what to remember")),
      },
      "One change",
    ),
    { description: "Changes to the list, in order", minItems: 1 },
  ),
};

/** The session fact that holds the todo list. */
export const TODO_FACT = "todo";

export const todoTool: ToolDef<StaticFields<typeof params>> = {
  feature: "todo",
  name: "todo",
  label: "Todo",
  description: description.trim(),
  schema: object(params),
  tier: "read",
  replay: "never",
  sessionOnly: true,
  summary: () => "",
  card: (_args, result) => todoCard(result),
  exclusive: true,
  carryOver({ facts }) {
    const list = (facts?.read(TODO_FACT) ?? []) as unknown as TodoList;
    return hasOpenTasks(list) ? `<todo>\n${renderTodo(list)}\n</todo>` : undefined;
  },
  async execute({ ops }, { services }) {
    const before = (services.facts?.read(TODO_FACT) ?? []) as unknown as TodoList;
    const { list, errors, completed } = applyOps(before, ops as readonly TodoOp[]);
    const phases = list as unknown as JsonValue;
    await services.facts?.write(TODO_FACT, phases);
    const problems = errors.length === 0 ? [] : [`Errors: ${errors.join("; ")}`];
    return {
      content: [{ kind: "text", text: [...problems, renderTodo(list)].join("\n") }],
      details: { phases, storage: services.facts ? "session" : "memory", completedTasks: [...completed] },
      isError: errors.length > 0,
      effects: "done",
    };
  },
};
