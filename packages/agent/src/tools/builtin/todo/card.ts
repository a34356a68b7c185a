// The todo list for people: its progress, and the tasks around the current one.

import type { JsonValue } from "@lathe/llm";
import type { Card, CardLine, CardResult } from "../../../contract/card.ts";
import type { TodoList, TodoStatus, TodoTask } from "./list.ts";

const COLLAPSED_TASKS = 8;

const KINDS: Readonly<Record<TodoStatus, NonNullable<CardLine["kind"]>>> = {
  pending: "open",
  in_progress: "current",
  completed: "done",
  abandoned: "dropped",
};

export function todoCard(result: CardResult | undefined): Card {
  if (!result) return { verb: "Updating", subject: "the todo list" };
  const list = listIn(result.details["phases"]);
  const tasks = list.flatMap((phase) => phase.tasks);
  if (result.isError) return { verb: "Todo", subject: "" };
  if (tasks.length === 0) return { verb: "Todo", subject: "cleared" };
  const settled = tasks.filter(({ status }) => status === "completed" || status === "abandoned").length;
  const current = tasks.find(({ status }) => status === "in_progress");
  return {
    verb: "Todo",
    subject: current?.content ?? (settled === tasks.length ? "no task is open" : ""),
    outcome: `${settled}/${tasks.length}`,
    body: {
      kind: "lines",
      lines: list.flatMap((phase) => phaseLines(phase, list.length > 1)),
      collapsed: COLLAPSED_TASKS,
    },
  };
}

function phaseLines({ name, tasks }: TodoList[number], named: boolean): CardLine[] {
  return [...(named ? [{ text: name, kind: "heading" as const }] : []), ...tasks.map(taskLine)];
}

const taskLine = ({ content, status }: TodoTask): CardLine => ({ text: content, kind: KINDS[status] });

/** The list as this tool journalled it. */
const listIn = (phases: JsonValue | undefined): TodoList =>
  Array.isArray(phases) ? (phases as unknown as TodoList) : [];
