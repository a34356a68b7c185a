// The check of work that is about to land: runs like any other, on what the project would become.

import type { RedCheck } from "../files/isolate/land.ts";
import type { LandingStep } from "../files/isolate/landing-journal.ts";
import { EnvError } from "../world/process/types.ts";
import type { VerifyPlace, VerifyReport, VerifyRequest } from "./types.ts";
import { verify } from "./verify.ts";

/** How to check a landing. */
export interface LandingCheck extends Pick<VerifyRequest, "checks" | "tests" | "signal" | "onStart"> {
  /** Its `project` is not used, because the changes are not there yet. */
  readonly place: VerifyPlace;
  readonly onReport?: ((report: VerifyReport) => void) | undefined;
}

/** For `verify` of a landing. Unproven work does not land, just like work whose check fails. */
export function landingCheck({ place, onReport, ...check }: LandingCheck) {
  return async (steps: readonly LandingStep[]): Promise<RedCheck | undefined> => {
    const report = await verify({ ...check, place: { ...place, project: undefined }, changes: steps, isOnDisk: false });
    onReport?.(report);
    if (report.ranIn === undefined && report.verdict === "unverified")
      throw new EnvError("unavailable", "The check needs an isolated copy: without one it could change the project.");
    if (report.verdict === "verified" || report.verdict === "none") return undefined;
    const failed = report.runs.findLast(({ passed }) => !passed);
    const output = failed?.output ?? "";
    const reasons = report.verdict === "failed" ? [] : report.reasons;
    return { exitCode: failed?.exitCode ?? 1, output: [output, ...reasons].join("\n") };
  };
}
