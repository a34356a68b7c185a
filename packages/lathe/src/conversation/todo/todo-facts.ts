// Reads and writes the session's todo list.

import type { Session } from "@lathe/agent";
import { TODO_FACT, type TodoList } from "@lathe/agent/tools";
import type { JsonValue } from "@lathe/llm";

/** Announces that the model was reminded of a failed change. */
export const TODO_REMINDER_FACT = "todo_reminder";

export const todoList = (session: Session): TodoList => (session.facts.read(TODO_FACT) ?? []) as unknown as TodoList;

export async function writeTodo(session: Session, list: TodoList, options?: { isAnnounced?: boolean }): Promise<void> {
  await session.facts.write(TODO_FACT, list as unknown as JsonValue, options);
}
