// `--record <dir>`: everything the run takes from outside is recorded as it arrives, so that `lathe replay` can supply
// it again.

import { existsSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import type { InputContent, InputOutcome, Session } from "@lathe/agent";
import type { Surroundings } from "@lathe/agent/context";
import { Recorder } from "@lathe/agent/session";
import type { ClientDeps } from "@lathe/llm";
import { warnOfUnusedHooks } from "../../additions/hooks/index.ts";
import { resolveCredential } from "../../config/credentials/resolve.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";
import type { SessionRequest } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import type { InputVerb, RecordingTape } from "../../conversation/tape.ts";
import { rememberedIn } from "../../found/permissions/remembered.ts";
import { connect, providerOptions } from "../../models/connect.ts";
import { credentialQuery, credentialSources, hasOwnChain } from "../../models/credentials.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { existingJournal, type OpenedJournal } from "../../sessions/journals/journal-files.ts";
import type { RunResult } from "../headless/result.ts";
import { newSession, RecordFolder } from "./folder.ts";
import { inMemoryJournal, journalBytes } from "./journal-bytes.ts";
import { publicOptions, publicValue } from "./public-options.ts";

export class Recording implements RecordingTape {
  /** The workspace for everything that belongs to the session. */
  readonly workspace: SessionWorkspace;
  readonly aroundExecute: Recorder["aroundExecute"];
  readonly aroundAccess: Recorder["aroundAccess"];
  readonly aroundNested: Recorder["aroundNested"];
  readonly #outside: SessionWorkspace;
  readonly #folder: RecordFolder;
  readonly #recorder: Recorder;
  readonly #deps: ClientDeps;
  readonly #env: Record<string, string> = {};
  #journal: OpenedJournal | undefined;

  /** `at` makes a workspace with its own models, whose clock and requests are recorded as well. */
  constructor(workspace: SessionWorkspace, dir: string, at: (workspace: Workspace) => SessionWorkspace) {
    this.#outside = workspace;
    this.#folder = new RecordFolder(resolve(workspace.machine.cwd, dir));
    this.#folder.create();
    this.#recorder = new Recorder(this.#folder.path, workspace.redactor);
    this.aroundExecute = this.#recorder.aroundExecute;
    this.aroundAccess = this.#recorder.aroundAccess;
    this.aroundNested = this.#recorder.aroundNested;
    this.#deps = { ...this.#recorder.deps(workspace.machine.deps), env: this.#noteReads(workspace.env) };
    this.workspace = at({
      ...workspace,
      machine: { ...workspace.machine, deps: this.#deps, credentialDeps: workspace.machine.deps },
      rules: [...workspace.rules, ...rememberedIn(workspace).rules()],
      // Waiting for the disk and websockets cannot be recorded, so neither is used.
      settings: { ...workspace.settings, "journal.sync": "none", "providers.openaiWebsockets": "off" },
    });
  }

  /** Opens the journal; what it already contains becomes part of the recording. */
  async openJournal(open: (workspace: Workspace) => OpenedJournal): Promise<OpenedJournal> {
    const found = open(this.#outside);
    const { path, folder, journal } = found;
    await journal.close();
    if (path === undefined) this.#journal = inMemoryJournal(this.workspace);
    else if (existsSync(path)) {
      this.#folder.saveBefore(path, folder, this.#outside.paths.blobs);
      this.#journal = existingJournal(this.workspace, path);
    } else if (journal.leaf !== null) {
      throw usageError("--record: this session has an older format. Continue it once without --record.");
    } else this.#journal = open(this.workspace);
    return this.#journal;
  }

  /** Returns the same request with a model whose traffic is recorded. */
  async recordRequest(request: SessionRequest): Promise<SessionRequest> {
    // What additions do cannot be recorded, so a recorded run has none.
    const { opened, overrides, adapter: _adapter, person: _person, tape: _tape, additions: _none, ...kept } = request;
    await warnOfUnusedHooks(this.#outside);
    const { provider } = request.model;
    if (request.permissionCommand !== undefined)
      throw usageError("--record: what --permission-command answers cannot be recorded. Use --allow and --deny.");
    if (hasOwnChain(provider)) {
      throw usageError(`--record: ${provider} fetches its own keys, which cannot be recorded. Use another provider.`);
    }
    const models = await this.#outside.models();
    const query = credentialQuery(provider, this.#outside.env, models.configOf(provider));
    const runKey = overrides?.apiKey === undefined ? undefined : { provider, key: overrides.apiKey };
    const credential = await resolveCredential(query, credentialSources(this.#outside, runKey));
    const { id, runId, runDigest } = opened.journal.header;
    this.#folder.writeSession(
      newSession({
        ...kept,
        cwd: this.#outside.cwd,
        roots: this.#outside.roots,
        // A replay asks no broker, and the token is a secret.
        settings: { ...this.workspace.settings, "auth.broker.url": "", "auth.broker.token": "" },
        rules: this.workspace.rules,
        ...(opened.path === undefined
          ? {}
          : { header: runId === undefined ? {} : { id, runId, ...(runDigest ? { runDigest } : {}) } }),
        connection: publicOptions(providerOptions(this.#outside, models, request.model, overrides)),
        credential: credential?.kind ?? "none",
      }),
    );
    const adapter = await connect(this.#outside, request.model, { ...overrides, websocket: "off" }, this.#deps);
    return { ...kept, opened, ...(overrides ? { overrides } : {}), adapter, tape: this };
  }

  surroundings(read: () => Promise<Surroundings>): Promise<Surroundings> {
    return this.#recorder.takeOutcome(read);
  }

  input(session: Session, verb: InputVerb, content?: InputContent): Promise<InputOutcome | undefined> {
    return this.#recorder.input(session, verb, content);
  }

  /** Removes the folder of a run that never began; it was empty before. */
  discard(): void {
    rmSync(this.#folder.path, { recursive: true, force: true });
  }

  /** Called after the last input. */
  finish({ status, exitCode }: RunResult): void {
    if (!this.#journal) return;
    if (this.#journal.folder !== undefined) this.#folder.saveAgents(this.#journal.folder);
    this.#folder.writeEnd(journalBytes(this.#journal), {
      status,
      exitCode,
      env: this.#env,
    });
  }

  /** Records the variables that the provider reads. */
  #noteReads(env: ClientDeps["env"]): ClientDeps["env"] {
    return new Proxy(env, {
      get: (target, name) => {
        const value = target[name as string];
        if (typeof value === "string") this.#env[name as string] = publicValue(name as string, value);
        return value;
      },
    });
  }
}
