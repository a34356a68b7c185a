// What the kinds of views share while they are opened.

import type { ExecutionEnvironment } from "../../world/env/types.ts";
import type { Processes } from "../../world/process/processes.ts";
import { EnvError } from "../../world/process/types.ts";
import type { ViewFiles } from "./left-out.ts";
import type { Part, PartSource } from "./parts.ts";
import type { ViewRequest } from "./types.ts";

/** The input for opening a kind of view. */
export interface Opening {
  readonly request: ViewRequest;
  /** The folder of this view. */
  readonly folder: string;
  readonly processes: Processes;
  /** The project as it is now. Each kind requests it at the moment that suits it. */
  readonly parts: () => Promise<readonly Part[]>;
  /** The folder already contains the files of the view, left by another process. */
  readonly isContinued?: boolean | undefined;
  /** Nothing will run in it: the caller only reads what was changed. */
  readonly isOnlyRead?: boolean | undefined;
}

/** A view that was opened. */
export interface OpenedKind {
  readonly env: ExecutionEnvironment;
  readonly files: ViewFiles;
  /** The kind under which its files are continued, if it differs. */
  readonly leftAs?: "reflink" | "worktree" | undefined;
  /** Where the files of a part are now. */
  source(part: Part): Promise<PartSource>;
  /** Ends what belongs to the view; its folder is removed afterwards. */
  close(): Promise<void>;
}

/** This machine or project does not allow the kind. */
export class KindUnavailable extends EnvError {
  constructor(why: string) {
    super("unavailable", why);
  }
}
