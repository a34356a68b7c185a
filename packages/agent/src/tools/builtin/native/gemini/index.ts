// The names and parameters that Gemini models know from Gemini CLI.

import { choice, flag, integer, listOf, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import { type ToolDef, ToolFailure } from "../../../../contract/tool.ts";
import { askUserTool } from "../../ask-user/index.ts";
import { closeAgentTool } from "../../close-agent/index.ts";
import { definedOptions } from "../../defined-options.ts";
import { countedEditFileTool } from "../../edit-file/index.ts";
import { exitPlanModeTool } from "../../exit-plan-mode/index.ts";
import { globTool } from "../../glob/index.ts";
import { grepAccess, grepCard, grepSummary, runGrep } from "../../grep/index.ts";
import { jobOutputTool } from "../../job-output/index.ts";
import { jobStopTool } from "../../job-stop/index.ts";
import { listDirTool } from "../../list-dir/index.ts";
import { keepHead, SEARCH_OUTPUT } from "../../output.ts";
import { readFileTool } from "../../read-file/index.ts";
import { readManyFilesTool } from "../../read-many-files/index.ts";
import { sendInputTool } from "../../send-input/index.ts";
import { outsideSandbox, runShell, shellMeaning, shellTool } from "../../shell/index.ts";
import { spawnAgentTool } from "../../spawn-agent/index.ts";
import { waitTool } from "../../wait/index.ts";
import { writeFileTool } from "../../write-file/index.ts";
import { faceOf } from "../face.ts";
import { wholeListTool } from "../todo-face.ts";
import askDescription from "./ask-user.md";
import grepDescription from "./grep-search.md";
import readDescription from "./read-file.md";
import replaceDescription from "./replace.md";
import shellDescription from "./run-shell-command.md";
import todosDescription from "./write-todos.md";

const readFile = faceOf(readFileTool, {
  name: "read_file",
  description: readDescription,
  params: {
    file_path: text("Path of the file, absolute or relative to the working directory"),
    start_line: optional(integer({ description: "First line to show, counted from 1", minimum: 1 })),
    end_line: optional(integer({ description: "Last line to show", minimum: 1 })),
  },
  toInner({ file_path, start_line = 1, end_line }) {
    if (end_line !== undefined && end_line < start_line) {
      throw new ToolFailure(`end_line ${end_line} is before start_line ${start_line}.`);
    }
    return definedOptions({ file_path, offset: start_line, limit: end_line && end_line - start_line + 1 });
  },
});

const readManyFiles = faceOf(readManyFilesTool, {
  name: "read_many_files",
  params: {
    include: listOf(text("A path or a glob pattern"), {
      description: "Files to read: paths and glob patterns",
      minItems: 1,
    }),
  },
  toInner: ({ include }) => ({ paths: include }),
});

const replace = faceOf(countedEditFileTool, {
  name: "replace",
  description: replaceDescription,
  params: {
    file_path: text("Path of the file, absolute or relative to the working directory"),
    instruction: optional(text("What the change is for, in a sentence, for the person watching")),
    old_string: text("The text to replace, exactly as it appears in the file"),
    new_string: text("The text to put in its place"),
    allow_multiple: optional(flag("Replace every occurrence; false when not given")),
  },
  toInner: ({ file_path, old_string, new_string, allow_multiple }) =>
    definedOptions({ file_path, old_string, new_string, replace_all: allow_multiple }),
});

const shellParams = {
  command: text("The command, as you would type it in bash"),
  description: optional(text("What it does, in a sentence, for the person watching")),
  dir_path: optional(text("Directory to run it in; the working directory when not given")),
  timeout_ms: optional(integer({ description: "Milliseconds it may take", minimum: 1 })),
  is_background: optional(flag("Start it and return at once with a job id")),
  ...outsideSandbox,
};

const runShellCommand: ToolDef<StaticFields<typeof shellParams>> = {
  ...shellTool,
  name: "run_shell_command",
  description: shellDescription.trim(),
  schema: object(shellParams),
  ...shellMeaning<StaticFields<typeof shellParams>>(
    ({ command, dir_path, outside_sandbox }) => ({ command, cwd: dir_path, outside_sandbox }),
    ["command", "dir_path", "outside_sandbox"],
  ),
  execute: ({ command, dir_path, timeout_ms, is_background, outside_sandbox }, context) =>
    runShell({ command, cwd: dir_path, timeout_ms, background: is_background, outside_sandbox }, context),
};

const grepParams = {
  pattern: text("Regular expression"),
  dir_path: optional(text("File or directory to search; the working directory when not given")),
  include_pattern: optional(text("Only files whose path matches this glob")),
  exclude_pattern: optional(text("No files whose path matches this glob")),
  names_only: optional(flag("Only the names of files")),
  case_sensitive: optional(flag("Distinguish upper and lower case; false when not given")),
  fixed_strings: optional(flag("The pattern is plain text")),
  context: optional(integer({ description: "Lines to show around each match", minimum: 0 })),
  after: optional(integer({ description: "Lines to show after each match", minimum: 0 })),
  before: optional(integer({ description: "Lines to show before each match", minimum: 0 })),
  total_max_matches: optional(integer({ description: "Maximum number of results; 100 when not given", minimum: 1 })),
};

const grepSearch: ToolDef<StaticFields<typeof grepParams>> = {
  name: "grep_search",
  label: "Search",
  description: grepDescription.trim(),
  schema: object(grepParams),
  tier: "read",
  replay: "safe",
  output: SEARCH_OUTPUT,
  access: ({ dir_path, include_pattern }, scope) => grepAccess(dir_path, include_pattern, scope),
  summary: ({ pattern, dir_path }) => grepSummary(pattern, dir_path),
  card: ({ pattern, dir_path }, result) => grepCard(pattern, dir_path, result),
  execute(args, context) {
    const { include_pattern: include, exclude_pattern: exclude } = args;
    if (include !== undefined && exclude !== undefined) {
      throw new ToolFailure("Give include_pattern or exclude_pattern, not both.");
    }
    return runGrep(
      definedOptions({
        pattern: args.fixed_strings ? args.pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") : args.pattern,
        path: args.dir_path,
        globFilter: include ?? (exclude === undefined ? undefined : `!${exclude}`),
        caseInsensitive: !args.case_sensitive,
        mode: args.names_only ? ("files_with_matches" as const) : ("content" as const),
        before: args.before ?? args.context,
        after: args.after ?? args.context,
        most: args.total_max_matches,
        mostName: "total_max_matches",
      }),
      context,
    );
  },
};

const directory = optional(text("Directory; the working directory when not given"));

const glob = faceOf(keepHead(globTool), {
  name: "glob",
  params: { pattern: text("Glob pattern: **, *, ?, {a,b}, [..]"), dir_path: directory },
  toInner: ({ pattern, dir_path }) => definedOptions({ pattern, path: dir_path }),
});

const listDirectory = faceOf(keepHead(listDirTool), {
  name: "list_directory",
  params: { dir_path: text("Directory to list") },
  toInner: ({ dir_path }) => ({ path: dir_path }),
});

const writeTodos = faceOf(wholeListTool, {
  name: "write_todos",
  description: todosDescription,
  params: {
    todos: listOf(
      object(
        {
          description: text("The task"),
          status: choice(["pending", "in_progress", "completed", "cancelled", "blocked"], "Its status"),
        },
        "A task",
      ),
      "The whole list",
    ),
  },
  toInner: ({ todos }) => todos.map(({ description, status }) => ({ content: description, status })),
});

const askUser = faceOf(askUserTool, {
  name: "ask_user",
  description: askDescription,
  params: {
    questions: listOf(
      object(
        {
          question: text("The question"),
          header: optional(text("Its subject in one or two words")),
          options: optional(
            listOf(
              object({ label: text("The option"), description: optional(text("What it means")) }, "An option"),
              "Answers to choose from",
            ),
          ),
          multiSelect: optional(flag("Several may be chosen")),
        },
        "A question",
      ),
      { description: "What to ask", minItems: 1 },
    ),
  },
  toInner: ({ questions }) => ({
    questions: questions.map(({ question, header, options = [], multiSelect }, i) =>
      definedOptions({ id: header ?? `question ${i + 1}`, question, options, multi: multiSelect }),
    ),
  }),
});

export const geminiTools = [
  readFile,
  readManyFiles,
  writeFileTool,
  replace,
  runShellCommand,
  grepSearch,
  glob,
  listDirectory,
  spawnAgentTool,
  sendInputTool,
  waitTool,
  closeAgentTool,
  writeTodos,
  askUser,
  exitPlanModeTool,
  jobOutputTool,
  jobStopTool,
] as const;

/** Our names in the prompt, and what they are called here. */
export const geminiNames: Readonly<Record<string, string>> = {
  edit_file: "replace",
  shell: "run_shell_command",
  grep: "grep_search",
  list_dir: "list_directory",
  todo: "write_todos",
  background: "is_background",
};
