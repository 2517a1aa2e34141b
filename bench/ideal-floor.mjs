// The ideal floors: hand-written pipelines in one process without any rule of a floor. Each parses, checks, stores and
// passes on the bytes it got.
import { once } from "node:events";
import { createServer } from "node:http";
import { WebSocketServer } from "ws";
import { Pool } from "./borrowed.mjs";
import { isEnvelope } from "./envelope-check.mjs";
import { createIdealStore, createOneInsertStore } from "./ideal-store.mjs";
import { answerQuestions } from "./processes.mjs";
import { textFrame } from "./raw-socket.mjs";

const accepted = Buffer.from('{"ok":true}');

function answer(response, body, status = 200) {
  response.writeHead(status, { "content-type": "application/json", "content-length": body.length });
  response.end(body);
}

function readBody(request, then) {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => then(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
}

function parsed(raw) {
  const envelope = JSON.parse(raw.toString());
  return isEnvelope(envelope) ? envelope : undefined;
}

/** P2 and P3: commit, then broadcast (frames built once, one write per socket), then answer. */
function acceptFloor({ storeWith }) {
  const viewers = new Set();
  const append = storeWith((group) => {
    if (viewers.size > 0) {
      const frames = Buffer.concat(group.map(({ raw }) => textFrame(raw, { isMasked: false })));
      for (const socket of viewers) socket.write(frames);
    }
    for (const { response } of group) answer(response, accepted);
  });
  const server = createServer((request, response) =>
    readBody(request, (raw) => {
      const envelope = parsed(raw);
      if (envelope === undefined) return answer(response, Buffer.from("{}"), 400);
      append({ envelope, raw, response });
    }),
  );
  new WebSocketServer({ server, perMessageDeflate: false }).on("connection", (ws, { socket }) => {
    viewers.add(socket);
    ws.on("close", () => viewers.delete(socket));
    ws.on("error", () => {});
  });
  return server;
}

/** P4 over sockets: users at /CONVERSATION, the agent at /agent. */
function socketFloor({ storeWith }) {
  const users = new Map();
  const open = new Map();
  let agent;
  let deliveries = 0;
  const append = storeWith((group) => {
    for (const { raw, envelope, answers } of group) {
      const receiver = answers === undefined ? agent : users.get(envelope.openFloor.conversation.id);
      receiver?.send(raw, { binary: false });
    }
  });
  const said = (raw) => {
    const envelope = parsed(raw);
    if (envelope === undefined) return;
    deliveries += 1;
    const deliver = `d${deliveries}`;
    open.set(envelope.openFloor.conversation.id, deliver);
    append({ envelope, raw, deliver });
  };
  const answered = (raw) => {
    const envelope = parsed(raw);
    if (envelope !== undefined) append({ envelope, raw, answers: open.get(envelope.openFloor.conversation.id) });
  };
  const server = createServer();
  new WebSocketServer({ server, perMessageDeflate: false }).on("connection", (ws, { url }) => {
    const isAgent = url === "/agent";
    if (isAgent) agent = ws;
    else users.set(decodeURIComponent(url.slice(1)), ws);
    ws.on("message", isAgent ? answered : said);
    ws.on("error", () => {});
  });
  return server;
}

/** P4 over HTTP: the agent's reply is the response to the user's request. */
function httpFloor({ storeWith, agentPort }) {
  const pool = new Pool(`http://127.0.0.1:${agentPort}`, { connections: 64 });
  const headers = { "content-type": "application/json" };
  let deliveries = 0;
  const append = storeWith((group) => {
    for (const { done } of group) done();
  });
  const appended = (one) => new Promise((done) => append({ ...one, done }));
  return createServer((request, response) =>
    readBody(request, async (raw) => {
      const envelope = parsed(raw);
      if (envelope === undefined) return answer(response, Buffer.from("{}"), 400);
      deliveries += 1;
      const delivery = `d${deliveries}`;
      await appended({ envelope, raw, deliver: delivery });
      const { body } = await pool.request({ path: "/", method: "POST", headers, body: raw });
      const reply = Buffer.from(await body.arrayBuffer());
      const replied = parsed(reply);
      if (replied === undefined) return answer(response, Buffer.from("{}"), 502);
      await appended({ envelope: replied, raw: reply, answers: delivery });
      answer(response, reply);
    }),
  );
}

const floors = { accept: acceptFloor, socket: socketFloor, http: httpFloor };

answerQuestions({
  /** `rows`: the same as the product, or a single insert. */
  async start({ kind, rows, file, agentPort }) {
    const createStore = rows === "same" ? createIdealStore : createOneInsertStore;
    const server = floors[kind]({ storeWith: (onCommit) => createStore(file, onCommit), agentPort });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return { port: server.address().port };
  },
});
