// Everything the providers find for one place, by kind, highest priority first. Of items with the same name the first
// takes effect and shadows the others. A kind is searched for on first use, and again when its files have changed.

import { messageOf } from "@lathe/llm";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { piProblem } from "./pi-extensions.ts";
import { type Place, placeOf } from "./place.ts";
import { PROVIDERS } from "./providers/index.ts";
import { Reader } from "./reader.ts";
import { type Provider, Search } from "./search.ts";
import { DISABLED, untrustedReason } from "./trusted-items.ts";
import type { Discovered, DiscoveryWarning, Found, HookValue, ItemKind, ItemValues, ModuleValue } from "./types.ts";

export interface DiscoveryOptions {
  readonly place: Place;
  readonly providers?: readonly Provider[];
  /** Ids of providers that are not used. */
  readonly disabledProviders?: readonly string[];
  /** `skill:review`, `mcp-server:github` and so on: found, but ignored. */
  readonly disabledItems?: readonly string[];
  /** Without a clock, files are checked again on every request. */
  readonly now?: () => number;
}

/**
 * A start requests most kinds two or three times, and need not check every file each time. Later requests always do.
 */
const START_MS = 50;

/**
 * These are requested when the prompt is rendered. Caching would not speed up the start, and the next session must see
 * what has changed.
 */
const ASKED_ONCE: ReadonlySet<ItemKind> = new Set(["system-prompt", "context-file", "instruction"]);

interface Cached {
  readonly files: Reader;
  /** The result counts as unchanged until then. */
  freshUntil: number;
  readonly found: Promise<Discovered<unknown>>;
}

/** For these kinds the project's items come first, whichever agent they belong to. */
const PROJECT_FIRST: ReadonlySet<ItemKind> = new Set(["system-prompt"]);
/** Items of these kinds with the same name add to each other. */
const MERGED: ReadonlySet<ItemKind> = new Set(["lsp-server"]);
/** All items of these kinds take effect, whatever their names. */
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
    // Sorting is stable: among equals, the provider listed first wins.
    this.#providers = [...providers].sort((a, b) => b.priority - a.priority);
    this.#disabledProviders = new Set(disabledProviders);
    this.#disabledItems = new Set(disabledItems);
  }

  /** Every provider by priority, and whether it is enabled. */
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
    const found = this.#search(kind, files);
    const isAskedAgain = this.#now !== undefined && !known && !ASKED_ONCE.has(kind);
    this.#cache.set(kind, { files, found, freshUntil: isAskedAgain ? now + START_MS : 0 });
    return found;
  }

  /** Takes effect when a kind is next requested. */
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

  /** Called when another session starts: files may have changed since the last one. */
  begin(): void {
    for (const cached of this.#cache.values()) cached.freshUntil = 0;
  }

  /** Forgets everything, so that it is searched for again. */
  forget(): void {
    this.#cache.clear();
  }

  async #search<K extends ItemKind>(kind: K, files: Reader): Promise<Discovered<ItemValues[K]>> {
    const searches = await Promise.all(
      this.#providers
        .filter(({ id }) => !this.#disabledProviders.has(id))
        .flatMap((provider) => {
          const load = provider.loaders[kind] as ((search: Search<K>) => void | Promise<void>) | undefined;
          return load ? [{ provider, load }] : [];
        })
        .map(({ provider, load }) => this.#load(provider, load, new Search(provider, kind, this.place, files))),
    );
    const found = searches.flatMap(({ items }) => items) as Found<ItemValues[K]>[];
    if (PROJECT_FIRST.has(kind)) found.sort((a, b) => rankOf(a) - rankOf(b));
    const all = this.#judgeItems(found, files);
    return {
      all,
      active: all.filter(({ shadowedBy, ignored }) => shadowedBy === undefined && ignored === undefined),
      warnings: searches.flatMap(({ warnings }) => warnings),
    };
  }

  /** A failing provider must not affect the others. */
  async #load<K extends ItemKind>(
    provider: Provider,
    load: (search: Search<K>) => void | Promise<void>,
    search: Search<K>,
  ): Promise<{ readonly items: readonly Found[]; readonly warnings: readonly DiscoveryWarning[] }> {
    try {
      await load(search);
    } catch (error) {
      search.warn(provider.name, `its files could not be read: ${messageOf(error)}`);
    }
    return search;
  }

  #judgeItems<T>(items: readonly Found<T>[], reader: Reader): Found<T>[] {
    const winners = new Map<string, Found<T>>();
    const files = new Set<string>();
    return items.map((item) => {
      const { kind, name, source } = item;
      const ignored = this.#ignoredReason(item, reader);
      if (ignored !== undefined) return { ...item, ignored };
      if (WITHOUT_KEY.has(kind)) {
        // Two agents name the same file.
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

/** Why the item can never run, as far as its text shows. */
function problemOf({ kind, value }: Found, reader: Reader): string | undefined {
  if (kind === "hook") return (value as HookValue).problem;
  if (kind === "tool" && !CODE_FILE.test((value as ModuleValue).entry)) return "a tool is a .ts or .js file";
  if (kind !== "extension") return undefined;
  try {
    return piProblem(reader.text((value as ModuleValue).entry) ?? "");
  } catch {
    return undefined; // Loading the file will report what is wrong with it.
  }
}

const rankOf = ({ source }: Found): number => (source.level === "project" ? 0 : 1);

/** A workspace with access to its discovered files. */
export interface DiscoveredWorkspace extends Workspace {
  /** One instance for all copies of the workspace. */
  readonly discovery: () => Promise<Discovery>;
}

/** Nothing is searched for until it is requested. */
export function discoveryFor(workspace: Workspace): Discovery {
  const { settings } = workspace;
  return new Discovery({
    place: placeOf(workspace),
    disabledProviders: settings["discovery.disabledProviders"],
    disabledItems: settings["discovery.disabledItems"],
    now: workspace.machine.deps.now,
  });
}
