// Who is signed in.

import type { Scope } from "lathe/client";

export interface Me {
  readonly name: string;
  readonly scopes: readonly Scope[];
}
