// The settings as the configuration of a session's loop.

import type { ConfigInput } from "@lathe/agent";
import { pollMs } from "../config/settings/work-settings.ts";
import type { Workspace } from "../config/workspace/workspace.ts";
import { isLocal, type ModelChoice } from "../models/connect.ts";
import type { Models } from "../models/models.ts";
import type { SessionRequest } from "./session-contract.ts";

/** Every retry of an answer that breaks off costs money, so there are few. */
const MID_STREAM_RETRIES = 3;

/** A script whose server is unreachable gets its error within a minute, including the last attempt. */
const MOST_UNREACHABLE_MS = 45_000;

export function sessionConfig(workspace: Workspace, { model, person }: SessionRequest): ConfigInput {
  const { settings } = workspace;
  return {
    defaultCommandTimeoutMs: settings["shell.timeoutMs"],
    maxCommandTimeoutMs: settings["shell.maxTimeoutMs"],
    reasoningEffort: model.effort,
    toolOutputLimits: settings.toolOutputLimits,
    toolLineLimits: settings.toolLineLimits,
    steeringMode: settings.steeringMode,
    followUpMode: settings.followUpMode,
    interruptMode: settings.interruptMode,
    lateSteering: "run",
    maxJobs: settings["async.maxJobs"],
    asyncCommands: settings["async.enabled"],
    jobPollMs: pollMs(settings["async.pollWaitDuration"]),
    autoBackgroundMs: settings["bash.autoBackground.enabled"] ? settings["bash.autoBackground.thresholdMs"] : 0,
    minimizeOutput: settings["bash.minimizer.enabled"],
    maxSubagentDepth: settings["task.maxRecursionDepth"],
    // Without a user, a run ends with its last prompt.
    jobReports: person ? "run" : "wait",
    retry: {
      maxRetries: settings["retry.enabled"] ? settings["retry.maxRetries"] : 0,
      maxTotalMs: settings["retry.maxMinutes"] * 60_000,
      maxUnreachableMs: person ? 0 : MOST_UNREACHABLE_MS,
      baseDelay: settings["retry.baseDelay"],
      midStream: MID_STREAM_RETRIES,
    },
  };
}

export function streamTimeouts({ settings }: Workspace, models: Models, { provider }: ModelChoice): ConfigInput {
  const factor = isLocal(models, provider) ? 0 : 1000;
  return {
    firstEventTimeoutMs: factor * settings["timeouts.firstEvent"],
    stallTimeoutMs: factor * settings["timeouts.stall"],
  };
}
