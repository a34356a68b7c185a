import type { JsonValue } from "@lathe/llm";
import { choice, listOf, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import "../../../contract/session-state.ts";
import type { ToolDef } from "../../../contract/tool.ts";
import { todoCard } from "./card.ts";
import description from "./description.md";
import { applyOps, hasOpenTasks, renderTodo, type TodoList, type TodoOp } from "./list.ts";

/** The tool's description says which parameters each operation takes. */
const params = {
  ops: listOf(
    object({
      op: choice(["init", "start", "done", "drop", "rm", "append", "note"]),
      list: optional(listOf(object({ phase: text(), items: listOf(text()) }))),
      task: optional(text("Exact text of the task")),
      phase: optional(text()),
      items: optional(listOf(text())),
      text: optional(text()),
    }),
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
