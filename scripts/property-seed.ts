// The gate must give the same result for the same code: property tests use a fixed seed here, and a random one in the
// long run.
import fc from "fast-check";

if (!process.env["LATHE_LONG"]) fc.configureGlobal({ seed: 20_261_115 });
