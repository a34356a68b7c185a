// Bridge mode refuses to start with an incomplete configuration; a running one speaks only TLS, requires its token, and
// has its sessions disabled.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { request } from "node:https";
import { createInterface } from "node:readline";
import { ran, Started } from "./started.mjs";

export async function smokeBridge(cli) {
  const made = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
  const files = ["-keyout", "key.pem", "-out", "cert.pem"];
  execFileSync("openssl", ["req", "-x509", ...made, ...files, "-subj", "/CN=localhost"], { stdio: "ignore" });
  const env = { LATHE_BRIDGE_TOKEN: "token", LATHE_BRIDGE_TLS_CERT: "cert.pem", LATHE_BRIDGE_PORT: "0" };
  const problems = [];
  const half = await ran(cli, ["--mode", "bridge"], env);
  if (half.code !== 2 || !half.stderr.includes("LATHE_BRIDGE_TLS_KEY"))
    problems.push(`started without a key: code ${half.code}. ${half.stderr}`);
  const bridge = new Started(cli, ["--mode", "bridge"], { ...env, LATHE_BRIDGE_TLS_KEY: "key.pem" });
  const [line] = await once(createInterface({ input: bridge.child.stderr }), "line");
  const url = /https:\/\/\S+/.exec(line)?.[0] ?? "";
  const bearer = { authorization: "Bearer token" };
  const expected = [
    ["/v1/health", {}, 200],
    ["/v1/handshake", {}, 401],
    ["/v1/handshake", bearer, 200],
    ["/v1/sessions/s/commands", bearer, 403],
    ["/v1/sessions/s/events", bearer, 403],
    ["/v1/sessions/s/ui-responses/g", bearer, 403],
  ];
  for (const [path, headers, status] of expected) {
    const got = await statusOf(`${url}${path}`, headers);
    if (got !== status) problems.push(`${path} answers ${got} instead of ${status}`);
  }
  const code = await bridge.end("SIGTERM");
  if (code !== 0) problems.push(`exit code ${code}. ${bridge.stderr}`);
  return problems;
}

async function statusOf(url, headers) {
  const asked = request(url, { headers, rejectUnauthorized: false, agent: false }).end();
  const [response] = await once(asked, "response");
  response.resume();
  return response.statusCode;
}
