// Sessions on disk that a server may open: those of folders below its roots.

import { hostname } from "node:os";
import { isAbsolute } from "node:path";
import { lockHolder, readHead } from "@lathe/agent/record";
import type { Workspace } from "../../../config/workspace/workspace.ts";
import { sessionFiles } from "../../../sessions/files.ts";
import { idOf } from "../../../sessions/find.ts";
import { findAmong, type PickableSession, pickableSessions } from "../../../sessions/picker.ts";
import type { Roots } from "./roots.ts";

export interface SavedSession {
  readonly id: string;
  readonly path: string;
  readonly cwd: string;
}

/** The form of an id; anything else could be a path. */
const ID = /^[A-Za-z0-9][\w-]{0,127}$/;

export class SavedSessions {
  readonly #workspace: () => Promise<Workspace>;
  readonly #roots: Roots;

  constructor(workspace: () => Promise<Workspace>, roots: Roots) {
    this.#workspace = workspace;
    this.#roots = roots;
  }

  /** Newest first. */
  async list(search = ""): Promise<readonly PickableSession[]> {
    const workspace = await this.#workspace();
    const served = pickableSessions(workspace, { all: true }).filter(({ cwd }) => this.#roots.serves(cwd));
    return search.trim() === "" ? served : findAmong(workspace, served, search);
  }

  async find(id: string): Promise<SavedSession | undefined> {
    if (!ID.test(id)) return undefined;
    const { paths } = await this.#workspace();
    const file = sessionFiles(paths.sessions).find(({ path }) => idOf(path) === id);
    return file && this.at(file.path);
  }

  /** Whether a running process has the session open. */
  async isHeld(id: string): Promise<boolean> {
    const saved = await this.find(id);
    return saved !== undefined && lockHolder(`${saved.path}.lock`, { host: hostname() })?.dead === false;
  }

  /** The session in this file; undefined if there is none, or it is not served here. */
  at(path: string): SavedSession | undefined {
    // A relative path would mean another file to the process of the session.
    if (!isAbsolute(path)) return undefined;
    const header = readHead(path)?.header;
    return header && this.#roots.serves(header.cwd) ? { id: header.id, path, cwd: header.cwd } : undefined;
  }
}
