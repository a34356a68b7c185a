// A warning about a file, as one line for the user.

import type { DiscoveryWarning } from "./types.ts";

export const warningLine = ({ path, line, message }: DiscoveryWarning): string =>
  `${path}${line === undefined ? "" : `:${line}`}: ${message}.`;
