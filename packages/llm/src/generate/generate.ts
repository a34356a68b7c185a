// Prompt in, answer out: the tool loop over whole answers.

import { type GenerateOptions, type GenerateResult, Operation } from "./operation.ts";

/** One whole answer: tools run, their results go back, failures that may pass are retried. */
export async function generate(options: GenerateOptions): Promise<GenerateResult> {
  const operation = new Operation(options);
  try {
    for (;;) {
      const response = await operation.step((request, signal) => operation.client.complete(request, { signal }));
      if (!(await operation.settle(response))) return operation.result();
    }
  } catch (error) {
    throw operation.explain(error);
  } finally {
    operation.end();
  }
}
