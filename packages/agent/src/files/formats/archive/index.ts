// Archives that can be read, searched and edited inside: zip, tar and compressed tar (T-READ-5, T-WRITE-2, G-84).

import { gzip } from "node:zlib";
import { type CallScope, ToolFailure } from "../../../contract/tool.ts";
import { DocumentError, documentText } from "../../edit/document.ts";
import {
  ArchiveError,
  byName,
  limits,
  type Member,
  memberNamed,
  refuseUnwritable,
} from "../../parser/tasks/archive/members.ts";
import type { Format, FormatContent, FormatEntry, FormatFile, PartCodec, ReadRequest } from "../../target/format.ts";
import { imageType } from "../../target/images.ts";
import { type Selector, splitSelector } from "../../target/selector.ts";
import { gunzipApart, inflateApart } from "./in-parser.ts";
import { readName, writtenName } from "./inner-path.ts";
import { listing } from "./listing.ts";
import { isGzip, isZip, type OpenArchive, openTarFile, openTgzFile, openZipFile } from "./open-archive.ts";
import { openTar, replaceInTar, tarContent } from "./tar-write.ts";
import { memberContent, memberRange } from "./zip-member.ts";
import { openZip, replaceInZip } from "./zip-write.ts";

export const zipFormat: Format = {
  ...archive("zip", /\.zip$/i, openZipFile),
  recognises: (head) => head.length === 0 || isZip(head),
  parts: codec({
    extract: async (file, inner, scope) => {
      const zip = openZip(file);
      refuseUnwritable(zip.members, inner);
      const member = memberNamed(zip.members, inner)?.member;
      if (!member) return undefined;
      const { start, end } = memberRange(member);
      const inflate = (bytes: Uint8Array, most: number) => inflateApart({ bytes, most }, scope);
      return memberContent(zip.file.subarray(start, end), member, inflate);
    },
    replace: async (file, parts) => replaceInZip(file, parts),
  }),
};

export const tarFormat: Format = {
  ...archive("tar", /\.tar$/i, openTarFile),
  parts: codec({
    extract: async (file, inner) => tarMember(file, inner),
    replace: async (file, parts) => replaceInTar(file, parts),
  }),
};

export const tgzFormat: Format = {
  ...archive("tgz", /\.(?:tar\.gz|tgz)$/i, openTgzFile),
  recognises: (head) => head.length === 0 || isGzip(head),
  parts: codec({
    extract: async (file, inner, scope) => tarMember(await tarOf(file, scope), inner),
    replace: async (file, parts, scope) => gzipBytes(replaceInTar(await tarOf(file, scope), parts)),
  }),
};

function archive(name: string, fileName: RegExp, open: (file: FormatFile) => Promise<OpenArchive>): Format {
  return {
    name,
    claims: (candidate) => fileName.test(candidate),
    separators: [":"],
    read: (file, request) => explainRead(file.path, async () => read(file, await open(file), request)),
    list: (file) => explainRead(file.path, async () => entries(file, await open(file))),
  };
}

async function read(file: FormatFile, opened: OpenArchive, { inner }: ReadRequest): Promise<FormatContent> {
  const found = await readAt(file, opened, inner);
  if (found) return found;
  const selected = splitSelector(`:${inner}`) ?? splitSelector(inner);
  const bare = selected && (await readAt(file, opened, selected.path.replace(/^:/, ""), selected.selector()));
  if (bare) return bare;
  const last = inner.split("/").at(-1);
  const near = opened.members
    .flatMap(({ name }) => (name !== undefined && name.split("/").at(-1) === last ? [name] : []))
    .slice(0, 3);
  throw new ToolFailure(
    near.length > 0
      ? `${file.path} has no member ${inner}. Did you mean ${near.join(" or ")}?`
      : `${file.path} has no member ${inner}. Read ${file.path} to list its members.`,
  );
}

async function readAt(
  file: FormatFile,
  opened: OpenArchive,
  inner: string,
  selector?: Selector,
): Promise<FormatContent | undefined> {
  const name = readName(inner, file.path);
  const known = memberNamed(opened.members, name);
  if (known && known.member.kind !== "directory") return memberShown(file, opened, known, selector);
  const lines = listing(opened.members, name);
  return lines === undefined ? undefined : { kind: "shown", text: lines };
}

async function memberShown(
  file: FormatFile,
  opened: OpenArchive,
  { member, copies }: { readonly member: Member; readonly copies: number },
  selector: Selector | undefined,
): Promise<FormatContent> {
  const path = `${file.path}:${member.name}`;
  if (member.kind === "other") return { kind: "shown", text: `[${path} is not a regular file]` };
  if (member.kind === "link") {
    const target = member.linkTarget ?? Buffer.from(await opened.content(member)).toString("utf8");
    return { kind: "shown", text: `[${path} is a link to ${target}; links in archives are not followed]` };
  }
  const bytes = await opened.content(member);
  const notes =
    copies > 1
      ? [`${file.path} has ${copies} members named ${member.name}; this is the last one, which extraction would keep.`]
      : [];
  const mediaType = imageType(bytes);
  if (mediaType !== undefined) return { kind: "image", bytes, mediaType, notes };
  const text = decodeText(bytes);
  if (text === undefined) {
    return {
      kind: "shown",
      text: `[${path} is not text: ${bytes.length} bytes. Extract it in the shell to look at it.]`,
    };
  }
  return { kind: "text", text, inner: member.name as string, selector, isEditable: copies === 1, notes };
}

function entries(file: FormatFile, opened: OpenArchive): FormatEntry[] {
  return [...byName(opened.members).values()].flatMap(({ member }) =>
    member.kind === "file"
      ? [
          {
            inner: member.name as string,
            size: member.size,
            text: () =>
              explainRead(`${file.path}:${member.name}`, async () => decodeText(await opened.content(member))),
          },
        ]
      : [],
  );
}

function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return documentText(bytes);
  } catch (error) {
    if (error instanceof DocumentError) return undefined;
    throw error;
  }
}

function codec(work: Omit<PartCodec, "normalise">): PartCodec {
  const explainWrite = <T>(part: () => Promise<T>) =>
    explainFailure((why) => `The archive cannot be written: ${why}. Nothing was written.`, part);
  return {
    normalise: writtenName,
    extract: (file, inner, scope) => explainWrite(() => work.extract(file, inner, scope)),
    replace: (file, parts, scope) => explainWrite(() => work.replace(file, parts, scope)),
  };
}

function tarMember(bytes: Uint8Array | undefined, inner: string): Uint8Array | undefined {
  const { file, members } = openTar(bytes);
  refuseUnwritable(members, inner);
  const member = memberNamed(members, inner)?.member;
  return member && tarContent(file, member);
}

async function tarOf(file: Uint8Array | undefined, scope: CallScope): Promise<Uint8Array | undefined> {
  if (!file || file.length === 0) return undefined;
  return gunzipApart({ bytes: file, most: limits.writtenInflatedBytes }, scope);
}

function gzipBytes(bytes: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => gzip(bytes, (error, result) => (error ? reject(error) : resolve(result))));
}

const explainRead = <T>(path: string, work: () => Promise<T>): Promise<T> =>
  explainFailure((why) => `${path} cannot be read: ${why}.`, work);

async function explainFailure<T>(line: (why: string) => string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ArchiveError) throw new ToolFailure(line(error.message));
    throw error;
  }
}
