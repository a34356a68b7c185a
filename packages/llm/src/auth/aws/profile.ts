// Credentials of a profile in the user's AWS files: static keys, SSO, `credential_process`, assumed roles.

import { CredentialError } from "../../types/errors.ts";
import { fetchText, parseObject } from "../http.ts";
import { containerCredentials, instanceCredentials, readIssued } from "./metadata.ts";
import { assumeRole, assumeWithWebIdentity } from "./sts.ts";
import type { AwsContext, AwsCredentials } from "./types.ts";

type Section = Readonly<Record<string, string>>;

/** Login programs write new temporary keys into the file before the old ones expire, and do not say when that is. */
const sessionFileMs = 5 * 60_000;

interface AwsFiles {
  readonly profiles: ReadonlyMap<string, Section>;
  readonly ssoSessions: ReadonlyMap<string, Section>;
}

/** Undefined if no profile is requested and the default one has nothing to use. */
export async function profileCredentials(context: AwsContext): Promise<AwsCredentials | undefined> {
  const namedProfile = context.deps.env["AWS_PROFILE"];
  const name = namedProfile || "default";
  const files = await readAwsFiles(context);
  if (!files.profiles.has(name)) {
    if (!namedProfile) return undefined;
    throw new CredentialError(
      `AWS_PROFILE names ${name}, which is not in the AWS files; see \`aws configure list-profiles\``,
    );
  }
  return resolveProfile(name, files, context, []);
}

/** The profile's other settings; empty if there is no profile. */
export async function profileSettings(deps: AwsContext["deps"]): Promise<Section> {
  const { profiles } = await readAwsFiles({ deps });
  return profiles.get(deps.env["AWS_PROFILE"] || "default") ?? {};
}

async function resolveProfile(
  name: string,
  files: AwsFiles,
  context: AwsContext,
  chain: readonly string[],
): Promise<AwsCredentials | undefined> {
  const profile = files.profiles.get(name);
  if (profile === undefined || chain.includes(name)) {
    throw new CredentialError(
      `AWS profile ${chain.at(-1) ?? name} refers to ${name}, which does not lead to credentials`,
    );
  }
  if (profile["role_arn"] && (profile["source_profile"] || profile["credential_source"])) {
    return assumeProfileRole(name, profile, files, context, chain);
  }
  const {
    aws_access_key_id: accessKeyId,
    aws_secret_access_key: secretAccessKey,
    aws_session_token: sessionToken,
  } = profile;
  if (accessKeyId && secretAccessKey) {
    if (!sessionToken) return { accessKeyId, secretAccessKey };
    return { accessKeyId, secretAccessKey, sessionToken, expiresAt: context.deps.now() + sessionFileMs };
  }
  if (profile["sso_session"] || profile["sso_start_url"]) return ssoCredentials(name, profile, files, context);
  const command = profile["credential_process"];
  if (command) return processCredentials(name, command, context);
  const { role_arn: roleArn, web_identity_token_file: tokenFile, role_session_name: sessionName } = profile;
  if (roleArn && tokenFile) return assumeWithWebIdentity({ roleArn, sessionName }, tokenFile, context);
  return undefined;
}

async function assumeProfileRole(
  name: string,
  profile: Section,
  files: AwsFiles,
  context: AwsContext,
  chain: readonly string[],
): Promise<AwsCredentials> {
  if (profile["mfa_serial"]) {
    throw new CredentialError(`AWS profile ${name} asks for a one-time code; get a session with the AWS CLI first`);
  }
  const from = profile["source_profile"];
  // A profile may name itself as its source: its own static keys then assume the role.
  const source = from
    ? from === name
      ? await resolveProfile(name, withoutRole(files, name), context, chain)
      : await resolveProfile(from, files, context, [...chain, name])
    : await sourcedCredentials(profile["credential_source"] ?? "", context);
  if (source === undefined) throw new CredentialError(`AWS profile ${name} has no credentials to assume its role with`);
  const role = {
    roleArn: profile["role_arn"] ?? "",
    sessionName: profile["role_session_name"],
    externalId: profile["external_id"],
  };
  return assumeRole(role, source, context);
}

function withoutRole(files: AwsFiles, name: string): AwsFiles {
  const { role_arn: _, ...rest } = files.profiles.get(name) ?? {};
  return { ...files, profiles: new Map([...files.profiles, [name, rest]]) };
}

function sourcedCredentials(source: string, context: AwsContext): Promise<AwsCredentials | undefined> {
  if (source === "Environment") return Promise.resolve(environmentCredentials(context));
  return source === "EcsContainer" ? containerCredentials(context) : instanceCredentials(context);
}

export function environmentCredentials({ deps: { env } }: AwsContext): AwsCredentials | undefined {
  const accessKeyId = env["AWS_ACCESS_KEY_ID"];
  const secretAccessKey = env["AWS_SECRET_ACCESS_KEY"];
  if (!accessKeyId || !secretAccessKey) return undefined;
  const sessionToken = env["AWS_SESSION_TOKEN"];
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}

async function processCredentials(name: string, command: string, context: AwsContext): Promise<AwsCredentials> {
  if (context.runCommand === undefined) {
    throw new CredentialError(
      `AWS profile ${name} runs a command to get its credentials, which this host does not allow`,
    );
  }
  const credentials = readIssued(await context.runCommand(command));
  if (credentials === undefined) {
    throw new CredentialError(`the credential_process of AWS profile ${name} printed no credentials`);
  }
  return credentials;
}

/** The CLI's login left a token in its cache; we exchange it for keys of the profile's role. */
async function ssoCredentials(
  name: string,
  profile: Section,
  files: AwsFiles,
  { deps }: AwsContext,
): Promise<AwsCredentials> {
  const session = files.ssoSessions.get(profile["sso_session"] ?? "") ?? profile;
  const { createHash } = process.getBuiltinModule("node:crypto");
  const cacheKey = createHash("sha1")
    .update(profile["sso_session"] || session["sso_start_url"] || "")
    .digest("hex");
  const login = new CredentialError(
    `the SSO login of AWS profile ${name} has expired; run \`aws sso login --profile ${name}\``,
  );
  const cached = parseObject(
    (await readIfThere(`${deps.homeDir}/.aws/sso/cache/${cacheKey}.json`, deps.readFile)) ?? "",
  );
  const token = cached?.["accessToken"];
  if (typeof token !== "string" || !(Date.parse(String(cached?.["expiresAt"])) > deps.now())) throw login;
  const query = new URLSearchParams({
    role_name: profile["sso_role_name"] ?? "",
    account_id: profile["sso_account_id"] ?? "",
  });
  const { status, text } = await fetchText(deps, {
    url: `https://portal.sso.${session["sso_region"] ?? profile["sso_region"]}.amazonaws.com/federation/credentials?${query}`,
    method: "GET",
    headers: { "x-amz-sso_bearer_token": token },
  });
  const issued = parseObject(text)?.["roleCredentials"];
  if (status === 401) throw login;
  if (typeof issued !== "object" || issued === null || Array.isArray(issued)) {
    throw new CredentialError(`AWS SSO returned no credentials for profile ${name} (status ${status})`);
  }
  const expiresAt = issued["expiration"];
  return {
    accessKeyId: String(issued["accessKeyId"]),
    secretAccessKey: String(issued["secretAccessKey"]),
    sessionToken: String(issued["sessionToken"]),
    ...(typeof expiresAt === "number" ? { expiresAt } : {}),
  };
}

async function readAwsFiles({ deps }: Pick<AwsContext, "deps">): Promise<AwsFiles> {
  const { env, homeDir, readFile } = deps;
  const [config, credentials] = await Promise.all([
    readIfThere(env["AWS_CONFIG_FILE"] || `${homeDir}/.aws/config`, readFile),
    readIfThere(env["AWS_SHARED_CREDENTIALS_FILE"] || `${homeDir}/.aws/credentials`, readFile),
  ]);
  const profiles = new Map<string, Section>();
  const ssoSessions = new Map<string, Section>();
  for (const [title, section] of parseIni(config ?? "")) {
    const [kind, name] = title.split(/\s+/);
    if (kind === "sso-session" && name) ssoSessions.set(name, section);
    else if (kind === "profile" && name) profiles.set(name, section);
    else if (kind === "default") profiles.set("default", section);
  }
  for (const [name, section] of parseIni(credentials ?? "")) profiles.set(name, { ...profiles.get(name), ...section });
  return { profiles, ssoSessions };
}

async function readIfThere(path: string, readFile: AwsContext["deps"]["readFile"]): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await readFile(path));
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    throw new CredentialError(`${path} cannot be read`, { cause: error });
  }
}

/** Sections with their keys in lower case; indented lines belong to nested settings and are skipped. */
function parseIni(text: string): Map<string, Record<string, string>> {
  const sections = new Map<string, Record<string, string>>();
  let current: Record<string, string> | undefined;
  for (const line of text.split(/\r?\n/)) {
    const title = /^\s*\[\s*(.+?)\s*\]/.exec(line)?.[1];
    if (title !== undefined) {
      current = sections.get(title) ?? {};
      sections.set(title, current);
      continue;
    }
    const pair = /^([^\s#;=][^=]*?)\s*=\s*(.*?)\s*$/.exec(line);
    if (pair && current) current[pair[1]!.toLowerCase()] = pair[2]!.replace(/\s+[#;].*$/, "");
  }
  return sections;
}
