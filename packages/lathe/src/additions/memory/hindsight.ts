// Memory on the user's own server with Hindsight's HTTP API, which stores, finds and summarizes by itself.

import { ToolFailure } from "@lathe/agent/contract";
import type { Redactor } from "@lathe/agent/policy";
import type { ClientDeps } from "@lathe/llm";
import { messageOf, parseJson } from "@lathe/llm";
import { Checker, listOf, openObject, optional, orNull, text } from "@lathe/llm/schema";
import type { Settings } from "../../config/settings/schema.ts";
import { answerText } from "../../platform/machine/answer-text.ts";
import { type EditRequest, type MemoryBackend, NONE_FOUND, NOTHING_TO_REFLECT, type RetainRequest } from "./backend.ts";
import type { FileDigests } from "./file-digests.ts";
import { hintText } from "./hint.ts";
import { cleanText, minuteOf, type RestsOn, type Scoping } from "./memory.ts";
import type { NoteJudge } from "./note-judge.ts";
import { countOf } from "./words.ts";

export interface HindsightParts {
  readonly address: string;
  /** Sent as a bearer token. */
  readonly token: string | undefined;
  /** One bank for all projects, or one per project. */
  readonly bank: string;
  /** Identify the project in a bank that holds several. */
  readonly tags: readonly string[];
  readonly budget: string;
  readonly maxTokens: number;
  readonly types: readonly string[];
  readonly missions: { readonly reflect: string; readonly retain: string };
  /** Banks whose missions this process has already sent. */
  readonly told: Set<string>;
  readonly fetch: ClientDeps["fetch"];
  readonly now: () => number;
  readonly digests: FileDigests;
  readonly judge: NoteJudge;
  readonly redactor: Redactor;
}

const hits = new Checker<{ readonly results: readonly Hit[] }>(
  openObject({
    results: listOf(
      openObject({
        text: text(),
        type: optional(orNull(text())),
        mentioned_at: optional(orNull(text())),
        metadata: optional(orNull(openObject({ files: optional(orNull(text())) }))),
      }),
    ),
  }),
);
interface Hit {
  readonly text: string;
  readonly type?: string | null;
  readonly mentioned_at?: string | null;
  readonly metadata?: { readonly files?: string | null } | null;
}
const reflection = new Checker<{ readonly text: string }>(openObject({ text: text() }));
const restsOn = new Checker<readonly RestsOn[]>(listOf(openObject({ path: text(), digest: text() })));

const MOST_BYTES = 1 << 20;
const MOST_TOLD = 10_000;
/**
 * Bytes per token beyond which a server's answer is cut; a token has about four bytes, and there is markup around it.
 */
const TOKEN_BYTES = 6;

/** The bank, and the tags that narrow it to this project. `project`: the folder's name. */
export function bankOf(scoping: Scoping, bank: string, project: string): Pick<HindsightParts, "bank" | "tags"> {
  if (scoping === "per-project") return { bank: `${bank}-${project}`, tags: [] };
  return { bank, tags: scoping === "global" ? [] : [`project:${project}`] };
}

export const hindsightSettings = (settings: Settings) => ({
  budget: settings["hindsight.recallBudget"],
  maxTokens: settings["hindsight.recallMaxTokens"],
  types: settings["hindsight.recallTypes"],
  missions: { reflect: settings["hindsight.reflectMission"], retain: settings["hindsight.retainMission"] },
});

export class Hindsight implements MemoryBackend {
  readonly #parts: HindsightParts;

  constructor(parts: HindsightParts) {
    this.#parts = parts;
  }

  async recall(query: string, signal: AbortSignal): Promise<string> {
    const { fresh, withheld } = await this.#find(query, signal);
    const about =
      withheld === 0 ? "" : `\n\n${countOf(withheld, "memory", "memories")} withheld: files they rest on have changed.`;
    if (fresh.length === 0) return `${NONE_FOUND}${about}`;
    const lines = this.#withinLimit(fresh.map(bulletOf));
    const found = countOf(lines.length, "relevant memory", "relevant memories");
    return `Found ${found} (as of ${minuteOf(this.#parts.now())}):\n\n${lines.join("\n")}${about}`;
  }

  /** The hint for a new session that begins with this query; "" if there is none. */
  async hint(query: string, mostTokens: number, signal: AbortSignal): Promise<string> {
    const { fresh, withheld } = await this.#find(query, signal);
    return hintText(
      fresh.map(({ text: what }) => `- ${what}`),
      withheld,
      mostTokens,
    );
  }

  #withinLimit(lines: readonly string[]): readonly string[] {
    let room = this.#parts.maxTokens * TOKEN_BYTES;
    const end = lines.findIndex((line) => {
      room -= Buffer.byteLength(line);
      return room < 0;
    });
    return end < 0 ? lines : lines.slice(0, Math.max(1, end));
  }

  async #find(
    query: string,
    signal: AbortSignal,
  ): Promise<{ readonly fresh: readonly Hit[]; readonly withheld: number }> {
    const { budget, maxTokens, types, digests, redactor } = this.#parts;
    const body = { query, budget, max_tokens: maxTokens, types, ...this.#filter() };
    const answer = await this.#send("POST", "/memories/recall", body, signal);
    if (!hits.fits(answer)) throw new ToolFailure(`The memory server answered without results: ${this.#parts.address}`);
    const stale = await Promise.all(
      answer.results.map(async (hit) => (await digests.changedFiles(filesOf(hit))).length > 0),
    );
    const fresh = answer.results
      .filter((_hit, i) => !stale[i])
      .map((hit) => ({ ...hit, text: redactor.redactForSharing(cleanText(hit.text)) }));
    return { fresh, withheld: answer.results.length - fresh.length };
  }

  async reflect(query: string, context: string, signal: AbortSignal): Promise<string> {
    await this.#tellMissions(signal);
    const focus = context.trim() === "" ? {} : { context: context.trim() };
    const body = { query, ...focus, budget: this.#parts.budget, ...this.#filter() };
    const answer = await this.#send("POST", "/reflect", body, signal);
    if (!reflection.fits(answer))
      throw new ToolFailure(`The memory server answered without text: ${this.#parts.address}`);
    const said = answer.text.split("\n").map(cleanText).join("\n").trim();
    return this.#parts.redactor.redactForSharing(said) || NOTHING_TO_REFLECT;
  }

  async retain(what: RetainRequest, signal: AbortSignal): Promise<string> {
    const { judge, tags } = this.#parts;
    const { text: content, files, session, entry, remarks } = await judge.fit(what.text, what.files);
    const metadata = { session, entry, ...(files.length === 0 ? {} : { files: JSON.stringify(files) }) };
    const tagged = tags.length > 0 && !what.isShared ? { tags } : {};
    await this.#tellMissions(signal);
    await this.#send("POST", "/memories", { items: [{ content, metadata, ...tagged }] }, signal);
    return ["Retained.", ...remarks].join(" ");
  }

  async edit({ id }: EditRequest): Promise<string> {
    throw new ToolFailure(
      `The memory server cannot change single memories, so ${id} stays as it is. Retain a corrected one.`,
    );
  }

  #filter(): object {
    const { tags } = this.#parts;
    return tags.length === 0 ? {} : { tags, tags_match: "any" };
  }

  /** Sent once per bank. A server that refuses this works without it. */
  async #tellMissions(signal: AbortSignal): Promise<void> {
    const { bank, missions, told } = this.#parts;
    if (told.has(bank) || told.size >= MOST_TOLD || (missions.reflect === "" && missions.retain === "")) return;
    told.add(bank);
    const body = {
      ...(missions.reflect === "" ? {} : { reflect_mission: missions.reflect }),
      ...(missions.retain === "" ? {} : { retain_mission: missions.retain }),
    };
    await this.#send("PUT", "", body, signal).catch(() => signal.throwIfAborted());
  }

  async #send(method: "POST" | "PUT", path: string, body: object, signal: AbortSignal): Promise<unknown> {
    const { address, token, bank, fetch } = this.#parts;
    const url = `${address.replace(/\/+$/, "")}/v1/default/banks/${encodeURIComponent(bank)}${path}`;
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const headers = { "content-type": "application/json", ...authorization };
    try {
      const response = await fetch({ url, method, headers, body: [JSON.stringify(body)], signal });
      const said = await answerText(response.body, MOST_BYTES);
      if (response.status < 200 || response.status > 299) throw new Error(`it answered ${response.status}`);
      return parseJson(said);
    } catch (error) {
      signal.throwIfAborted();
      throw new ToolFailure(`The memory server ${address} cannot be used: ${messageOf(error)}.`);
    }
  }
}

function filesOf({ metadata }: Hit): readonly RestsOn[] {
  const files = metadata?.files ? parseJson(metadata.files) : undefined;
  return restsOn.fits(files) ? files : [];
}

const bulletOf = ({ text: what, type, mentioned_at: at }: Hit): string =>
  `- ${what}${type ? ` [${cleanText(type)}]` : ""}${at ? ` (${cleanText(at)})` : ""}`;
