// Todo lists of agents that send the whole list each time, kept in the same place as our own.

import type { JsonValue } from "@lathe/llm";
import type { ToolDef } from "../../../contract/tool.ts";
import { TODO_FACT, todoTool } from "../todo/index.ts";
import { renderTodo, type TodoList } from "../todo/list.ts";

/** The order statuses are given in; `blocked` has no counterpart and waits. */
const STATUS = {
  pending: "pending",
  in_progress: "in_progress",
  completed: "completed",
  cancelled: "abandoned",
  blocked: "pending",
} as const;

export interface WholeListItem {
  readonly content: string;
  readonly status: keyof typeof STATUS;
}

export const wholeListTool: ToolDef<readonly WholeListItem[]> = {
  ...(todoTool as unknown as ToolDef<readonly WholeListItem[]>),
  async execute(items, { services }) {
    const tasks = items.map(({ content, status }) => ({ content, status: STATUS[status] }));
    const list: TodoList = tasks.length === 0 ? [] : [{ name: "Tasks", tasks }];
    const phases = list as unknown as JsonValue;
    await services.facts?.write(TODO_FACT, phases);
    return { content: [{ kind: "text", text: renderTodo(list) }], details: { phases }, effects: "done" };
  },
};
