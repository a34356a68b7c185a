// Prepares media before encoding: local files become bytes, bytes get a type, sizes and formats are checked. A message
// is resolved once; later calls return the same object, so that its encoding stays cached and its bytes stay fixed.

import { foldMessages } from "../conversation.ts";
import { createSegmentCache } from "../segments.ts";
import type { ClientDeps } from "../types/adapter.ts";
import { InvalidRequestError } from "../types/errors.ts";
import type { ContentPart, DocumentData, ImageData, MediaData, Message } from "../types/message.ts";
import { own } from "../types/own.ts";
import type { MediaRules } from "../types/protocol.ts";
import { readDataUrl } from "./base64.ts";
import { checkRoles } from "./roles.ts";
import {
  COMMON_IMAGE_TYPES,
  DEFAULT_MAX_IMAGE_BYTES,
  DEFAULT_TYPES,
  type MediaKind,
  MIME_BY_EXTENSION,
  MISSPELT_TYPES,
} from "./types.ts";

export interface MediaContext {
  readonly provider: string;
  readonly rules: MediaRules | undefined;
  readonly deps: Pick<ClientDeps, "readFile" | "readMedia" | "homeDir">;
}

export interface ResolvedMessages {
  readonly messages: readonly Message[];
  /** True if the conversation's next request only appends to the list. */
  readonly growing: boolean;
  /** True if it contains all given messages. */
  readonly complete: boolean;
}

interface Known {
  messages: Message[];
  /** Positions of messages whose media have not been checked yet. */
  unread: number[];
}

export class MessageResolver {
  readonly #context: MediaContext;
  readonly #resolved = new WeakMap<Message, Message>();
  readonly #conversations = createSegmentCache();

  constructor(context: MediaContext) {
    this.#context = context;
  }

  /** Synchronous if nothing has to be read. */
  resolve(conversation: readonly Message[]): ResolvedMessages | Promise<ResolvedMessages> {
    const { messages, unread } = this.#knownMessages(conversation);
    if (unread.length === 0) return { messages, growing: true, complete: true };
    return this.#afterReading(
      conversation.slice(),
      unread.map((index) => conversation[index] as Message),
    );
  }

  /** The messages that can be known without reading: those before the first with unchecked media. */
  knownMessages(conversation: readonly Message[]): ResolvedMessages {
    const { messages, unread } = this.#knownMessages(conversation);
    if (unread.length === 0) return { messages, growing: true, complete: true };
    return { messages: messages.slice(0, unread[0]), growing: false, complete: false };
  }

  #knownMessages(conversation: readonly Message[]): Known {
    const source = { segments: this.#conversations, request: { messages: conversation } };
    const known = foldMessages<Known>(
      source,
      "resolved",
      () => ({ messages: [], unread: [] }),
      (list, message) => {
        if (!this.#resolved.has(message)) {
          checkRoles(message, this.#context.provider);
          if (message.content.some(hasMedia)) list.unread.push(list.messages.length);
          else this.#resolved.set(message, message);
        }
        list.messages.push(this.#resolved.get(message) ?? message);
      },
    );
    if (known.unread.length > 0) this.#settle(known, conversation);
    return known;
  }

  /** Replaces messages that were listed before they were read, in a copy of the list. */
  #settle(known: Known, conversation: readonly Message[]): void {
    known.messages = known.messages.slice();
    known.unread = known.unread.filter((index) => {
      const resolved = this.#resolved.get(conversation[index] as Message);
      if (resolved !== undefined) known.messages[index] = resolved;
      return resolved === undefined;
    });
  }

  /** Another request may extend the conversation in the meantime, so this one gets its own list. */
  async #afterReading(conversation: readonly Message[], waiting: readonly Message[]): Promise<ResolvedMessages> {
    await Promise.all(waiting.map((message) => this.#read(message)));
    const messages = conversation.map((message) => this.#resolved.get(message) ?? message);
    return { messages, growing: false, complete: true };
  }

  async #read(message: Message): Promise<void> {
    const content = await Promise.all(message.content.map((part) => resolvePart(part, this.#context)));
    const same = content.every((part, index) => part === message.content[index]);
    this.#resolved.set(message, same ? message : { ...message, content });
  }
}

/** True if a part names a file of this machine. */
export function namesFiles(content: readonly ContentPart[]): boolean {
  return content.some((part) => {
    const media = mediaOf(part);
    return media?.url !== undefined && isLocal(media.url);
  });
}

/**
 * Replaces files that parts name by path with their bytes, for callers that keep the content longer than the files may
 * exist.
 */
export async function readFiles(
  content: readonly ContentPart[],
  deps: Pick<ClientDeps, "readFile" | "homeDir">,
): Promise<readonly ContentPart[]> {
  const context: MediaContext = { provider: "local", rules: undefined, deps };
  const load = async <T extends MediaData>(media: T, kind: MediaKind): Promise<T> =>
    media.url !== undefined && isLocal(media.url) ? loadFile(media, media.url, kind, context) : media;
  return Promise.all(
    content.map(async (part): Promise<ContentPart> => {
      if (part.kind === "image") return { ...part, image: await load(part.image, "image") };
      if (part.kind === "audio") return { ...part, audio: await load(part.audio, "audio") };
      if (part.kind === "document") return { ...part, document: await load(part.document, "document") };
      return part;
    }),
  );
}

function mediaOf(part: ContentPart): MediaData | undefined {
  if (part.kind === "image") return part.image;
  if (part.kind === "audio") return part.audio;
  return part.kind === "document" ? part.document : undefined;
}

function hasMedia(part: ContentPart): boolean {
  if (part.kind === "tool_result") return part.toolResult.images !== undefined;
  return part.kind === "image" || part.kind === "audio" || part.kind === "document";
}

async function resolvePart(part: ContentPart, context: MediaContext): Promise<ContentPart> {
  switch (part.kind) {
    case "image": {
      const image = await resolveMedia<ImageData>(part.image, "image", context);
      return image === part.image ? part : { ...part, image };
    }
    case "audio": {
      const audio = await resolveMedia<MediaData>(part.audio, "audio", context);
      return audio === part.audio ? part : { ...part, audio };
    }
    case "document": {
      const document = await resolveMedia<DocumentData>(part.document, "document", context);
      return document === part.document ? part : { ...part, document };
    }
    case "tool_result": {
      const images = await Promise.all(
        (part.toolResult.images ?? []).map((image) => resolveMedia<ImageData>(image, "image", context)),
      );
      const same = images.every((image, index) => image === part.toolResult.images?.[index]);
      return same ? part : { ...part, toolResult: { ...part.toolResult, images } };
    }
    default:
      return part;
  }
}

async function resolveMedia<T extends MediaData>(media: T, kind: MediaKind, context: MediaContext): Promise<T> {
  if ((media.url === undefined) === (media.data === undefined))
    throw invalid(context, `A ${kind} needs either a url or data, exactly one of the two.`);
  const loaded = await loadMedia(media, kind, context);
  if (loaded.data === undefined) return loaded;
  const claimed = loaded.mediaType ?? DEFAULT_TYPES[kind];
  const mediaType = own(MISSPELT_TYPES, claimed) ?? claimed;
  const typed = loaded.mediaType === mediaType ? loaded : { ...loaded, mediaType };
  if (kind === "image") checkImage(typed, context);
  return typed;
}

function isLocal(url: string): boolean {
  return /^(\/|\.\.?\/|~|[A-Za-z]:[\\/])/.test(url);
}

async function loadMedia<T extends MediaData>(media: T, kind: MediaKind, context: MediaContext): Promise<T> {
  const { url = "" } = media;
  if (isLocal(url)) return loadFile(media, url, kind, context);
  if (!url.startsWith("data:")) return media;
  const content = readDataUrl(url);
  if (content === undefined) throw invalid(context, `The data URL of a ${kind} cannot be read.`);
  return { ...media, ...content, url: undefined };
}

async function loadFile<T extends MediaData>(
  media: T,
  path: string,
  kind: MediaKind,
  context: MediaContext,
): Promise<T> {
  const fullPath = path.startsWith("~") ? context.deps.homeDir + path.slice(1) : path;
  const { readFile, readMedia = readFile } = context.deps;
  const data = await readMedia(fullPath).catch((cause: unknown) => {
    throw invalid(context, `The file ${path} cannot be read.`, undefined, cause);
  });
  const name = path.split(/[/\\]/).at(-1) ?? "";
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  const isText = kind === "document" && isUtf8(data);
  const mediaType = media.mediaType ?? own(MIME_BY_EXTENSION, extension) ?? (isText ? "text/plain" : undefined);
  const named = kind === "document" ? { fileName: (media as DocumentData).fileName ?? name } : {};
  return { ...media, ...named, data, mediaType, url: undefined };
}

/** Source code, logs and the like have too many extensions to list. */
function isUtf8(data: Uint8Array): boolean {
  try {
    return !new TextDecoder("utf-8", { fatal: true }).decode(data).includes("\0");
  } catch {
    return false;
  }
}

function checkImage(image: MediaData, context: MediaContext): void {
  const { rules } = context;
  const types = [...COMMON_IMAGE_TYPES, ...(rules?.extraImageTypes ?? [])];
  if (image.mediaType !== undefined && !types.includes(image.mediaType))
    throw invalid(context, `${context.provider} does not accept ${image.mediaType} images.`, "unsupported_content");
  const limit = rules?.maxImageBytes ?? DEFAULT_MAX_IMAGE_BYTES;
  const bytes = image.data?.length ?? 0;
  const counted = rules?.countsBase64 === true ? Math.ceil(bytes / 3) * 4 : bytes;
  if (counted > limit)
    throw invalid(context, `An image of ${counted} bytes is over the limit of ${limit} for ${context.provider}.`);
}

function invalid(context: MediaContext, message: string, errorCode?: string, cause?: unknown): InvalidRequestError {
  return new InvalidRequestError(message, {
    provider: context.provider,
    ...(errorCode === undefined ? {} : { errorCode }),
    ...(cause === undefined ? {} : { cause }),
  });
}
