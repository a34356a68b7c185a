// What is mutated, and the tests that should notice. A row may name more tests than necessary: those that never reach a
// mutant are not run for it.
const agent = (folder, files) => files.map((file) => `packages/agent/src/${folder}/${file}.ts`);
const tests = (pkg, files) => files.map((file) => `packages/${pkg}/${file}.test.ts`);

const SESSION = tests("agent", [
  "test/session/loop",
  "test/session/pipeline",
  "test/session/steering",
  "test/session/errors",
  "test/session/events",
  "test/session/seams",
  "test/session/host-tools",
  "test/session/headless",
  "test/session/budget",
  "test/session/recovery",
  "test/session/interrupt-points",
  "test/session/host-timing",
  "test/session/made-up-values",
  "test/session/storage-failures",
  "test/session/truncation",
  "test/session/states",
  "test/session/embedder",
  "test/session/call-record",
  "test/session/session-surface",
  "test/session/session-maintenance",
  "test/session/secrets",
  "test/session/subagents",
  "test/session/agent-reports",
  "test/session/jobs",
  "test/session/child-session",
  "test/session/output-schema",
  "test/session/nested-calls",
  "test/session/nested-recovery",
  "test/session/from-web",
  "test/branches/navigation",
  "test/compaction/wedge",
]);
const JOURNAL = tests("agent", [
  "test/journal/journal",
  "test/journal/context",
  "test/journal/tree",
  "test/journal/store",
  "test/journal/open-file",
  "test/journal/read-lines",
  "test/journal/payload",
  "test/journal/corruption",
  "test/journal/listing",
  "test/journal/hostile",
  "test/journal/in-place",
  "test/journal/power-cut",
  "test/session/storage-failures",
]);
const CONTEXT = tests("agent", [
  "test/journal/context.property",
  "test/session/refused-parts",
  "test/session/session-surface",
  "test/compaction/snapcompact",
]);

const PERMISSIONS = tests("lathe", [
  "src/found/permissions/permissions",
  "src/found/permissions/on-disk",
  "src/found/permissions/search-guard",
  "test/tool-command",
  "test/json-mode",
  "test/rpc-hosting",
  "test/contract",
  "test/declared-calls",
  "test/permissions/policy",
  "test/permissions/runs",
  "test/permissions/attacks",
  "test/hooks",
]);

export const TARGETS = [
  ...row(
    [
      "packages/lathe/src/found/permissions/permissions.ts",
      "packages/lathe/src/found/permissions/remembered.ts",
      ...agent("policy/permissions", [
        "judge",
        "judge-command",
        "verdict",
        "match",
        "match-globs",
        "rule",
        "sensitive-paths",
        "credential-globs",
      ]),
    ],
    [
      ...tests(
        "agent",
        ["judge", "judge-rules", "rule", "sensitive-paths", "credential-globs"].map(
          (file) => `src/policy/permissions/${file}`,
        ),
      ),
      ...tests("agent", ["test/shell/false-questions"]),
      ...PERMISSIONS,
    ],
  ),
  ...row(
    agent("world/env", ["guarded", "gate"]),
    tests("agent", ["src/world/env/guarded", "src/world/env/gate", "src/world/env/wrappers"]),
  ),
  ...row(agent("context/prefix", ["guard", "prefix"]), [
    ...tests("agent", ["test/session/prefix", "test/session/prefix-kept", "test/context-ledger/session"]),
    ...SESSION,
  ]),
  ...row(agent("session/call", ["batch", "run-call", "finish-call", "approval", "pending-approvals"]), SESSION),
  ...row(agent("session", ["recovery"]), [...tests("agent", ["test/session/irc-crash"]), ...SESSION]),
  ...row(agent("session", ["input"]), [...SESSION, ...tests("lathe", ["test/repeated-call"])]),
  ...row(agent("session", ["core", "inbox", "history", "shutdown", "session"]), SESSION),
  ...row(agent("record/journal", ["context", "context-state"]), [...JOURNAL, ...CONTEXT]),
  ...row(agent("record/journal", ["journal", "line", "line-index", "scan", "file-store", "lock"]), JOURNAL),
  ...row(agent("record/journal", ["has-begun", "decode", "losses", "line-shapes", "regular-file"]), [
    ...JOURNAL,
    ...tests("agent", ["test/session/subagents"]),
  ]),
];

function row(sources, files) {
  return sources.map((source) => ({ source, tests: [...new Set(files)] }));
}
