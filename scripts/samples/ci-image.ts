// The image `lathe-ci` of docs/ci.md, built without a registry from programs of this machine, their libraries, and the
// installed command. A `podman` on the reader's PATH provides it.
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Env } from "./shells.ts";

/** @returns the folder with `podman`, and a function that removes everything created */
export function makeCiImage(
  folder: string,
  { prefix, env }: { prefix: string; env: Env },
): { bin: string; remove: () => void } {
  const image = join(folder, "image");
  for (const name of ["bin", "tmp", "proc", "sys", "dev", "etc", "root", "project"])
    mkdirSync(join(image, name), { recursive: true });
  copyProgram("busybox", image);
  for (const name of execFileSync("busybox", ["--list"], { encoding: "utf8" }).trim().split("\n"))
    if (!["busybox", "bash"].includes(name)) symlinkSync("busybox", join(image, "bin", name));
  for (const name of ["bash", "jq", "git", "node"]) copyProgram(name, image);
  cpSync(join(prefix, "lib/node_modules/lathe"), join(image, "opt/lathe"), { recursive: true });
  symlinkSync("../opt/lathe/dist/cli.js", join(image, "bin/lathe"));
  mkdirSync(join(image, "usr/bin"), { recursive: true });
  symlinkSync("../../bin/env", join(image, "usr/bin/env"));

  // The scripted model listens on this machine's loopback; crun needs another cgroup layout than test machines have.
  const conf = join(folder, "containers.conf");
  const settings = Object.entries(env).map(([name, value]) => JSON.stringify(`${name}=${value}`));
  writeFileSync(
    conf,
    `[containers]
netns = "host"
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
env = ["PATH=/bin", ${settings.join(", ")}]
[engine]
runtime = "runc"
`,
  );
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const storage = `--root ${folder}/root --runroot ${folder}/run --storage-driver vfs`;
  const podman = join(bin, "podman");
  writeFileSync(
    podman,
    `#!/bin/sh\nCONTAINERS_CONF=${conf} exec ${execFileSync("which", ["podman"], { encoding: "utf8" }).trim()} ${storage} "$@"\n`,
    { mode: 0o755 },
  );
  execFileSync("bash", ["-c", `tar -C ${image} -c . | ${podman} import --quiet - localhost/lathe-ci:latest`]);
  return { bin, remove: () => void execFileSync(podman, ["system", "reset", "--force"], { stdio: "ignore" }) };
}

/** Copies a program with its shared libraries, at the paths where it looks for them. */
function copyProgram(name: string, image: string): void {
  const path = realpathSync(execFileSync("which", [name], { encoding: "utf8" }).trim());
  copyFileSync(path, join(image, "bin", name));
  const libraries = execFileSync("sh", ["-c", `ldd ${path} || true`], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  for (const [, library = ""] of libraries.matchAll(/(?:=> )?(\/\S+) \(0x/g)) {
    const target = join(image, library);
    if (existsSync(target)) continue;
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(realpathSync(library), target);
  }
}
