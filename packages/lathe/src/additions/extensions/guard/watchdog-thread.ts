// The code of the watchdog's thread, as text, so that no file is loaded. It sleeps until an extension's code runs, then
// pings the main thread. If no answer comes, it ends the process, because the main thread no longer can.

/** Slots in the shared array: the extension that runs (0: none), and the last ping that was answered. */
export const CURRENT = 0;
export const ANSWERED = 1;

const LOOKS_PER_LIMIT = 20;

/**
 * Discards input typed meanwhile, which the shell would otherwise run, and restores the terminal modes that a shell
 * uses.
 */
const RESET_INPUT =
  "stty -icanon -echo -isig min 0 time 1; dd bs=65536 count=16 >/dev/null 2>&1; stty sane; case $LC_ALL$LC_CTYPE$LANG in *UTF-8*|*utf8*) stty iutf8;; esac";

/**
 * Turns off synchronized output, the alternate screen, bracketed paste, focus reports, key protocols, the hidden cursor
 * and colours; then clears everything below.
 */
const RESET_SCREEN =
  "\\x1b[?2026l\\x1b[?1049l\\x1b[?2004l\\x1b[?1004l\\x1b[<u\\x1b[>4;0m\\x1b[?25h\\x1b[0m\\r\\n\\x1b[J";

export const watchdogSource = (): string => `
const { workerData, parentPort, receiveMessageOnPort } = require("node:worker_threads");
const fs = require("node:fs");
const { dirname } = require("node:path");
const { spawnSync } = require("node:child_process");
const { blockedMs, offFile, hasTerminal, pid } = workerData;
const cells = new Int32Array(workerData.cells);
const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blockedMs / ${LOOKS_PER_LIMIT});

for (let asked = 1; ; asked++) {
  Atomics.wait(cells, ${CURRENT}, 0);
  parentPort.postMessage(asked);
  // Looks are counted instead of time: a computer that sleeps, or is too busy, slows this thread down as well.
  for (let looks = 0; Atomics.load(cells, ${ANSWERED}) !== asked; ) {
    pause();
    const id = Atomics.load(cells, ${CURRENT});
    if (id !== 0 && ++looks > ${LOOKS_PER_LIMIT}) end(id);
  }
  pause();
}

function end(id) {
  let resume = "";
  const known = {};
  for (let next; (next = receiveMessageOnPort(parentPort)); ) {
    if (next.message.resume) resume = " To continue: lathe --resume " + next.message.resume;
    else known[next.message.id] = next.message;
  }
  const { name, file } = known[id];
  const reason = "blocked Lathe for " + blockedMs / 1000 + " s";
  attempt(() => {
    const off = fs.existsSync(offFile) ? JSON.parse(fs.readFileSync(offFile, "utf8")) : {};
    fs.mkdirSync(dirname(offFile), { recursive: true });
    fs.writeFileSync(offFile, JSON.stringify({ ...off, [file]: { name, reason } }, null, 2) + "\\n");
  });
  if (hasTerminal) {
    attempt(() => fs.writeSync(1, "${RESET_SCREEN}"));
    spawnSync("sh", ["-c", "${RESET_INPUT}"], { stdio: ["inherit", "ignore", "ignore"], timeout: 2000 });
  }
  attempt(() => fs.writeSync(2, "lathe: The extension " + name + " (" + file + ") " + reason + ", so Lathe had to end. It is off now; to turn it on: lathe ext enable " + name + "." + resume + "\\n"));
  process.kill(pid, "SIGKILL");
}

/** Nothing may keep the process from being ended: neither a full disk nor a closed stderr. */
function attempt(work) {
  try {
    work();
  } catch {}
}
`;
