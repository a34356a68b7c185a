// A file system that shares blocks, if the machine lets us mount one: an xfs image on a loop device.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { has, program } from "../programs.ts";

export const CAN_SHARE = canMount();

export interface Mounted {
  readonly folder: string;
  remove(): void;
}

/** Not in the system's folder for temporary files, which a sandbox hides. */
export function mountXfs(): Mounted {
  const place = mkdtempSync("/var/lib/lathe-xfs-");
  const [image, folder] = [join(place, "image"), join(place, "mounted")];
  const remove = (): void => {
    try {
      execFileSync("umount", ["-l", folder], { stdio: "ignore" });
    } catch {
      // it was never mounted
    }
    rmSync(place, { recursive: true, force: true });
  };
  try {
    writeFileSync(image, "");
    truncateSync(image, 400 << 20);
    execFileSync(program("mkfs.xfs")!, ["-q", "-m", "reflink=1", image]);
    mkdirSync(folder);
    execFileSync("mount", ["-o", "loop", image, folder], { stdio: "ignore" });
  } catch (error) {
    remove();
    throw error;
  }
  return { folder, remove };
}

function canMount(): boolean {
  if (!has("mkfs.xfs", "mount")) return false;
  try {
    mountXfs().remove();
    return true;
  } catch {
    return false; // not allowed here
  }
}
