// Certificates of a request as node:tls options.

import type { TlsMaterial } from "../types/adapter.ts";

export function tlsOptions(material: TlsMaterial): { ca?: string[]; cert?: string; key?: string } {
  // Not by `import`, because most requests have no certificates.
  const { rootCertificates } = process.getBuiltinModule("node:tls");
  return {
    // Node's `ca` replaces the built-in authorities, so we add them again.
    ...(material.ca === undefined ? {} : { ca: [...rootCertificates, material.ca] }),
    ...(material.cert === undefined ? {} : { cert: material.cert }),
    ...(material.key === undefined ? {} : { key: material.key }),
  };
}
