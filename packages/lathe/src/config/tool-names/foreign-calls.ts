// Translates one of our calls for hooks and extensions of another agent: the name of its tool there, and the arguments
// under their names there. A call that touches several files becomes one call per file, so that a hook that guards
// paths sees every path.

import { resolve } from "node:path";
import type { Access, PreviewLine, SeamContext } from "@lathe/agent";
import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "@lathe/llm";
import { type Dialect, isNamedElsewhere, nameFor, type Work, workOf } from "./tool-names.ts";

export interface OwnCall {
  readonly tool: string;
  readonly args: JsonObject;
  /** Schema of the tool's arguments. */
  readonly schema: JsonSchema;
  /** The files, commands and hosts the call will access; undefined if unknown. */
  readonly access?: readonly Access[] | undefined;
  /** The changes the call will make, as shown to the user. */
  readonly planned?: readonly PreviewLine[] | undefined;
  readonly cwd: string;
}

export interface ForeignCall {
  /** The tool of ours that does this work. It differs from the call's tool if that has no counterpart there. */
  readonly as: string;
  readonly name: string;
  readonly input: JsonObject;
  /**
   * Which of our arguments each of theirs comes from; null if it was derived from others, so that a change to it cannot
   * be carried over.
   */
  readonly origin: Readonly<Record<string, string | null>>;
}

/** Agents that name things as Claude Code does get its dialect. */
export function dialectOf(provider: string): Dialect {
  if (provider.startsWith("claude") || provider === "plugins" || provider === "codex") return "claude";
  if (provider === "github") return "copilot";
  return provider === "gemini" || provider === "cursor" ? provider : "lathe";
}

/** Returns at least one call. */
export function foreignCalls(dialect: Dialect, call: OwnCall): readonly ForeignCall[] {
  const { tool, args } = call;
  const name = nameFor(dialect, tool);
  const work = workOf(tool);
  if (dialect === "lathe") return [{ as: tool, name, input: args, origin: {} }];
  if (work === undefined) return [{ as: tool, name, input: args, origin: {} }, ...impliedCalls(dialect, call)];
  if (work === "shell")
    return [{ as: tool, name, ...renameArguments(call, SHELL_NAMES[dialect] ?? SHELL_NAMES.claude) }];
  return pathsOf(work, call).map((path) => ({ as: tool, name, ...fileArguments(dialect, work, args, path) }));
}

/**
 * Finds out in advance what the call will access and change. If the tool cannot say, hooks see the call without that,
 * and the call will fail by itself.
 */
export async function lookAhead(
  { accessOf, previewOf, signal }: Pick<SeamContext, "accessOf" | "previewOf" | "signal">,
  { tool, args }: Pick<OwnCall, "tool" | "args">,
): Promise<Pick<OwnCall, "access" | "planned">> {
  const call = { name: tool, type: "function" as const, arguments: args };
  const unlessEnded = (): undefined => void signal.throwIfAborted();
  const access = await accessOf(call).catch(unlessEnded);
  const isNews = workOf(tool) === undefined && access?.some(({ kind }) => kind === "write");
  const preview = isNews ? await previewOf(call).catch(unlessEnded) : undefined;
  return { access, planned: preview?.lines };
}

/**
 * A tool unknown there may still run commands, change files and read them (a rename, a code cell): guards must see
 * these too.
 */
function impliedCalls(dialect: Dialect, { tool, access = [], planned = [], cwd }: OwnCall): readonly ForeignCall[] {
  const commands = access.flatMap((item) => (item.kind === "exec" && !item.isAgent ? item.command : []));
  const written = access.flatMap((item) => (item.kind === "write" ? item.path : []));
  return [
    ...[...new Set(commands)].map((command) => ({
      as: "shell",
      name: nameFor(dialect, "shell"),
      input: { command },
      origin: { command: null },
    })),
    ...[...new Set(written)].map((path) => callForWrite(dialect, path, plannedTexts(path, planned, cwd))),
    ...(isNamedElsewhere(tool) ? [] : access.flatMap((item) => readCall(dialect, item))),
  ];
}

function callForWrite(dialect: Dialect, path: string, { isNew, before, after }: PlannedTexts): ForeignCall {
  const work = isNew ? "write" : "edit";
  const as = isNew ? "write_file" : "edit_file";
  const args: JsonObject = isNew ? { content: after } : { old_string: before, new_string: after };
  const { input, origin } = fileArguments(dialect, work, args, path);
  const ours = Object.keys(input).map((key) => [key, null] as const);
  return { as, name: nameFor(dialect, as), input, origin: { ...origin, ...Object.fromEntries(ours) } };
}

interface PlannedTexts {
  readonly isNew: boolean;
  readonly before: string;
  readonly after: string;
}

/** The lines of a file follow the heading that names it. */
function plannedTexts(path: string, planned: readonly PreviewLine[], cwd: string): PlannedTexts {
  const isOf = ({ text }: PreviewLine): boolean => {
    const named = text.slice(text.indexOf(" ") + 1);
    return [named, ...named.split(" to ")].some((one) => resolve(cwd, one) === path);
  };
  const start = planned.findIndex((line) => line.kind === "heading" && isOf(line));
  const rest = planned.slice(start + 1);
  const end = rest.findIndex(({ kind }) => kind === "heading");
  const own = start < 0 ? [] : rest.slice(0, end < 0 ? undefined : end);
  const textOf = (kind: PreviewLine["kind"]): string =>
    own.flatMap((line) => (line.kind === kind ? line.text.slice(1) : [])).join("\n");
  const isNew = planned[start]?.text.startsWith("create ") === true;
  return { isNew, before: textOf("removed"), after: textOf("added") };
}

function readCall(dialect: Dialect, item: Access): readonly ForeignCall[] {
  if (item.kind !== "read") return [];
  const { path } = item;
  if (!("search" in item))
    return [{ as: "read_file", name: nameFor(dialect, "read_file"), ...fileArguments(dialect, "read", {}, path) }];
  const input = { pattern: "", path };
  return [{ as: "grep", name: nameFor(dialect, "grep"), input, origin: { pattern: null, path: null } }];
}

/** Our arguments after a hook changed what it saw; undefined if the change cannot be carried over. */
export function changedArguments(
  { args, schema }: OwnCall,
  { input, origin }: ForeignCall,
  changed: JsonObject,
): JsonObject | undefined {
  const ours: Record<string, JsonValue> = { ...args };
  for (const [key, value] of Object.entries(changed)) {
    if (value === undefined || JSON.stringify(value) === JSON.stringify(input[key])) continue;
    const name = Object.hasOwn(origin, key) ? origin[key] : key;
    if (name === null || name === undefined || !hasArgument(schema, name)) return undefined;
    ours[name] = value;
  }
  return ours;
}

const hasArgument = ({ properties }: JsonSchema, name: string): boolean =>
  isJsonObject(properties) && Object.hasOwn(properties, name);

type Names = Readonly<Record<string, string>>;

/** Maps our names to theirs. */
const SHELL_NAMES: { readonly claude: Names } & { readonly [D in Dialect]?: Names } = {
  claude: {
    cmd: "command",
    timeout_ms: "timeout",
    background: "run_in_background",
    is_background: "run_in_background",
  },
  gemini: { cmd: "command", cwd: "directory", workdir: "directory", dir_path: "directory" },
};

function renameArguments({ args, schema }: OwnCall, names: Names): Pick<ForeignCall, "input" | "origin"> {
  const pairs = Object.keys(args).map((key) => [key, names[key] ?? key] as const);
  const unused = Object.entries(names).filter(([ours]) => hasArgument(schema, ours));
  return {
    input: Object.fromEntries(pairs.map(([ours, theirs]) => [theirs, args[ours] ?? null])),
    origin: Object.fromEntries([...unused, ...pairs].map(([ours, theirs]) => [theirs, ours])),
  };
}

const PATH_NAMES = ["file_path", "path"] as const;
/** Arguments that hold a whole patch. */
const PATCH_NAMES = ["patch", "input", "diff"] as const;

const pathName = (args: JsonObject): (typeof PATH_NAMES)[number] | undefined =>
  PATH_NAMES.find((key) => typeof args[key] === "string");

/**
 * The path as written, plus the path that is really opened if it differs: through a link, with a selector, or from a
 * patch.
 */
function pathsOf(work: Exclude<Work, "shell">, { args, access = [], cwd }: OwnCall): readonly string[] {
  const key = pathName(args);
  const written = key === undefined ? [] : [resolve(cwd, String(args[key]))];
  const kind = work === "read" ? "read" : "write";
  const opened = access.flatMap((item) => (item.kind === kind && !("search" in item) ? item.path : []));
  const paths = new Set([...written, ...opened]);
  return paths.size === 0 ? [""] : [...paths];
}

function fileArguments(
  dialect: Dialect,
  work: Exclude<Work, "shell">,
  args: JsonObject,
  path: string,
): Pick<ForeignCall, "input" | "origin"> {
  const theirPath = dialect === "pi" || dialect === "copilot" ? "path" : "file_path";
  const ourPath = pathName(args);
  const rest = Object.fromEntries(Object.entries(args).filter(([key]) => key !== ourPath));
  const input = { ...rest, [theirPath]: path };
  const origin = { [theirPath]: ourPath ?? null };
  if (work !== "edit") return { input, origin };
  const changes = changesIn(args);
  if (dialect === "pi") {
    const edits = changes.map(({ before, after }) => ({ oldText: before, newText: after }));
    const [only] = changes.length === 1 ? edits : [];
    return {
      input: { ...input, edits, ...only },
      origin: { ...origin, edits: null, ...onlyOrigin(args, "oldText", "newText") },
    };
  }
  const [before, after] = dialect === "copilot" ? ["old_str", "new_str"] : ["old_string", "new_string"];
  const texts = {
    [before]: changes.map((change) => change.before).join("\n"),
    [after]: changes.map((change) => change.after).join("\n"),
  };
  return { input: { ...input, ...texts }, origin: { ...origin, ...onlyOrigin(args, before, after) } };
}

const onlyOrigin = (args: JsonObject, before: string, after: string): Readonly<Record<string, string | null>> => {
  const isPlain = typeof args["old_string"] === "string";
  return { [before]: isPlain ? "old_string" : null, [after]: isPlain ? "new_string" : null };
};

/**
 * The text that an edit removes and adds. The whole text of a patch counts as added: a guard that checks text must see
 * it.
 */
function changesIn(args: JsonObject): readonly { readonly before: string; readonly after: string }[] {
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const edits = Array.isArray(args["edits"]) ? args["edits"].filter(isJsonObject) : [];
  if (edits.length > 0)
    return edits.map((edit) => ({
      before: text(edit["old_text"] ?? edit["old_string"]),
      after: text(edit["new_text"] ?? edit["new_string"]),
    }));
  const patch = PATCH_NAMES.map((key) => args[key]).find((value) => typeof value === "string");
  return [{ before: text(args["old_string"]), after: text(patch ?? args["new_string"]) }];
}
