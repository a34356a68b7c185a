// Keys that a command prints: `apiKey: "!pass show openai"` in the user's own models.yml. Each command runs once, not
// per request.

import { LocalEnvironment } from "@lathe/agent";
import type { Workspace } from "../config/workspace/workspace.ts";
import { CliError, EXIT } from "../platform/usage/exit.ts";

const PATIENCE_MS = 30_000;

export class SecretCommands {
  readonly #workspace: Workspace;
  readonly #printed = new Map<string, Promise<string>>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  outputOf(command: string): Promise<string> {
    const before = this.#printed.get(command);
    if (before) return before;
    const secret = outputOf(this.#workspace, command).then((text) => oneWord(text, command));
    this.#printed.set(command, secret);
    // The password store may only be locked for now, so the next call tries again.
    secret.catch(() => this.#printed.delete(command));
    return secret;
  }
}

/** Password stores often print notes below the password. */
function oneWord(text: string, command: string): string {
  if (!/\s/.test(text)) return text;
  throw new CliError(
    EXIT.provider,
    `The key command printed more than the key. Make it print one word, for example: ${command} | head -n 1`,
  );
}

/** The trimmed output of one of the user's commands. */
export async function outputOf(workspace: Workspace, command: string): Promise<string> {
  const { machine, env } = workspace;
  const shell = new LocalEnvironment({
    cwd: machine.userHome,
    baseEnv: env,
    envPolicy: "inherit_all",
    owner: machine.deps.uuid(),
  });
  try {
    const { stdout, exitCode, timedOut } = await shell.execCommand(command, PATIENCE_MS);
    const secret = stdout.trim();
    if (exitCode === 0 && secret !== "") return secret;
    const why = timedOut ? "took too long" : exitCode === 0 ? "printed nothing" : `ended with code ${exitCode}`;
    throw new CliError(EXIT.provider, `The key command ${why}. Try it in a shell: ${command}`);
  } finally {
    await shell.cleanup();
  }
}
