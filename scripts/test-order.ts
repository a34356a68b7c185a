// The order of test files: those with a process of their own, then those that share processes, side by side, because a process is
// kept only for a neighbour. Of both the long ones come first, so that none of them runs alone at the end beside an idle core.

import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Files that take more than about ten seconds, the longest first. One that is missing here costs time, nothing else. */
const LONG = [
  "packages/agent/test/env-ssh.test.ts",
  "packages/agent/test/env-container.test.ts",
  "packages/lathe/test/isolated-agents.test.ts",
  "packages/lathe/test/code-places.test.ts",
  "packages/lathe/test/review.test.ts",
  "packages/lathe/test/worktree.test.ts",
  "packages/agent/test/env-conformance.test.ts",
  "packages/lathe/test/permissions/everyday.test.ts",
  "packages/agent/test/sandbox/conformance.test.ts",
  "packages/lathe/test/transcript/long-session.test.ts",
  "packages/agent/src/world/process/kill.test.ts",
  "packages/lathe/test/rewind.test.ts",
  "packages/lathe/test/sessions-scale.test.ts",
  "packages/agent/test/isolate/landing.test.ts",
  "packages/lathe/test/guards-hosts.test.ts",
  "packages/lathe/test/lsp-hostile.test.ts",
  "packages/lathe/test/agents-killed.test.ts",
  "packages/lathe/test/terminal/commands.test.ts",
  "packages/agent/test/parser.test.ts",
  "packages/lathe/test/terminal/leaving.test.ts",
  "packages/llm/test/runtimes/browser.test.ts",
  "packages/lathe/test/extensions-hostile.test.ts",
  "packages/lathe/test/agents-landing.property.test.ts",
  "packages/agent/test/edit/commit-killed.test.ts",
  "packages/lathe/test/memory.test.ts",
  "packages/agent/test/isolate/escapes.test.ts",
  "packages/agent/test/journal/hostile.test.ts",
  "packages/agent/test/isolate/landing.property.test.ts",
  "packages/lathe/test/terminal/questions.test.ts",
  "packages/agent/test/isolate/left.test.ts",
  "packages/lathe/test/attacker/calls.test.ts",
  "packages/lathe/test/terminal/worktree.test.ts",
  "packages/lathe/test/terminal/signs.test.ts",
  "packages/agent/test/compaction/long-session.test.ts",
  "packages/agent/src/world/env/search/search.test.ts",
  "packages/lathe/test/sessions-resume.test.ts",
  "packages/agent/test/snapshots/rewind.test.ts",
  "packages/agent/test/crash/crash.test.ts",
  "packages/lathe/test/terminal/conversation.test.ts",
  "packages/lathe/test/faults/killed.test.ts",
  "packages/agent/test/sandbox/refused.test.ts",
  "packages/lathe/test/many-calls.test.ts",
  "packages/agent/test/isolate/odd-files.test.ts",
  "packages/agent/test/shell/closed-options.test.ts",
  "packages/lathe/test/extensions-run.test.ts",
  "packages/llm/test/core/growth.test.ts",
  "packages/lathe/test/declared-calls.test.ts",
  "packages/agent/test/isolate/killed.test.ts",
  "packages/lathe/test/worktree-rpc.test.ts",
  "packages/lathe/test/agents-hang.test.ts",
  "packages/agent/test/shell/witness.test.ts",
  "packages/agent/test/session/race.test.ts",
  "packages/agent/test/isolate/views.test.ts",
  "packages/agent/src/tools/builtin/shell/found-names.test.ts",
  "packages/agent/src/tools/builtin/web-fetch/web-fetch.test.ts",
  "packages/lathe/test/terminal/little-room.test.ts",
  "packages/lathe/test/terminal/doing.test.ts",
  "packages/lathe/test/terminal/open-doors.test.ts",
  "packages/lathe/test/terminal/beside.test.ts",
  "packages/lathe/test/extensions.test.ts",
  "packages/lathe/test/terminal/pictures.test.ts",
  "packages/lathe/test/terminal/plain.test.ts",
  "packages/agent/test/formats/hostile-archives.test.ts",
  "packages/lathe/src/additions/mcp/session.test.ts",
  "packages/tui/test/tmux.test.ts",
  "packages/agent/test/context-ledger/protocols.test.ts",
];

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    // The sort is stable: within a group the usual order stays.
    return usual.sort((a, b) => rank(a) - rank(b));
  }
}

function rank(spec: TestSpecification): number {
  const place = LONG.indexOf(relative(root, spec.moduleId));
  return (spec.project.config.isolate === false ? LONG.length + 1 : 0) + (place < 0 ? LONG.length : place);
}
