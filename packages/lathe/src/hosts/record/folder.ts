// The folder of a recording, next to the agent package's log: how the session was set up, the session it continued, and
// the final journals of it and its agents. It never contains a credential.

import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Rule } from "@lathe/agent/policy";
import type { Settings } from "../../config/settings/schema.ts";
import type { SessionRequest } from "../../conversation/session-contract.ts";
import { usageError } from "../../platform/usage/exit.ts";
import type { RunResult } from "../headless/result.ts";
import type { PublicOptions } from "./public-options.ts";

const FORMAT = 1;

/** Everything that shapes a session and is not in the log. */
export interface RecordedSession extends Omit<SessionRequest, "opened" | "overrides" | "adapter" | "person" | "tape"> {
  readonly format: typeof FORMAT;
  readonly version: string;
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly settings: Settings;
  readonly rules: readonly Rule[];
  /** Absent for a session in memory. */
  readonly header?: { readonly id?: string; readonly runId?: string; readonly runDigest?: string };
  readonly connection: PublicOptions;
  readonly credential: "key" | "bearer" | "none";
}

export interface RecordedEnd {
  readonly status: RunResult["status"];
  readonly exitCode: number;
  /** The hash of the journal. */
  readonly sha256: string;
  /** Variables that the provider read; secrets are replaced. */
  readonly env: Readonly<Record<string, string>>;
}

const FILES = { session: "session.json", end: "end.json", journal: "journal.jsonl" };

export const newSession = (session: Omit<RecordedSession, "format" | "version">): RecordedSession => ({
  format: FORMAT,
  version: LATHE_VERSION,
  ...session,
});

export class RecordFolder {
  readonly path: string;
  constructor(path: string) {
    this.path = path;
  }

  /** A recording is never overwritten. */
  create(): void {
    try {
      mkdirSync(this.path, { recursive: true, mode: 0o700 });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw usageError(`--record: ${this.path} cannot be created (${code}). Choose a writable folder.`);
    }
    if (readdirSync(this.path).length > 0)
      throw usageError(`--record: ${this.path} is not empty. Choose a new folder.`);
  }

  get before(): string {
    return join(this.path, "before");
  }
  get blobs(): string {
    return join(this.path, "blobs");
  }

  writeSession(session: RecordedSession): void {
    writeFileSync(join(this.path, FILES.session), JSON.stringify(session, null, 2), { mode: 0o600 });
  }

  /** Saves the session as it was before the run: its file, the files next to it, and the blobs it names. */
  saveBefore(path: string, beside: string | undefined, blobs: string): void {
    mkdirSync(this.before);
    const text = readFileSync(path);
    writeFileSync(join(this.before, "session.jsonl"), text, { mode: 0o600 });
    if (beside !== undefined && existsSync(beside)) cpSync(beside, join(this.before, "session"), { recursive: true });
    mkdirSync(this.blobs);
    for (const [hash] of text.toString("latin1").matchAll(/\b[0-9a-f]{64}\b/g)) {
      if (existsSync(join(blobs, hash))) cpSync(join(blobs, hash), join(this.blobs, hash));
    }
  }

  /** Saves the journals of child agents, which are next to the session's own. */
  saveAgents(beside: string): void {
    for (const [name, journal] of agentJournals(beside)) {
      mkdirSync(this.#agents, { recursive: true });
      writeFileSync(join(this.#agents, name), journal, { mode: 0o600 });
    }
  }

  writeEnd(journal: Uint8Array, end: Omit<RecordedEnd, "sha256">): void {
    writeFileSync(join(this.path, FILES.journal), journal, { mode: 0o600 });
    const whole: RecordedEnd = { ...end, sha256: sha256(journal) };
    writeFileSync(join(this.path, FILES.end), JSON.stringify(whole, null, 2), { mode: 0o600 });
  }

  read(): {
    readonly session: RecordedSession;
    readonly end: RecordedEnd;
    readonly journal: Buffer;
    readonly agents: ReadonlyMap<string, Buffer>;
  } {
    const session = this.#json(FILES.session) as RecordedSession;
    if (session.format !== FORMAT) {
      throw usageError(
        `${this.path} was recorded in format ${session.format}. Replay it with lathe ${session.version}.`,
      );
    }
    return {
      session,
      end: this.#json(FILES.end) as RecordedEnd,
      journal: readFileSync(join(this.path, FILES.journal)),
      agents: agentJournals(this.#agents),
    };
  }

  get #agents(): string {
    return join(this.path, "agents");
  }

  #json(name: string): unknown {
    try {
      return JSON.parse(readFileSync(join(this.path, name), "utf8"));
    } catch (error) {
      const why = name === FILES.end ? "the recorded run did not end" : (error as Error).message;
      throw usageError(`${this.path} is not a complete recording: ${why}. Record again with: lathe --record <dir>`);
    }
  }
}

/** The journals by file name. */
export function agentJournals(folder: string): Map<string, Buffer> {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".jsonl")) : [];
  return new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
}

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
