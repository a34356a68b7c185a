// Searches skip credential files unless the search is for them; such a search has been approved.

import type { ExecutionEnvironment } from "@lathe/agent";
import { type GrepOptions, type GrepResult, WrappedEnvironment } from "@lathe/agent/world";
import type { Permissions } from "./permissions.ts";

export class SearchGuard extends WrappedEnvironment {
  readonly #permissions: Permissions;

  constructor(inner: ExecutionEnvironment, permissions: Permissions) {
    super(inner);
    this.#permissions = permissions;
  }

  override async grep(pattern: string, path: string, options: GrepOptions = {}): Promise<GrepResult> {
    const root = (await this.inner.stat(path))?.realPath ?? this.inner.resolve(path);
    const leaveOut = this.#permissions.leftOutOfSearch(root, options.globFilter);
    return this.inner.grep(pattern, path, leaveOut ? { ...options, leaveOut } : options);
  }
}
