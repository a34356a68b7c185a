import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type AwsContext, bedrockAuth, resolveAwsCredentials } from "../../src/auth/aws/index.ts";
import type { TransportRequest } from "../../src/types/adapter.ts";
import { ConfigurationError, NetworkError } from "../../src/types/errors.ts";
import { testClock } from "../core/support.ts";

const now = Date.UTC(2026, 0, 1);
const later = new Date(now + 3600_000).toISOString();

interface World {
  readonly env?: Record<string, string>;
  readonly files?: Record<string, string>;
  /** Answers by method and address; undefined: nothing answers there. */
  readonly net?: (request: TransportRequest) => { status?: number; text: string } | undefined;
  readonly runCommand?: (command: string) => Promise<string>;
}

function world({ env = {}, files = {}, net = () => undefined, runCommand }: World) {
  const sent: TransportRequest[] = [];
  const clock = { now };
  const context: AwsContext = {
    region: "us-west-2",
    ...(runCommand ? { runCommand } : {}),
    deps: {
      env,
      homeDir: "/home/u",
      now: () => clock.now,
      setTimer: testClock().setTimer,
      readFile: async (path) => {
        const text = files[path];
        if (text === undefined) throw Object.assign(new Error(`no ${path}`), { code: "ENOENT" });
        return new TextEncoder().encode(text);
      },
      fetch: async (request) => {
        sent.push(request);
        const answer = net(request);
        if (answer === undefined) throw new NetworkError("no route");
        const bytes = new TextEncoder().encode(answer.text);
        return {
          status: answer.status ?? 200,
          headers: {},
          body: (async function* () {
            yield bytes;
          })(),
        };
      },
    },
  };
  return { context, sent, clock, resolve: () => resolveAwsCredentials(context) };
}

const issued = (id: string) => JSON.stringify({ AccessKeyId: id, SecretAccessKey: "s", Token: "t", Expiration: later });
const sts = (id: string) => ({
  text: `<R><Credentials><AccessKeyId>${id}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>${later}</Expiration></Credentials></R>`,
});

describe("AD-60 AWS credential chain", () => {
  it("AD-60 static keys, profile, web identity, container, instance: removed one by one", async () => {
    const env: Record<string, string> = {
      AWS_ACCESS_KEY_ID: "env",
      AWS_SECRET_ACCESS_KEY: "s",
      AWS_ROLE_ARN: "arn:role",
      AWS_WEB_IDENTITY_TOKEN_FILE: "/token",
      AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "/creds",
    };
    const files: Record<string, string> = {
      "/home/u/.aws/credentials": "[default]\naws_access_key_id = file\naws_secret_access_key = s\n",
      "/token": "jwt\n",
    };
    const net = ({ url, method }: TransportRequest) => {
      if (url.startsWith("https://sts.us-west-2.amazonaws.com/")) return sts("web");
      if (url === "http://169.254.170.2/creds") return { text: issued("ecs") };
      if (url === "http://169.254.169.254/latest/api/token" && method === "PUT") return { text: "imds" };
      if (url.endsWith("/security-credentials/")) return { text: "my-role" };
      return url.endsWith("/security-credentials/my-role") ? { text: issued("ec2") } : undefined;
    };
    const found = async () => (await world({ env, files, net }).resolve()).accessKeyId;
    expect(await found()).toBe("env");
    delete env["AWS_ACCESS_KEY_ID"];
    expect(await found()).toBe("file");
    delete files["/home/u/.aws/credentials"];
    expect(await found()).toBe("web");
    delete env["AWS_ROLE_ARN"];
    expect(await found()).toBe("ecs");
    delete env["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"];
    expect(await found()).toBe("ec2");
    env["AWS_EC2_METADATA_DISABLED"] = "true";
    await expect(found()).rejects.toThrow(/no AWS credentials found; set AWS_BEARER_TOKEN_BEDROCK/);
  });

  it("AD-60 IMDSv2 sends its token; outside EC2 nothing answers and that is no crash", async () => {
    const there = world({
      net: ({ url, method }) =>
        method === "PUT" ? { text: "tok" } : { text: url.endsWith("/") ? "role\n" : issued("ec2") },
    });
    expect(await there.resolve()).toEqual({
      accessKeyId: "ec2",
      secretAccessKey: "s",
      sessionToken: "t",
      expiresAt: now + 3600_000,
    });
    expect(there.sent.slice(1).map((request) => request.headers["x-aws-ec2-metadata-token"])).toEqual(["tok", "tok"]);
    expect(there.sent[0]?.connectTimeoutMs).toBe(1000);
    await expect(world({}).resolve()).rejects.toBeInstanceOf(ConfigurationError);
  });

  it("AD-60 container tokens come from the variable or its file", async () => {
    const env = {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://127.0.0.1:9/c",
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: "/t",
    };
    const { resolve, sent } = world({ env, files: { "/t": "secret\n" }, net: () => ({ text: issued("ecs") }) });
    await resolve();
    expect(sent[0]?.headers["authorization"]).toBe("secret");
  });

  it("AD-60 web identity posts the token and names the session", async () => {
    const env = { AWS_ROLE_ARN: "arn:r", AWS_WEB_IDENTITY_TOKEN_FILE: "/jwt", AWS_ROLE_SESSION_NAME: "me" };
    const { resolve, sent } = world({ env, files: { "/jwt": "j.w.t" }, net: () => sts("web") });
    expect((await resolve()).accessKeyId).toBe("web");
    expect(Object.fromEntries(new URLSearchParams(String(sent[0]?.body?.[0])))).toEqual({
      Action: "AssumeRoleWithWebIdentity",
      Version: "2011-06-15",
      RoleArn: "arn:r",
      RoleSessionName: "me",
      WebIdentityToken: "j.w.t",
    });
  });
});

describe("AD-60 AWS profiles", () => {
  const config = `
# company setup
[default]
region = us-east-1

[profile proc]
credential_process = /opt/get-keys --for "dev"

[profile sso]
sso_session = corp
sso_account_id = 123
sso_role_name = Dev

[sso-session corp]
sso_region = eu-west-1
sso_start_url = https://corp.example/start

[profile base]
s3 =
  max_concurrent_requests = 20
aws_access_key_id = base ; a comment
aws_secret_access_key = s

[profile role]
role_arn = arn:aws:iam::1:role/x
source_profile = base
external_id = ext

[profile loop]
role_arn = arn:aws:iam::1:role/y
source_profile = loop2
[profile loop2]
role_arn = arn:aws:iam::1:role/z
source_profile = loop
`;
  const files = { "/home/u/.aws/config": config };
  const cachePath = `/home/u/.aws/sso/cache/${createHash("sha1").update("corp").digest("hex")}.json`;

  it("AD-60 credential_process runs through the host's function, and only there", async () => {
    const commands: string[] = [];
    const runCommand = async (command: string) => {
      commands.push(command);
      return JSON.stringify({ Version: 1, AccessKeyId: "p", SecretAccessKey: "s", SessionToken: "t" });
    };
    const env = { AWS_PROFILE: "proc" };
    expect(await world({ env, files, runCommand }).resolve()).toEqual({
      accessKeyId: "p",
      secretAccessKey: "s",
      sessionToken: "t",
    });
    expect(commands).toEqual(['/opt/get-keys --for "dev"']);
    await expect(world({ env, files }).resolve()).rejects.toThrow(/this host does not allow/);
  });

  it("AD-60 SSO exchanges the cached login; an expired one says what to run", async () => {
    const env = { AWS_PROFILE: "sso" };
    const login = (expiresAt: string) => ({
      ...files,
      [cachePath]: JSON.stringify({ accessToken: "at", expiresAt }),
    });
    const roleCredentials = { accessKeyId: "k", secretAccessKey: "s", sessionToken: "t", expiration: now + 9 };
    const valid = world({ env, files: login(later), net: () => ({ text: JSON.stringify({ roleCredentials }) }) });
    expect(await valid.resolve()).toEqual({
      accessKeyId: "k",
      secretAccessKey: "s",
      sessionToken: "t",
      expiresAt: now + 9,
    });
    expect(valid.sent[0]?.url).toBe(
      "https://portal.sso.eu-west-1.amazonaws.com/federation/credentials?role_name=Dev&account_id=123",
    );
    expect(valid.sent[0]?.headers["x-amz-sso_bearer_token"]).toBe("at");
    const over = world({ env, files: login(new Date(now - 1).toISOString()) });
    await expect(over.resolve()).rejects.toThrow(/aws sso login --profile sso/);
    await expect(world({ env, files }).resolve()).rejects.toThrow(/aws sso login --profile sso/);
  });

  it("AD-60 a role is assumed with the source profile's keys; circles are refused", async () => {
    const { resolve, sent } = world({ env: { AWS_PROFILE: "role" }, files, net: () => sts("assumed") });
    expect((await resolve()).accessKeyId).toBe("assumed");
    expect(sent[0]?.headers["authorization"]).toContain("Credential=base/20260101/us-west-2/sts/aws4_request");
    expect(String(sent[0]?.body?.[0])).toContain("ExternalId=ext");
    await expect(world({ env: { AWS_PROFILE: "loop" }, files }).resolve()).rejects.toThrow(
      /does not lead to credentials/,
    );
  });

  it("AD-60 an unknown profile is named; file places can be moved; credentials outrank config", async () => {
    await expect(world({ env: { AWS_PROFILE: "nope" }, files }).resolve()).rejects.toThrow(/AWS_PROFILE names nope/);
    const env = { AWS_CONFIG_FILE: "/c", AWS_SHARED_CREDENTIALS_FILE: "/k", AWS_PROFILE: "x" };
    const moved = {
      "/c": "[profile x]\naws_access_key_id=old\naws_secret_access_key=s\n",
      "/k": "[x]\naws_access_key_id=new\n",
    };
    expect((await world({ env, files: moved }).resolve()).accessKeyId).toBe("new");
  });
});

describe("AD-60 AWS credentials over time", () => {
  it("AD-60 found once for all requests, found again a minute before they expire, a failure is not kept", async () => {
    let lookups = 0;
    let broken = true;
    const { context, clock } = world({
      env: { AWS_PROFILE: "p" },
      files: { "/home/u/.aws/config": "[profile p]\ncredential_process = x\n" },
      runCommand: async () => {
        lookups += 1;
        if (broken) throw new ConfigurationError("locked");
        return issued("p");
      },
    });
    const auth = bedrockAuth(context);
    const request = { url: "https://h/model/m/converse", method: "POST" as const, headers: {}, body: ["{}"] };
    await expect(auth(request)).rejects.toThrow("locked");
    broken = false;
    await Promise.all([auth(request), auth(request), auth(request)]);
    await auth(request);
    expect(lookups).toBe(2);
    clock.now += 3600_000 - 59_000;
    await auth(request);
    expect(lookups).toBe(3);
  });

  it("AD-60 temporary keys in a file are read again after some minutes: a login program may have changed them", async () => {
    const keys = (id: string) =>
      `[default]\naws_access_key_id = ${id}\naws_secret_access_key = s\naws_session_token = t\n`;
    const files = { "/home/u/.aws/credentials": keys("MORNING") };
    const { context, clock } = world({ files });
    const auth = bedrockAuth(context);
    const request = { url: "https://h/model/m/converse", method: "POST" as const, headers: {}, body: ["{}"] };
    const keyId = async () => /Credential=(\w+)/.exec((await auth(request)).headers["authorization"] ?? "")?.[1];
    expect(await keyId()).toBe("MORNING");
    files["/home/u/.aws/credentials"] = keys("NOON");
    clock.now += 60_000;
    expect(await keyId()).toBe("MORNING");
    clock.now += 300_000;
    expect(await keyId()).toBe("NOON");
  });
});
