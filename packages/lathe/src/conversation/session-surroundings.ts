// What the first message of a session says about project and machine, and which of the user's files it includes.

import type { ExecutionEnvironment, Profile, SessionOptions } from "@lathe/agent";
import { type AskedGit, askGit, type GitPatience, readSurroundings, type Surroundings } from "@lathe/agent/context";
import type { DiscoveryWarning } from "../found/discovery/types.ts";
import { warningLine } from "../found/discovery/warning-line.ts";
import { deskOf } from "../platform/machine/desk.ts";
import { promptFiles } from "./prompt-files.ts";
import type { PromptTexts, SessionRequest, SystemPart } from "./session-contract.ts";
import type { SessionHandle } from "./session-handle.ts";
import type { SessionWorkspace } from "./session-workspace.ts";

/** If git takes longer, the first request goes out without its snapshot. */
const GIT_PATIENCE_MS = 30;

export interface SurroundingsParts {
  readonly workspace: SessionWorkspace;
  readonly request: SessionRequest;
  readonly session: SessionHandle;
  readonly env: ExecutionEnvironment;
  /** Whether discovery would have found anything when the session was opened. */
  readonly hasFiles: () => boolean;
}

/** The texts of the session's parts. */
export interface PartsTexts {
  /** Sections of the system prompt. */
  systemParts(prompt: PromptTexts): Promise<readonly SystemPart[]>;
  /** Text for the first message; "" for nothing. */
  firstTurn(): Promise<string>;
}

export class SessionSurroundings {
  readonly #parts: SurroundingsParts;
  /** Git's answer, started while the session is being set up. */
  #git: Promise<AskedGit> | undefined;
  /** What setup found, so that the prompt that follows need not look again. */
  #hasFiles: (() => boolean) | undefined;

  constructor(parts: SurroundingsParts) {
    this.#parts = parts;
    if (asksEarly(parts.request)) this.#git = askGit(parts.env, patienceOf(parts.workspace));
    if (parts.request.promptFollows === true) this.#hasFiles = parts.hasFiles;
    // The reader that awaits this reports a failure; without a model there is no reader.
    this.#git?.catch(() => {});
  }

  reader(parts: PartsTexts): NonNullable<SessionOptions["surroundings"]> {
    const { workspace, request, session, env } = this.#parts;
    return (profile, where) => {
      const asked = where === env ? this.#git : undefined;
      const hasFiles = this.#hasFiles;
      // Both are valid only once, for the request that follows.
      this.#git = undefined;
      this.#hasFiles = undefined;
      const read = async (): Promise<Surroundings> => {
        const warn = (warning: DiscoveryWarning): void => session.warn(warningLine(warning), "discovery");
        const systemParts = (prompt: PromptTexts) => parts.systemParts(prompt);
        const [more, notes] = await Promise.all([
          promptFiles(workspace, request, systemParts, warn, hasFiles),
          parts.firstTurn(),
        ]);
        return readSurroundings(where, profile.instructionFiles, knownFacts(workspace, profile, where, asked), {
          ...more,
          ...(notes === "" ? {} : { notes }),
          warn,
        });
      };
      return request.tape ? request.tape.surroundings(read) : read();
    };
  }
}

/** A session with a prefix already contains git's answer, and a tape replays it. */
const asksEarly = ({ promptFollows, opened, tape }: SessionRequest): boolean =>
  promptFollows === true && opened.journal.prefix === undefined && tape === undefined;

const patienceOf = ({ machine: { deps } }: SessionWorkspace): GitPatience => ({ wait: { ms: GIT_PATIENCE_MS, deps } });

function knownFacts(
  workspace: SessionWorkspace,
  { modelInfo, model }: Profile,
  env: ExecutionEnvironment,
  git: Promise<AskedGit> = askGit(env, patienceOf(workspace)),
): Parameters<typeof readSurroundings>[2] {
  const { machine, env: variables } = workspace;
  return {
    now: machine.deps.now(),
    model: modelInfo?.displayName ?? model,
    ...(modelInfo?.knowledgeCutoff === undefined ? {} : { knowledgeCutoff: modelInfo.knowledgeCutoff }),
    ...deskOf(variables),
    git,
  };
}
