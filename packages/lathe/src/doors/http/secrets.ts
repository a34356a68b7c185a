// Tokens and codes as they are made, kept and compared. They are random and long, so a plain hash of one tells nothing about it.

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** The prefix lets scanners for secrets find one that was published by mistake. */
export const newToken = (): string => `lathe_${randomBytes(32).toString("base64url")}`;
/** Short enough for a QR code that a phone reads from a terminal. */
export const newCode = (): string => randomBytes(16).toString("base64url");
/** Names a token in lists; it says nothing about the token. */
export const newTokenId = (): string => randomBytes(4).toString("hex");

export const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");

/** Takes as long for a wrong secret as for the right one, whatever their lengths. */
export const isSecret = (given: string, hash: string): boolean => isSameHash(hashOf(given), hash);

/** For a secret that is compared with many: it is hashed once. */
export const isSameHash = (given: string, hash: string): boolean =>
  timingSafeEqual(Buffer.from(given, "hex"), Buffer.from(hash, "hex"));
