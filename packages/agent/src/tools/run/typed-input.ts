// What the model types into a running command. For a shell or an interpreter it is a new command, so it is judged as a
// command that cannot be analysed.

import { type Access, type CallScope, ToolFailure } from "../../contract/tool.ts";
import { type Job, jobState } from "./jobs.ts";

export function typedAccess(input: string, { env }: CallScope): readonly Access[] {
  const doubt = "it is typed into a running program";
  return [{ kind: "exec", command: input.trimEnd(), cwd: env.workingDirectory(), doubt }];
}

export async function typeInto(job: Job, input: string): Promise<void> {
  if (jobState(job) !== "running") throw new ToolFailure(`Job ${job.id} has ended. Nothing can be typed into it.`);
  if (!job.handle.write) {
    throw new ToolFailure(
      `The input of job ${job.id} is closed. Run the command in a terminal, or give it its input in a file or a pipe.`,
    );
  }
  await job.handle.write(input);
}
