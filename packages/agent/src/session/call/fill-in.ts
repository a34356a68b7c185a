// Replaces placeholders of secrets in a call's arguments by their values (decision 0309), but only where a secret
// belongs or the user allows it. Otherwise the placeholders stay, and the result says so.

import type { JsonObject } from "@lathe/llm";
import type { ProposedCall } from "../../contract/seams/types.ts";
import type { Access, DeclaredAccess } from "../../contract/tool.ts";
import type { ShownSecret } from "../../policy/redact/redactor.ts";
import { sendsToOwner } from "../../policy/redact/sends-to-owner.ts";
import type { ExecutionEnvironment } from "../../world/env/types.ts";
import type { HostChoices } from "../facades.ts";

export interface FilledCall {
  readonly args: JsonObject;
  readonly access: DeclaredAccess;
  /** Placeholders that stay as they are. */
  readonly kept: readonly string[];
}

export async function fillIn(
  { options: { redactor, env, asksAboutSecrets } }: HostChoices,
  { args, tier }: ProposedCall,
  accessOf: (args: JsonObject) => Promise<DeclaredAccess>,
): Promise<FilledCall> {
  const used = redactor?.usedIn(args) ?? [];
  const mayHold = used.length > 0 && (tier === "write" || tier === "exec");
  if (!redactor || !mayHold) return { args, access: await accessOf(args), kept: [] };
  const filled = redactor.restore(args);
  const access = await accessOf(filled);
  if (!access) return { args, access, kept: [] };
  // A child agent gets its task as text, from which known secrets are removed again.
  if (access.some((item) => item.kind === "exec" && item.isAgent))
    return { args, access: await accessOf(args), kept: [] };
  const isOwn = tier === "write" ? await allFilesHold(env, access, used) : sendsToOwner(access, used);
  if (isOwn) return { args: filled, access, kept: [] };
  const unique = [...new Map(used.map((secret) => [secret.name, secret])).values()];
  if (access.length > 0 && asksAboutSecrets?.())
    return { args: filled, access: [...access, ...unique.map((secret) => secretAccess(secret, tier))], kept: [] };
  return { args, access: await accessOf(args), kept: unique.map(({ name }) => `[redacted:${name}]`) };
}

export function keptNote(kept: readonly string[]): string {
  const they = kept.length === 1 ? "It was" : "They were";
  return `${kept.join(", ")} stayed in the call as written. ${they} not replaced by the value, which is given only to a file that already contains it and, in an authorization header, to one plain curl to the host that it belongs to.`;
}

function secretAccess({ name, hosts }: ShownSecret, tier: ProposedCall["tier"]): Access {
  const owner = hosts.length === 0 ? "" : `, which belongs to ${hosts.join(", ")}`;
  const reason =
    tier === "write"
      ? `It would write the value of ${name} into a file that does not hold it.`
      : `It would give the command the value of ${name}${owner}.`;
  return { kind: "secret", name, reason };
}

/** True if every file that the call writes already contains each of the values. */
async function allFilesHold(
  env: ExecutionEnvironment,
  access: readonly Access[],
  used: readonly ShownSecret[],
): Promise<boolean> {
  const paths = access.flatMap((item) => (item.kind === "write" ? [item.path] : []));
  const isOther = access.some(({ kind }) => kind !== "write" && kind !== "read");
  if (paths.length === 0 || isOther) return false;
  for (const path of new Set(paths)) {
    const text = await env.readBytes(path).then(
      (bytes) => Buffer.from(bytes).toString("utf8"),
      () => "", // the file does not exist yet or cannot be read
    );
    if (!used.every(({ value }) => text.includes(value))) return false;
  }
  return true;
}
