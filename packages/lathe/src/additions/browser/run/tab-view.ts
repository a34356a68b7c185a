// The browser as the puppeteer of a script sees it: one tab, its frames and its workers. This file makes up the browser
// around them; calls to the tab's own sessions pass if they are on the list, and everything else is refused.

import { isJsonObject, type JsonObject, parseJson } from "@lathe/llm";
import type { CdpClient } from "../cdp-link.ts";
import { refusalOf } from "./allowed-calls.ts";

/**
 * Puppeteer expects the page inside a target of type tab. We make that target up instead of asking Chromium for its
 * own.
 */
const TAB = "tab";
const CHILD_TYPES = new Set([
  "page",
  "iframe",
  "worker",
  "service_worker",
  "shared_worker",
  "worklet",
  "auction_worklet",
]);
/** Calls whose effect on later pages ends only with the session that made them. */
const LASTS = /^(Fetch\.enable|Network\.(set(?!Cookie)|emulate|override)\w*)$/;
/** Calls whose answer names a stream that the script may read from then on. */
const OPENS_STREAM = new Set(["Fetch.takeResponseBodyAsStream", "Page.printToPDF"]);

export interface TabViewOptions {
  readonly client: CdpClient;
  readonly targetId: string;
  readonly isAlone: boolean;
  /** Sends a message to the script, as text. */
  readonly toScript: (message: string) => void;
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
  readonly sessionId?: string;
}

export class TabView {
  readonly #options: TabViewOptions;
  readonly #sessions = new Set<string>();
  readonly #targets: Set<string>;
  readonly #handles = new Set<string>();
  /**
   * Handlers for answers that are not simply forwarded, by the number of the call; our own calls have negative numbers.
   */
  readonly #expected = new Map<number, (answer: JsonObject) => void>();
  #lastId = 0;
  #hasLasting = false;

  constructor(options: TabViewOptions) {
    this.#options = options;
    this.#targets = new Set([options.targetId]);
    options.client.onmessage = (text) => this.#receive(text);
  }

  /** Takes a message of the script, which may be anything: the script can write to the wire itself. */
  handleMessage(text: string): void {
    const message = parseJson(text);
    if (!isJsonObject(message)) return;
    const { id, method, params = {}, sessionId } = message;
    if (!Number.isSafeInteger(id) || (id as number) <= 0 || typeof method !== "string" || !isJsonObject(params)) return;
    const call = { id: id as number, method, params };
    if (sessionId === undefined) this.#handleBrowserCall(call);
    else if (sessionId === TAB) this.#handleTabCall({ ...call, sessionId });
    else if (typeof sessionId === "string" && this.#sessions.has(sessionId))
      this.#handleSessionCall({ ...call, sessionId });
    else this.#refuse(call, "There is no such session in this tab.");
  }

  /** A script changed how the tab makes its requests. */
  get hasLasting(): boolean {
    return this.#hasLasting;
  }

  close(): void {
    this.#options.client.close();
  }

  // ---- from the script ----

  #handleBrowserCall(call: Call): void {
    const { method, params } = call;
    if (method === "Browser.getVersion") this.#forward({ ...call, params: {} });
    else if (method === "Target.getBrowserContexts") this.#answer(call, { browserContextIds: [] });
    else if (method === "Target.setDiscoverTargets") this.#answer(call, {});
    else if (method === "Target.setAutoAttach") {
      const targetInfo = { targetId: TAB, type: "tab", title: "", url: "", attached: true, canAccessOpener: false };
      this.#emit("Target.attachedToTarget", { sessionId: TAB, targetInfo, waitingForDebugger: false });
      this.#answer(call, {});
    } else this.#handleTargetCall(call, params);
  }

  /** Calls that attach to targets of this tab or ask about them. */
  #handleTargetCall(call: Call, { targetId, sessionId: session }: JsonObject): void {
    const { method } = call;
    const isOwn = typeof targetId === "string" && this.#targets.has(targetId);
    if (method === "Target.attachToTarget" && isOwn)
      this.#attach(targetId, undefined, (sessionId) => this.#answer(call, { sessionId }), call);
    else if (method === "Target.detachFromTarget" && typeof session === "string" && this.#sessions.has(session))
      this.#forward({ ...call, params: { sessionId: session } });
    else if (method === "Target.getTargetInfo" && isOwn) this.#forward({ ...call, params: { targetId } });
    else this.#refuse(call, `${method} is not available to scripts of a tab.`);
  }

  #handleTabCall(call: Call): void {
    if (call.method === "Target.setAutoAttach")
      this.#attach(this.#options.targetId, TAB, () => this.#answer(call, {}), call);
    else this.#answer(call, {});
  }

  #handleSessionCall(call: Call): void {
    const { id, method, params, sessionId } = call;
    if (method === "Target.setAutoAttach") {
      this.#forward({ ...call, params: { ...params, flatten: true } });
      return;
    }
    if (method.startsWith("Target.")) {
      this.#handleTargetCall(call, params);
      return;
    }
    const refusal = refusalOf(method, params, { isAlone: this.#options.isAlone, handles: this.#handles });
    if (refusal !== undefined) {
      this.#refuse(call, refusal);
      return;
    }
    this.#hasLasting ||= LASTS.test(method);
    if (OPENS_STREAM.has(method))
      this.#expected.set(id, (answer) => {
        const stream = isJsonObject(answer["result"]) ? answer["result"]["stream"] : undefined;
        if (typeof stream === "string") this.#handles.add(stream);
        this.#options.toScript(JSON.stringify(answer));
      });
    this.#forward({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) });
  }

  /** Attaches to a target and, as Chromium does, announces it to the script before `done`. */
  #attach(targetId: string, parent: string | undefined, done: (sessionId: string) => void, call: Call): void {
    this.#ask("Target.getTargetInfo", { targetId }, call, ({ targetInfo }) =>
      this.#ask("Target.attachToTarget", { targetId, flatten: true }, call, ({ sessionId }) => {
        if (typeof sessionId !== "string") return;
        this.#sessions.add(sessionId);
        const about = { sessionId, targetInfo: targetInfo ?? null, waitingForDebugger: false };
        this.#emit("Target.attachedToTarget", about, parent);
        done(sessionId);
      }),
    );
  }

  // ---- from Chromium ----

  #receive(text: string): void {
    const id = /^\{"id":(-?\d+),/.exec(text)?.[1];
    if (id !== undefined) {
      const expected = this.#expected.get(Number(id));
      if (!expected) this.#options.toScript(text);
      this.#expected.delete(Number(id));
      expected?.(parseJson(text) as JsonObject);
    } else if (!text.startsWith('{"method":"Target.')) this.#options.toScript(text);
    else this.#receiveTargetEvent(text);
  }

  #receiveTargetEvent(text: string): void {
    const { method, params, sessionId: parent } = parseJson(text) as JsonObject;
    if (!isJsonObject(params)) return;
    const { sessionId: session, targetInfo } = params;
    const isOwn = typeof parent === "string" && this.#sessions.has(parent);
    if (method === "Target.attachedToTarget" && isOwn && isJsonObject(targetInfo)) {
      // Targets that we attach to ourselves are announced with the answer.
      if (!CHILD_TYPES.has(String(targetInfo["type"]))) return;
      this.#sessions.add(String(session));
      this.#targets.add(String(targetInfo["targetId"]));
      this.#options.toScript(text);
    } else if (method === "Target.detachedFromTarget" && this.#sessions.delete(String(session)))
      this.#options.toScript(text);
  }

  // ---- the wire ----

  #ask(method: string, params: JsonObject, call: Call, then: (result: JsonObject) => void): void {
    const id = --this.#lastId;
    this.#expected.set(id, ({ result, error }) => {
      if (isJsonObject(result)) then(result);
      else this.#refuse(call, isJsonObject(error) ? String(error["message"]) : "The tab has gone.");
    });
    this.#forward({ id, method, params });
  }

  /** The call is serialized anew, because two parsers may read an odd text differently. */
  #forward(call: Call): void {
    this.#options.client.send(JSON.stringify(call));
  }

  #emit(method: string, params: JsonObject, sessionId?: string): void {
    this.#options.toScript(JSON.stringify({ method, params, ...(sessionId === undefined ? {} : { sessionId }) }));
  }

  #answer(call: Call, result: JsonObject): void {
    this.#reply(call, { result });
  }

  #refuse(call: Call, message: string): void {
    this.#reply(call, { error: { code: -32000, message } });
  }

  #reply({ id, sessionId }: Call, answer: JsonObject): void {
    this.#options.toScript(JSON.stringify({ id, ...answer, ...(sessionId === undefined ? {} : { sessionId }) }));
  }
}
