// Names sessions: once after their first message, without delaying the work, or after an approved plan. A name that the
// user gave always stays.

import type { InputContent, Session } from "@lathe/agent";
import { Message, type ToolDefinition, textOf } from "@lathe/llm";
import type { ModelChoice } from "../../models/models.ts";
import { PRACTICE_PROVIDER } from "../../models/practice/name.ts";
import { checkSessionName } from "../../sessions/session-name.ts";
import { titlePrompt } from "../prompt-files.ts";
import type { SessionWorkspace } from "../session-workspace.ts";
import prompt from "./title.md";
import { cleanTitle, titleOfPlan } from "./title-text.ts";

const TIMEOUT_MS = 30_000;
/** The title is made from this much of the message; the rest rarely says more about the subject. */
const MESSAGE_CHARS = 2_000;
const TOOL = "set_title";

const SET_TITLE: ToolDefinition = {
  name: TOOL,
  description: "Sets the title of the conversation.",
  parameters: {
    type: "object",
    properties: { title: { type: "string", description: "At most six words" } },
    required: ["title"],
    additionalProperties: false,
  },
};

/** The present session, its workspace and its model. */
interface Present {
  readonly session: Session;
  readonly workspace: SessionWorkspace;
  readonly model: ModelChoice;
}

export interface TitleParts {
  readonly onTitle?: (title: string) => void;
}

export class Titles {
  readonly #present: Present;
  readonly #parts: TitleParts;

  constructor(present: Present, parts: TitleParts) {
    this.#present = present;
    this.#parts = parts;
  }

  /** The title of the present session. */
  get current(): string | undefined {
    return this.#present.session.journal.title?.title;
  }

  /** Sets the user's own name for the session. */
  rename(title: string): void {
    const name = checkSessionName(title, "Give the session a name: /name <name>");
    this.#present.session.journal.setTitle(name, "user");
    this.#parts.onTitle?.(name);
  }

  /** Asks a model for a title after the first message. The caller does not wait for it. */
  nameAfter(content: InputContent): void {
    const { session, workspace, model } = this.#present;
    const { settings, env } = workspace;
    const text = typeof content === "string" ? content : textOf({ role: "user", content });
    const isWanted = settings["title.enabled"] && !env["LATHE_NO_TITLE"];
    if (!isWanted || model.provider === PRACTICE_PROVIDER || text.trim() === "" || !isNew(session)) return;
    void askForTitle(session, workspace, text).then((title) => this.#set(session, title));
  }

  nameAfterPlan(session: Session, plan: string): void {
    this.#set(session, titleOfPlan(plan));
  }

  /** A name that the user gave stays. */
  #set(session: Session, title: string): void {
    const { journal, state } = session;
    if (title === "" || state === "closed" || journal.title?.source === "user") return;
    const name = this.#present.workspace.redactor.text(title);
    journal.setTitle(name, "auto");
    if (session === this.#present.session) this.#parts.onTitle?.(name);
  }
}

/** Whether the session has no answers and no title yet. */
const isNew = ({ journal }: Session): boolean =>
  journal.title === undefined && !journal.context.messages.some(({ role }) => role === "assistant");

/** "" if there is none: a session without a name is no failure. */
async function askForTitle(session: Session, workspace: SessionWorkspace, firstMessage: string): Promise<string> {
  const system = (await titlePrompt(workspace)) ?? prompt.trim();
  const answer = await session.beside
    .callModel("title", {
      messages: [Message.system(system), Message.user(firstMessage.slice(0, MESSAGE_CHARS).toWellFormed())],
      tools: [SET_TITLE],
      toolChoice: { mode: "named", toolName: TOOL },
      reasoningEffort: "minimal",
      timeoutMs: TIMEOUT_MS,
    })
    // Without a credential or network, or after the session has ended, lists show the first words instead.
    .catch(() => undefined);
  const args = answer?.calls.find(({ name }) => name === TOOL)?.arguments;
  const title = typeof args === "object" && args !== null ? (args as { title?: unknown }).title : undefined;
  return cleanTitle(typeof title === "string" ? title : (answer?.text ?? "").split("\n")[0]!);
}
