// Judges what the model wants to remember: whether it may, its text, its source, and the files that support it.

import type { Session } from "@lathe/agent";
import { ToolFailure } from "@lathe/agent/contract";
import type { Redactor } from "@lathe/agent/policy";
import type { FileDigests } from "./file-digests.ts";
import { refusals } from "./fit-to-remember.ts";
import { cleanText, LONGEST_TEXT, type RestsOn } from "./memory.ts";
import { pathsIn } from "./paths-in.ts";
import { textsBySpeaker } from "./texts-by-speaker.ts";

export interface FitNote {
  readonly text: string;
  readonly session: string;
  readonly entry: string;
  readonly files: readonly RestsOn[];
  /** One sentence each, for the model. */
  readonly remarks: readonly string[];
}

export interface NoteJudgeParts {
  readonly session: () => Session;
  readonly redactor: Redactor;
  readonly digests: FileDigests;
}

export class NoteJudge {
  readonly #parts: NoteJudgeParts;

  constructor(parts: NoteJudgeParts) {
    this.#parts = parts;
  }

  /** Fails with the reason if the text may not be remembered. */
  async fit(given: string, named: readonly string[]): Promise<FitNote> {
    const { session, redactor } = this.#parts;
    const plain = cleanText(given);
    if (plain === "") throw new ToolFailure("Give `text`: one statement worth knowing in later sessions.");
    if (plain.length > LONGEST_TEXT)
      throw new ToolFailure(
        `A memory is one statement of at most ${LONGEST_TEXT} characters; this has ${plain.length}.`,
      );
    const { journal } = session();
    const text = redactor.redactForSharing(plain);
    const files = await this.#filesOf(text, named);
    const shown = await this.#parts.digests.textOf(files.map(({ path }) => path));
    const [refusal] = refusals([plain], textsBySpeaker(journal), [shown]);
    if (refusal !== undefined) throw new ToolFailure(refusal);
    return {
      text,
      session: journal.header.id,
      entry: journal.leaf ?? "",
      files,
      remarks: text === plain ? [] : ["What looked like a secret was left out."],
    };
  }

  /** Files that the model names must exist; those that the text mentions count if they are in the project. */
  async #filesOf(text: string, named: readonly string[]): Promise<readonly RestsOn[]> {
    const { digests, session } = this.#parts;
    const { env } = session();
    const given = named.map((path) => digests.nameOf(env.resolve(path)));
    const rests = await digests.digestAll(given);
    const missing = named.find((_path, i) => !rests.some(({ path }) => path === given[i]));
    if (missing !== undefined) throw new ToolFailure(`${missing} is not a readable file. Name files that show it.`);
    const mentioned = pathsIn(text).map((path) => digests.nameOf(env.resolve(path)));
    const more = mentioned.filter((path) => !/^(?:\/|\.\.)/.test(path) && !given.includes(path));
    return [...rests, ...(await digests.digestAll(more))];
  }
}
