// The environment of a view: commands and file tools in its namespace, and in the sandbox if the host's are; without
// namespaces, in the sandbox at the view's own path.

import { HeldShell } from "../../world/env/held-shell.ts";
import { InsideFiles } from "../../world/env/inside-files.ts";
import { LocalEnvironment } from "../../world/env/local.ts";
import { SandboxedLocalEnvironment } from "../../world/env/sandbox/sandboxed-local.ts";
import { EnvError, type ExecutionEnvironment } from "../../world/env/types.ts";
import { monotonicClock } from "../../world/process/clock.ts";
import type { NamespaceMounts } from "../../world/process/namespaces.ts";
import { KindUnavailable } from "./kinds.ts";
import type { ViewRequest } from "./types.ts";
import { ViewConfinement } from "./view-confinement.ts";
import { ViewNamespace } from "./view-namespace.ts";

/** Throws KindUnavailable if this machine does not allow it. */
export async function openViewNamespace(request: ViewRequest, mounts: NamespaceMounts): Promise<ViewNamespace> {
  const namespace = new ViewNamespace({
    mounts,
    network: request.sandbox ? "own" : "shared",
    clock: request.host.clock,
  });
  try {
    await namespace.open();
  } catch (error) {
    throw error instanceof EnvError ? new KindUnavailable(error.message) : error;
  }
  return namespace;
}

export function namespaceEnvironment(request: ViewRequest, namespace: ViewNamespace): ExecutionEnvironment {
  const { root, host, sandbox, store } = request;
  if (!sandbox) {
    const confinement = new ViewConfinement(namespace, store);
    const local = new LocalEnvironment({ ...host, cwd: root, confinement });
    const start = () => local.startProcess(["/bin/sh", "-s"], { cwd: "/" });
    return new InsideFiles(local, new HeldShell(start, host.clock ?? monotonicClock));
  }
  return new SandboxedLocalEnvironment({
    ...host,
    ...sandbox,
    cwd: root,
    roots: () => [root],
    hidden: [...(sandbox.hidden ?? []), store],
    namespaces: namespace,
  });
}

/** Commands can write only to the view. */
export function sandboxEnvironment(request: ViewRequest, folder: string): ExecutionEnvironment {
  const { host, sandbox } = request;
  const home = sandbox?.home ?? host.baseEnv["HOME"] ?? "/";
  return new SandboxedLocalEnvironment({ ...host, ...sandbox, home, cwd: folder, roots: () => [folder] });
}
