// The todo list as markdown that people edit: a heading for each phase, a checkbox for each task, notes as quotes.
// Reading the text back gives the same list.

import { MARKS, type TodoList, type TodoPhase, type TodoStatus, type TodoTask } from "./list.ts";

/** The phase of tasks without a heading. */
const NO_PHASE = "Todos";

const STATUSES: Readonly<Record<string, TodoStatus>> = {
  " ": "pending",
  "/": "in_progress",
  ">": "in_progress",
  x: "completed",
  X: "completed",
  "-": "abandoned",
  "~": "abandoned",
};

/** The list as markdown. */
export function todoMarkdown(list: TodoList): string {
  return list
    .map(({ name, tasks }) => [`## ${escapeLineEnds(name)}`, ...tasks.flatMap(taskLines)].join("\n"))
    .map((phase) => `${phase}\n`)
    .join("\n");
}

const taskLines = ({ content, status, notes = [] }: TodoTask): string[] => [
  `- ${MARKS[status]} ${escapeLineEnds(content)}`,
  ...notes.map((note) => `  > ${escapeLineEnds(note)}`),
];

/** The list that the text describes. Lines that it does not understand go into `problems`. */
export function parseTodoMarkdown(text: string): { readonly list: TodoList; readonly problems: readonly string[] } {
  const phases: { name: string; tasks: { content: string; status: TodoStatus; notes: string[] }[] }[] = [];
  const problems: string[] = [];
  for (const [at, raw] of text.split("\n").entries()) {
    const line = raw.replace(/\r$/, "");
    const heading = /^#{1,6} (.*)$/.exec(line)?.[1];
    const [, box, content] = /^\s*[-*+] (?:\[(.)\] )?(.*)$/.exec(line) ?? [];
    const note = /^\s*> ?(.*)$/.exec(line)?.[1];
    const last = phases.at(-1)?.tasks.at(-1);
    if (heading !== undefined) phases.push({ name: unescapeLineEnds(heading), tasks: [] });
    else if (content !== undefined) {
      const status = STATUSES[box ?? " "];
      if (!status) problems.push(`line ${at + 1}: [${box}] is not a checkbox; use [ ], [/], [x] or [-]`);
      if (phases.length === 0) phases.push({ name: NO_PHASE, tasks: [] });
      phases.at(-1)!.tasks.push({ content: unescapeLineEnds(content), status: status ?? "pending", notes: [] });
    } else if (note !== undefined && last) last.notes.push(unescapeLineEnds(note));
    else if (line.trim() !== "") problems.push(`line ${at + 1} is not a heading, task or note`);
  }
  const twice = findRepeated(phases.flatMap(({ tasks }) => tasks.map(({ content }) => content)));
  if (twice !== undefined) problems.push(`Task "${twice}" is listed twice`);
  return { list: phases.map(({ name, tasks }): TodoPhase => ({ name, tasks: tasks.map(withNotes) })), problems };
}

const withNotes = ({ notes, ...task }: TodoTask & { readonly notes: readonly string[] }): TodoTask =>
  notes.length === 0 ? task : { ...task, notes };

const findRepeated = (names: readonly string[]): string | undefined =>
  names.find((name, at) => names.indexOf(name) !== at);

const LINE_ENDS: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r" };
const escapeLineEnds = (text: string): string =>
  text.replace(/\\(?=[\\nr\n\r])/g, "\\\\").replace(/[\n\r]/g, (end) => LINE_ENDS[end] ?? end);
const unescapeLineEnds = (text: string): string =>
  text.replace(/\\([\\nr])/g, (_, sign: string) => (sign === "n" ? "\n" : sign === "r" ? "\r" : "\\"));
