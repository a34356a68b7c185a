// Joins all parts of a session into one: options for the loop, and the parts' hooks in order.

import type { Middleware, Session, SessionEvent, SessionOptions, ToolProvider } from "@lathe/agent";
import type { SchemeResolver } from "@lathe/agent/contract";
import { messageOf } from "@lathe/llm";
import type {
  Arrival,
  GoalKeeper,
  OpenParts,
  OpenSession,
  PartCommand,
  PromptTexts,
  SessionPart,
  SystemPart,
} from "../session-contract.ts";

/** The additions, and warnings from before the session was made. */
export interface MadeAdditions {
  readonly parts: readonly SessionPart[];
  readonly warnings: readonly string[];
}

export class JoinedParts implements OpenParts {
  readonly services: NonNullable<SessionOptions["services"]>;
  readonly schemes: Readonly<Record<string, SchemeResolver>>;
  readonly subagents: NonNullable<SessionOptions["subagents"]>;
  readonly around: NonNullable<SessionPart["around"]>;
  readonly #builtIn: readonly SessionPart[];
  readonly #added: readonly SessionPart[];
  readonly #all: readonly SessionPart[];
  readonly #listening: readonly SessionPart[];
  readonly #warnings: string[];
  #open: OpenSession | undefined;

  /** Throws when two parts claim one slot. */
  constructor(builtIn: readonly SessionPart[], added: MadeAdditions) {
    this.#builtIn = builtIn;
    this.#added = added.parts;
    this.#all = [...builtIn, ...added.parts];
    this.#listening = this.#all.filter(({ onEvent }) => onEvent !== undefined);
    this.#warnings = [...added.warnings];
    this.services = claimSlots(this.#all, "the service", ({ services }) => services);
    this.schemes = claimSlots(this.#all, "the scheme", ({ schemes }) => schemes);
    this.subagents = claimSlots(this.#all, "the option of agents", ({ subagents }) => subagents);
    this.around = claimSlots(this.#all, "the slot", ({ around }) => around);
  }

  get middleware(): readonly Middleware[] {
    return this.#all.flatMap(({ middleware = [] }) => middleware);
  }
  /** Providers of additions come first, so that their position among the tools depends on no built-in part. */
  get toolProviders(): readonly ToolProvider[] {
    return [...this.#added, ...this.#builtIn].flatMap(({ toolProviders = [] }) => toolProviders);
  }

  get goals(): GoalKeeper | undefined {
    return this.#all.find(({ goals }) => goals !== undefined)?.goals;
  }

  onEvent(event: SessionEvent): void {
    for (const part of this.#listening) part.onEvent?.(event);
  }

  async systemParts(prompt: PromptTexts): Promise<readonly SystemPart[]> {
    const asked = this.#all.filter((part) => part.systemParts !== undefined);
    const lists = asked.map((part) => this.#guard(part, async () => part.systemParts?.(prompt)));
    const parts = (await Promise.all(lists)).flatMap((list) => list ?? []);
    return parts.filter(({ text, stays = false }) => text !== "" && (stays || prompt.custom === undefined));
  }

  async firstTurn(): Promise<string> {
    const texts = this.#all.map((part) => (part.firstTurn ? this.#guard(part, async () => part.firstTurn?.()) : ""));
    return (await Promise.all(texts)).filter((text) => text !== undefined && text !== "").join("\n\n");
  }

  async commands(wanted?: string): Promise<readonly PartCommand[]> {
    const lists = this.#all.map((part) => this.#guard(part, async () => part.commands?.(wanted)));
    return (await Promise.all(lists)).flatMap((list) => list ?? []);
  }

  set onCommands(changed: (() => void) | undefined) {
    for (const part of this.#all) part.onCommands = changed;
  }

  async recover(): Promise<void> {
    for (const part of this.#all) if (part.recover) await part.recover();
  }

  async ready(session: Session): Promise<void> {
    for (const part of this.#all) if (part.ready) await part.ready(session);
  }

  opened(open: OpenSession, arrival: Arrival): void {
    this.#open = open;
    for (const warning of this.#warnings.splice(0)) this.#warn(warning);
    for (const part of this.#all) if (part.opened) void this.#guard(part, async () => part.opened?.(open, arrival));
  }

  async reload(): Promise<void> {
    await Promise.all(this.#all.map((part) => this.#guard(part, async () => part.reload?.())));
  }

  async closing(): Promise<void> {
    await Promise.all(this.#all.map((part) => this.#guard(part, async () => part.closing?.())));
  }

  close(): Promise<void> {
    return closeParts(this.#all);
  }

  /** A part that fails becomes a warning with its name; the others continue. */
  async #guard<T>({ name }: SessionPart, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#warn(`${name}: ${messageOf(error)}`);
      return undefined;
    }
  }

  #warn(message: string): void {
    if (this.#open) this.#open.session.warn(message, "addition");
    else this.#warnings.push(message);
  }
}

export async function closeParts(parts: readonly SessionPart[]): Promise<void> {
  await Promise.allSettled(parts.map(async (part) => part.close?.()));
}

/** Each slot has one owner: a second one would silently replace the first. */
function claimSlots<T extends object>(
  parts: readonly SessionPart[],
  what: string,
  slotsOf: (part: SessionPart) => T | undefined,
): T {
  const owners = new Map<string, string>();
  const all: Record<string, unknown> = {};
  for (const part of parts) {
    const slots = slotsOf(part);
    if (slots === undefined) continue; // Most parts have no slots, and every start checks them all.
    for (const [slot, value] of Object.entries(slots)) {
      const owner = owners.get(slot);
      if (owner !== undefined)
        throw new Error(`Two parts of the session claim ${what} ${slot}: ${owner} and ${part.name}.`);
      owners.set(slot, part.name);
      all[slot] = value;
    }
  }
  return all as T;
}
