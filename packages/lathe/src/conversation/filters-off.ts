// What the user is told about filters of a repository in a folder without trust (decision 0518).

import { visibleLine } from "@lathe/agent/base";

const nameOf = (filter: string): string => visibleLine(filter) || '""';

/** Undefined if all filters ran. */
export function filtersOffLine(off: readonly string[]): string | undefined {
  if (off.length === 0) return undefined;
  return `This folder is not trusted, so git did not run the filters that it configures: ${off.map(nameOf).join(", ")}. Files with such a filter may show changes that are none. To run them: lathe trust`;
}

export const stuckFilterLine = (filter: string): string =>
  `This folder is not trusted, and git's filter ${nameOf(filter)} cannot be turned off. To run it: lathe trust`;
