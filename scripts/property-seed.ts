// The gate must say the same about the same code: property tests draw from a fixed seed here, and from chance in the long run.
import fc from "fast-check";

if (!process.env["LATHE_LONG"]) fc.configureGlobal({ seed: 20_261_115 });
