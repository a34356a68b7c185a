// The environment of a view: commands and file tools in its namespace, in the sandbox too when the host's are; where there are no
// namespaces, at the view's own path in the sandbox.

import { InsideFiles } from "../env/inside-files.ts";
import { LocalEnvironment } from "../env/local.ts";
import { SandboxedLocalEnvironment } from "../env/sandbox/sandboxed-local.ts";
import type { ExecutionEnvironment } from "../env/types.ts";
import type { ViewRequest } from "./types.ts";
import { ViewConfinement } from "./view-confinement.ts";
import type { ViewNamespace } from "./view-namespace.ts";

export function namespaceEnvironment(request: ViewRequest, namespace: ViewNamespace): ExecutionEnvironment {
  const { root, host, sandbox, store } = request;
  if (!sandbox) {
    const confinement = new ViewConfinement(namespace, store);
    return new InsideFiles(new LocalEnvironment({ ...host, cwd: root, confinement }));
  }
  return new SandboxedLocalEnvironment({
    ...host,
    ...sandbox,
    cwd: root,
    roots: () => [root],
    hidden: [...(sandbox.hidden ?? []), store],
    mounts: async () => {
      const { enterFiles } = await namespace.open();
      return { prepare: enterFiles as readonly [string, ...string[]], arguments: [] };
    },
  });
}

/** Commands write only to the view. */
export function sandboxEnvironment(request: ViewRequest, folder: string): ExecutionEnvironment {
  const { host, sandbox } = request;
  const home = sandbox?.home ?? host.baseEnv["HOME"] ?? "/";
  return new SandboxedLocalEnvironment({ ...host, ...sandbox, home, cwd: folder, roots: () => [folder] });
}
