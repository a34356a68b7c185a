// The part before the history in every request: system prompt, environment block and tool list. Rendered once, kept in
// the journal and sent again from there, also by a later process; only a stated reason renders it again.

import { Message, parseJson, type ToolDefinition } from "@lathe/llm";
import { anyObject, Checker, listOf, openObject, text } from "@lathe/llm/schema";
import type { BlobStore } from "../../base/blobs/store.ts";
import type { PrefixReason } from "../../contract/events/types.ts";
import type { PromptPart } from "../../contract/prompt-part.ts";
import type { ToolChange } from "../../contract/registry/session-tools.ts";
import type { Journal } from "../../record/journal/journal.ts";
import { isShallow, MOST_NESTING } from "../../record/journal/nesting.ts";
import { charactersOfTools } from "../message-size.ts";

/** The part before the conversation in every request. */
export interface PrefixTexts {
  readonly systemPrompt: string;
  readonly environment: string;
  readonly tools: readonly ToolDefinition[];
  /** The source of each part of the system prompt; absent if it was not recorded. */
  readonly promptParts?: readonly PromptPart[] | undefined;
}

export class SessionPrefix {
  readonly #journal: Journal;
  #texts: PrefixTexts | undefined;
  #head: readonly Message[] = [];
  #characters = 0;
  #unrecorded: PrefixReason | "first" | undefined;

  constructor(journal: Journal) {
    this.#journal = journal;
    const line = journal.prefix;
    if (!line) return;
    const systemPrompt = readText(journal.blobs, line.systemPrompt);
    const environment = readText(journal.blobs, line.environment);
    const tools = toolsIn(readText(journal.blobs, line.tools));
    // A blob is lost: we render again, and the guard reports the change.
    if (systemPrompt === undefined || environment === undefined || tools === undefined) return;
    this.#use({ systemPrompt, environment, tools, promptParts: line.promptParts });
  }

  get ready(): boolean {
    return this.#texts !== undefined;
  }
  get texts(): PrefixTexts | undefined {
    return this.#texts;
  }
  /** System message and environment block; the same objects in every request. */
  get head(): readonly Message[] {
    return this.#head;
  }
  get tools(): readonly ToolDefinition[] {
    return this.#texts?.tools ?? [];
  }
  /** Size of all of it, for estimates. */
  get characters(): number {
    return this.#characters;
  }

  /**
   * `first`: nothing was sent before. `record` journals that prefix later, when the request is out: until an answer
   * comes, no other prefix can break anything, and the caller waits for the request.
   */
  set(texts: PrefixTexts, reason: PrefixReason | "first"): void {
    this.#use(texts);
    // A tool that is added or removed before the first request changes nothing that was sent.
    if (this.#unrecorded === "first") return;
    this.#unrecorded = reason;
    if (reason !== "first") this.record();
  }

  /** Journals the prefix that was set, unless that has been done. */
  record(): void {
    const texts = this.#texts;
    const reason = this.#unrecorded;
    if (!texts || !reason) return;
    const journal = this.#journal;
    journal.write({
      type: "prefix",
      systemPrompt: journal.putText(texts.systemPrompt),
      environment: journal.putText(texts.environment),
      tools: journal.putText(JSON.stringify(texts.tools)),
      reason,
      ...(texts.promptParts === undefined ? {} : { promptParts: texts.promptParts }),
    });
    this.#unrecorded = undefined;
  }

  /** Applies added and removed tools to the list as sent. Returns false if the model already has the same list. */
  changeTools(change: ToolChange): boolean {
    if (!this.#texts) return false;
    const sent = new Map(this.#texts.tools.map((tool) => [tool.name, tool]));
    let changed = false;
    for (const name of change.removed) changed = sent.delete(name) || changed;
    for (const definition of change.added) {
      const known = sent.get(definition.name);
      if (known && JSON.stringify(known) === JSON.stringify(definition)) continue;
      sent.set(definition.name, definition);
      changed = true;
    }
    if (changed) this.set({ ...this.#texts, tools: [...sent.values()] }, "tools");
    return changed;
  }

  #use(texts: PrefixTexts): void {
    const isSame = texts.systemPrompt !== "" && this.#texts?.systemPrompt === texts.systemPrompt;
    this.#head = headOf(texts, isSame ? this.#head[0] : undefined);
    this.#texts = texts;
    this.#characters = texts.systemPrompt.length + texts.environment.length + charactersOfTools(texts.tools);
  }
}

/** `system`: the message that already contains the prompt. */
export function headOf({ systemPrompt, environment }: PrefixTexts, system?: Message): readonly Message[] {
  const head: Message[] = [];
  if (systemPrompt !== "") head.push(system ?? Message.system(systemPrompt));
  if (environment !== "") head.push(Message.user(environment));
  return head;
}

function readText(blobs: BlobStore, hash: string): string | undefined {
  const bytes = blobs.get(hash);
  return bytes && Buffer.from(bytes).toString("utf8");
}

const TOOLS = new Checker(listOf(openObject({ name: text(), description: text(), parameters: anyObject() })));

/** Undefined for JSON that no session wrote. */
function toolsIn(json: string | undefined): ToolDefinition[] | undefined {
  const parsed: unknown = json === undefined ? undefined : parseJson(json);
  return parsed !== undefined && isShallow(parsed, MOST_NESTING) && TOOLS.fits(parsed)
    ? (parsed as ToolDefinition[])
    : undefined;
}
