// Everything that language servers need in a session, loaded with the first request or edit, so that sessions without
// either start as fast as before.

import { abortAfter } from "@lathe/agent/base";
import { isTrusted } from "../../config/trust/trust.ts";
import type { DiscoveredWorkspace } from "../../found/discovery/discovery.ts";
import type { EnteredIndexes } from "../code-index/shared-code-indexes.ts";
import { Answers } from "./answers.ts";
import { AnswersWithoutServer } from "./answers-without-server.ts";
import { type ConfiguredServers, configureServers } from "./configured-servers.ts";
import { ErrorsAfterEdit, type ErrorsOptions } from "./errors-after-edit.ts";
import { Formatters } from "./format-edits.ts";
import { LanguageServers } from "./language-servers.ts";
import type { LastingServers } from "./lasting-servers.ts";
import { Refactorings } from "./refactorings.ts";

/** How long a rename waits for an index that must be built first. */
const INDEX_MS = 10_000;

export interface EngineOptions extends Pick<ErrorsOptions, "contentOf"> {
  readonly workspace: DiscoveredWorkspace;
  readonly indexes: EnteredIndexes;
  readonly lasting: LastingServers;
  /** Project files whose text must not be shown. */
  readonly isLeftOut: (path: string) => boolean;
  readonly warn: (message: string) => void;
}

export class Engine {
  readonly servers: LanguageServers;
  readonly answers: AnswersWithoutServer;
  readonly refactorings: Refactorings;
  readonly errors: ErrorsAfterEdit;
  readonly formatters: Formatters;

  static async open(options: EngineOptions): Promise<Engine> {
    const discovery = await options.workspace.discovery();
    const { active } = await discovery.of("lsp-server");
    return new Engine(options, configureServers(active, discovery.place));
  }

  private constructor(
    { workspace, indexes, lasting, isLeftOut, contentOf, warn }: EngineOptions,
    { rows, idleMs, warnings }: ConfiguredServers,
  ) {
    const { paths, cwd, roots, machine } = workspace;
    for (const warning of warnings) warn(warning);
    const mayShow = (path: string): boolean =>
      [cwd, ...roots].some((root) => path.startsWith(`${root}/`)) && !isLeftOut(path);
    this.servers = new LanguageServers({
      rows,
      top: cwd,
      idleMs,
      isTrusted: () => isTrusted(paths.trust, cwd, machine.userHome),
      now: machine.deps.now,
      warn,
      lasting,
    });
    this.formatters = new Formatters(this.servers);
    this.refactorings = new Refactorings(this.servers, async (name, files, env, signal) => {
      try {
        const index = await (await indexes.open()).for(env);
        return await index.filesNaming(name, files, abortAfter(INDEX_MS, signal));
      } catch {
        signal.throwIfAborted();
        return files; // the index cannot tell here, or takes too long
      }
    });
    const answers = new Answers({ servers: this.servers, mayShow, refactorings: this.refactorings });
    this.answers = new AnswersWithoutServer({ answers, indexes, mayShow });
    this.errors = new ErrorsAfterEdit({
      servers: this.servers,
      mayShow,
      contentOf,
      existingIndex: async (env) => (await indexes.open()).findExisting(env),
    });
  }

  async close(): Promise<void> {
    await this.servers.close();
    await this.errors.close();
  }
}
