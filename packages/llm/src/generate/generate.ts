// Prompt in, answer out: the tool loop with whole answers.

import { type GenerateOptions, type GenerateResult, Operation } from "./operation.ts";

/** Returns one whole answer: runs tools, sends their results back, retries temporary failures. */
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
