// Checks whether the broker that keeps this machine's credentials answers, and what it says about them.

import { messageOf } from "@lathe/llm";
import { hasBroker } from "../../config/credentials/broker/place.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { askStatus } from "../../doors/broker/reports/ask-status.ts";
import { isTrouble } from "../../doors/broker/reports/credential-states.ts";
import { configuredBroker } from "../../models/broker-source.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { countOf } from "../../sessions/numbers.ts";
import type { Finding } from "./finding.ts";

/** Returns nothing if the machine uses no broker. If the broker is down, runs can continue with its cached snapshot. */
export async function checkBroker(machine: Machine, workspace: SessionWorkspace): Promise<readonly Finding[]> {
  if (!hasBroker(workspace)) return [];
  const finding = (state: Finding["state"], text: string): readonly Finding[] => [{ state, name: "broker", text }];
  try {
    const { url, token } = await configuredBroker(workspace);
    const asked = await askStatus(machine, url, token);
    if (typeof asked === "string")
      return finding("missing", `${url} cannot be queried: ${asked}. See: lathe auth-broker status`);
    const trouble = asked.filter(isTrouble).length;
    const text = `${url} answers, ${countOf(asked.length - trouble, "credential")} OK`;
    if (trouble === 0) return finding("good", text);
    return finding("missing", `${text}, ${trouble} not. See: lathe auth-broker status`);
  } catch (error) {
    return finding("wrong", messageOf(error));
  }
}
