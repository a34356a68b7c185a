// The built-in parts of a session. A new capability is one more file here and one more line in the list.

import type { SessionPart } from "../session-contract.ts";
import { accountsPart } from "./accounts.ts";
import { agentsPart } from "./agents.ts";
import type { SessionBase } from "./base.ts";
import { checkpointsPart } from "./checkpoints.ts";
import { compactionPart } from "./compaction.ts";
import { editRecordPart } from "./edit-record.ts";
import { fallbackPart } from "./fallback.ts";
import { folderInstructionsPart } from "./folder-instructions.ts";
import { isolationPart } from "./isolation.ts";
import { limitsPart } from "./limits.ts";
import { localModelsPart } from "./local-models.ts";
import { manualPart } from "./manual.ts";
import { permissionsPart } from "./permissions.ts";
import { planModelPart } from "./plan-model.ts";
import { planningPart } from "./planning.ts";
import { promotionPart } from "./promotion.ts";
import { questionsPart } from "./questions.ts";
import { rewindPart } from "./rewind.ts";
import { runningCommandsPart } from "./running-commands.ts";
import { settingsServicesPart } from "./settings-services.ts";
import { tapePart } from "./tape.ts";
import { todoPart } from "./todo.ts";
import { warmUpPart } from "./warm-up.ts";
import { webPart } from "./web.ts";

/** Undefined: the part has nothing to do in this session. */
type PartMaker = (base: SessionBase) => SessionPart | undefined | Promise<SessionPart | undefined>;

/**
 * Middleware and hooks run in this order; additions come after it. It also fixes the order in which a session recovers
 * from a killed process:
 * 1. `recover`: isolation undoes and removes what agents left in their views, before any other part asks for their
 * results.
 * 2. The session is made: it ends the calls and the input that its journal leaves open.
 * 3. `ready`: rewind finishes an interrupted rewind, then the planning model is selected again, then isolation and
 * agents report what was left of earlier work.
 */
const SESSION_PARTS: readonly PartMaker[] = [
  settingsServicesPart,
  // Before any other part makes a request or waits for a failure.
  accountsPart,
  webPart,
  manualPart,
  questionsPart,
  runningCommandsPart,
  localModelsPart,
  // A larger model comes first, because then nothing has to be left out.
  promotionPart,
  fallbackPart,
  compactionPart,
  permissionsPart,
  planningPart,
  todoPart,
  folderInstructionsPart,
  rewindPart,
  // After the rewind, which must find the journal as the killed process left it.
  planModelPart,
  checkpointsPart,
  limitsPart,
  isolationPart,
  agentsPart,
  editRecordPart,
  tapePart,
  warmUpPart,
];

export async function builtInParts(base: SessionBase): Promise<readonly SessionPart[]> {
  const made = await Promise.all(SESSION_PARTS.map((make) => make(base)));
  return made.filter((part) => part !== undefined);
}
