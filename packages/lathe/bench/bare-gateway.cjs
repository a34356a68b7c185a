// The least that a gateway does: it reads the request whole, writes it anew, parses each event of the answer and writes it again. What
// the real one costs beyond this is its own. Prints its address.
const http = require("node:http");
const upstream = new URL(process.argv[2]);
const agent = new http.Agent({ keepAlive: true });
http
  .createServer(async (incoming, outgoing) => {
    const pieces = [];
    for await (const piece of incoming) pieces.push(piece);
    const body = Buffer.from(JSON.stringify(JSON.parse(Buffer.concat(pieces).toString())));
    const headers = { "content-type": "application/json", "content-length": body.length };
    const { hostname, port } = upstream;
    const asked = http.request({ hostname, port, agent, path: incoming.url, method: "POST", headers }, (answer) => {
      outgoing.writeHead(200, { "content-type": "text/event-stream" });
      const decoder = new TextDecoder();
      let rest = "";
      answer.on("data", (bytes) => {
        const events = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
        rest = events.pop();
        outgoing.write(events.map(rewritten).join(""));
      });
      answer.on("end", () => outgoing.end());
    });
    outgoing.on("close", () => asked.destroy());
    asked.end(body);
  })
  .listen(0, "127.0.0.1", function () {
    console.log(`http://127.0.0.1:${this.address().port}`);
  });

function rewritten(event) {
  const data = event.slice("data: ".length);
  return data === "[DONE]" ? "data: [DONE]\n\n" : `data: ${JSON.stringify(JSON.parse(data))}\n\n`;
}
