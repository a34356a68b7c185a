// A proxy that copies bytes: what a gateway is measured against. Prints its address.
const http = require("node:http");
const upstream = new URL(process.argv[2]);
const agent = new http.Agent({ keepAlive: true });
http
  .createServer((incoming, outgoing) => {
    const { hostname, port } = upstream;
    const options = { hostname, port, agent, path: incoming.url, method: incoming.method, headers: incoming.headers };
    const asked = http.request(options, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    outgoing.on("close", () => asked.destroy());
    incoming.pipe(asked);
  })
  .listen(0, "127.0.0.1", function () {
    console.log(`http://127.0.0.1:${this.address().port}`);
  });
