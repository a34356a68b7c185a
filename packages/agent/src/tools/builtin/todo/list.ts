// The todo list as a value, and what each operation does to it. After every batch exactly one open task is in progress.

/** The state of a task. */
export type TodoStatus = "pending" | "in_progress" | "completed" | "abandoned";

/** One task of the todo list. */
export interface TodoTask {
  readonly content: string;
  readonly status: TodoStatus;
  readonly notes?: readonly string[];
}
/** A named group of tasks. */
export interface TodoPhase {
  readonly name: string;
  readonly tasks: readonly TodoTask[];
}
/** The todo list that the model keeps. */
export type TodoList = readonly TodoPhase[];

/** One change to the list. */
export interface TodoOp {
  readonly op: "init" | "start" | "done" | "drop" | "rm" | "append" | "note";
  readonly list?: readonly { readonly phase: string; readonly items: readonly string[] }[];
  readonly task?: string;
  readonly phase?: string;
  readonly items?: readonly string[];
  readonly text?: string;
}

/** The list after a batch of changes. */
export interface TodoOutcome {
  readonly list: TodoList;
  readonly errors: readonly string[];
  /** Tasks this batch completed. */
  readonly completed: readonly string[];
}

/** Applies the changes in order. A change that fails is reported, and the others take effect. */
export function applyOps(before: TodoList, ops: readonly TodoOp[]): TodoOutcome {
  const errors: string[] = [];
  let list = before;
  for (const op of ops) {
    const result = applyOne(list, op);
    if (typeof result === "string") errors.push(result);
    else list = result;
  }
  const after = keepOneInProgress(list);
  const wasDone = new Set(
    tasksOf(before)
      .filter(isCompleted)
      .map((task) => task.content),
  );
  const completed = tasksOf(after).filter((task) => isCompleted(task) && !wasDone.has(task.content));
  return { list: after, errors, completed: completed.map((task) => task.content) };
}

function applyOne(list: TodoList, op: TodoOp): TodoList | string {
  switch (op.op) {
    case "init": {
      if (!op.list || op.list.length === 0) return "Missing list for init operation";
      const items = op.list.flatMap((phase) => phase.items);
      const twice = items.find((item, i) => items.indexOf(item) !== i);
      if (twice !== undefined) return `Task "${twice}" is listed twice`;
      return op.list.map(({ phase, items: names }) => ({ name: phase, tasks: names.map(pendingTask) }));
    }
    case "append": {
      if (!op.phase) return "Missing phase for append operation";
      if (!op.items || op.items.length === 0) return "Missing items for append operation";
      const known = new Set(tasksOf(list).map((task) => task.content));
      const twice = op.items.find((item, i) => known.has(item) || op.items?.indexOf(item) !== i);
      if (twice !== undefined) return `Task "${twice}" already exists`;
      const added = op.items.map(pendingTask);
      return list.some((phase) => phase.name === op.phase)
        ? list.map((phase) => (phase.name === op.phase ? { ...phase, tasks: [...phase.tasks, ...added] } : phase))
        : [...list, { name: op.phase, tasks: added }];
    }
    case "rm":
      return withTargets(list, op, () => undefined);
    case "note":
      if (op.task === undefined) return "Missing task for note operation";
      if (!op.text) return "Missing text for note operation";
      return withTask(list, op.task, (task) => ({ ...task, notes: [...(task.notes ?? []), op.text ?? ""] }));
    case "start": {
      if (op.task === undefined) return "Missing task for start operation";
      const paused = changeAll(list, (task) => (task.status === "in_progress" ? { ...task, status: "pending" } : task));
      return withTask(paused, op.task, (task) => ({ ...task, status: "in_progress" }));
    }
    case "done":
    case "drop": {
      const status: TodoStatus = op.op === "done" ? "completed" : "abandoned";
      // With several targets, only the tasks that are still open change.
      return withTargets(list, op, (task) => (op.task !== undefined || isOpen(task) ? { ...task, status } : task));
    }
  }
}

/** One task, the tasks of a phase, or all of them. */
function withTargets(
  list: TodoList,
  { task, phase }: TodoOp,
  change: (task: TodoTask) => TodoTask | undefined,
): TodoList | string {
  if (task !== undefined) return withTask(list, task, change);
  if (phase !== undefined && !list.some(({ name }) => name === phase)) return `Phase "${phase}" not found`;
  return list
    .map((one) =>
      phase === undefined || one.name === phase
        ? { ...one, tasks: one.tasks.flatMap((each) => change(each) ?? []) }
        : one,
    )
    .filter(({ tasks }) => tasks.length > 0);
}

/** Only the phases and tasks that are still open. */
export const withoutSettled = (list: TodoList): TodoList =>
  withTargets(list, { op: "rm" }, (task) => (isOpen(task) ? task : undefined)) as TodoList;

function withTask(
  list: TodoList,
  content: string,
  change: (task: TodoTask) => TodoTask | undefined,
): TodoList | string {
  if (!tasksOf(list).some((task) => task.content === content)) return `Task "${content}" not found`;
  return list
    .map((phase) => ({
      ...phase,
      tasks: phase.tasks.flatMap((task) => (task.content === content ? (change(task) ?? []) : task)),
    }))
    .filter((phase) => phase.tasks.length > 0);
}

const changeAll = (list: TodoList, change: (task: TodoTask) => TodoTask): TodoList =>
  list.map((phase) => ({ ...phase, tasks: phase.tasks.map(change) }));

/** The first task in progress stays; if there is none, the first pending one is started. */
export function keepOneInProgress(list: TodoList): TodoList {
  const active =
    tasksOf(list).find((task) => task.status === "in_progress") ??
    tasksOf(list).find((task) => task.status === "pending");
  return changeAll(list, (task) =>
    isOpen(task) ? { ...task, status: task === active ? "in_progress" : "pending" } : task,
  );
}

export const hasOpenTasks = (list: TodoList): boolean => tasksOf(list).some(isOpen);

const tasksOf = (list: TodoList): readonly TodoTask[] => list.flatMap((phase) => phase.tasks);
const pendingTask = (content: string): TodoTask => ({ content, status: "pending" });
const isOpen = (task: TodoTask): boolean => task.status === "pending" || task.status === "in_progress";
const isCompleted = (task: TodoTask): boolean => task.status === "completed";

export const MARKS: Readonly<Record<TodoStatus, string>> = {
  pending: "[ ]",
  in_progress: "[/]",
  completed: "[x]",
  abandoned: "[-]",
};

/** The list as text, one line for each task. */
export function renderTodo(list: TodoList): string {
  if (list.length === 0) return "Todo list cleared.";
  const open = tasksOf(list).filter(isOpen).length;
  const lines = [open === 0 ? "No task is open." : `${open} open`];
  for (const phase of list) {
    lines.push(`## ${phase.name}`);
    for (const task of phase.tasks) {
      lines.push(`- ${MARKS[task.status]} ${task.content}`);
      if (task.status === "in_progress") for (const note of task.notes ?? []) lines.push(`    note: ${note}`);
    }
  }
  return lines.join("\n");
}
