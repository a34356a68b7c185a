// A model that answers at a set pace, in a process of its own so that its work is not taken for that of the terminal:
// node paced-model.mjs <file of SSE events> <pieces> <ms>. Sends so many events each so many milliseconds; 0 pieces: none, it lets wait.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const [file = "", pieces = "1", ms = "10"] = process.argv.slice(2);
const events = readFileSync(file, "utf8")
  .split(/(?<=\n\n)/)
  .filter((event) => event !== "");

const server = createServer((request, response) => {
  request.resume().once("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    process.send?.("asked");
    const perTick = Number(pieces);
    if (perTick === 0) return response.flushHeaders();
    const begun = performance.now();
    let sent = 0;
    const timer = setInterval(() => {
      // By the clock: a late timer must not make the stream slower than it should be.
      const due = Math.ceil((performance.now() - begun) / Number(ms)) * perTick;
      response.write(events.slice(sent, due).join(""));
      sent = due;
      if (sent < events.length) return;
      clearInterval(timer);
      response.end();
      process.send?.("answered");
    }, Number(ms));
    response.once("close", () => clearInterval(timer));
  });
});
server.listen(0, "127.0.0.1", () => process.send?.({ port: server.address().port }));
process.once("disconnect", () => process.exit());
