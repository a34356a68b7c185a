// The manual of this product, which the model reads at `lathe://`.

import { manualAddresses } from "../manual/manual-addresses.ts";
import type { SessionPart } from "../session-contract.ts";

export const manualPart = (): SessionPart => ({ name: "manual", schemes: { lathe: manualAddresses() } });
