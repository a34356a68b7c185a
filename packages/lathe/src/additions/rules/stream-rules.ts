// Rules that act while the model writes (G-96): when the model begins to break one, the answer is interrupted and
// discarded, the model gets the rule and answers again. Each rule is given once per branch of a session; the journal
// records which were.

import type { Middleware, SeamContext, ToolResult } from "@lathe/agent";
import type { JournalReader, StreamCut } from "@lathe/agent/contract";
import type { Response, StreamEvent, StreamedToolCall, ToolCallData } from "@lathe/llm";
import broken from "./broken.md";
import { CallText } from "./call-text.ts";
import { type Condition, search } from "./condition.ts";
import reminder from "./reminder.md";
import type { InterruptMode, Rule, Trigger } from "./rule.ts";
import { coversAccess, coversCall } from "./scope.ts";

interface StreamRuleOptions {
  readonly rules: () => readonly Rule[];
  /** The mode of rules that name none. */
  readonly interrupt: InterruptMode;
  /** The folder that globs are relative to. */
  readonly cwd: string;
}

/** How many earlier characters a condition can see. */
const LOOK_BACK = 8_192;

/** The part of an answer. */
type Where = "text" | "thinking" | "tool";

interface Block {
  readonly where: Where;
  /** The end of the text so far. */
  tail: string;
  /** Set for the arguments of a call. */
  readonly text?: CallText;
  /** Rules whose condition matched, but only the complete call shows whether they apply to it. */
  readonly perhaps: Set<Rule>;
}

/** The state of one answer while it streams. */
class Answer {
  readonly blocks = new Map<string, Block>();
  /** Rules that were broken without interrupting the answer: the model is reminded afterwards. */
  readonly reminders = new Set<Rule>();
  /** Rules that the model has not been given yet. */
  readonly rules: readonly Rule[];

  constructor(rules: readonly Rule[]) {
    this.rules = rules;
  }
}

export class StreamRules {
  readonly #options: StreamRuleOptions;
  /** Shared by a session and its subagents, each with its own journal. */
  readonly #answers = new WeakMap<JournalReader, Answer>();
  /** Conditions that took too long. */
  readonly #off = new Set<Condition>();

  constructor(options: StreamRuleOptions) {
    this.#options = options;
  }

  middleware(): Middleware {
    return {
      name: "rules",
      onStreamEvent: (event, context) => this.#onEvent(event, context),
      afterCall: (_call, result, context) => this.#withReminder(result, context),
      beforeStop: (_info, context) => {
        const text = this.#takeReminders(context);
        return text === undefined ? undefined : { continueWith: text };
      },
    };
  }

  #onEvent(event: StreamEvent, context: SeamContext): StreamCut | undefined | Promise<StreamCut | undefined> {
    switch (event.type) {
      case "stream_start":
      case "stream_restart":
        this.#begin(context);
        return undefined;
      case "text_delta":
        return this.#checkPiece(`text ${event.textId}`, "text", event.delta, context);
      case "reasoning_delta":
        return this.#checkPiece(`thinking ${event.reasoningId}`, "thinking", event.reasoningDelta, context);
      case "tool_call_delta":
        return this.#checkPiece(`tool ${event.callKey}`, "tool", event.delta, context, event.toolCall);
      case "tool_call_end":
        return this.#callEnds(event, context);
      case "finish":
        return this.#checkWhole(event.response, context);
      default:
        return undefined;
    }
  }

  #begin({ journal }: SeamContext): Answer {
    const given = new Set(journal.context.state.injectedRules);
    const before = this.#answers.get(journal);
    const answer = new Answer(this.#options.rules().filter(({ name }) => !given.has(name)));
    for (const rule of before?.reminders ?? []) answer.reminders.add(rule);
    this.#answers.set(journal, answer);
    return answer;
  }

  #checkPiece(
    key: string,
    where: Where,
    delta: string,
    context: SeamContext,
    call?: { readonly name: string; readonly type: "function" | "custom" },
  ): StreamCut | undefined {
    const answer = this.#answers.get(context.journal);
    if (!answer || answer.rules.length === 0) return undefined;
    let block = answer.blocks.get(key);
    if (!block) {
      block = { where, tail: "", perhaps: new Set(), ...(call?.type === "function" ? { text: new CallText() } : {}) };
      answer.blocks.set(key, block);
    }
    const text = block.tail + (block.text?.add(delta) ?? delta);
    block.tail = text.slice(-LOOK_BACK);
    const broken = this.#brokenBy(answer, block, text, call?.name, context);
    return this.#verdict(answer, where, broken);
  }

  /** The rules that are certainly broken. Rules that depend on the complete call are kept until its end. */
  #brokenBy(answer: Answer, block: Block, text: string, tool: string | undefined, context: SeamContext): Rule[] {
    const candidates = answer.rules.flatMap((rule) =>
      block.perhaps.has(rule) || answer.reminders.has(rule)
        ? []
        : rule.triggers.flatMap((trigger) => {
            const covered = this.#covers(trigger, block.where, tool);
            return covered === false || this.#off.has(trigger.condition) ? [] : [{ rule, trigger, covered }];
          }),
    );
    if (candidates.length === 0) return [];
    const { found, tooSlow } = search(
      candidates.map(({ trigger }) => trigger.condition),
      text,
    );
    for (const condition of tooSlow) this.#switchOff(condition, candidates, context);
    const broken = new Set<Rule>();
    for (const { rule, trigger, covered } of candidates) {
      if (!found.has(trigger.condition)) continue;
      if (covered) broken.add(rule);
      else block.perhaps.add(rule);
    }
    return [...broken];
  }

  #covers({ scopes }: Trigger, where: Where, tool: string | undefined): boolean | undefined {
    if (scopes.length === 0) return true;
    if (where !== "tool") return scopes.some(({ kind }) => kind === where);
    const answers = scopes.map((scope) => coversCall(scope, tool ?? ""));
    return answers.includes(true) || (answers.includes(undefined) ? undefined : false);
  }

  #switchOff(
    condition: Condition,
    among: readonly { readonly rule: Rule; readonly trigger: Trigger }[],
    context: SeamContext,
  ): void {
    this.#off.add(condition);
    const { rule } = among.find(({ trigger }) => trigger.condition === condition)!;
    context.warn(
      `The condition ${condition.pattern} of the rule ${rule.name} (${rule.source.path}) takes too long and is off in this session. Write it without nested repetitions.`,
      "rule_condition",
    );
  }

  async #callEnds(
    { callKey, toolCall }: Extract<StreamEvent, { type: "tool_call_end" }>,
    context: SeamContext,
  ): Promise<StreamCut | undefined> {
    const answer = this.#answers.get(context.journal);
    if (!answer || answer.rules.length === 0) return undefined;
    const key = `tool ${callKey}`;
    if (!answer.blocks.has(key)) {
      // A vendor may send a call in one piece.
      const cut = this.#checkPiece(key, "tool", toolCall.rawArguments, context, toolCall);
      if (cut) return cut;
    }
    const perhaps = [...(answer.blocks.get(key)?.perhaps ?? [])];
    if (perhaps.length === 0) return undefined;
    const { name, type } = toolCall;
    const given = type === "custom" ? toolCall.rawArguments : toolCall.arguments;
    const access = (await context.accessOf({ name, type, arguments: given })) ?? [];
    const { cwd } = this.#options;
    const broken = perhaps.filter(({ triggers }) =>
      triggers.some(({ scopes }) => scopes.some((scope) => coversAccess(scope, name, access, cwd))),
    );
    return this.#verdict(answer, "tool", broken);
  }

  /** Checks the answer of a model that does not stream, of which nothing was checked yet. */
  async #checkWhole({ message }: Response, context: SeamContext): Promise<StreamCut | undefined> {
    if (this.#answers.get(context.journal)?.blocks.size) return undefined;
    this.#begin(context);
    for (const [i, part] of message.content.entries()) {
      let cut: StreamCut | undefined;
      if (part.kind === "text") cut = this.#checkPiece(`text ${i}`, "text", part.text, context);
      if (part.kind === "thinking") cut = this.#checkPiece(`thinking ${i}`, "thinking", part.thinking.text, context);
      if (part.kind === "tool_call") {
        cut = await this.#callEnds(
          { type: "tool_call_end", callKey: `${i}`, toolCall: streamedCall(part.toolCall) },
          context,
        );
      }
      if (cut) return cut;
    }
    return undefined;
  }

  #verdict(answer: Answer, where: Where, rules: readonly Rule[]): StreamCut | undefined {
    const cutting = rules.filter(({ interrupt = this.#options.interrupt }) => interrupts(interrupt, where));
    for (const rule of rules) if (!cutting.includes(rule)) answer.reminders.add(rule);
    if (cutting.length === 0) return undefined;
    const names = cutting.map(({ name }) => name);
    return {
      cut: rulesText(broken, cutting),
      discard: `the answer broke the rule ${names.join(", ")}`,
      rules: names,
    };
  }

  #withReminder(result: ToolResult, context: SeamContext): ToolResult | undefined {
    const text = this.#takeReminders(context);
    return text === undefined ? undefined : { ...result, content: [...result.content, { kind: "text", text }] };
  }

  #takeReminders(context: SeamContext): string | undefined {
    const answer = this.#answers.get(context.journal);
    if (!answer || answer.reminders.size === 0) return undefined;
    const rules = [...answer.reminders];
    answer.reminders.clear();
    context.rulesInjected(rules.map(({ name }) => name));
    return rulesText(reminder, rules);
  }
}

/** A call that arrived in one piece, in the form of a streamed one. */
function streamedCall({ id, name, type, arguments: given, rawArguments }: ToolCallData): StreamedToolCall {
  const isText = typeof given === "string";
  const raw = rawArguments ?? (isText ? given : JSON.stringify(given));
  return { id, name, type, rawArguments: raw, arguments: isText ? {} : given };
}

function interrupts(mode: InterruptMode, where: Where): boolean {
  if (mode === "prose-only") return where !== "tool";
  if (mode === "tool-only") return where === "tool";
  return mode === "always";
}

const rulesText = (intro: string, rules: readonly Rule[]): string =>
  [intro.trim(), ...rules.map(({ name, text }) => `<rule name="${name}">\n${text}\n</rule>`)].join("\n\n");
