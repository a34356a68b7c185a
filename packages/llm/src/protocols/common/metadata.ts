// Request metadata that a vendor has no field for.

import type { Request } from "../../types/request.ts";
import type { Warning } from "../../types/response.ts";

/** `session_id` is for our own cache handling; `sent` names the keys that the vendor accepts. */
export function warnAboutMetadata(request: Request, reason: string, warnings: Warning[], sent = "session_id"): void {
  const unsent = Object.keys(request.metadata ?? {}).filter((key) => key !== "session_id" && key !== sent);
  if (unsent.length > 0) warnings.push({ code: "unsupported_parameter", message: `metadata: ${reason}` });
}
