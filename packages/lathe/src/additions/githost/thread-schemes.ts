// The addresses `issue://` and `pr://`. Without a token they read what is public.

import { ToolFailure } from "@lathe/agent";
import type { Access, CallScope, SchemeContent, SchemeResolver } from "@lathe/agent/contract";
import type { HostPlaces, HostScope } from "./host-places.ts";
import type { RepoRef } from "./hosts.ts";
import { diffText, listThreads, pageOf, readDiff, readThread } from "./read-threads.ts";
import { parseThreadAddress, type ThreadAddress } from "./thread-address.ts";
import type { CachedText, ThreadCache } from "./thread-cache.ts";
import { fingerprintOf } from "./tokens.ts";

export interface ThreadParts {
  readonly places: HostPlaces;
  /** Without a cache, every read sends a request to the host. */
  readonly cache: ThreadCache | undefined;
  /** Fires when the session ends: a refresh may outlive its call. */
  readonly ended: AbortSignal;
}

export function threadResolver(parts: ThreadParts): Required<Pick<SchemeResolver, "read" | "readAccess">> {
  return {
    readAccess: (url, scope) => readAccess(parts, url, scope),
    read: (url, _signal, _part, scope) => {
      if (!scope) throw new ToolFailure(`${url} can only be read by a tool call.`);
      return read(parts, url, scope);
    },
  };
}

async function repoOf({ places }: ThreadParts, { repo }: ThreadAddress, scope: HostScope): Promise<RepoRef> {
  return places.repoOf(await places.at(scope), repo);
}

async function readAccess(parts: ThreadParts, url: string, scope: CallScope): Promise<readonly Access[]> {
  const place = await parts.places.at(scope);
  const address = parseThreadAddress(url);
  const repo = parts.places.repoOf(place, address.repo);
  const { host } = repo;
  const isChosen = await parts.places.isChosen(host, place, scope);
  if (!isChosen) return [{ kind: "network", host: host.name }];
  // Links in a thread count as shown only if the thread's page may be read.
  const page = pageOf(repo, address.scheme, address.kind === "list" ? undefined : address.number);
  return [{ kind: "network", host: host.name, url: page, chosen: true }];
}

async function read(parts: ThreadParts, url: string, scope: HostScope): Promise<SchemeContent> {
  const address = parseThreadAddress(url);
  const repo = await repoOf(parts, address, scope);
  if (address.kind === "list") {
    const api = await parts.places.api(repo.host, scope);
    return contentOf({
      text: await listThreads(api, repo, address.scheme, address.filter),
      page: pageOf(repo, address.scheme),
    });
  }
  const { page, text } = await cachedText(parts, repo, address, scope);
  return contentOf({ page, text: address.kind === "diff" ? diffText(text, address) : text });
}

const contentOf = ({ text, page }: Pick<CachedText, "text" | "page">): SchemeContent => ({
  bytes: Buffer.from(text),
  mediaType: "text/markdown",
  page,
});

/** All parts of a diff share one cache entry. */
async function cachedText(
  { places, cache, ended }: ThreadParts,
  repo: RepoRef,
  address: Exclude<ThreadAddress, { kind: "list" }>,
  scope: HostScope,
): Promise<CachedText> {
  const load = async (signal: AbortSignal): Promise<CachedText> => {
    const api = await places.api(repo.host, scope, signal);
    return address.kind === "diff" ? readDiff(api, repo, address.number) : readThread(api, repo, address);
  };
  if (!cache) return load(scope.signal);
  const form = address.kind === "diff" ? "diff" : address.comments ? "thread" : "thread without comments";
  const key = `${repo.host.name}/${repo.path.toLowerCase()} ${address.scheme} ${address.number} ${form}`;
  const owner = fingerprintOf(await places.token(repo.host, scope));
  return cache.get(key, owner, { first: () => load(scope.signal), again: () => load(ended) });
}
