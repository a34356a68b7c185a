// What a session has besides what is built in: skills, rules, hooks, servers, extensions. Each part of the product that brings
// something makes one addition for a session; the list of these parts is in src/additions/list.ts.

import type { Middleware, SchemeResolver, ToolProvider } from "@lathe/agent";
import { messageOf } from "@lathe/llm";
import { discoveryOf } from "../discovery/discovery.ts";
import type { ItemKind } from "../discovery/types.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { SlashCommand } from "./commands/command.ts";
import type { OpenSession, SessionRequest } from "./open-session.ts";
import type { Arrival } from "./parts.ts";

/** A section of the system prompt. */
export interface SystemPart {
  /** As `/context` shows it. */
  readonly name: string;
  readonly text: string;
  /** Is sent even when a SYSTEM.md replaces the prompt that it would be part of. */
  readonly stays?: boolean;
}

/** Texts of the user's that replace or end the prompt. */
export interface PromptTexts {
  readonly custom?: string | undefined;
  readonly appended?: string | undefined;
}

export interface SessionAddition {
  /** As warnings name it. */
  readonly name: string;
  readonly middleware?: readonly Middleware[];
  readonly toolProviders?: readonly ToolProvider[];
  /** By scheme, without `://`. */
  readonly schemes?: Readonly<Record<string, SchemeResolver>>;
  /** Read when the prompt is rendered: before the first request, and again only by `/reload` or for another model. Nothing volatile. */
  systemParts?(prompt: PromptTexts): readonly SystemPart[] | Promise<readonly SystemPart[]>;
  /** Commands for people, besides the built-in ones. */
  commands?(): Promise<readonly SlashCommand[]>;
  /** The session is the present one; nothing runs in it yet. Is not waited for. */
  opened?(open: OpenSession, arrival: Arrival): void | Promise<void>;
  /** The session is about to end; it still answers. */
  closing?(): Promise<void>;
  /** After the session has ended. */
  close?(): Promise<void>;
}

/** Undefined: there is nothing of this part here. Children share what their parent has. */
export type AdditionMaker = (workspace: Workspace, request: SessionRequest) => Promise<SessionAddition | undefined>;

export interface AdditionEntry {
  readonly name: string;
  /** The part is loaded only when an item of one of these kinds was found, or `isNeeded` says so. Absent: always. */
  readonly kinds?: readonly ItemKind[];
  isNeeded?(workspace: Workspace, request: SessionRequest): boolean;
  load(): Promise<AdditionMaker>;
}

export class Additions {
  readonly #made: readonly SessionAddition[];
  /** What went wrong before there was a session to say it. */
  readonly #warnings: string[];
  #open: OpenSession | undefined;

  private constructor(made: readonly SessionAddition[], warnings: string[]) {
    this.#made = made;
    this.#warnings = warnings;
  }

  /** A part that fails is one warning; the others work. */
  static async make(workspace: Workspace, request: SessionRequest): Promise<Additions> {
    const warnings: string[] = [];
    const made = await Promise.all(
      (request.additions ?? []).map(async (entry) => {
        try {
          if (!(await isWanted(entry, workspace, request))) return [];
          const addition = await (await entry.load())(workspace, request);
          return addition ? [addition] : [];
        } catch (error) {
          warnings.push(`${entry.name}: ${messageOf(error)}`);
          return [];
        }
      }),
    );
    return new Additions(made.flat(), warnings);
  }

  get middleware(): readonly Middleware[] {
    return this.#made.flatMap(({ middleware = [] }) => middleware);
  }
  get toolProviders(): readonly ToolProvider[] {
    return this.#made.flatMap(({ toolProviders = [] }) => toolProviders);
  }
  get schemes(): Readonly<Record<string, SchemeResolver>> {
    return Object.assign({}, ...this.#made.map(({ schemes = {} }) => schemes)) as Record<string, SchemeResolver>;
  }

  async systemParts(prompt: PromptTexts): Promise<readonly SystemPart[]> {
    const lists = this.#made.map((addition) => this.#guarded(addition, async () => addition.systemParts?.(prompt)));
    const parts = (await Promise.all(lists)).flatMap((list) => list ?? []);
    return parts.filter(({ text, stays = false }) => text !== "" && (stays || prompt.custom === undefined));
  }

  async commands(): Promise<readonly SlashCommand[]> {
    const lists = this.#made.map((addition) => this.#guarded(addition, async () => addition.commands?.()));
    return (await Promise.all(lists)).flatMap((list) => list ?? []);
  }

  opened(open: OpenSession, arrival: Arrival): void {
    this.#open = open;
    for (const warning of this.#warnings.splice(0)) this.#warn(warning);
    for (const addition of this.#made) void this.#guarded(addition, async () => addition.opened?.(open, arrival));
  }

  async closing(): Promise<void> {
    await Promise.all(this.#made.map((addition) => this.#guarded(addition, async () => addition.closing?.())));
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#made.map(async (addition) => addition.close?.()));
  }

  /** One that fails is named; the others go on. */
  async #guarded<T>({ name }: SessionAddition, work: () => Promise<T>): Promise<T | undefined> {
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

async function isWanted(entry: AdditionEntry, workspace: Workspace, request: SessionRequest): Promise<boolean> {
  if (entry.isNeeded?.(workspace, request)) return true;
  if (entry.kinds === undefined) return entry.isNeeded === undefined;
  const discovery = discoveryOf(workspace);
  const found = await Promise.all(entry.kinds.map((kind) => discovery.of(kind)));
  return found.some(({ all }) => all.length > 0);
}
