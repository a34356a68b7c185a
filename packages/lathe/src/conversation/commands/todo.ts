// `/todo`: the user shows and changes the model's task list, writes it to a file or reads it from one.

import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Session } from "@lathe/agent";
import type { CustomEntry } from "@lathe/agent/contract";
import {
  applyOps,
  keepOneInProgress,
  parseTodoMarkdown,
  renderTodo,
  TODO_FACT,
  type TodoList,
  type TodoOp,
  type TodoTask,
  todoMarkdown,
} from "@lathe/agent/tools";
import { type JsonValue, messageOf } from "@lathe/llm";
import { usageError } from "../../platform/usage/exit.ts";
import { todoList, writeTodo } from "../todo/todo-facts.ts";
import type { SlashCommand } from "./command.ts";

/** The kind of the entries that record the user's changes. */
const USER_EDIT = "user_todo_edit";
const USAGE =
  "Use: /todo, /todo add <task>, /todo start|done|drop|rm <task>, /todo clear, /todo export [file], /todo import <file>.";
const VERBS = ["add", "start", "done", "drop", "rm", "clear", "export", "import"];

export const todo: SlashCommand = {
  name: "todo",
  arguments: "[add | start | done | drop | rm task | clear | export | import file]",
  description: "show or change the task list",
  whileWorking: true,
  complete: ({ session }, typed) => {
    const tasks = todoList(session).flatMap((phase) => phase.tasks.map(({ content }) => content));
    const targets = ["start", "done", "drop", "rm"].flatMap((verb) => tasks.map((task) => `${verb} ${task}`));
    return [...VERBS, ...targets].filter((value) => value.startsWith(typed));
  },
  run: async ({ session, workspace }, argument, view) => {
    const [, verb = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(argument.trim()) ?? [];
    const list = todoList(session);
    const path = (name: string): string => resolve(workspace.cwd, name);
    switch (verb) {
      case "":
        view.line(formatList(session, list));
        return;
      case "export":
        if (rest === "") view.line(todoMarkdown(list).trimEnd());
        else await writeFile(path(rest), todoMarkdown(list)).catch(refuse(rest));
        if (rest !== "") view.line(`Wrote the task list to ${rest}.`, "dim");
        return;
      case "import": {
        if (rest === "") throw usageError(USAGE);
        const { list: read, problems } = parseTodoMarkdown(await readFile(path(rest), "utf8").catch(refuse(rest)));
        if (problems.length > 0) throw usageError(`${rest}: ${problems.join("; ")}. The task list stays as it was.`);
        await editList(session, keepOneInProgress(read));
        break;
      }
      case "clear":
        await editList(session, []);
        break;
      case "add":
      case "start":
      case "done":
      case "drop":
      case "rm": {
        if (rest === "") throw usageError(USAGE);
        const op: TodoOp =
          verb === "add"
            ? { op: "append", phase: list.at(-1)?.name ?? "Todos", items: [rest] }
            : { op: verb, task: rest };
        const { list: after, errors } = applyOps(list, [op]);
        if (errors.length > 0) throw usageError(`${errors.join("; ")}. See: /todo`);
        await editList(session, after);
        break;
      }
      default:
        throw usageError(USAGE);
    }
    view.line(renderTodo(todoList(session)));
  },
};

const refuse =
  (name: string) =>
  (error: unknown): never => {
    throw usageError(`${name}: ${messageOf(error)}`);
  };

/** Journals the list as the user's edit and announces it to the model with the next request. */
async function editList(session: Session, list: TodoList): Promise<void> {
  await writeTodo(session, list);
  session.appendCustom(USER_EDIT, { phases: list as unknown as JsonValue });
  const said = `<system-reminder>The user changed the todo list. It is now:\n${renderTodo(list)}</system-reminder>`;
  if (session.state === "processing") session.steer(said, { kind: "host" });
  else session.appendCustomMessage(USER_EDIT, said, { display: false });
}

function formatList(session: Session, list: TodoList): string {
  const settled = settledEarlier(session, list);
  const present = list.length === 0 ? "There is no task list." : renderTodo(list);
  if (settled.length === 0) return present;
  const marks = settled.map(({ content, status }) => `- ${status === "completed" ? "[x]" : "[-]"} ${content}`);
  return [list.length === 0 ? "No task is open." : present, "Finished earlier:", ...marks].join("\n");
}

/** Tasks that left the list after they were done or dropped, each with its latest status. */
function settledEarlier(session: Session, list: TodoList): readonly TodoTask[] {
  const live = new Set(list.flatMap((phase) => phase.tasks.map(({ content }) => content)));
  const settled = new Map<string, TodoTask>();
  for (const { data } of session.customEntries(TODO_FACT) as Iterable<CustomEntry>)
    for (const task of (data as unknown as TodoList).flatMap((phase) => phase.tasks)) {
      if (task.status === "completed" || task.status === "abandoned") settled.set(task.content, task);
      else settled.delete(task.content);
    }
  return [...settled.values()].filter(({ content }) => !live.has(content));
}
