// `local://<name>`: texts that a session and its children exchange. Stored next to the journal if the session has a
// file, otherwise in memory. Each is written completely or not at all.

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import type { SchemeResolver } from "../../contract/seams/schemes.ts";
import { ToolFailure } from "../../contract/tool.ts";
import { LOCAL_FOLDER } from "../../record/artifacts/file-artifacts.ts";
import { splitSelector } from "../target/selector.ts";

const MOST_BYTES = 16 << 20;

/** `folder`: the session's folder, queried with every use; undefined for a session without a file. */
export function localAddresses(folder: () => string | undefined, random: () => number): SchemeResolver {
  const memory = inMemory();
  const present = (): Store => {
    const found = folder();
    return found === undefined ? memory : inFolder(join(found, LOCAL_FOLDER), random);
  };
  return {
    hasSelectors: true,
    read: async (url) => {
      const store = present();
      const bytes = store.read(nameOf(url));
      if (bytes) return { bytes, mediaType: "text/plain" };
      const names = store.names();
      throw new ToolFailure(
        `${url} does not exist. ${names.length === 0 ? "Nothing was written to local:// yet." : `There are ${names.map((name) => `local://${name}`).join(", ")}.`}`,
      );
    },
    write: async (url, content) => {
      const bytes = typeof content === "string" ? Buffer.from(content) : content;
      if (bytes.length > MOST_BYTES)
        throw new ToolFailure(`${url} may have at most ${MOST_BYTES} bytes. Nothing was written.`);
      const name = nameOf(url);
      // Reading such a name would select lines of another text.
      if (splitSelector(name))
        throw new ToolFailure(`${url} ends like a line selector. Choose another name. Nothing was written.`);
      present().write(name, bytes);
    },
    list: async () =>
      present()
        .names()
        .map((name) => ({ url: `local://${name}` })),
  };
}

interface Store {
  read(name: string): Uint8Array | undefined;
  write(name: string, bytes: Uint8Array): void;
  names(): string[];
}

function nameOf(url: string): string {
  const name = url.slice("local://".length);
  const parts = name.split("/");
  if (
    name === "" ||
    parts.some((part) => part === "" || part === "." || part === "..") ||
    /[\u0000-\u001f\\]/.test(name)
  ) {
    throw new ToolFailure(`A local address is local://<name>, such as local://notes.md; got ${url}.`);
  }
  return name;
}

function inMemory(): Store {
  const texts = new Map<string, Uint8Array>();
  return {
    read: (name) => texts.get(name),
    write: (name, bytes) => void texts.set(name, bytes),
    names: () => [...texts.keys()].sort(),
  };
}

function inFolder(folder: string, random: () => number): Store {
  return {
    read: (name) => orNothing(() => readFileSync(join(folder, name))),
    write: (name, bytes) => {
      const file = join(folder, name);
      const temp = `${file}.${random().toString(36).slice(2)}.tmp`;
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        writeFileSync(temp, bytes, { mode: 0o600, flag: "wx" });
        renameSync(temp, file);
      } catch (error) {
        rmSync(temp, { force: true });
        throw new ToolFailure(
          `local://${name} could not be written: ${(error as Error).message}. Nothing was written.`,
        );
      }
    },
    names: () =>
      (orNothing(() => readdirSync(folder, { recursive: true, withFileTypes: true })) ?? [])
        .filter((entry) => entry.isFile() && !entry.name.endsWith(".tmp"))
        .map((entry) => posix.relative(folder, join(entry.parentPath, entry.name)))
        .sort(),
  };
}

function orNothing<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "EISDIR" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
