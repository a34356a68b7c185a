// lsp: what the language servers of a project know. The servers are the host's; this is the face that the model sees.

import { choice, integer, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import type { Access, CallScope, ToolDef } from "../../../contract/tool.ts";
import type { ExecutionEnvironment } from "../../../world/env/types.ts";
import { exploringCard } from "../card.ts";
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
  "status",
  "capabilities",
  "reload",
] as const;

/** What a language server can be asked. */
export type LspAction = (typeof LSP_ACTIONS)[number];

/** One question to the servers. Paths are absolute and real. */
export interface LspQuestion {
  readonly action: LspAction;
  readonly file?: string | undefined;
  /** From 1. */
  readonly line?: number | undefined;
  readonly symbol?: string | undefined;
  readonly query?: string | undefined;
  readonly timeoutMs?: number | undefined;
}

/** The language servers of a session. Fails with ToolFailure when a question cannot be answered. */
export interface LanguageServices {
  answer(question: LspQuestion, env: ExecutionEnvironment, signal: AbortSignal): Promise<string>;
}

const SECONDS = { least: 1, most: 60 };

const params = {
  action: choice(LSP_ACTIONS, "What to ask"),
  file: optional(text("Path of the file; a glob for diagnostics")),
  line: optional(integer({ description: "Line of the symbol, from 1", minimum: 1 })),
  symbol: optional(text("The name on that line; `name#2` for the second time it stands there")),
  query: optional(text("symbols: what to look for in the project. calls: `outgoing`, else incoming ones")),
  timeout: optional(integer({ description: "Seconds to wait", minimum: SECONDS.least, maximum: SECONDS.most })),
};

type Args = StaticFields<typeof params>;

/** Asks language servers; add it to the tools of a session. */
export const lspTool = (services: LanguageServices): ToolDef => definition(services) as unknown as ToolDef;

const definition = (services: LanguageServices): ToolDef<Args> => ({
  name: "lsp",
  label: "Ask the language server",
  description: description.trim(),
  schema: object(params),
  tier: "read",
  replay: "safe",
  output: { chars: 30_000, mode: "head" },
  access: lspAccess,
  summary,
  card: (args, result) => exploringCard(["Asking", "Asked", "Ask"], summary(args), result, () => undefined),
  async execute({ action, file, line, symbol, query, timeout }, { env, paths, signal }) {
    const located = file === undefined || isGlob(file) ? file : (await paths.locate(file)).real;
    const timeoutMs = timeout === undefined ? undefined : timeout * 1000;
    return services.answer({ action, file: located, line, symbol, query, timeoutMs }, env, signal);
  },
});

/** Servers read the project as they like; what they say of other files is shown only where a search would show it. */
async function lspAccess({ file }: Args, scope: CallScope): Promise<Access[]> {
  const project: Access = { kind: "read", path: scope.env.workingDirectory(), search: true };
  return file === undefined || isGlob(file) ? [project] : [project, ...(await fileAccess("read", [file], scope))];
}

const isGlob = (path: string): boolean => /[*?[{]/.test(path);

function summary({ action, file, line, symbol, query }: Args): string {
  const place = [file, line].filter((part) => part !== undefined).join(":");
  return [action.replaceAll("_", " "), symbol ?? query, place]
    .filter((part) => part !== undefined && part !== "")
    .join(" ");
}
