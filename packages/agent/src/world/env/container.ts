// A running container, reached through the docker or podman command line.

import { RemoteEnvironment, type RemoteOptions } from "./remote.ts";

/** The container to work in, and how to reach it. */
export interface ContainerOptions extends RemoteOptions {
  /** Name or id of a running container. */
  readonly container: string;
  /** The program; `docker` if absent. */
  readonly cli?: string | undefined;
  /** Arguments before `exec`, such as `--context x`. */
  readonly cliArgs?: readonly string[] | undefined;
  readonly user?: string | undefined;
}

/** Works inside a running container through `docker exec` or `podman exec`. */
export class ContainerEnvironment extends RemoteEnvironment {
  constructor(options: ContainerOptions) {
    const { container, cli = "docker", cliArgs = [], user } = options;
    const as = user === undefined ? [] : ["--user", user];
    super(
      {
        name: `container ${container}`,
        target: JSON.stringify([cli, ...cliArgs, ...as, container]),
        argv: (script, args) => [cli, ...cliArgs, "exec", "-i", ...as, container, "sh", "-c", script, "lathe", ...args],
      },
      options,
    );
  }
}
