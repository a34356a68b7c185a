// Credentials that the machine itself provides: ECS containers and EC2 instances (IMDSv2).

import { CredentialError } from "../../types/errors.ts";
import { fetchText, parseObject } from "../http.ts";
import type { AwsContext, AwsCredentials } from "./types.ts";

const probeMs = 1000;
/** Both services are one hop away, or do not exist. */
const answerMs = 5000;

/** Undefined outside a container with credentials. */
export async function containerCredentials({ deps }: AwsContext): Promise<AwsCredentials | undefined> {
  const { env } = deps;
  const relative = env["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"];
  const url = relative ? `http://169.254.170.2${relative}` : env["AWS_CONTAINER_CREDENTIALS_FULL_URI"];
  if (!url) return undefined;
  const tokenFile = env["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"];
  const token = tokenFile
    ? new TextDecoder().decode(await deps.readFile(tokenFile)).trim()
    : env["AWS_CONTAINER_AUTHORIZATION_TOKEN"];
  const headers = token ? { authorization: token } : {};
  const { status, text } = await fetchText(deps, { url, method: "GET", headers, connectTimeoutMs: probeMs }, answerMs);
  const credentials = readIssued(text);
  if (status !== 200 || credentials === undefined) {
    throw new CredentialError(`the container's credential service answered ${status} without credentials`);
  }
  return credentials;
}

/** Undefined if no instance metadata service answers. */
export async function instanceCredentials({ deps }: AwsContext): Promise<AwsCredentials | undefined> {
  const { env } = deps;
  if (env["AWS_EC2_METADATA_DISABLED"] === "true") return undefined;
  const base = (env["AWS_EC2_METADATA_SERVICE_ENDPOINT"] || "http://169.254.169.254").replace(/\/+$/, "");
  const ask = (method: "GET" | "PUT", path: string, headers: Record<string, string>) =>
    fetchText(deps, { url: base + path, method, headers, connectTimeoutMs: probeMs }, answerMs);
  let token: string;
  try {
    const answer = await ask("PUT", "/latest/api/token", { "x-aws-ec2-metadata-token-ttl-seconds": "21600" });
    if (answer.status !== 200) return undefined;
    token = answer.text;
  } catch {
    // Outside EC2 nothing answers at this address; that is normal and no failure.
    return undefined;
  }
  const headers = { "x-aws-ec2-metadata-token": token };
  const folder = "/latest/meta-data/iam/security-credentials/";
  const roles = await ask("GET", folder, headers);
  const role = roles.text.split("\n")[0]?.trim();
  if (roles.status !== 200 || !role) return undefined;
  return readIssued((await ask("GET", folder + role, headers)).text);
}

/** Reads the format in which both services, and `credential_process`, answer. */
export function readIssued(text: string): AwsCredentials | undefined {
  const issued = parseObject(text);
  const accessKeyId = issued?.["AccessKeyId"];
  const secretAccessKey = issued?.["SecretAccessKey"];
  if (typeof accessKeyId !== "string" || typeof secretAccessKey !== "string") return undefined;
  const sessionToken = issued?.["Token"] ?? issued?.["SessionToken"];
  const expiresAt = Date.parse(String(issued?.["Expiration"] ?? ""));
  return {
    accessKeyId,
    secretAccessKey,
    ...(typeof sessionToken === "string" ? { sessionToken } : {}),
    ...(Number.isNaN(expiresAt) ? {} : { expiresAt }),
  };
}
