import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("a time limit that is joined with another signal survives the garbage collector", () => {
  const script = `
    import { abortAfter } from ${JSON.stringify(fileURLToPath(new URL("./abort-after.ts", import.meta.url)))};
    const wait = () => {
      const signal = abortAfter(300, new AbortController().signal);
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve(signal.reason.name)));
    };
    const waiting = wait();
    const collecting = setInterval(() => gc(), 20);
    console.log(await waiting);
    clearInterval(collecting);`;
  const args = ["--expose-gc", "--import", "tsx", "--input-type=module", "--eval", script];
  const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 60_000 });
  expect(stdout.trim()).toBe("TimeoutError");
});
