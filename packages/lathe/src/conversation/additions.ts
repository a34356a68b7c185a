// What a session has besides what is built in: skills, rules, hooks, servers, extensions. Each part of the product that brings
// something makes one addition for a session; the list of these parts is in src/additions/list.ts.

import type { Middleware, SchemeResolver, ToolProvider } from "@lathe/agent";
import { messageOf } from "@lathe/llm";
import type { Workspace } from "../config/workspace/workspace.ts";
import { isAnythingHere } from "../found/discovery/agent-places.ts";
import { placeOf } from "../found/discovery/place.ts";
import type { ItemKind } from "../found/discovery/types.ts";
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
  /** There are other commands now than when they were asked for; set by whoever asks. */
  onCommands?: () => void;
  /** The session is the present one; nothing runs in it yet. Is not waited for. */
  opened?(open: OpenSession, arrival: Arrival): void | Promise<void>;
  /** Reads its files again, for `/reload`. */
  reload?(): Promise<void>;
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
    const entries = request.additions ?? [];
    const warnings: string[] = [];
    const present = await presentKinds(workspace, entries, warnings);
    const made = await Promise.all(
      entries.map(async (entry) => {
        try {
          if (!isWanted(entry, present, workspace, request)) return [];
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

  /** Called when an addition has other commands than before. */
  set onCommands(changed: () => void) {
    for (const addition of this.#made) addition.onCommands = changed;
  }

  opened(open: OpenSession, arrival: Arrival): void {
    this.#open = open;
    for (const warning of this.#warnings.splice(0)) this.#warn(warning);
    for (const addition of this.#made) void this.#guarded(addition, async () => addition.opened?.(open, arrival));
  }

  async reload(): Promise<void> {
    await Promise.all(this.#made.map((addition) => this.#guarded(addition, async () => addition.reload?.())));
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

function isWanted(
  { kinds, isNeeded }: AdditionEntry,
  present: ReadonlySet<ItemKind>,
  workspace: Workspace,
  request: SessionRequest,
): boolean {
  if (kinds === undefined && isNeeded === undefined) return true;
  return (kinds?.some((kind) => present.has(kind)) ?? false) || (isNeeded?.(workspace, request) ?? false);
}

/** Of the kinds that the parts ask for, those with items here. What is wrong with the files is said once for all parts. */
async function presentKinds(
  workspace: Workspace,
  entries: readonly AdditionEntry[],
  warnings: string[],
): Promise<ReadonlySet<ItemKind>> {
  const kinds = [...new Set(entries.flatMap(({ kinds: wanted = [] }) => wanted))];
  if (kinds.length === 0 || !isAnythingHere(placeOf(workspace))) return new Set();
  const { discoveryOf } = await import("../found/discovery/discovery.ts");
  const { refusedLine } = await import("../found/discovery/refused-line.ts");
  const { warningLine } = await import("../found/discovery/warning-line.ts");
  const discovery = discoveryOf(workspace);
  discovery.begin();
  const found = await Promise.all(kinds.map((kind) => discovery.of(kind)));
  const all = found.flatMap((one) => one.all);
  const refused = refusedLine(all, discovery.place);
  warnings.push(...new Set(found.flatMap((one) => one.warnings).map(warningLine)));
  if (refused !== undefined) warnings.push(refused);
  return new Set(all.map(({ kind }) => kind));
}
