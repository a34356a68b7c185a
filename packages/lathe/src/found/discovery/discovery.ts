// Everything that the providers find for one place, by kind: first the highest priority; of items with the same name the first takes
// effect and the others are shadowed. Each kind is looked for when it is first asked for, and again when its files have changed.

import { messageOf } from "@lathe/llm";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { Look, type Provider } from "./look.ts";
import { piProblem } from "./pi-extensions.ts";
import { type Place, placeOf } from "./place.ts";
import { PROVIDERS } from "./providers/index.ts";
import { Reader } from "./reader.ts";
import { DISABLED, untrustedReason } from "./trusted-items.ts";
import type { Discovered, DiscoveryWarning, Found, HookValue, ItemKind, ItemValues, ModuleValue } from "./types.ts";

export interface DiscoveryOptions {
  readonly place: Place;
  readonly providers?: readonly Provider[];
  /** Ids of providers that are not asked. */
  readonly disabledProviders?: readonly string[];
  /** `skill:review`, `mcp-server:github`, …: found, and ignored. */
  readonly disabledItems?: readonly string[];
  /** Absent: files are looked at again whenever a kind is asked for. */
  readonly now?: () => number;
}

/** A start asks for most kinds two or three times, which must not look at every file as often. Later requests always do. */
const START_MS = 50;

/** When the prompt is rendered: a start gains nothing there, and the next session must see what has changed. */
const ASKED_ONCE: ReadonlySet<ItemKind> = new Set(["system-prompt", "context-file", "instruction"]);

interface Cached {
  readonly files: Reader;
  /** Until then it is taken as unchanged. */
  freshUntil: number;
  readonly found: Promise<Discovered<unknown>>;
}

/** Of these the project's come first, whichever agent's they are. */
const PROJECT_FIRST: ReadonlySet<ItemKind> = new Set(["system-prompt"]);
/** Each of these changes what another one of its name says. */
const MERGED: ReadonlySet<ItemKind> = new Set(["lsp-server"]);
/** All of these take effect, whatever they are called. */
const WITHOUT_KEY: ReadonlySet<ItemKind> = new Set(["settings", "context-file"]);

export class Discovery {
  readonly place: Place;
  readonly #providers: readonly Provider[];
  #disabledProviders: ReadonlySet<string>;
  #disabledItems: ReadonlySet<string>;
  readonly #cache = new Map<ItemKind, Cached>();
  readonly #now: (() => number) | undefined;

  constructor({ place, providers = PROVIDERS, disabledProviders = [], disabledItems = [], now }: DiscoveryOptions) {
    this.place = place;
    this.#now = now;
    // Sorting is stable: among equals the one that is listed first.
    this.#providers = [...providers].sort((a, b) => b.priority - a.priority);
    this.#disabledProviders = new Set(disabledProviders);
    this.#disabledItems = new Set(disabledItems);
  }

  /** Every provider, by priority, and whether it is asked. */
  get providers(): readonly (Pick<Provider, "id" | "name" | "priority"> & { readonly isEnabled: boolean })[] {
    return this.#providers.map(({ id, name, priority }) => ({
      id,
      name,
      priority,
      isEnabled: !this.#disabledProviders.has(id),
    }));
  }

  async of<K extends ItemKind>(kind: K): Promise<Discovered<ItemValues[K]>> {
    const known = this.#cache.get(kind);
    const now = this.#now?.() ?? 0;
    if (known && (now < known.freshUntil || !known.files.isStale))
      return known.found as Promise<Discovered<ItemValues[K]>>;
    const files = known?.files ?? new Reader();
    files.begin();
    const found = this.#look(kind, files);
    const isAskedAgain = this.#now !== undefined && !known && !ASKED_ONCE.has(kind);
    this.#cache.set(kind, { files, found, freshUntil: isAskedAgain ? now + START_MS : 0 });
    return found;
  }

  /** Takes effect when a kind is next asked for. */
  setDisabled({
    providers,
    items,
  }: {
    readonly providers?: readonly string[];
    readonly items?: readonly string[];
  }): void {
    if (providers) this.#disabledProviders = new Set(providers);
    if (items) this.#disabledItems = new Set(items);
    this.forget();
  }

  /** Another session begins: files may have changed since the last one did. */
  begin(): void {
    for (const cached of this.#cache.values()) cached.freshUntil = 0;
  }

  /** Everything is looked for again. */
  forget(): void {
    this.#cache.clear();
  }

  async #look<K extends ItemKind>(kind: K, files: Reader): Promise<Discovered<ItemValues[K]>> {
    const looks = await Promise.all(
      this.#providers
        .filter(({ id }) => !this.#disabledProviders.has(id))
        .flatMap((provider) => {
          const load = provider.loaders[kind] as ((look: Look<K>) => void | Promise<void>) | undefined;
          return load ? [{ provider, load }] : [];
        })
        .map(({ provider, load }) => this.#ask(provider, load, new Look(provider, kind, this.place, files))),
    );
    const found = looks.flatMap(({ items }) => items) as Found<ItemValues[K]>[];
    if (PROJECT_FIRST.has(kind)) found.sort((a, b) => rankOf(a) - rankOf(b));
    const all = this.#judgeItems(found, files);
    return {
      all,
      active: all.filter(({ shadowedBy, ignored }) => shadowedBy === undefined && ignored === undefined),
      warnings: looks.flatMap(({ warnings }) => warnings),
    };
  }

  /** One provider that fails must not take the others with it. */
  async #ask<K extends ItemKind>(
    provider: Provider,
    load: (look: Look<K>) => void | Promise<void>,
    look: Look<K>,
  ): Promise<{ readonly items: readonly Found[]; readonly warnings: readonly DiscoveryWarning[] }> {
    try {
      await load(look);
    } catch (error) {
      look.warn(provider.name, `its files could not be read: ${messageOf(error)}`);
    }
    return look;
  }

  #judgeItems<T>(items: readonly Found<T>[], reader: Reader): Found<T>[] {
    const winners = new Map<string, Found<T>>();
    const files = new Set<string>();
    return items.map((item) => {
      const { kind, name, source } = item;
      const ignored = this.#ignoredReason(item, reader);
      if (ignored !== undefined) return { ...item, ignored };
      if (WITHOUT_KEY.has(kind)) {
        // One file that two agents name.
        if (files.has(source.path)) return { ...item, ignored: "the same file is read already" };
        files.add(source.path);
        return item;
      }
      if (MERGED.has(kind)) return item;
      const winner = winners.get(name);
      if (winner) return { ...item, shadowedBy: winner.source };
      winners.set(name, item);
      return item;
    });
  }

  #ignoredReason(item: Found, reader: Reader): string | undefined {
    if (this.#disabledItems.has(`${item.kind}:${item.name}`)) return DISABLED;
    if (item.kind === "unsupported") return `not supported; ${(item.value as ItemValues["unsupported"]).reason}`;
    return untrustedReason(item, this.place, reader) ?? problemOf(item, reader);
  }
}

const CODE_FILE = /\.[cm]?[jt]s$/;

/** Why it can never run, as far as its text shows. */
function problemOf({ kind, value }: Found, reader: Reader): string | undefined {
  if (kind === "hook") return (value as HookValue).problem;
  if (kind === "tool" && !CODE_FILE.test((value as ModuleValue).entry)) return "a tool is a .ts or .js file";
  if (kind !== "extension") return undefined;
  try {
    return piProblem(reader.text((value as ModuleValue).entry) ?? "");
  } catch {
    return undefined; // What is wrong with the file is said when it is loaded.
  }
}

const rankOf = ({ source }: Found): number => (source.level === "project" ? 0 : 1);

/** A workspace whose files can be looked for. */
export interface DiscoveredWorkspace extends Workspace {
  /** One for all copies of the workspace. */
  readonly discovery: () => Promise<Discovery>;
}

/** Nothing is looked for before it is asked. */
export function discoveryFor(workspace: Workspace): Discovery {
  const { settings } = workspace;
  return new Discovery({
    place: placeOf(workspace),
    disabledProviders: settings["discovery.disabledProviders"],
    disabledItems: settings["discovery.disabledItems"],
    now: workspace.machine.deps.now,
  });
}
