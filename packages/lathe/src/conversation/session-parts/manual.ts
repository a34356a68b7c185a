// Lathe's own documentation, which the model reads at `lathe://`.

import { manualAddresses } from "../manual/manual-addresses.ts";
import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

export const manualPart = ({ workspace }: Pick<SessionBase, "workspace">): SessionPart => ({
  name: "manual",
  schemes: { lathe: manualAddresses(workspace.env["LATHE_PACKAGE_DIR"]) },
});
