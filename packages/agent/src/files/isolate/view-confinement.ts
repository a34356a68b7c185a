// Puts commands into the namespace of a view. Outside the project they may do what commands of the host may; the
// project they see is the view's, and the folder with the data of views is hidden.

import { argvVariable, startFromVariable, systemProgram } from "../../world/env/sandbox/starting.ts";
import type { ConfinedStart, Confinement } from "../../world/process/confinement.ts";
import { STARTER_ENV } from "../../world/process/namespaces.ts";
import type { ProgramArgv } from "../../world/process/types.ts";
import type { ViewNamespace } from "./view-namespace.ts";

export class ViewConfinement implements Confinement {
  readonly starters = new Set(["bwrap", "nsenter"]);
  readonly privateFolders = [];
  readonly #namespace: ViewNamespace;
  readonly #hidden: string;

  constructor(namespace: ViewNamespace, hidden: string) {
    this.#namespace = namespace;
    this.#hidden = hidden;
  }

  async ready(): Promise<void> {
    await this.#namespace.open();
  }

  confine(argv: ProgramArgv, { cwd, env }: { cwd: string; env: Record<string, string> }): ConfinedStart {
    const [enter, ...entering] = this.#namespace.namespaces.enter;
    const setup = [
      // With its own user namespace, the command has no rights over the mounts, nor over the processes that started it.
      ...["--dev-bind", "/", "/", "--unshare-user", "--cap-drop", "ALL", "--new-session"],
      ...["--tmpfs", this.#hidden, "--chdir", cwd, "--clearenv"],
      ...Object.entries({ ...env, ...argvVariable(argv) }).flatMap(([name, value]) => ["--setenv", name, value]),
    ];
    return {
      argv: [enter!, ...entering, systemProgram("bwrap"), "--args", "3", "--", ...startFromVariable()],
      env: STARTER_ENV,
      cwd: "/",
      setup: Buffer.from(setup.map((argument) => `${argument}\0`).join("")),
    };
  }

  hostPath(path: string): string {
    return path;
  }

  insidePath(path: string): string {
    return path;
  }

  isPrivate(): boolean {
    return false;
  }

  explain(): undefined {
    return undefined;
  }

  async end(): Promise<void> {
    await this.#namespace.close();
  }
}
