// The mount namespace of a view: the machine's files, with the view's in place of the project's. No process inside can
// unmount them, because bubblewrap starts another user namespace in which they are locked (decision 0240).

import { keeper, systemProgram } from "../../world/env/sandbox/starting.ts";
import { type Clock, monotonicClock } from "../../world/process/clock.ts";
import {
  type NamespaceMounts,
  type NamespaceSource,
  type Namespaces,
  NamespacesRefused,
  openNamespaces,
} from "../../world/process/namespaces.ts";
import { EnvError, type ProgramArgv } from "../../world/process/types.ts";

export interface ViewNamespaceOptions {
  readonly mounts: NamespaceMounts;
  /** `own` if commands are sandboxed. */
  readonly network: "own" | "shared";
  readonly clock?: Clock | undefined;
}

/** Opens on first use, and again after it was closed: the files of a view outlive it. */
export class ViewNamespace implements NamespaceSource {
  readonly #options: ViewNamespaceOptions;
  #opening: Promise<Namespaces> | undefined;
  #namespaces: Namespaces | undefined;
  #keeper = keeper(undefined);

  constructor(options: ViewNamespaceOptions) {
    this.#options = options;
  }

  /** `wanted`: the first process inside, if it has more to do than wait. */
  async open(wanted: ProgramArgv = this.#keeper): Promise<Namespaces> {
    if (wanted.join("\0") !== this.#keeper.join("\0")) {
      await this.close();
      this.#keeper = wanted;
    }
    if (this.#namespaces?.isOpen) return this.#namespaces;
    this.#opening ??= this.#start().finally(() => {
      this.#opening = undefined;
    });
    this.#namespaces = await this.#opening;
    return this.#namespaces;
  }

  /** The namespaces of the last `open`. */
  get namespaces(): Namespaces {
    if (!this.#namespaces) throw new EnvError("closed", "The isolated copy is not open.");
    return this.#namespaces;
  }

  async close(): Promise<void> {
    const namespaces = this.#namespaces ?? (await this.#opening?.catch(() => undefined));
    this.#namespaces = undefined;
    await namespaces?.close();
  }

  async #start(): Promise<Namespaces> {
    const { mounts, network, clock = monotonicClock } = this.#options;
    const programs = { bwrap: systemProgram("bwrap"), nsenter: systemProgram("nsenter") };
    try {
      return await openNamespaces({ programs, keeper: this.#keeper, clock, mounts, network });
    } catch (error) {
      if (!(error instanceof NamespacesRefused)) throw error;
      throw new EnvError(
        "unavailable",
        `The isolated copy cannot be shown in the project's place: ${error.said.split("\n").at(-1)}`,
      );
    }
  }
}

/**
 * Runs as root of a user namespace; `$1` is the folder with a numbered subfolder for each of the following paths, up to
 * `--`.
 */
const MOUNT_OVERLAYS = `set -e
cd "$1"; shift
i=0
while [ "$1" != -- ]; do
  mount --rbind "$1" "$i/lower"
  mount -t overlay lathe -o "lowerdir=$i/lower,upperdir=$i/upper,workdir=$i/work,userxattr" "$i/merged"
  i=$((i + 1)); shift
done
shift
exec "$@"`;

/** `folder` contains `0/lower`, `0/upper`, `0/work`, `0/merged` and so on for each path. */
export function overlayMounts(folder: string, places: readonly string[]): NamespaceMounts {
  const starter = [systemProgram("unshare"), "--user", "--map-root-user", "--mount", "--"] as const;
  return {
    prepare: [...starter, "/bin/sh", "-c", MOUNT_OVERLAYS, "lathe", folder, ...places, "--"],
    arguments: [
      ...places.flatMap((place, number) => ["--bind", `${folder}/${number}/merged`, place]),
      ...["--tmpfs", folder],
      ...ownIds(),
    ],
  };
}

/** Folders of the host mounted over others. */
export function boundMounts(
  shown: readonly { readonly from: string; readonly at: string; readonly isFixed: boolean }[],
): NamespaceMounts {
  return {
    arguments: [...shown.flatMap(({ from, at, isFixed }) => [isFixed ? "--ro-bind" : "--bind", from, at]), ...ownIds()],
  };
}

function ownIds(): string[] {
  return ["--uid", String(process.geteuid?.() ?? 0), "--gid", String(process.getegid?.() ?? 0)];
}
