// The user at the terminal of `lathe commit`, who accepts, edits, replaces or drops a proposal.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Answer, CommitHost } from "../../../conversation/commit/commit.ts";
import type { CommitGit } from "../../../conversation/commit/git.ts";
import { messagesIn, messagesText } from "../../../conversation/commit/messages-text.ts";
import type { Prepared, Proposal } from "../../../conversation/commit/propose.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import { countOf } from "../../../sessions/numbers.ts";

/** `isTrusted`: whether the editor may be one that the repository's own configuration names. */
export function terminalUser(
  machine: Machine,
  git: CommitGit,
  isTrusted: () => boolean,
): Pick<CommitHost, "decide" | "stageAll"> {
  return {
    stageAll: async (files) => {
      const answer = await ask(
        machine,
        git.signal,
        `Nothing is staged. Stage ${countOf(files, "changed file")}? [y/N] `,
      );
      return /^y(?:es)?$/i.test(answer ?? "");
    },
    decide: (prepared, proposal) => decide(machine, git, isTrusted, prepared, proposal),
  };
}

async function decide(
  machine: Machine,
  git: CommitGit,
  isTrusted: () => boolean,
  prepared: Prepared,
  { commits }: Proposal,
): Promise<Answer> {
  const parts = prepared.change.files.reduce((sum, file) => sum + file.parts.length, 0);
  const other = commits.length > 1 ? "/(o)ne commit" : parts > 1 ? "/(s)plit" : "";
  const question = `${commits.length > 1 ? `Make these ${commits.length} commits` : "Commit"}? (y)es/(e)dit/(r)egenerate${other}/(n)o: `;
  for (;;) {
    const said = (await ask(machine, git.signal, question))?.trim().toLowerCase();
    if (said === undefined || said === "n" || said === "no") return { kind: "cancel" };
    if (said === "y" || said === "yes") return { kind: "accept" };
    if (said === "r" || said === "regenerate") return { kind: "regenerate" };
    if ((said === "s" || said === "split") && commits.length === 1 && parts > 1) return { kind: "split" };
    if ((said === "o" || said === "one") && commits.length > 1) return { kind: "join" };
    if (said === "e" || said === "edit") {
      const messages = await editMessages(
        machine,
        git,
        isTrusted(),
        commits.map(({ message }) => message),
      );
      if (messages) return { kind: "edit", messages };
    }
  }
}

/** Undefined if the user gave up. The terminal itself edits the line; an interrupt ends the command. */
async function ask({ stdin, stderr }: Machine, signal: AbortSignal, question: string): Promise<string | undefined> {
  signal.throwIfAborted();
  const lines = createInterface({ input: stdin, output: stderr, terminal: false });
  const closed = new AbortController();
  lines.once("close", () => closed.abort());
  try {
    return await lines.question(question, { signal: AbortSignal.any([signal, closed.signal]) });
  } catch (error) {
    stderr.write("\n");
    signal.throwIfAborted();
    if ((error as Error).name !== "AbortError") throw error;
    return undefined;
  } finally {
    lines.close();
  }
}

/** A repository that does not exist, so that git reads only the user's and the system's configuration. */
const NO_REPOSITORY = { GIT_DIR: "/dev/null" };

/** The command that starts the user's editor. Without trust, the repository's configuration does not choose it. */
async function editorCommand({ stderr }: Machine, git: CommitGit, isTrusted: boolean): Promise<string | undefined> {
  const gits = await git.text(["var", "GIT_EDITOR"]);
  if (isTrusted) return gits;
  const users = await git.text(["var", "GIT_EDITOR"], { variables: NO_REPOSITORY });
  if (users !== undefined && users !== gits)
    stderr.write(
      "lathe: This folder is not trusted, so your own editor opens, not the one in the repository's configuration (core.editor). To use that one: lathe trust\n",
    );
  return users;
}

/** Opens an editor. Undefined if the messages are unchanged, which the user is told. */
async function editMessages(
  machine: Machine,
  git: CommitGit,
  isTrusted: boolean,
  messages: readonly string[],
): Promise<readonly string[] | undefined> {
  const { stderr } = machine;
  const editor = await editorCommand(machine, git, isTrusted);
  if (!editor) {
    stderr.write("lathe: No editor is set. Set one: git config --global core.editor nano\n");
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "lathe-commit-"));
  const file = join(folder, "COMMIT_EDITMSG");
  try {
    writeFileSync(file, messagesText(messages), { mode: 0o600 });
    // The setting may contain options. It belongs to the user, as does their shell.
    const child = spawn("sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit", cwd: git.cwd });
    const [code] = (await once(child, "exit")) as [number | null];
    const edited = code === 0 ? messagesIn(readFileSync(file, "utf8"), messages.length) : undefined;
    if (edited) return edited;
    stderr.write(
      code === 0
        ? "lathe: A message is empty, or the line above one is gone: the messages are unchanged.\n"
        : `lathe: The editor ended with ${code ?? "a signal"}: the messages are unchanged.\n`,
    );
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
