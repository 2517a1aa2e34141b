// Everything that carries a user's words to an agent and the agent's back: the product, the ideal floors, the rivals.
import { join } from "node:path";
import { createFolder, startWorker } from "./processes.mjs";
import { authorization, startProduct } from "./product.mjs";
import { startRivals } from "./rivals.mjs";
import { anyCount } from "./speech.mjs";

const agents = { socket: "tag:agent.example.com,2025:socket", http: "tag:agent.example.com,2025:http" };
const speakerOf = (name) => `tag:${name}.example.com,2025:1`;

/** What tells the agent's words from everything else a user gets to see. */
const marker = '"sender":{"speakerUri":"tag:agent.example.com,2025:';

export async function startSides() {
  const [agent, socketLoad, httpLoad, product] = await Promise.all([
    startWorker(import.meta.resolve("./echo-agent.mjs"), { speakerUri: agents.http }),
    startWorker(import.meta.resolve("./socket-load.mjs")),
    startWorker(import.meta.resolve("./http-load.mjs")),
    startProduct(),
  ]);
  const agentPort = agent.started.port;
  const url = `${product.url.replace("http", "ws")}/openfloor/ws?${new URLSearchParams({ speaker: agents.socket, as: "agent" })}`;
  await agent.ask("connect", { url, headers: { authorization }, speakerUri: agents.socket });
  const ideal = async (kind, rows) => {
    const first = { kind, rows, file: join(createFolder(), "log.db"), agentPort };
    const floor = await startWorker(import.meta.resolve("./ideal-floor.mjs"), first);
    const { port } = floor.started;
    const at = { url: `ws://127.0.0.1:${port}/agent`, speakerUri: agents.socket };
    if (kind === "socket") await agent.ask("connect", at);
    return { pid: floor.pid, port };
  };
  const floors = {
    socket: { same: await ideal("socket", "same"), one: await ideal("socket", "one") },
    http: { same: await ideal("http", "same"), one: await ideal("http", "one") },
  };
  return { agent, product, loads: { socket: socketLoad, http: httpLoad }, floors, rivals: await startRivals() };
}

const sideOf = async (load, name, { pid, ...target }, sliceMs) => {
  await load.ask("open", { name, marker, ...target });
  return { pid, run: () => load.ask("run", { name, ms: sliceMs }) };
};

const namesOf = (kind, users) => Array.from({ length: users }, (_, index) => `${kind}-${users}-${index}`);

/** Each user has a conversation of its own, in which the agent sits. */
export async function productSide({ product, agent, loads }, kind, { users, sliceMs }) {
  const { pid, port, converse } = product;
  const serviceUrl = kind === "http" ? { serviceUrl: `http://127.0.0.1:${agent.started.port}/` } : {};
  const lanes = [];
  for (const lane of namesOf(kind, users)) {
    const [conversation, speaker] = [`conv:${lane}`, speakerOf(lane)];
    const after = await converse(conversation, [speaker], [{ speakerUri: agents[kind], ...serviceUrl }]);
    const query = new URLSearchParams({ speaker, conversation, after });
    lanes.push({ lane, conversation, speaker, ...(kind === "socket" && { path: `/openfloor/ws?${query}` }) });
  }
  const wait = kind === "http" ? { path: "/openfloor", headers: { authorization, prefer: "wait=10" } } : {};
  const target = { pid, port, lanes, isNumbered: true, headers: { authorization }, ...wait };
  return sideOf(loads[kind], `product ${kind} ${users}`, target, sliceMs);
}

export async function idealSide({ floors, loads }, kind, rows, { users, sliceMs }) {
  const lanes = namesOf(kind, users).map((lane) => {
    const conversation = `conv:${lane}`;
    return { lane, conversation, speaker: speakerOf(lane), ...(kind === "socket" && { path: `/${conversation}` }) };
  });
  const target = { ...floors[kind][rows], lanes, ...(kind === "http" && { path: "/" }) };
  return sideOf(loads[kind], `ideal ${kind} ${rows} ${users}`, target, sliceMs);
}

/** Bare echo: no floor, the user asks the agent itself. */
export function echoSide({ agent, loads }, { users, sliceMs }) {
  const lanes = namesOf("echo", users).map((lane) => ({ lane, conversation: lane, speaker: speakerOf(lane) }));
  return sideOf(loads.http, "echo", { pid: agent.pid, port: agent.started.port, path: "/", lanes }, sliceMs);
}

export async function rivalSides({ rivals, loads }, { users, sliceMs }) {
  const { a2a, mcp, socketIo } = rivals;
  const text = "x".repeat(700);
  const rpc = (method, params) => JSON.stringify({ jsonrpc: "2.0", id: anyCount, method, params });
  const accept = "application/json, text/event-stream";
  const ask = (name, server, headers, lanes) => {
    const target = { pid: server.pid, port: server.started.port, path: "/", headers: { accept, ...headers }, lanes };
    return sideOf(loads.http, name, { ...target, marker: text }, sliceMs);
  };
  const message = { messageId: `m-${anyCount}`, role: "ROLE_USER", parts: [{ text }] };
  const sent = namesOf("a2a", users).map((lane) => ({ lane, body: rpc("SendMessage", { message }) }));
  const called = await Promise.all(
    namesOf("mcp", users).map(async (lane) => ({
      lane,
      body: rpc("tools/call", { name: "say", arguments: { text } }),
      headers: { "mcp-session-id": await mcpSession(mcp.started.port, accept) },
    })),
  );
  const joined = namesOf("socket.io", users).map((lane) => ({
    ...{ lane, conversation: lane, speaker: speakerOf(lane), path: "/socket.io/?EIO=4&transport=websocket" },
    ...{ hello: ["40", `42["join","${lane}"]`], around: ['42["said",', "]"] },
  }));
  const rooms = { pid: socketIo.pid, port: socketIo.started.port, lanes: joined };
  return {
    "socket.io rooms": await sideOf(loads.socket, "socket.io", rooms, sliceMs),
    "A2A SDK, direct": await ask("a2a", a2a, { "a2a-version": "1.0" }, sent),
    "MCP SDK, direct": await ask("mcp", mcp, {}, called),
  };
}

async function mcpSession(port, accept) {
  const post = (body, headers = {}) =>
    fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      headers: { "content-type": "application/json", accept, ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", ...body }),
    });
  const clientInfo = { name: "bench", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const session = (await post({ id: 0, method: "initialize", params })).headers.get("mcp-session-id");
  await post({ method: "notifications/initialized" }, { "mcp-session-id": session });
  return session;
}
