// lsp: what the language servers of a project know and can change. The host owns the servers; this tool is the
// interface for the model.

import { choice, flag, integer, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import { visibleName } from "../../../base/text/visible.ts";
import type { Card, CardResult } from "../../../contract/card.ts";
import type { CallPaths } from "../../../contract/paths/call-paths.ts";
import {
  type Access,
  type CallScope,
  type Preview,
  type ToolContext,
  type ToolDef,
  ToolFailure,
  type ToolResult,
} from "../../../contract/tool.ts";
import { editCard } from "../../../files/edit/card.ts";
import {
  type FileOutcome,
  fileChanges,
  hostDetails,
  modelDiff,
  paragraphs,
  trailer,
} from "../../../files/edit/outcome.ts";
import { editPreview } from "../../../files/edit/preview.ts";
import { applyRefactoring, type Refactoring, refactoredPaths } from "../../../files/edit/refactoring.ts";
import type { ExecutionEnvironment } from "../../../world/env/types.ts";
import { exploringCard, type Verbs } from "../card.ts";
import { fileAccess } from "../file-access.ts";
import description from "./description.md";

const LSP_ACTIONS = [
  "diagnostics",
  "definition",
  "type_definition",
  "implementation",
  "references",
  "hover",
  "symbols",
  "calls",
  "rename",
  "rename_file",
  "code_actions",
  "status",
  "capabilities",
  "reload",
  "request",
] as const;

/** The actions of a language server. */
export type LspAction = (typeof LSP_ACTIONS)[number];

/** One question to the servers. */
export interface LspQuestion {
  readonly action: LspAction;
  /** A glob, or an absolute path with its links resolved. */
  readonly file?: string | undefined;
  /** Counted from 1. */
  readonly line?: number | undefined;
  readonly symbol?: string | undefined;
  readonly query?: string | undefined;
  readonly newName?: string | undefined;
  /** JSON text. */
  readonly payload?: string | undefined;
  readonly timeoutMs?: number | undefined;
}

/** The language servers of a session. Fails with ToolFailure if a question cannot be answered. */
export interface LanguageServices {
  answer(question: LspQuestion, env: ExecutionEnvironment, signal: AbortSignal): Promise<string>;
  /** What a rename or a code action would change. */
  plan(question: LspQuestion, env: ExecutionEnvironment, signal: AbortSignal): Promise<Refactoring | ServerCommand>;
  /** Called after a refactoring was written. */
  afterApply?(plan: Refactoring, env: ExecutionEnvironment): Promise<void> | void;
}

/** A code action that the server executes itself: its changes are known only after it ran. */
export interface ServerCommand {
  readonly server: string;
  readonly command: string;
  readonly title: string;
  run(signal: AbortSignal): Promise<Refactoring>;
}

const SECONDS = { least: 5, most: 60 };

const params = {
  action: choice(LSP_ACTIONS, "What to do"),
  file: optional(text("Path of the file; a glob for diagnostics")),
  line: optional(integer({ description: "Line of the symbol, from 1", minimum: 1 })),
  symbol: optional(text("The name on that line; `name#2` for its second occurrence")),
  query: optional(
    text(
      "symbols: what to look for. calls: `outgoing`, else incoming. code_actions: which one; the kind to list. request: the method",
    ),
  ),
  new_name: optional(text("rename: the new name. rename_file: the new path")),
  apply: optional(flag("false: rename and rename_file only show what would change. true: makes the code action")),
  payload: optional(text("request: its parameters as JSON")),
  timeout: optional(integer(`Seconds to wait, ${SECONDS.least} to ${SECONDS.most}; 20 when absent`)),
};

type Args = StaticFields<typeof params>;

const isChanging = ({ action, apply }: Args): boolean =>
  action === "code_actions" ? apply === true : action === "rename" || action === "rename_file";

const VERBS: Partial<Record<LspAction, Verbs>> = {
  rename: ["Renaming", "Renamed", "Rename"],
  rename_file: ["Moving", "Moved", "Move"],
  code_actions: ["Applying", "Applied", "Apply"],
};

/** The key in a call's details that says that it ran a command of the server. */
const RAN = "ran";

const MAY_DO_ANYTHING = "a language server may do anything for a request";
const isRequest = ({ action }: Args): boolean => action === "request";

const isWriting = (args: Args): boolean => isChanging(args) && args.apply !== false;

/** Makes the tool that asks language servers; add it to the tools of a session. */
export const lspTool = (services: LanguageServices): ToolDef => new LspFace(services).tool as unknown as ToolDef;

class LspFace {
  readonly #services: LanguageServices;
  /** The server is asked once per call, so that what was declared and shown is what is applied. */
  readonly #plans = new WeakMap<CallPaths, Promise<Refactoring | ServerCommand>>();
  /** Edits that a server's command requested, until the nested call has judged and applied them. */
  readonly #asked = new Map<string, Refactoring>();

  constructor(services: LanguageServices) {
    this.#services = services;
  }

  get tool(): ToolDef<Args> {
    return {
      name: "lsp",
      label: "Ask the language server",
      description: description.trim(),
      schema: object(params),
      tier: (args) => (isRequest(args) ? "exec" : isWriting(args) ? "write" : "read"),
      replay: "never",
      output: { chars: 30_000, mode: "head" },
      access: (args, scope) => this.#access(args, scope),
      summary,
      card: cardOf,
      preview: (args, scope) => this.#preview(args, scope),
      execute: (args, context) => this.#execute(args, context),
    };
  }

  async #preview(args: Args, scope: CallScope): Promise<Preview> {
    const { query = "", file } = args;
    if (isRequest(args)) {
      const to = file === undefined ? "the language server" : `the language server of ${file}`;
      return { lines: [{ text: `Sends ${query} to ${to}.` }], shows: ["action", "query", "file"] };
    }
    if (!isWriting(args)) return { lines: [], shows: [] };
    const shows = ["action", "file", "line", "symbol", "new_name", "query", "payload", "apply"];
    const plan = await this.#planOf(args, scope);
    if ("run" in plan) {
      const text = `${plan.server} runs its command ${plan.command} for "${plan.title}". You are asked again before it changes files.`;
      return { lines: [{ text }], shows };
    }
    const files = await applyRefactoring({ ...scope, planOnly: true }, plan);
    const moves = new Map(plan.moves.map(({ from, to }) => [from, to]));
    return editPreview({ files, notes: plan.notes, moves }, shows);
  }

  async #execute(args: Args, context: ToolContext): Promise<ToolResult | string> {
    try {
      if (!isChanging(args))
        return await this.#services.answer(await questionOf(args, context), context.env, context.signal);
      const plan = await this.#planOf(args, context);
      return await ("run" in plan ? this.#runCommand(plan, args, context) : this.#make(plan, args, context));
    } catch (error) {
      if (error instanceof ToolFailure && error.details === undefined)
        throw new ToolFailure(error.message, { success: false });
      throw error;
    }
  }

  async #make(plan: Refactoring, args: Args, context: ToolContext): Promise<ToolResult | string> {
    const files = await applyRefactoring(isWriting(args) ? context : { ...context, planOnly: true }, plan);
    if (!isWriting(args)) return paragraphs(`Would change ${countFiles(files)}.`, notesOf(plan), modelDiff(files));
    await this.#services.afterApply?.(plan, context.env);
    return {
      content: [
        {
          kind: "text",
          text: paragraphs(`Changed ${countFiles(files)}.`, notesOf(plan), trailer([], files), modelDiff(files)),
        },
      ],
      details: { files: files.map(hostDetails) },
      changes: fileChanges(context, files),
      effects: "done",
    };
  }

  /**
   * The changes that the command asks for become a nested call, because their files were not known when the command was
   * approved.
   */
  async #runCommand(
    { server, command, title, run }: ServerCommand,
    args: Args,
    context: ToolContext,
  ): Promise<ToolResult | string> {
    const asked = await run(context.signal);
    if (refactoredPaths(asked).length === 0) return `${server} ran "${title}" (${command}). It changed no file.`;
    const key = context.callId;
    this.#asked.set(key, asked);
    try {
      const { file = "" } = args;
      const result = await context.call("lsp", {
        action: "code_actions",
        file,
        apply: true,
        query: title,
        payload: key,
      });
      // The nested call has already reported its changes.
      const { changes: _, ...told } = result;
      return { ...told, details: { [RAN]: `${server} ${command}` } };
    } finally {
      this.#asked.delete(key);
    }
  }

  /** Servers read the whole project, so results about other files are shown only where a search may show them. */
  async #access(args: Args, scope: CallScope): Promise<Access[]> {
    const { file, query = "", payload = "" } = args;
    const cwd = scope.env.workingDirectory();
    const project: Access = { kind: "read", path: cwd, search: true };
    const named = file === undefined || isGlob(file) ? [] : await fileAccess("read", [file], scope);
    const runs = (command: string, doubt: string): Access => ({ kind: "exec", command, cwd, doubt });
    if (isRequest(args)) return [project, ...named, runs(`${query} ${payload}`.trim(), MAY_DO_ANYTHING)];
    if (!isChanging(args)) return [project, ...named];
    const plan = await this.#planOf(args, scope);
    if ("run" in plan)
      return [
        ...[project, ...named],
        runs(
          `${plan.server} ${plan.command}`,
          "what a command of a language server does is only known once it has run",
        ),
      ];
    const kind = isWriting(args) ? "write" : "read";
    return [project, ...named, ...(await fileAccess(kind, refactoredPaths(plan), scope))];
  }

  #planOf(args: Args, scope: CallScope): Promise<Refactoring | ServerCommand> {
    const asked = args.payload === undefined ? undefined : this.#asked.get(args.payload);
    if (asked) return Promise.resolve(asked);
    const known = this.#plans.get(scope.paths);
    const plan =
      known ?? questionOf(args, scope).then((question) => this.#services.plan(question, scope.env, scope.signal));
    this.#plans.set(scope.paths, plan);
    return plan;
  }
}

async function questionOf(
  { action, file, line, symbol, query, new_name: newName, payload, timeout }: Args,
  { paths }: Pick<CallScope, "paths">,
): Promise<LspQuestion> {
  const located = file === undefined || isGlob(file) ? file : (await paths.locate(file)).real;
  const seconds = timeout && Math.min(SECONDS.most, Math.max(SECONDS.least, timeout));
  return { action, file: located, line, symbol, query, newName, payload, timeoutMs: seconds && seconds * 1000 };
}

const isGlob = (path: string): boolean => /[*?[{]/.test(path);

const notesOf = ({ notes, moves }: Refactoring): string =>
  [...moves.map(({ from, to }) => `Moved ${visibleName(from)} to ${visibleName(to)}.`), ...notes].join("\n");

const countFiles = ({ length }: readonly FileOutcome[]): string => `${length} ${length === 1 ? "file" : "files"}`;

function cardOf(args: Args, result?: CardResult): Card {
  const ran = result?.details[RAN];
  if (typeof ran === "string") return { verb: "Ran", subject: ran };
  if (isWriting(args)) return editCard(subjectOf(args), result, VERBS[args.action]);
  return isRequest(args)
    ? exploringCard(["Sending", "Sent", "Send"], subjectOf(args), result, () => undefined)
    : exploringCard(["Asking for", "Asked for", "Ask for"], summary(args), result, () => undefined);
}

const summary = (args: Args): string => `${args.action.replaceAll("_", " ")} ${subjectOf(args)}`.trim();

/** The subject of the call and its position. */
function subjectOf({ action, file, line, symbol, query, new_name: newName }: Args): string {
  const place = [file, line].filter((part) => part !== undefined).join(":");
  const to = newName === undefined ? undefined : `to ${newName}`;
  const what = action === "code_actions" ? (query ?? symbol) : (symbol ?? query);
  const parts = action === "rename" ? [what, to, place] : [what, place, to];
  return parts.filter((part) => part).join(" ");
}
