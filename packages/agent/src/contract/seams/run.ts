// Runs the hooks of the middleware list in order, each under its deadline.

import { isJsonObject, type JsonObject, messageOf, type Request, type StreamEvent } from "@lathe/llm";
import { abortController, endInTime, type SessionDeps } from "../../base/time/deadline.ts";
import type { InputContent } from "../events/types.ts";
import type { ToolResult } from "../tool.ts";
import type { Verification } from "../verification.ts";
import { checkMiddleware, checkMiddlewareList } from "./middleware-shape.ts";
import type {
  ApprovalVerdict,
  CallInfo,
  CompactionPlan,
  EndedInput,
  FailedCall,
  Middleware,
  OverflowVerdict,
  ProposedCall,
  ReadVerdict,
  RequestInfo,
  RequestVerdict,
  SeamContext,
  SessionSwitch,
  StreamCut,
  SummaryVerdict,
  TreeMove,
  TreeVerdict,
  UnreadableCall,
} from "./types.ts";
import { checkVerdict, noVerdict } from "./verdict-shapes.ts";

/** A hook that does not react to its signal is abandoned after this time. */
const HOOK_GRACE_MS = 500;

export interface SeamHost {
  readonly deps: SessionDeps;
  readonly middleware: readonly Middleware[];
  /** What hooks may use; the signal ends it. */
  readonly context: (signal: () => AbortSignal) => SeamContext;
  readonly hookTimeoutMs: () => number;
  readonly warn: (message: string, code: string) => void;
}

const RANK = { allow: 0, ask: 1, deny: 2 };

type HookName = Exclude<keyof Middleware, "name" | "timeoutMs">;

export class Seams {
  readonly #host: SeamHost;
  /**
   * The ordered list. Every change creates a new array, so that a running round of hooks finishes with the list it
   * started with.
   */
  #list: readonly Middleware[];
  #streamHooks: readonly Middleware[];
  /** Middleware that failed during an input; it is reported once, not for every delta. */
  readonly #failedIn = new WeakMap<AbortSignal, Set<Middleware>>();

  constructor(host: SeamHost) {
    this.#host = host;
    checkMiddlewareList(host.middleware);
    this.#list = host.middleware;
    this.#streamHooks = this.#with("onStreamEvent");
  }

  /** Takes effect with the next hook; the returned function removes the middleware. */
  add(middleware: Middleware): () => void {
    checkMiddleware(middleware);
    this.#change([...this.#list, middleware]);
    return () => this.#change(this.#list.filter((candidate) => candidate !== middleware));
  }

  #change(list: readonly Middleware[]): void {
    this.#list = list;
    this.#streamHooks = this.#with("onStreamEvent");
  }

  /** The context that hooks get, for work that the session does on their behalf. */
  context(signal: AbortSignal): SeamContext {
    return this.#host.context(() => signal);
  }

  handles(hook: HookName): boolean {
    return this.#with(hook).length > 0;
  }

  get hasStreamHooks(): boolean {
    return this.#streamHooks.length > 0;
  }

  async onInput(content: InputContent, signal: AbortSignal): Promise<{ content: InputContent } | { reject: string }> {
    let current = content;
    for (const middleware of this.#with("onInput")) {
      const verdict = await this.#lenient(middleware, "onInput", signal, (context) =>
        middleware.onInput!({ content: current }, context),
      );
      if (!verdict) continue;
      if ("reject" in verdict) return verdict;
      current = verdict.content;
    }
    return { content: current };
  }

  /** The first request to compact or prune wins; changes of the request accumulate. */
  async beforeRequest(info: RequestInfo, signal: AbortSignal): Promise<RequestVerdict> {
    let request: Request = info.request;
    for (const middleware of this.#with("beforeRequest")) {
      const verdict = await this.#lenient(middleware, "beforeRequest", signal, (context) =>
        middleware.beforeRequest!({ ...info, request }, context),
      );
      if (!verdict) continue;
      if (!("request" in verdict)) return verdict;
      request = verdict.request;
    }
    return request === info.request ? undefined : { request };
  }

  onOverflow(info: RequestInfo, signal: AbortSignal): Promise<OverflowVerdict> {
    return this.#first("onOverflow", signal, (middleware, context) => middleware.onOverflow!(info, context));
  }

  /** Returns true if a hook fixed the cause of the failure. */
  async onFailure(call: FailedCall, signal: AbortSignal): Promise<boolean> {
    return Boolean(
      await this.#first("onFailure", signal, (middleware, context) => middleware.onFailure!(call, context)),
    );
  }

  onUnreadable(call: UnreadableCall, signal: AbortSignal): Promise<ReadVerdict> {
    return this.#first("onUnreadable", signal, (middleware, context) => middleware.onUnreadable!(call, context));
  }

  /** Stays synchronous as long as every hook does, since this runs for each delta. */
  onStreamEvent(
    event: StreamEvent,
    signal: AbortSignal,
    hooks = this.#streamHooks,
  ): StreamCut | undefined | Promise<StreamCut | undefined> {
    const context = this.context(signal);
    for (const [at, middleware] of hooks.entries()) {
      try {
        const verdict = middleware.onStreamEvent!(event, context);
        if (verdict instanceof Promise) return this.#slowStreamEvent(hooks.slice(at), verdict, event, signal);
        if (verdict !== undefined) return checkVerdict("onStreamEvent", verdict);
      } catch (error) {
        this.#warnOnce(middleware, signal, error);
      }
    }
    return undefined;
  }

  #warnOnce(middleware: Middleware, signal: AbortSignal, error: unknown): void {
    const failed = this.#failedIn.get(signal) ?? new Set();
    if (failed.has(middleware)) return;
    this.#failedIn.set(signal, failed.add(middleware));
    this.#warn(middleware, "onStreamEvent", error);
  }

  /** `hooks`: the hook that is still pending, and those after it. */
  async #slowStreamEvent(
    hooks: readonly Middleware[],
    pending: Promise<StreamCut | undefined>,
    event: StreamEvent,
    signal: AbortSignal,
  ): Promise<StreamCut | undefined> {
    const [middleware, ...later] = hooks as [Middleware, ...Middleware[]];
    let verdict: StreamCut | undefined;
    try {
      verdict = checkVerdict("onStreamEvent", await this.#run(middleware, "onStreamEvent", signal, () => pending));
    } catch (error) {
      if (signal.aborted) throw error;
      this.#warnOnce(middleware, signal, error);
    }
    return verdict ?? this.onStreamEvent(event, signal, later);
  }

  /** Fails closed: a hook that throws blocks the call. */
  async beforeCall(call: ProposedCall, signal: AbortSignal): Promise<{ block: string } | { args: JsonObject }> {
    let args = call.args;
    for (const middleware of this.#with("beforeCall")) {
      try {
        const verdict = await this.#run(middleware, "beforeCall", signal, (context) =>
          middleware.beforeCall!({ ...call, args }, context),
        );
        if (verdict === undefined) continue;
        const { block, args: changed } = Object(verdict) as { readonly block?: unknown; readonly args?: unknown };
        if (typeof block === "string") return { block };
        if (block !== undefined || !isJsonObject(changed)) throw noVerdict(verdict, "{ block: reason } or { args }");
        args = changed;
      } catch (error) {
        if (signal.aborted) throw error;
        return { block: `blocked because the hook ${middleware.name} failed: ${messageOf(error)}` };
      }
    }
    return { args };
  }

  /**
   * All hooks are asked; deny beats ask beats allow; a hook that throws denies. Undefined if no hook had an opinion.
   */
  async approve(call: CallInfo, signal: AbortSignal): Promise<ApprovalVerdict> {
    let strongest: ApprovalVerdict;
    const askedBy: string[] = [];
    for (const middleware of this.#with("approve")) {
      let verdict: ApprovalVerdict;
      try {
        verdict = await this.#run(middleware, "approve", signal, (context) => middleware.approve!(call, context));
        if (verdict === undefined) continue;
        const { decision, reason = "" } = Object(verdict) as { readonly decision?: string; readonly reason?: unknown };
        if (!Object.hasOwn(RANK, decision ?? "") || typeof reason !== "string")
          throw noVerdict(verdict, "{ decision: allow, deny or ask, reason?: text }");
      } catch (error) {
        if (signal.aborted) throw error;
        verdict = { decision: "deny", reason: `the hook ${middleware.name} failed: ${messageOf(error)}` };
      }
      if (verdict.decision === "ask") askedBy.push(middleware.name);
      if (!strongest || RANK[verdict.decision] > RANK[strongest.decision]) {
        strongest = { by: middleware.name, ...verdict };
      }
      if (strongest.decision === "deny") return strongest;
    }
    return strongest?.decision === "ask" ? { ...strongest, askedBy } : strongest;
  }

  async afterCall(call: CallInfo, result: ToolResult, signal: AbortSignal): Promise<ToolResult> {
    let current = result;
    for (const middleware of this.#with("afterCall")) {
      const changed = await this.#lenient(middleware, "afterCall", signal, (context) =>
        middleware.afterCall!(call, current, context),
      );
      current = changed ?? current;
    }
    return current;
  }

  /** What hooks tell the model about the calls that have just run, in hook order. */
  async afterRound(signal: AbortSignal): Promise<readonly InputContent[]> {
    const told: InputContent[] = [];
    for (const middleware of this.#with("afterRound")) {
      const verdict = await this.#lenient(middleware, "afterRound", signal, (context) =>
        middleware.afterRound!(context),
      );
      if (verdict) told.push(verdict.tell);
    }
    return told;
  }

  async beforeStop(info: { text: string; rounds: number }, signal: AbortSignal): Promise<InputContent | undefined> {
    const ask = (middleware: Middleware, context: SeamContext) => middleware.beforeStop!(info, context);
    return (await this.#first("beforeStop", signal, ask))?.continueWith;
  }

  verdictAtEnd(end: EndedInput, signal: AbortSignal): Verification | undefined {
    for (const middleware of this.#with("verdictAtEnd")) {
      try {
        const verdict: unknown = middleware.verdictAtEnd!(end, this.context(signal));
        // A promise is no verdict, so what becomes of it does not matter.
        if (verdict instanceof Promise) verdict.catch(() => undefined);
        if (verdict !== undefined) return checkVerdict("verdictAtEnd", verdict as Verification);
      } catch (error) {
        this.#warn(middleware, "verdictAtEnd", error);
        return { verdict: "unverified", reasons: [`The verdict could not be given: ${messageOf(error)}`] };
      }
    }
    return undefined;
  }

  beforeSummary(
    wish: { readonly reason: string; readonly tokensBefore: number },
    signal: AbortSignal,
  ): Promise<SummaryVerdict> {
    return this.#first("beforeSummary", signal, (middleware, context) => middleware.beforeSummary!(wish, context));
  }

  async beforeCompact(
    plan: CompactionPlan,
    signal: AbortSignal,
  ): Promise<{ plan: CompactionPlan } | { cancel: string }> {
    let current = plan;
    for (const middleware of this.#with("beforeCompact")) {
      const verdict = await this.#lenient(middleware, "beforeCompact", signal, (context) =>
        middleware.beforeCompact!(current, context),
      );
      if (!verdict) continue;
      if ("cancel" in verdict) return verdict;
      current = verdict.plan;
    }
    return { plan: current };
  }

  beforeTree(move: TreeMove, signal: AbortSignal): Promise<TreeVerdict> {
    return this.#first("beforeTree", signal, (middleware, context) => middleware.beforeTree!(move, context));
  }

  /** Returns the objection of a hook, if there is one. */
  async beforeBranch(entryId: string, signal: AbortSignal): Promise<string | undefined> {
    const ask = (middleware: Middleware, context: SeamContext) => middleware.beforeBranch!({ entryId }, context);
    return (await this.#first("beforeBranch", signal, ask))?.cancel;
  }

  /** Returns the objection of a hook, if there is one. */
  async beforeSwitch(to: SessionSwitch, signal: AbortSignal): Promise<string | undefined> {
    const ask = (middleware: Middleware, context: SeamContext) => middleware.beforeSwitch!(to, context);
    return (await this.#first("beforeSwitch", signal, ask))?.cancel;
  }

  #with(hook: HookName): readonly Middleware[] {
    return this.#list.filter((middleware) => middleware[hook]);
  }

  /** The first verdict that a hook returns. */
  async #first<T>(
    hook: HookName,
    signal: AbortSignal,
    ask: (middleware: Middleware, context: SeamContext) => Promise<T> | T,
  ): Promise<T | undefined> {
    for (const middleware of this.#with(hook)) {
      const verdict = await this.#lenient(middleware, hook, signal, (context) => ask(middleware, context));
      if (verdict) return verdict;
    }
    return undefined;
  }

  /**
   * A hook that fails, or returns something else than a verdict, causes a warning and counts as "no opinion"; only the
   * end of the input itself propagates.
   */
  #lenient<T>(
    middleware: Middleware,
    hook: HookName,
    signal: AbortSignal,
    call: (context: SeamContext) => Promise<T> | T,
  ): Promise<T | undefined> | T | undefined {
    const onFailure = (error: unknown): undefined => {
      if (signal.aborted) throw error;
      this.#warn(middleware, hook, error);
    };
    try {
      const answer = this.#run(middleware, hook, signal, call);
      if (!(answer instanceof Promise)) return checkVerdict(hook, answer);
      return answer.then((verdict) => checkVerdict(hook, verdict)).catch(onFailure);
    } catch (error) {
      return onFailure(error);
    }
  }

  /** Most hooks return synchronously; those need no promise, no deadline, and no signal unless they ask for it. */
  #run<T>(
    middleware: Middleware,
    hook: HookName,
    signal: AbortSignal,
    call: (context: SeamContext) => Promise<T> | T,
  ): Promise<T> | T {
    signal.throwIfAborted();
    let controller: AbortController | undefined;
    let stopped: { readonly reason: unknown } | undefined;
    const innerSignal = (): AbortSignal => {
      controller ??= abortController();
      if (stopped) controller.abort(stopped.reason);
      return controller.signal;
    };
    const answer = call(this.#host.context(innerSignal));
    if (!(answer instanceof Promise)) return answer;
    const ms = middleware.timeoutMs ?? this.#host.hookTimeoutMs();
    const what = `the hook ${middleware.name}.${hook}`;
    return endInTime(this.#host.deps, { what, ms, graceMs: HOOK_GRACE_MS, signal }, answer, (reason) => {
      stopped = { reason };
      controller?.abort(reason);
    });
  }

  #warn(middleware: Middleware, hook: HookName, error: unknown): void {
    this.#host.warn(`the hook ${middleware.name}.${hook} failed: ${messageOf(error)}`, "hook_failed");
  }
}
