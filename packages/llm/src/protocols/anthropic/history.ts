// The history of a request as wire messages, and the options that it rules out. Shared by the vendors that use
// Anthropic's model of a conversation.

import { foldMessages } from "../../conversation.ts";
import { makeSegment } from "../../segments.ts";
import type { Segment } from "../../types/adapter.ts";
import type { CacheControl } from "../../types/message.ts";
import type { EncodeInput } from "../../types/protocol.ts";
import type { Warning } from "../../types/response.ts";
import type { BodyPart } from "../common/body.ts";
import { JoinedTexts } from "../common/joined.ts";
import type { Block, BlockDialect, EncodedMessage } from "./blocks.ts";
import { encodeMessage } from "./blocks.ts";
import type { ThinkingInput } from "./effort.ts";
import type { WireGroup } from "./groups.ts";
import { groupBlocks, groupText, inUnthinkingToolRound } from "./groups.ts";

/** The block of a list that an automatic cache breakpoint closes. */
export interface Marked {
  readonly block: number;
  readonly control: CacheControl;
}

/** Renders the blocks' JSON with the caller's breakpoints and the given one. */
export type RenderBlocks = (blocks: readonly Block[], marked?: Marked) => string[];

export class History {
  /** Blocks of system and developer messages, wherever they were. */
  readonly system: Block[] = [];
  readonly groups: WireGroup[] = [];
  /** Breakpoints that the caller placed in messages. */
  readonly markers: CacheControl[] = [];
  readonly warnings: Warning[] = [];
  hasToolBlocks = false;
  readonly calledTools = new Set<string>();
  readonly #render: RenderBlocks;
  readonly #systemSegments: Segment[] = [];
  readonly #segments: Segment[] = [];
  /** The first groups, whose breakpoints no longer change. */
  #settled = { count: 0, texts: new JoinedTexts() };

  constructor(render: RenderBlocks) {
    this.#render = render;
  }

  addSystem(message: EncodedMessage): void {
    this.system.push(...message.rest);
    this.warnings.push(...message.warnings);
    this.#systemSegments.push(message.segment);
  }

  add(message: EncodedMessage): void {
    this.warnings.push(...message.warnings);
    this.markers.push(...message.markers);
    this.#segments.push(message.segment);
    this.hasToolBlocks ||= message.hasToolBlocks;
    for (const name of message.calledTools) this.calledTools.add(name);
    if (message.joined === "") return;
    const last = this.groups.at(-1);
    if (last?.role !== message.role) {
      this.groups.push({ role: message.role, members: [message] });
      return;
    }
    last.members.push(message);
    if (this.#settled.count === this.groups.length) this.#unsettle();
  }

  segments(tools: Segment | undefined): readonly Segment[] {
    return (tools === undefined ? [] : [tools]).concat(this.#systemSegments, this.#segments);
  }

  /** All wire messages as parts; joined by commas they make up the list. */
  wire(marked: ReadonlyMap<number, Marked>): BodyPart[] {
    const open = Math.max(0, Math.min(this.groups.length - 1, ...marked.keys()));
    if (this.#settled.count > open) this.#unsettle();
    const settled = this.#settled;
    for (; settled.count < open; settled.count += 1) settled.texts.push(this.#wireGroup(this.groups[settled.count]!));
    const rest = this.groups.slice(open).map((group, index) => this.#wireGroup(group, marked.get(open + index)));
    return [...settled.texts.parts, ...rest];
  }

  #unsettle(): void {
    this.#settled = { count: 0, texts: new JoinedTexts() };
  }

  #wireGroup(group: WireGroup, marked?: Marked): string {
    const plain = marked === undefined && group.members.every((member) => member.markers.length === 0);
    const content = plain ? groupText(group) : this.#render(groupBlocks(group), marked).join(",");
    return `{"role":"${group.role}","content":[${content}]}`;
  }
}

export function encodeHistory(
  input: EncodeInput,
  protocol: string,
  dialect: BlockDialect,
  render: RenderBlocks,
): History {
  const { request, provider, segments } = input;
  const foreignThinkingAsText = request.providerOptions?.[provider]?.["foreign_thinking"] === "text";
  const context = { provider, model: request.model, foreignThinkingAsText, dialect };
  const variant = `${protocol} ${provider} ${request.model} ${foreignThinkingAsText}`;
  const start = () => new History(render);
  return foldMessages(input, `${variant} history`, start, (history, message) => {
    const isSystem = message.role === "system" || message.role === "developer";
    const encoded = segments.get(message, variant, () => {
      const made = encodeMessage(message, context);
      return isSystem ? { ...made, segment: makeSegment("system", made.joined) } : made;
    });
    if (isSystem) history.addSystem(encoded);
    else history.add(encoded);
  });
}

/** Why this request cannot use thinking, if so. */
export function thinkingRefusal(
  request: EncodeInput["request"],
  groups: readonly WireGroup[],
): ThinkingInput["refusal"] {
  const mode = request.toolChoice?.mode;
  if (mode === "required" || mode === "named") {
    return { reason: "a forced tool call excludes thinking", budgetOnly: false };
  }
  if (!inUnthinkingToolRound(groups)) return undefined;
  return { reason: "the running tool round began without thinking", budgetOnly: true };
}
