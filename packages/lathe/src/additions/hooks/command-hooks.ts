// The commands that people want to have run when something happens: which are for an event, and what they answered together.

import { type JsonObject, messageOf } from "@lathe/llm";
import { runUserProgram } from "../../config/workspace/user-program.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";
import type { DiscoveryWarning, Found, HookValue } from "../../found/discovery/types.ts";
import { answerOf, type HookAnswer } from "./answer.ts";
import { HOOK_EVENTS, type HookEvent, hookEvent } from "./events.ts";
import { type Matcher, matcherOf } from "./matcher.ts";

/** Of a hook that names no other. */
const TIMEOUT_MS = 60_000;
/** What is left of a program after its deadline must be gone before the loop's own. */
const MARGIN_MS = 5_000;

interface CommandHook {
  readonly event: HookEvent;
  readonly matches: Matcher;
  readonly command: string;
  readonly timeoutMs: number;
  /** Which agent's file it is from. */
  readonly provider: string;
  /** For messages. */
  readonly name: string;
}

/** One thing that happens, for the hooks that wait for it. */
export interface Happening {
  readonly event: HookEvent;
  /** What matchers look at; absent where they have no say. */
  readonly names?: readonly string[];
  /** Besides what every hook is given; `provider` is the agent that the hook was written for. */
  readonly fields: (provider: string) => JsonObject;
  readonly signal: AbortSignal;
  /** At the end of a session the user does not wait long. */
  readonly mostMs?: number;
}

export interface HookAnswers extends Omit<HookAnswer, "failure"> {
  /** The hooks that gave a permission, for the audit. */
  readonly by?: string;
}

interface CommandHooksParts {
  readonly workspace: Workspace;
  /** What every hook is given. */
  readonly common: () => JsonObject;
  /** A hook that failed, or has something to say. */
  readonly tell: (message: string) => void;
}

export class CommandHooks {
  readonly #hooks: readonly CommandHook[];
  readonly #parts: CommandHooksParts;

  constructor(hooks: readonly CommandHook[], parts: CommandHooksParts) {
    this.#hooks = hooks;
    this.#parts = parts;
  }

  has(...events: readonly HookEvent[]): boolean {
    return this.#hooks.some(({ event }) => events.includes(event));
  }

  /** Within which all hooks of an event are done. */
  get longestMs(): number {
    return Math.max(0, ...this.#hooks.map(({ timeoutMs }) => timeoutMs)) + MARGIN_MS;
  }

  /** All hooks for it side by side; what forbids is stronger than what asks, and that than what allows. */
  async run(happening: Happening): Promise<HookAnswers> {
    const { event, names } = happening;
    const chosen = this.#hooks.filter((hook) => hook.event === event && (names === undefined || hook.matches(names)));
    if (chosen.length === 0) return {};
    const answers = await Promise.all(chosen.map((hook) => this.#answer(hook, happening)));
    const first = <K extends keyof HookAnswer>(key: K): HookAnswer[K] | undefined =>
      answers.find((answer) => answer[key] !== undefined)?.[key];
    const deciding = answers.findIndex(({ permission }) => permission === this.#permission(answers));
    const contexts = answers.flatMap(({ context }) => context ?? []);
    return {
      ...some("block", first("block")),
      ...some("stop", first("stop")),
      ...some("input", answers.findLast(({ input }) => input !== undefined)?.input),
      ...some("permission", this.#permission(answers)),
      ...some("permissionReason", answers[deciding]?.permissionReason),
      ...some("by", this.#permission(answers) && chosen[deciding]?.name),
      ...(contexts.length === 0 ? {} : { context: contexts.join("\n\n") }),
    };
  }

  #permission(answers: readonly HookAnswer[]): "allow" | "ask" | undefined {
    const said = answers.map(({ permission }) => permission);
    return said.includes("ask") ? "ask" : said.find((permission) => permission !== undefined);
  }

  async #answer(hook: CommandHook, { event, fields, signal, mostMs }: Happening): Promise<HookAnswer> {
    const { workspace, common, tell } = this.#parts;
    const given = { ...common(), hook_event_name: event, ...fields(hook.provider) };
    const folder = workspace.cwd;
    try {
      const end = await runUserProgram(workspace, {
        command: hook.command,
        input: `${JSON.stringify(workspace.redactor.value(given))}\n`,
        signal,
        timeoutMs: Math.min(hook.timeoutMs, mostMs ?? hook.timeoutMs),
        variables: { LATHE_PROJECT_DIR: folder, CLAUDE_PROJECT_DIR: folder, GEMINI_PROJECT_DIR: folder },
      });
      const plainIsContext = event === "UserPromptSubmit" || event === "SessionStart";
      const answer = answerOf(end, { plainIsContext });
      if (answer.failure !== undefined) tell(`The hook ${hook.name} ${answer.failure}`);
      if (answer.message !== undefined) tell(answer.message);
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      tell(`The hook ${hook.name} did not start: ${messageOf(error)}`);
      return {};
    }
  }
}

const some = <K extends string, T>(key: K, value: T | undefined): { readonly [P in K]?: T } =>
  value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: T });

/** What was found, as hooks that can be run; what cannot be is a warning with its file and line. */
export function readHooks(found: readonly Found<HookValue>[]): {
  readonly hooks: readonly CommandHook[];
  readonly warnings: readonly DiscoveryWarning[];
} {
  const warnings: DiscoveryWarning[] = [];
  const hooks = found.flatMap(({ source, value }): CommandHook[] => {
    if (value.type !== "command" || value.command === undefined) return [];
    const warn = (message: string): CommandHook[] => {
      warnings.push({ path: source.path, ...(source.line === undefined ? {} : { line: source.line }), message });
      return [];
    };
    const event = hookEvent(value.event);
    if (!event) return warn(`there is no event ${value.event} for hooks; there are ${HOOK_EVENTS.join(", ")}`);
    try {
      return [
        {
          event,
          matches: matcherOf(value.matcher),
          command: value.command,
          timeoutMs: value.timeoutMs ?? TIMEOUT_MS,
          provider: source.provider,
          name: `${event} of ${source.path}`,
        },
      ];
    } catch {
      return warn(`the matcher ${JSON.stringify(value.matcher)} of ${value.event} is no pattern`);
    }
  });
  return { hooks, warnings };
}
