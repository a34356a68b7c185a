// The names and parameters that Claude models know from Claude Code.

import "../../../../contract/subagents.ts";
import { choice, flag, integer, listOf, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import { type ToolDef, ToolFailure } from "../../../../contract/tool.ts";
import { askUserTool } from "../../ask-user/index.ts";
import { closeAgentTool } from "../../close-agent/index.ts";
import { definedOptions } from "../../defined-options.ts";
import { editFileTool } from "../../edit-file/index.ts";
import { exitPlanModeTool } from "../../exit-plan-mode/index.ts";
import { globTool } from "../../glob/index.ts";
import { grepAccess, grepCard, grepSummary, runGrep } from "../../grep/index.ts";
import { jobOutputTool } from "../../job-output/index.ts";
import { jobStopTool } from "../../job-stop/index.ts";
import { keepHead, SEARCH_OUTPUT } from "../../output.ts";
import { readFileTool } from "../../read-file/index.ts";
import { sendInputTool } from "../../send-input/index.ts";
import { outsideSandbox, runShell, shellMeaning, shellTool } from "../../shell/index.ts";
import { agentAccess, spawnAgentTool, spawnCard } from "../../spawn-agent/index.ts";
import { waitTool } from "../../wait/index.ts";
import { writeFileTool } from "../../write-file/index.ts";
import { faceOf } from "../face.ts";
import { wholeListTool } from "../todo-face.ts";
import agentDescription from "./agent.md";
import askDescription from "./ask-user-question.md";
import bashDescription from "./bash.md";
import bashOutputDescription from "./bash-output.md";
import { globOfType } from "./file-types.ts";
import grepDescription from "./grep.md";
import todoDescription from "./todo-write.md";

const bashParams = {
  command: text("The command"),
  timeout: optional(integer({ description: "Milliseconds it may take", minimum: 1 })),
  description: optional(text("What it does, in a few words, for the person watching")),
  run_in_background: optional(flag("Start it and return at once with its id")),
  ...outsideSandbox,
};

const bash: ToolDef<StaticFields<typeof bashParams>> = {
  ...shellTool,
  name: "Bash",
  description: bashDescription.trim(),
  schema: object(bashParams),
  ...shellMeaning<StaticFields<typeof bashParams>>((args) => args, ["command", "outside_sandbox"]),
  execute: ({ command, timeout, run_in_background: background, outside_sandbox }, context) =>
    runShell({ command, timeout_ms: timeout, background, outside_sandbox, timeoutName: "timeout" }, context),
};

const grepParams = {
  pattern: text("Regular expression"),
  path: optional(text("File or directory; the working directory when not given")),
  glob: optional(text("Only files whose path matches this glob")),
  type: optional(text("Only files of this type: js, ts, py, rust, go, java …")),
  output_mode: optional(
    choice(["content", "files_with_matches", "count"], "What to show; files_with_matches when not given"),
  ),
  "-A": optional(integer({ description: "Lines to show after each match", minimum: 0 })),
  "-B": optional(integer({ description: "Lines to show before each match", minimum: 0 })),
  "-C": optional(integer({ description: "Lines to show around each match", minimum: 0 })),
  "-i": optional(flag("Ignore case")),
  "-n": optional(flag("Line numbers; they are always shown")),
  head_limit: optional(integer({ description: "Most results", minimum: 1 })),
};

const grep: ToolDef<StaticFields<typeof grepParams>> = {
  name: "Grep",
  label: "Search",
  description: grepDescription.trim(),
  schema: object(grepParams),
  tier: "read",
  replay: "safe",
  output: SEARCH_OUTPUT,
  access: ({ path, glob }, scope) => grepAccess(path, glob, scope),
  summary: ({ pattern, path }) => grepSummary(pattern, path),
  card: ({ pattern, path }, result) => grepCard(pattern, path, result),
  execute: (args, context) => {
    if (args.glob !== undefined && args.type !== undefined) {
      throw new ToolFailure("Give glob or type, not both.");
    }
    return runGrep(
      definedOptions({
        pattern: args.pattern,
        path: args.path,
        globFilter: args.glob ?? (args.type === undefined ? undefined : globOfType(args.type)),
        caseInsensitive: args["-i"],
        mode: args.output_mode ?? "files_with_matches",
        before: args["-B"] ?? args["-C"],
        after: args["-A"] ?? args["-C"],
        most: args.head_limit,
        mostName: "head_limit",
      }),
      context,
    );
  },
};

const agentParams = {
  description: text("The task in three to five words"),
  prompt: text("The whole task: goal, paths, what to report back"),
  subagent_type: optional(text("The kind of agent; a general one when not given or not known")),
  run_in_background: optional(flag("Return at once with its id instead of its result")),
};

/** Starts a child and, unless asked not to, waits for it: in Claude Code the two are one call. */
const agent: ToolDef<StaticFields<typeof agentParams>> = {
  ...(spawnAgentTool as unknown as ToolDef<StaticFields<typeof agentParams>>),
  name: "Agent",
  description: agentDescription.trim(),
  schema: object(agentParams),
  timeoutMs: 0,
  access: ({ prompt }, scope) => agentAccess(prompt, undefined, scope),
  summary: ({ description }) => description,
  card: ({ description }, result) => spawnCard(description, result),
  async execute({ prompt, subagent_type: kind, run_in_background }, context) {
    const { subagents } = context.services;
    const request = { task: prompt, callId: context.callId, agent: kind, anyAgent: true };
    const { agentId: agent_id, status: begun } = await subagents!.spawn(request);
    if (run_in_background) return JSON.stringify({ agent_id, status: begun });
    const { output, status } = await subagents!.wait(agent_id, context.signal);
    return {
      content: [{ kind: "text", text: `${output}\n[agent ${agent_id}: ${status}]` }],
      isError: status !== "completed",
      effects: "done",
    };
  },
};

const todoWrite = faceOf(wholeListTool, {
  name: "TodoWrite",
  description: todoDescription,
  params: {
    todos: listOf(
      object(
        {
          content: text("The task"),
          status: choice(["pending", "in_progress", "completed"], "Its status"),
          activeForm: optional(text("The task as it reads while it is being done")),
        },
        "A task",
      ),
      "The whole list",
    ),
  },
  toInner: ({ todos }) => todos,
});

const askUserQuestion = faceOf(askUserTool, {
  name: "AskUserQuestion",
  description: askDescription,
  params: {
    questions: listOf(
      object(
        {
          question: text("The question"),
          header: optional(text("Its subject in one or two words")),
          options: listOf(
            object({ label: text("The option"), description: optional(text("What it means")) }, "An option"),
            "Answers to choose from",
          ),
          multiSelect: optional(flag("Several may be chosen")),
        },
        "A question",
      ),
      { description: "What to ask", minItems: 1 },
    ),
  },
  toInner: ({ questions }) => ({
    questions: questions.map(({ question, header, options, multiSelect }, i) =>
      definedOptions({ id: header ?? `question ${i + 1}`, question, options, multi: multiSelect }),
    ),
  }),
});

const shellId = { bash_id: text("The id that was returned when the command started") };
const asJob = (id: string): { job_id: number } => ({ job_id: Number(id) });

export const claudeTools = [
  { ...readFileTool, name: "Read" },
  { ...editFileTool, name: "Edit" },
  { ...writeFileTool, name: "Write" },
  bash,
  grep,
  keepHead({ ...globTool, name: "Glob" }),
  agent,
  todoWrite,
  askUserQuestion,
  faceOf(exitPlanModeTool, {
    name: "ExitPlanMode",
    params: { plan: text("The plan, as markdown") },
    toInner: ({ plan }) => ({ plan }),
  }),
  faceOf(jobOutputTool, {
    name: "BashOutput",
    description: bashOutputDescription,
    params: shellId,
    toInner: ({ bash_id }) => asJob(bash_id),
  }),
  faceOf(jobStopTool, {
    name: "KillShell",
    params: { shell_id: text("The id that was returned when the command started") },
    toInner: ({ shell_id }) => asJob(shell_id),
  }),
  sendInputTool,
  waitTool,
  closeAgentTool,
] as const;

/** Our names in the prompt, and what they are called here. */
export const claudeNames: Readonly<Record<string, string>> = {
  read_file: "Read",
  edit_file: "Edit",
  write_file: "Write",
  shell: "Bash",
  grep: "Grep",
  glob: "Glob",
  spawn_agent: "Agent",
  todo: "TodoWrite",
  ask_user: "AskUserQuestion",
  exit_plan_mode: "ExitPlanMode",
  timeout_ms: "timeout",
  background: "run_in_background",
};
