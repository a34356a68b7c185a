// The order of test files: those with a process of their own, then those that share processes, side by side, because a process is
// kept only for a neighbour. Of both the long ones come first, so that none of them runs alone at the end beside an idle core.

import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Files that take more than about ten seconds, the longest first. One that is missing here costs time, nothing else. */
const LONG = [
  "packages/agent/test/env-container.test.ts",
  "packages/agent/test/env-conformance.test.ts",
  "packages/agent/test/env-ssh.test.ts",
  "packages/lathe/test/extensions.test.ts",
  "packages/agent/test/compaction/long-session.test.ts",
  "packages/lathe/test/transcript/long-session.test.ts",
  "packages/lathe/test/isolated-agents.test.ts",
  "packages/lathe/test/sessions-scale.test.ts",
  "packages/lathe/test/rewind.test.ts",
  "packages/lathe/test/sessions-resume.test.ts",
  "packages/lathe/test/extensions-hostile.test.ts",
  "packages/lathe/test/agents-landing.property.test.ts",
  "packages/lathe/test/agents-killed.test.ts",
  "packages/lathe/test/practice.test.ts",
  "packages/lathe/test/worktree.test.ts",
  "packages/lathe/test/review.test.ts",
  "packages/lathe/test/declared-calls.test.ts",
  "packages/lathe/test/extensions-examples.test.ts",
  "packages/lathe/test/permissions/attacks.test.ts",
  "packages/lathe/test/permissions/policy.test.ts",
  "packages/lathe/test/sessions-hostile.test.ts",
  "packages/lathe/test/memory.test.ts",
  "packages/lathe/test/move-killed.test.ts",
  "packages/lathe/test/crash-windows.test.ts",
  "packages/lathe/test/contract-machine.test.ts",
  "packages/lathe/test/branches-rpc.test.ts",
  "packages/lathe/test/sessions-process.test.ts",
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
