// @lathe/agent/world: environments and processes beyond those that most hosts use.

export { isSecretName, isSecretValue, mayHoldKeys } from "./base/secrets/variables.ts";
export { ContainerEnvironment, type ContainerOptions } from "./world/env/container.ts";
export { GuardedEnvironment, type WriteGuard } from "./world/env/guarded.ts";
export {
  type FilterChoice,
  INERT_DIFF,
  INERT_GIT,
  INERT_GIT_COMMAND,
  LIST_SETTINGS,
  NO_TRANSPORT,
  withoutFilters,
} from "./world/env/inert-git.ts";
export { realEntryOf, realPathOf } from "./world/env/real-path.ts";
export { RemoteEnvironment, type RemoteOptions, type RemoteTransport } from "./world/env/remote.ts";
export { SandboxedLocalEnvironment, type SandboxOptions } from "./world/env/sandbox/sandboxed-local.ts";
export { personalIgnoreFile } from "./world/env/search/global-ignore.ts";
export { locateRipgrep, onPath } from "./world/env/search/locate-ripgrep.ts";
export { compileFilter } from "./world/env/search/path-glob.ts";
export type { SearchEngine } from "./world/env/search/types.ts";
export { quoteShell } from "./world/env/shell-quote.ts";
export { SshEnvironment, type SshOptions } from "./world/env/ssh.ts";
export * from "./world/env/types.ts";
export { type MinimalEnvironment, withFileCommands } from "./world/env/with-file-commands.ts";
export { WrappedEnvironment } from "./world/env/wrapped.ts";
export type { EnvLogEntry } from "./world/env/wrappers.ts";
export type { LookUp } from "./world/net/dial.ts";
export { AdoptedProcesses } from "./world/process/adopted.ts";
export { byteLines } from "./world/process/byte-lines.ts";
export type { CaptureRequest } from "./world/process/capture.ts";
export { type Clock, monotonicClock } from "./world/process/clock.ts";
export type { ConfinedStart, Confinement, InsideNames } from "./world/process/confinement.ts";
export type { ResourceLimits } from "./world/process/control-groups.ts";
export * from "./world/process/env-policy.ts";
export type { GovernorLimits } from "./world/process/governor.ts";
export type { NamespaceSource, Namespaces } from "./world/process/namespaces.ts";
export { OutputRing } from "./world/process/output-ring.ts";
export { Processes } from "./world/process/processes.ts";
export type { TerminalRequest } from "./world/process/pty.ts";
export {
  type OpenedProcess,
  type OpenRequest,
  type ProcessesOptions,
  type RunRequest,
  timeoutNotice,
} from "./world/process/requests.ts";
export { shellArgv } from "./world/process/shell-argv.ts";
export { frameScript, type LastingCommand, lastingScript, loader, stateText } from "./world/process/shell-script.ts";
export { readShellState, type ShellState, type ShellVariable } from "./world/process/shell-state.ts";
