// Builds the context that handlers and commands work with. Their calls return into our own code: its actions and its
// running time are not charged to the extension.

import { type JsonValue, Message, textOf } from "@lathe/llm";
import type {
  ExtensionCommandContext,
  ExtensionContext,
  ExtensionSession,
} from "../../platform/extension-api/index.ts";
import type { ExtensionConversation, ExtensionScreen } from "../../platform/extension-api/screen.ts";
import { runAsLathe } from "./guard/current.ts";
import type { PausableDeadline } from "./pausable-deadline.ts";
import type { PresentSession } from "./present.ts";
import type { ExtensionTools } from "./tools-for-extensions.ts";

export type ContextParts = ExtensionTools & {
  readonly cwd: string;
  /** Absent when no user is present. */
  readonly screen: ExtensionScreen | undefined;
  readonly present: () => PresentSession;
  /** Shows a text of a kind that the extension defines. */
  readonly show: (kind: string, text: string) => void;
};

export function contextFor(parts: ContextParts, deadline: PausableDeadline): ExtensionContext {
  const { present, cwd, storage, screen, uiFor, execFor } = parts;
  const wait = <T>(work: () => Promise<T>): Promise<T> => deadline.pauseDuring(runAsLathe(work));
  const exec = execFor(deadline.signal);
  return {
    cwd,
    storage,
    hasUI: screen !== undefined,
    ui: uiFor(deadline),
    session: sessionFor(parts),
    signal: deadline.signal,
    get model() {
      const { provider, id } = present().model;
      return `${provider}/${id}`;
    },
    isIdle: () => present().session.state !== "processing",
    hasQueuedMessages: () =>
      (["steering", "follow_up"] as const).some((delivery) => present().session.queuedMessages(delivery).length > 0),
    abort: () => runAsLathe(() => void present().session.interrupt()),
    shutdown: () => runAsLathe(() => screen?.shutdown()),
    exec: (command, args, options) => wait(() => exec(command, args, options)),
    callModel: ({ prompt, role = "extension", maxTokens, timeoutMs }) =>
      wait(async () => {
        const call = { messages: [Message.user(prompt)], maxTokens, timeoutMs };
        return (await present().session.beside.callModel(role, call, deadline.signal)).text;
      }),
  };
}

export function commandContextFor(parts: ContextParts, deadline: PausableDeadline): ExtensionCommandContext {
  const conversation = parts.screen?.conversation?.() ?? onlySession(parts.present);
  const wait = <T>(work: () => Promise<T>): Promise<T> => deadline.pauseDuring(runAsLathe(work));
  const went = async (going: Promise<{ readonly cancelled?: string | undefined }>): Promise<boolean> =>
    (await going).cancelled === undefined;
  const more = {
    waitForIdle: () => wait(() => conversation.settled()),
    submit: (text: string) => wait(async () => void (await conversation.submit(text))),
    newSession: () => wait(() => went(conversation.startNew())),
    branch: (entryId: string) => wait(() => went(conversation.branch(entryId))),
    navigateTree: (entryId: string | null, { summarize = false }: { summarize?: boolean | undefined } = {}) =>
      wait(() => went(conversation.navigate(entryId, { summarize }))),
    compact: ({ focus }: { focus?: string | undefined } = {}) =>
      wait(async () => {
        const done = await conversation.compact(focus);
        if ("problem" in done) throw new Error(String(done.problem));
      }),
    setModel: (selector: string) => wait(async () => void (await conversation.switchModel(selector))),
  };
  return Object.defineProperties(more, Object.getOwnPropertyDescriptors(contextFor(parts, deadline))) as never;
}

/** The conversation of a run with a single prompt. */
function onlySession(present: () => PresentSession): ExtensionConversation {
  const refuse = async (): Promise<never> => {
    throw new Error("a run without a user cannot leave its session");
  };
  return {
    submit: (text) => present().session.submit(text),
    settled: async () => {},
    startNew: refuse,
    branch: refuse,
    navigate: (entryId) => present().session.navigate(entryId),
    compact: refuse,
    switchModel: refuse,
  };
}

function sessionFor({ present, show }: ContextParts): ExtensionSession {
  const now = (): PresentSession["session"] => present().session;
  return {
    get id() {
      return now().id;
    },
    get file() {
      return present().journal.path;
    },
    get title() {
      return now().journal.title?.title;
    },
    get leafId() {
      return now().journal.leaf;
    },
    get contextTokens() {
      return now().contextTokens;
    },
    get cost() {
      return now().usage.cost;
    },
    messages: () => {
      const { messages, entryIds } = now().journal.context;
      return messages.map((message, i) => ({ id: entryIds[i] ?? "", role: message.role, text: textOf(message) }));
    },
    sendMessage: (text, { deliverAs = "steer" } = {}) =>
      runAsLathe(() => {
        const session = now();
        const source = { kind: "host" } as const;
        if (session.state === "processing" && deliverAs === "steer") session.steer(text, source);
        else if (session.state === "processing") session.followUp(text, source);
        else void session.submit(text).catch((error: Error) => session.warn(error.message, "extension_message"));
      }),
    appendEntry: (kind, data) => runAsLathe(() => void now().appendCustom(kind, (data ?? null) as JsonValue)),
    appendMessage: (kind, text) =>
      runAsLathe(() => {
        now().appendCustomMessage(kind, String(text));
        show(kind, String(text));
      }),
    entries: (kind) => [...now().customEntries(kind)].map(({ data }) => data),
  };
}
