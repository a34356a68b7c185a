// Certificates for test servers and clients, signed by their own authority.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const hasOpenssl = (() => {
  try {
    execFileSync("openssl", ["version"]);
    return true;
  } catch {
    return false;
  }
})();

export interface Certificates {
  readonly folder: string;
  pem(file: string): string;
  remove(): void;
}

/** `names`: the names and addresses for each certificate, such as DNS:localhost. */
export function makeCertificates(names: Readonly<Record<string, string>>): Certificates {
  const folder = mkdtempSync(join(tmpdir(), "certificates-"));
  const openssl = (line: string) => execFileSync("openssl", line.split(" "), { cwd: folder, stdio: "pipe" });
  const key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
  openssl(`req -x509 ${key} -keyout ca.key -out ca.pem -days 2 -subj /CN=authority`);
  for (const [name, alternatives] of Object.entries(names)) {
    const wish = `-subj /CN=${name} -addext subjectAltName=${alternatives}`;
    openssl(`req ${key} -keyout ${name}.key -out ${name}.csr ${wish}`);
    const signed = `-CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -copy_extensions copy`;
    openssl(`x509 -req -in ${name}.csr ${signed} -out ${name}.pem`);
  }
  return {
    folder,
    pem: (file) => readFileSync(join(folder, file), "utf8"),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
