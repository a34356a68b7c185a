// The smoke tests of scripts/smoke-control.sh, one line each. The argument is the folder of an empty project.
import { chdir } from "node:process";
import { fileURLToPath } from "node:url";
import { checkTraces } from "../check/traces.mjs";
import { smokeAcp } from "./acp.mjs";
import { smokeBridge } from "./bridge.mjs";
import { hasCoordinator, smokeCoordinator } from "./coordinator.mjs";
import { leaksIn } from "./leaks.mjs";
import { optionsAgainstDocs } from "./options.mjs";
import { smokeRpc } from "./rpc.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const cli = `${root}/packages/lathe/dist/cli.js`;
chdir(process.argv[2]);

/** Each returns what is wrong; an empty list if nothing is. */
const smokes = {
  "options against docs": () => optionsAgainstDocs(root, cli),
  ...((await hasCoordinator(cli)) ? { "coordinator --check": () => smokeCoordinator(cli) } : {}),
  "RPC over stdio": () => smokeRpc(cli),
  "ACP over stdio": () => smokeAcp(cli),
  "bridge and its guard": () => smokeBridge(cli),
  "leak audit": () => [...checkTraces(root), ...leaksIn(root)],
};

const done = await Promise.all(
  Object.entries(smokes).map(async ([name, smoke]) => {
    const problems = await Promise.resolve()
      .then(smoke)
      .catch((error) => [error.message]);
    console.log(`${problems.length === 0 ? "ok  " : "FAIL"} ${name}`);
    for (const problem of problems) console.log(`  ${problem}`);
    return problems.length === 0;
  }),
);
process.exit(done.every(Boolean) ? 0 : 1);
