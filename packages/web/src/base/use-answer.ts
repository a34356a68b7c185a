// The answer to a request to the server, requested again when `inputs` change. The last answer stays until a new one
// arrives.

import { useEffect, useState } from "preact/hooks";
import { problemOf } from "./problem.ts";

export interface Asked<T> {
  readonly answer?: T | undefined;
  readonly problem?: string | undefined;
}

export function useAnswer<T>(ask: () => Promise<T>, inputs: readonly unknown[]): Asked<T> {
  const [asked, setAsked] = useState<Asked<T>>({});
  useEffect(() => {
    let isCurrent = true;
    ask().then(
      (answer) => isCurrent && setAsked({ answer }),
      (error: unknown) => isCurrent && setAsked((before) => ({ ...before, problem: problemOf(error) })),
    );
    return () => {
      isCurrent = false;
    };
  }, inputs as unknown[]);
  return asked;
}
