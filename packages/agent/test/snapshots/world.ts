// A session with real tools in a real git repository, its snapshots, and a plain record of every file to compare with.

import { execFileSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Request, textOf } from "@lathe/llm";
import { FileBlobs } from "../../src/base/blobs/file-blobs.ts";
import type { ToolDef } from "../../src/contract/tool.ts";
import { type SnapshotOptions, Snapshots } from "../../src/files/snapshots/recorder.ts";
import { Rewinder, type RewindRequest, type RewindResult } from "../../src/files/snapshots/rewind.ts";
import { FileStore } from "../../src/record/journal/file-store.ts";
import { forkJournal } from "../../src/record/journal/fork.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { processStartTime } from "../../src/record/journal/lock.ts";
import type { JournalDeps } from "../../src/record/journal/new-lines.ts";
import { Session } from "../../src/session/session.ts";
import { shellTool } from "../../src/tools/builtin/shell/index.ts";
import { writeFileTool } from "../../src/tools/builtin/write-file/index.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import { type ScriptedCall, ScriptedClient, type ScriptedTurn } from "../support/scripted-client.ts";
import { testDeps, testProfile, tool } from "../support/session.ts";

/** Maps paths below the repository to their content, without `.git`. */
export type Record_ = ReadonlyMap<string, string>;

export function record(root: string, below = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of readdirSync(join(root, below))) {
    if (name === ".git") continue;
    const path = below === "" ? name : `${below}/${name}`;
    const stat = lstatSync(join(root, path));
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isDirectory()) {
      found.set(path, `folder ${mode}`);
      for (const [inner, what] of record(root, path)) found.set(inner, what);
    } else if (stat.isSymbolicLink()) found.set(path, `link ${readlinkSync(join(root, path))}`);
    else found.set(path, `file ${mode} ${readFileSync(join(root, path)).toString("base64")}`);
  }
  return found;
}

export const CHILD_TASK = "help with it";
type Play = ScriptedTurn | ((request: Request) => ScriptedTurn);

export interface WorldOptions {
  readonly limits?: Partial<SnapshotOptions["limits"]>;
  readonly tools?: readonly ToolDef[];
}

export class World {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), "lathe-rewind-")));
  readonly root = join(this.base, "repository");
  /** Programs in here come before those of the system. */
  readonly bin = join(this.base, "bin");
  journalPath = join(this.base, "home/session.jsonl");
  readonly warnings: string[] = [];
  readonly #options: WorldOptions;
  #turns: Play[] = [];
  /** Answers for a child whose task is `CHILD_TASK`. */
  childTurns: Play[] = [];
  session!: Session;
  snapshots!: Snapshots;
  rewinder!: Rewinder;
  journal!: Journal;

  constructor(options: WorldOptions = {}) {
    this.#options = options;
    mkdirSync(this.root, { recursive: true });
    mkdirSync(dirname(this.journalPath), { recursive: true });
    this.git("init", "-q");
    this.write(".gitignore", "ignored/\n*.log\n");
    this.open();
  }

  git(...args: string[]): string {
    return execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
      cwd: this.root,
      encoding: "utf8",
    });
  }

  commit(): void {
    this.git("add", "-A");
    this.git("commit", "-qm", "all");
  }

  write(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), content);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), "utf8");
  }

  record(): Map<string, string> {
    return record(this.root);
  }

  /** Opens the session like a new process would. */
  open(): void {
    const deps = testDeps();
    const blobs = this.#blobs();
    const journalDeps: JournalDeps = { blobs, now: deps.now, newId: idSource(Math.random) };
    this.journal = this.journal
      ? Journal.open(this.#store(), journalDeps)
      : Journal.create({ id: "s", cwd: this.root }, () => this.#store(), journalDeps);
    this.snapshots = new Snapshots({
      journal: this.journal,
      blobs,
      roots: [this.root],
      exclude: [join(this.base, "home")],
      limits: { maxFiles: 30_000, maxFileBytes: 10_000, maxTotalBytes: 1 << 28, ...this.#options.limits },
      cacheFile: join(this.base, "home/cache/stat"),
      writer: "test",
      warn: (message) => this.warnings.push(message),
    });
    const act = tool("act", (args) => this.acts.get(String(args["id"]))!(), { tier: "exec", replay: "never" });
    const look = tool("look", () => "seen");
    this.session = new Session({
      profile: testProfile([shellTool, writeFileTool, act, look, ...(this.#options.tools ?? [])] as ToolDef[]),
      env: new LocalEnvironment({
        cwd: this.root,
        baseEnv: { ...process.env, PATH: `${this.bin}:${process.env["PATH"]}` },
        owner: deps.uuid(),
      }),
      client: new ScriptedClient((request) => {
        const task = request.messages.find(({ role }) => role === "user");
        const turns = task && textOf(task) === CHILD_TASK ? this.childTurns : this.#turns;
        const next = turns.shift() ?? { text: "done" };
        return typeof next === "function" ? next(request) : next;
      }),
      deps,
      journal: this.journal,
      aroundExecute: this.snapshots.aroundExecute,
      middleware: [{ name: "snapshots", beforeRequest: () => this.snapshots.roundEnded() }],
      beforeClose: () => this.snapshots.settle(),
      onEvent: ({ kind }) => {
        if (kind === "processing_end") this.snapshots.roundEnded();
      },
    });
    this.rewinder = new Rewinder(this.session, this.snapshots, blobs);
  }

  #blobs(): FileBlobs {
    return new FileBlobs(join(this.base, "home/blobs"), "test");
  }

  #store(): FileStore {
    const token = String(Math.random());
    const owner = { pid: process.pid, host: "test", startTime: processStartTime(process.pid), token };
    return new FileStore(this.journalPath, { owner, create: true });
  }

  readonly acts = new Map<string, () => Promise<string> | string>();

  /** One input whose rounds make these calls; returns the leaf after it. */
  async turn(
    ...rounds: (readonly ScriptedCall[] | ((request: Request) => readonly ScriptedCall[]))[]
  ): Promise<string> {
    this.#turns = rounds.map((round) =>
      typeof round === "function" ? (request) => ({ calls: round(request) }) : { calls: round },
    );
    const outcome = await this.session.submit("go");
    if (outcome.error) throw new Error(outcome.error.message);
    return this.journal.leaf!;
  }

  shell(command: string): ScriptedCall {
    return { name: "shell", args: { command } };
  }

  /** A call of a host's tool that does not declare what it touches. */
  act(work: () => void): ScriptedCall {
    const id = String(this.acts.size);
    this.acts.set(id, () => {
      work();
      return "acted";
    });
    return { name: "act", args: { id } };
  }

  writeCall(path: string, content: string): ScriptedCall {
    return { name: "write_file", args: { file_path: join(this.root, path), content } };
  }

  rewind(to: string | null, more: Partial<RewindRequest> = {}): Promise<RewindResult> {
    return this.rewinder.rewind({ to, parts: "both", ...more });
  }

  /** Continues in a copy of the closed session. */
  fork(): void {
    const journalDeps: JournalDeps = { blobs: this.#blobs(), now: Date.now, newId: idSource(Math.random) };
    const source = Journal.open(new FileStore(this.journalPath), journalDeps);
    this.journalPath = join(this.base, "home/fork.jsonl");
    const store = this.#store();
    forkJournal(source, { upTo: source.leaf, header: { id: "f", cwd: this.root }, store }, journalDeps);
    void store.close();
    this.open();
  }

  async reopen(): Promise<void> {
    await this.session.close();
    this.open();
  }

  async end(): Promise<void> {
    await this.session.close();
    rmSync(this.base, { recursive: true, force: true });
  }
}
