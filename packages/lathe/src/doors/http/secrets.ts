// Creates, hashes and compares tokens and codes. They are long and random, so a plain hash reveals nothing about them.

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Secret scanners recognize the prefix in a token that was published by mistake. */
export const newToken = (): string => `lathe_${randomBytes(32).toString("base64url")}`;
/** Short enough for a QR code that a phone can read from a terminal. */
export const newCode = (): string => randomBytes(16).toString("base64url");
/** Identifies a token in lists; it is not derived from the token. */
export const newTokenId = (): string => randomBytes(4).toString("hex");

export const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");

/** Takes the same time for right and wrong secrets of any length. */
export const isSecret = (given: string, hash: string): boolean => isSameHash(hashOf(given), hash);

/** For comparing one secret with many: the caller hashes it once. */
export const isSameHash = (given: string, hash: string): boolean =>
  timingSafeEqual(Buffer.from(given, "hex"), Buffer.from(hash, "hex"));
