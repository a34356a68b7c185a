// Several commits for one change: a model proposes which part goes where. Its plan is used only if every part is in
// exactly one commit.

import { Message, parseJson, type ToolDefinition } from "@lathe/llm";
import { cleanMessage } from "../../changes/isolation/commit-message.ts";
import { partsOf, type StagedFile } from "./change.ts";
import { commitOrder } from "./order.ts";
import prompt from "./split.md";
import { problemWith, styleText, tidyMessage } from "./style.ts";
import { contextOf, describeChange, type Writing } from "./write-message.ts";

export interface PlannedCommit {
  readonly message: string;
  /** Numbers of the commit's parts. */
  readonly parts: readonly number[];
}

const TRIES = 3;
const TOOL: ToolDefinition = {
  name: "propose_commits",
  description: "Proposes the commits that the change is divided into, in the order to make them.",
  parameters: {
    type: "object",
    required: ["commits"],
    properties: {
      commits: {
        type: "array",
        items: {
          type: "object",
          required: ["message", "parts"],
          properties: {
            message: { type: "string", description: "The whole message of the commit" },
            parts: { type: "string", description: "Numbers of its pieces, such as 1-3,7" },
          },
        },
      },
    },
  },
};

/** Undefined when no plan of the model could be used; `tell` has printed why. */
export async function planCommits(
  writing: Writing,
  files: readonly StagedFile[],
  not: readonly string[] = [],
): Promise<PlannedCommit[] | undefined> {
  const { model, style, tell, redactor } = writing;
  const count = partsOf(files).length;
  const change = await describeChange(writing, files, true);
  const system = Message.system(`${prompt.trim()}\n\n${styleText(style)}`);
  const wishes =
    not.length === 0 ? [] : [`The user did not want this plan; propose a different one:\n${not.join("\n")}`];
  const first = [...contextOf(writing), ...wishes, change].join("\n\n");
  let problem = "";
  let last = "";
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const more =
      problem === ""
        ? []
        : [`Your last plan was: ${last.slice(0, 4_000)}\nIt cannot be used: ${problem} Propose it again.`];
    const answer = await model.ask({
      messages: [system, Message.user([first, ...more].join("\n\n"))],
      tools: [TOOL],
      toolChoice: { mode: "named", toolName: TOOL.name },
    });
    const given = answer.calls.find(({ name }) => name === TOOL.name)?.arguments ?? parseJson(jsonIn(answer.text));
    last = JSON.stringify(given) ?? answer.text;
    const read = readPlan(given);
    const wrong = read ? planProblem(read, count) : "It is not a list of commits.";
    if (read && wrong === undefined) {
      const plan = read.map(({ message, parts }) => ({ message: redactor.text(tidyMessage(message)), parts }));
      const formal = plan.map(({ message }) => problemWith(message, style)).find((one) => one !== undefined);
      if (formal === undefined || attempt === TRIES) return inBuildingOrder(plan, files);
      problem = formal;
    } else problem = wrong ?? "";
  }
  tell(`The model proposed no usable plan (${problem.replace(/\.$/, "")}): making one commit.`);
  return undefined;
}

/** The answer may have text or a fence around the JSON. */
const jsonIn = (text: string): string => text.slice(Math.max(0, text.indexOf("{")), text.lastIndexOf("}") + 1);

function readPlan(given: unknown): PlannedCommit[] | undefined {
  const value = typeof given === "string" ? parseJson(given) : given;
  const { commits } = (value ?? {}) as { commits?: unknown };
  if (!Array.isArray(commits) || commits.length === 0) return undefined;
  return commits.map((commit: unknown) => {
    const { message, parts } = (commit ?? {}) as { message?: unknown; parts?: unknown };
    return {
      message: cleanMessage(typeof message === "string" ? message : "", (title) => title),
      parts: numbersIn(Array.isArray(parts) ? parts.join(",") : String(parts ?? "")),
    };
  });
}

/** Parses lists such as `1-3,7`. */
function numbersIn(text: string): number[] {
  const numbers: number[] = [];
  for (const [, from = "", to = from] of text.matchAll(/(\d{1,6})(?:\s*-\s*(\d{1,6}))?/g))
    for (let n = Number(from); n <= Number(to); n++) numbers.push(n);
  return numbers;
}

/** Why a plan cannot be used; undefined if it can. */
function planProblem(plan: readonly PlannedCommit[], count: number): string | undefined {
  const seen = new Set<number>();
  for (const { message, parts } of plan) {
    if (message === "") return "A commit has no message.";
    if (parts.length === 0) return `The commit "${message.split("\n")[0]}" has no pieces.`;
    for (const number of parts) {
      if (number < 1 || number > count) return `There is no piece ${number}; they are 1 to ${count}.`;
      if (seen.has(number)) return `Piece ${number} is in two commits.`;
      seen.add(number);
    }
  }
  const missing = Array.from({ length: count }, (_, i) => i + 1).filter((number) => !seen.has(number));
  return missing.length === 0 ? undefined : `No commit has piece ${missing.slice(0, 20).join(", ")}.`;
}

/** Commits that need each other become one, with the message of the first. */
function inBuildingOrder(plan: readonly PlannedCommit[], files: readonly StagedFile[]): PlannedCommit[] {
  const order = commitOrder(
    plan.map(({ parts }) => parts),
    files,
  );
  return order.map((group) => ({
    message: plan[group[0]!]!.message,
    parts: group.flatMap((at) => plan[at]!.parts).sort((a, b) => a - b),
  }));
}
