// Runs the hook commands of an event and combines their answers.

import { isJsonObject, type JsonObject, messageOf } from "@lathe/llm";
import { runUserProgram } from "../../config/workspace/user-program.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";
import type { HookEvent } from "../../found/discovery/hook-events.ts";
import { answerOf, type HookAnswer } from "./answer.ts";
import type { CommandHook } from "./read-hooks.ts";

/** Time to end a program after its own deadline, before the loop's deadline comes. */
const MARGIN_MS = 5_000;

/** The data that a hook gets about one event. */
export interface HookPayload {
  /** Fields of this event, in addition to those of every hook. */
  readonly fields: JsonObject;
  /** The names that the hook's matcher tests; absent if matchers do not apply. */
  readonly names?: readonly string[];
  /** Maps arguments that the hook changed back to the call's own; undefined if the change cannot be mapped. */
  readonly argumentsFrom?: (changed: JsonObject) => JsonObject | undefined;
}

/** One occurrence of an event, for the hooks that listen for it. */
export interface HookTrigger {
  readonly event: HookEvent;
  /**
   * The payloads for a hook, in the terms of the agent that it was written for; a call that touches several files has
   * one per file.
   */
  readonly payloadsFor: (hook: CommandHook) => readonly HookPayload[];
  readonly signal: AbortSignal;
  /** A limit below the hooks' own: at the end of a session the user must not wait long. */
  readonly mostMs?: number;
}

export interface HookAnswers extends Omit<HookAnswer, "failure"> {
  /** The hook that decided about the permission, for the audit. */
  readonly by?: string;
}

interface CommandHooksParts {
  readonly workspace: Workspace;
  /** Fields that every hook gets. */
  readonly common: (hook: CommandHook) => JsonObject;
  /** Shows the user a failed hook, or a hook's message. */
  readonly tell: (message: string) => void;
}

interface NamedAnswer extends HookAnswer {
  readonly hook: string;
}

/** How long hooks in the background may run on when the session ends. */
const BACKGROUND_GRACE_MS = 1_000;

export class CommandHooks {
  readonly #hooks: readonly CommandHook[];
  readonly #parts: CommandHooksParts;
  readonly #background = new Set<Promise<unknown>>();
  readonly #ended = new AbortController();

  constructor(hooks: readonly CommandHook[], parts: CommandHooksParts) {
    this.#hooks = hooks;
    this.#parts = parts;
  }

  has(...events: readonly HookEvent[]): boolean {
    return this.#hooks.some(({ event }) => events.includes(event));
  }

  /** The time within which all hooks of an event end. */
  get longestMs(): number {
    return Math.max(0, ...this.#hooks.map(({ timeoutMs }) => timeoutMs)) + MARGIN_MS;
  }

  /** Runs all hooks of an event in parallel. Of their permissions, ask overrides allow. */
  async run(trigger: HookTrigger): Promise<HookAnswers> {
    const concerned = this.#hooks.flatMap((hook) => {
      const payloads = hook.event === trigger.event ? trigger.payloadsFor(hook) : [];
      const matching = payloads.filter(({ names }) => names === undefined || hook.matches(names));
      return matching.length === 0 ? [] : [{ hook, payloads: matching }];
    });
    const answers = (await Promise.all(concerned.map((one) => this.#answersOf(one, trigger)))).flat();
    const first = <K extends keyof HookAnswer>(key: K): HookAnswer[K] | undefined =>
      answers.find((answer) => answer[key] !== undefined)?.[key];
    const permission = permissionOf(answers);
    const deciding = answers.find((answer) => permission !== undefined && answer.permission === permission);
    const contexts = answers.flatMap(({ context }) => context ?? []);
    return {
      ...optionalField("block", first("block")),
      ...optionalField("stop", first("stop")),
      ...optionalField("input", answers.findLast(({ input }) => input !== undefined)?.input),
      ...optionalField("permission", permission),
      ...optionalField("permissionReason", deciding?.permissionReason),
      ...optionalField("by", deciding?.hook),
      ...(contexts.length === 0 ? {} : { context: contexts.join("\n\n") }),
    };
  }

  /** Runs a hook once per payload, until it refuses. */
  async #answersOf(
    { hook, payloads }: { readonly hook: CommandHook; readonly payloads: readonly HookPayload[] },
    trigger: HookTrigger,
  ): Promise<readonly NamedAnswer[]> {
    if (hook.runsAsync) {
      for (const one of payloads) this.#keep(this.#ask(hook, one, { ...trigger, signal: this.#ended.signal }));
      return [];
    }
    const answers: NamedAnswer[] = [];
    for (const one of payloads) {
      const answer = await this.#answer(hook, one, trigger);
      answers.push({ ...answer, hook: hook.name });
      if (answer.block !== undefined) break;
    }
    return answers;
  }

  /** Keeps a hook running in the background: nothing waits for it, and its answer is ignored. */
  #keep(work: Promise<unknown>): void {
    const done: Promise<void> = work.then(
      () => void this.#background.delete(done),
      () => void this.#background.delete(done),
    );
    this.#background.add(done);
  }

  /** Ends hooks that still run in the background. */
  async close(): Promise<void> {
    if (this.#background.size === 0) return;
    const { setTimer } = this.#parts.workspace.machine.deps;
    const timer = setTimer(() => this.#ended.abort(), BACKGROUND_GRACE_MS);
    await Promise.all(this.#background);
    timer.cancel();
  }

  async #answer(hook: CommandHook, payload: HookPayload, trigger: HookTrigger): Promise<HookAnswer> {
    const { tell } = this.#parts;
    const answer = await this.#ask(hook, payload, trigger);
    if (answer.failure !== undefined) {
      tell(`The hook ${hook.name} ${answer.failure}`);
      return hook.failsClosed ? { block: `The hook ${hook.name} ${answer.failure}, and it must not be skipped.` } : {};
    }
    if (answer.message !== undefined) tell(answer.message);
    if (answer.input === undefined || payload.argumentsFrom === undefined) return answer;
    const { input: changed, ...rest } = answer;
    const input = payload.argumentsFrom(changed);
    if (input !== undefined) return { ...rest, input };
    return { ...rest, block: `The hook ${hook.name} changed arguments that this tool does not have.` };
  }

  async #ask(hook: CommandHook, { fields }: HookPayload, { event, signal, mostMs }: HookTrigger): Promise<HookAnswer> {
    const { workspace, common } = this.#parts;
    const given = {
      ...common(hook),
      hook_event_name: hook.dialect === "cursor" ? hook.writtenEvent : event,
      ...fields,
    };
    try {
      let goOn: (answer: "async") => void = () => {};
      const async = new Promise<"async">((resolve) => {
        goOn = resolve;
      });
      const running = runUserProgram(workspace, {
        command: hook.command,
        input: `${JSON.stringify(workspace.redactor.value(given))}\n`,
        signal: AbortSignal.any([signal, this.#ended.signal]),
        timeoutMs: Math.min(hook.timeoutMs, mostMs ?? hook.timeoutMs),
        variables: variablesOf(hook, workspace.cwd),
        ...(hook.cwd === undefined ? {} : { cwd: hook.cwd }),
        onFirstLine: (line) => {
          if (saysAsync(line)) goOn("async");
        },
      });
      const end = await Promise.race([running, async]);
      if (end === "async") {
        this.#keep(running);
        return {};
      }
      const plainIsContext = event === "UserPromptSubmit" || event === "SessionStart";
      return answerOf(end, { plainIsContext });
    } catch (error) {
      signal.throwIfAborted();
      return { failure: `did not start: ${messageOf(error)}` };
    }
  }
}

/** A hook may ask to run in the background by its first line of output; the rest of its output is ignored. */
function saysAsync(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) && value["async"] === true;
  } catch {
    return false; // any other text
  }
}

const PROJECT_VARIABLES = ["LATHE_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR"];
const PLUGIN_VARIABLES = ["LATHE_PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"];

const variablesOf = ({ root, cwd: folder }: CommandHook, cwd: string): Readonly<Record<string, string>> =>
  Object.fromEntries([
    ...PROJECT_VARIABLES.map((name) => [name, root === undefined ? (folder ?? cwd) : cwd]),
    ...(root === undefined ? [] : PLUGIN_VARIABLES.map((name) => [name, root])),
  ]);

function permissionOf(answers: readonly HookAnswer[]): "allow" | "ask" | undefined {
  const said = answers.map(({ permission }) => permission);
  return said.includes("ask") ? "ask" : said.find((permission) => permission !== undefined);
}

const optionalField = <K extends string, T>(key: K, value: T | undefined): { readonly [P in K]?: T } =>
  value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: T });
