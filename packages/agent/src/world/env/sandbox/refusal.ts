// Why this machine cannot confine commands, with the next step for the user.

import { EnvError } from "../../process/types.ts";

const NEXT = "Fix this, or start without --sandbox.";

export function missingProgram(name: string): EnvError {
  const pack = name === "bwrap" ? "bubblewrap" : "util-linux";
  const install = `Install the package ${pack}, for example: sudo apt-get install ${pack}`;
  return new EnvError(
    "unavailable",
    `The sandbox needs the program ${name}, which is not installed. ${install}. ${NEXT}`,
  );
}

export function tooWide(root: string): EnvError {
  return new EnvError(
    "unavailable",
    `The sandbox cannot protect anything while ${root} is a working folder. Start in a project's folder.`,
  );
}

/** `said`: the output of bubblewrap. */
export function forbiddenError(said: string): EnvError {
  const line = said.split("\n").at(-1) ?? said;
  return new EnvError("unavailable", `The sandbox does not work on this machine (${line}). ${remedy(said)} ${NEXT}`);
}

function remedy(said: string): string {
  if (/uid map|RTM_NEWADDR|loopback/i.test(said))
    return "This is what Ubuntu's AppArmor rule for user namespaces looks like: allow it with sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0, or give bwrap an AppArmor profile.";
  if (/namespace|clone|unshare|not permitted|no space left/i.test(said))
    return "The kernel does not let this user create namespaces: see sysctl user.max_user_namespaces and kernel.unprivileged_userns_clone; a container needs --security-opt seccomp=unconfined.";
  return "Run this to see more: bwrap --ro-bind / / --unshare-all true";
}
