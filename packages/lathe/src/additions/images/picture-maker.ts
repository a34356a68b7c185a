// Chooses the vendor that generates pictures: the one in the settings, or else the first with a key.

import { ToolFailure } from "@lathe/agent/contract";
import { answerFailure, fetchJson } from "@lathe/agent/files";
import type { PictureMaker } from "@lathe/agent/tools";
import { isJsonObject } from "@lathe/llm";
import { findRow } from "@lathe/llm/providers";
import { type CredentialQuery, findCredential, resolveCredential } from "../../config/credentials/resolve.ts";
import { signInCommand } from "../../config/credentials/source.ts";
import type { ModelWorkspace } from "../../models/connect.ts";
import { credentialQuery, credentialSources } from "../../models/credentials.ts";
import { PICTURE_VENDORS, type PictureVendor } from "./vendors.ts";

/** Pictures take long, and base64 text is a third longer than its bytes. */
const LIMITS = { timeoutMs: 300_000, maxBytes: 40 << 20 };
const MOST_WORDS = 300;

export async function pictureMaker(workspace: ModelWorkspace): Promise<PictureMaker> {
  const { settings } = workspace;
  const wanted = settings["providers.image"];
  const models = await workspace.models();
  const sources = credentialSources(workspace);
  const queryOf = ({ account }: PictureVendor): CredentialQuery =>
    credentialQuery(account, workspace.env, models.ownConfigOf(account));
  const possible = PICTURE_VENDORS.filter(({ id }) => (wanted === "auto" ? id !== "openrouter" : id === wanted));
  for (const vendor of possible) {
    const query = queryOf(vendor);
    const found = await findCredential(query, sources);
    if (!found || found.kind === "none") continue;
    const named = baseUrlNamed(vendor, workspace, models.ownConfigOf(vendor.account)?.baseUrl);
    const key = async (): Promise<string> => (await resolveCredential(query, sources))?.value ?? "";
    return connect(vendor, { named, key, isChosen: wanted !== "auto", env: workspace.env });
  }
  const login = signInCommand(sources.accounts.place);
  const ways = possible.map((vendor) => `${queryOf(vendor).envNames[0]} (or ${login} ${vendor.account})`);
  throw new ToolFailure(`No key for pictures was found. Ask the user to set ${ways.join(" or ")}.`);
}

interface Connection {
  /** The base address that the user configured. */
  readonly named: string | undefined;
  readonly key: () => Promise<string>;
  readonly isChosen: boolean;
  readonly env: ModelWorkspace["env"];
}

/** A vendor's pictures share the base address of its models. */
function baseUrlNamed(
  { account, id }: PictureVendor,
  { userEnv }: ModelWorkspace,
  configured: string | undefined,
): string | undefined {
  const variables = [`${id.toUpperCase()}_IMAGE_BASE_URL`, ...(findRow(account)?.baseUrlEnv ?? [])];
  const named = configured ?? variables.map((name) => userEnv[name]?.trim()).find((value) => value);
  const url = id === "gemini" ? named?.replace(/\/v1(?:beta)?\/*$/, "") : named;
  return url?.replace(/\/+$/, "");
}

function connect(vendor: PictureVendor, { named, key, isChosen, env }: Connection): PictureMaker {
  const baseUrl = named ?? vendor.baseUrl;
  const model = env[`${vendor.id.toUpperCase()}_IMAGE_MODEL`]?.trim() || vendor.model;
  return {
    name: `${vendor.name} (${model})`,
    host: new URL(baseUrl).hostname,
    isChosen,
    async make(order, gate, signal) {
      if (named !== undefined) gate.openTyped(named);
      const { path, headers, json, form } = vendor.request(order, model, await key());
      const sent = form === undefined ? asJson(json ?? {}) : await asForm(form);
      const answer = await fetchJson(
        gate,
        `${baseUrl}${path}`,
        { ...LIMITS, method: "POST", headers: { ...headers, ...sent.headers }, body: sent.body },
        signal,
      );
      if (answer.status >= 400 || !isJsonObject(answer.value)) throw answerFailure(answer);
      const picture = vendor.picture(answer.value);
      if (picture) return { data: Buffer.from(picture.data, "base64"), mediaType: picture.mediaType };
      const words = vendor.words(answer.value)?.replace(/\s+/g, " ").slice(0, MOST_WORDS).replace(/\.$/, "");
      throw new ToolFailure(
        `${vendor.name} made no picture${words === undefined ? "" : `: ${words}`}. Nothing was written.`,
      );
    },
  };
}

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

const asJson = (json: object): Sent => ({
  headers: { "content-type": "application/json" },
  body: JSON.stringify(json),
});

/** Node encodes the form, and the gate takes bytes. */
async function asForm(form: FormData): Promise<Sent> {
  const written = new Response(form);
  return {
    headers: { "content-type": written.headers.get("content-type") ?? "multipart/form-data" },
    body: new Uint8Array(await written.arrayBuffer()),
  };
}
