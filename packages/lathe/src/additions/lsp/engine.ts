// Everything that language servers need in a session, loaded with the first question or edit: a session that has neither starts as fast
// as without them.

import { isTrusted } from "../../config/trust/trust.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { Answers } from "./answers.ts";
import { ErrorsAfterEdit, type ErrorsOptions } from "./errors-after-edit.ts";
import { LanguageServers } from "./language-servers.ts";
import { configuredServers } from "./lsp-files.ts";
import { Refactorings } from "./refactorings.ts";

export interface EngineOptions extends Pick<ErrorsOptions, "contentOf"> {
  readonly workspace: Workspace;
  /** Files whose text is not shown although they lie in the project. */
  readonly isLeftOut: (path: string) => boolean;
  readonly warn: (message: string) => void;
}

export class Engine {
  readonly servers: LanguageServers;
  readonly answers: Answers;
  readonly refactorings: Refactorings;
  readonly errors: ErrorsAfterEdit;

  constructor({ workspace, isLeftOut, contentOf, warn }: EngineOptions) {
    const { paths, cwd, roots, machine } = workspace;
    const { rows, idleMs, warnings } = configuredServers(workspace);
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
    });
    this.refactorings = new Refactorings(this.servers);
    this.answers = new Answers({ servers: this.servers, mayShow, refactorings: this.refactorings });
    this.errors = new ErrorsAfterEdit({ servers: this.servers, mayShow, contentOf });
  }

  async close(): Promise<void> {
    await this.servers.close();
    await this.errors.close();
  }
}
