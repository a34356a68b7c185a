// Says when the sandbox may be the reason that a command failed: the command itself only reports the system's error.

import type { ExecResult } from "../../process/types.ts";

export interface SandboxLimits {
  readonly roots: readonly string[];
  /** Hosts that commands may connect to. */
  readonly allowedHosts: readonly string[];
}

const READ_ONLY = /read-only file system|\bEROFS\b/i;
const NO_NETWORK =
  /could not resolve (?:host|proxy)|temporary failure in name resolution|name or service not known|\bEAI_AGAIN\b|\bENOTFOUND\b|network is unreachable|\bENETUNREACH\b|no route to host|blocked by the sandbox/i;
const GIT_SETTINGS =
  /\.git\/(?:config|hooks|info|modules|worktrees)[^\n]*(?:device or resource busy|read-only)|could not (?:lock|write) config file/i;
const REFUSED = /permission denied|operation not permitted|\bEACCES\b|\bEPERM\b/i;
const SETUP = /^bwrap: |^nsenter: /m;
const OUTSIDE = "If it has to run outside the sandbox, say so in the call: the user is asked first.";
/** Commands report their failure at the end of the output. */
const LOOKED_AT = 20_000;

/** Undefined if nothing in the output suggests it. */
export function sandboxHint(result: ExecResult, limits: SandboxLimits): string | undefined {
  if (result.exitCode === 0 || result.aborted || result.timedOut) return undefined;
  const text = result.output.slice(-LOOKED_AT);
  const reasons = [
    ...(SETUP.test(text) ? ["The sandbox could not be set up for this command"] : []),
    ...(GIT_SETTINGS.test(text)
      ? ["hooks, configuration, submodules and linked work trees of the repository are read-only here"]
      : []),
    ...(READ_ONLY.test(text) ? [`only ${[...limits.roots, "/tmp"].join(", ")} can be written here`] : []),
    ...(NO_NETWORK.test(text) ? [networkReason(limits)] : []),
  ];
  if (reasons.length > 0) return `The sandbox caused this: ${reasons.join("; ")}. ${OUTSIDE}`;
  return REFUSED.test(text)
    ? `The sandbox may have caused this: it gives no privileges, hides credentials and other processes, and makes everything outside the working folders read-only. ${OUTSIDE}`
    : undefined;
}

function networkReason({ allowedHosts }: SandboxLimits): string {
  return allowedHosts.length === 0
    ? "there is no network here, and no host is allowed"
    : `the network is limited to ${allowedHosts.join(", ")} through a proxy (HTTP and HTTPS only)`;
}
