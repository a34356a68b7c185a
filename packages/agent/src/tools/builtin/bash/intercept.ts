// Refuses commands that another tool does better and tells the model which one, if that tool is offered.

import { posix } from "node:path";
import { commandsIn } from "../../../policy/shell/children.ts";
import type { Command, Script, SimpleCommand } from "../../../policy/shell/syntax.ts";

interface Instead {
  readonly tool: string;
  readonly why: string;
}

const READ: Instead = {
  tool: "read",
  why: "Use the read tool for files: it shows line numbers and continues where it stopped.",
};
const SEARCH: Instead = { tool: "search", why: "Use the search tool to look for text in files." };
const FIND: Instead = { tool: "find", why: "Use the find tool to look for files by name." };
const EDIT: Instead = {
  tool: "edit",
  why: "Use the edit tool to change files: the change is checked and can be undone.",
};
const WRITE: Instead = { tool: "write", why: "Use the write tool to create files." };

/** Why the command is refused; undefined if it may run. `isOffered`: whether the model has this tool now. */
export function interceptScript(script: Script, isOffered: (tool: string) => boolean): string | undefined {
  const [statement, ...others] = script.statements;
  const [pipeline, ...more] = statement?.pipelines ?? [];
  // In a longer text, the command is one step of work that a tool alone would not do.
  if (!pipeline || others.length > 0 || more.length > 0 || statement!.isBackground) return undefined;
  const found = pipeline.commands.length === 1 ? insteadOfSingle(pipeline.commands[0]!) : undefined;
  const instead =
    found ??
    commandsIn(script)
      .map(inPlace)
      .find((one) => one !== undefined);
  return instead && isOffered(instead.tool) ? instead.why : undefined;
}

function insteadOfSingle(command: Command): Instead | undefined {
  if (command.kind !== "simple") return undefined;
  const [program, ...words] = command.words;
  const name = posix.basename(program?.value ?? "");
  const operands = words.filter(({ value }) => !value.startsWith("-"));
  const writesFile = command.redirects.some(
    ({ operator, target }) =>
      /^(?:>|>>|>\||&>)$/.test(operator.replace(/^1/, "")) && !/^\/dev\//.test(target?.value ?? ""),
  );
  const readsHere = command.redirects.some(({ operator }) => operator.includes("<<"));
  if (/^(?:echo|printf|cat)$/.test(name) && writesFile && (name !== "cat" || readsHere || operands.length === 0))
    return WRITE;
  if (writesFile) return undefined;
  if (
    /^(?:cat|head|tail|less|more|bat)$/.test(name) &&
    operands.length > 0 &&
    !words.some(({ value }) => /^-\w*[fF]/.test(value))
  )
    return READ;
  if (/^(?:grep|egrep|fgrep|rg|ag|ack)$/.test(name) && operands.length > 0) return SEARCH;
  if (
    /^(?:find|fd|fdfind|locate)$/.test(name) &&
    !words.some(({ value }) => /^-(?:exec|execdir|ok|delete|x|X)/.test(value))
  )
    return FIND;
  return undefined;
}

/** Finds commands that edit a file in place, anywhere in the text. */
function inPlace(command: Command): Instead | undefined {
  if (command.kind !== "simple") return undefined;
  const { words } = command as SimpleCommand;
  const name = posix.basename(words[0]?.value ?? "");
  const has = (shape: RegExp): boolean => words.slice(1).some(({ value }) => shape.test(value));
  if ((name === "sed" && has(/^(?:-\w*i|--in-place)/)) || (name === "perl" && has(/^-\w*i/))) return EDIT;
  return /^g?awk$/.test(name) && has(/^inplace$/) ? EDIT : undefined;
}
