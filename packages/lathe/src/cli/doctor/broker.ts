// Whether the broker answers that keeps the credentials of this machine, and what it says of them.

import { messageOf } from "@lathe/llm";
import { hasBroker } from "../../config/credentials/broker/place.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { askStatus } from "../../doors/broker/reports/ask-status.ts";
import { isTrouble } from "../../doors/broker/reports/credential-states.ts";
import { brokerNamed } from "../../models/broker-source.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { countOf } from "../../sessions/numbers.ts";
import type { Finding } from "./finding.ts";

/** Nothing on a machine that uses none. A broker that is down stops no run that has kept what it said last. */
export async function checkBroker(machine: Machine, workspace: SessionWorkspace): Promise<readonly Finding[]> {
  if (!hasBroker(workspace)) return [];
  const found = (state: Finding["state"], text: string): readonly Finding[] => [{ state, name: "broker", text }];
  try {
    const { url, token } = await brokerNamed(workspace);
    const asked = await askStatus(machine, url, token);
    if (typeof asked === "string")
      return found("missing", `${url} cannot be asked: ${asked}. See: lathe auth-broker status`);
    const trouble = asked.filter(isTrouble).length;
    const text = `${url} answers, ${countOf(asked.length - trouble, "credential")} in order`;
    if (trouble === 0) return found("good", text);
    return found("missing", `${text}, ${trouble} not. See: lathe auth-broker status`);
  } catch (error) {
    return found("wrong", messageOf(error));
  }
}
