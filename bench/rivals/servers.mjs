// Each rival as its own documentation shows it, answering with the words it was given. One process per kind.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { answerQuestions } from "../processes.mjs";

const { resolve } = createRequire(import.meta.url);

/** They are installed here alone, so they are looked up from here. */
async function load(name) {
  return import(pathToFileURL(resolve(name)));
}

async function listening(server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: server.address().port };
}

async function a2a() {
  const { DefaultRequestHandler, AgentEvent, InMemoryTaskStore } = await load("@a2a-js/sdk/server");
  const { jsonRpcHandler, UserBuilder } = await load("@a2a-js/sdk/server/express");
  const { default: express } = await load("express");
  const agentCard = {
    ...{ name: "echo", description: "Says it again.", version: "1", protocolVersion: "1.0", skills: [] },
    supportedInterfaces: [{ url: "http://127.0.0.1/", protocolBinding: "JSONRPC", protocolVersion: "1.0", tenant: "" }],
    capabilities: { streaming: false, pushNotifications: false, extensions: [] },
    ...{ defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"] },
    ...{ securitySchemes: {}, securityRequirements: [], signatures: [] },
  };
  const executor = {
    async execute({ userMessage, contextId }, bus) {
      const reply = { ...userMessage, messageId: `re-${userMessage.messageId}`, role: 2, contextId, taskId: "" };
      bus.publish(AgentEvent.message(reply));
      bus.finished();
    },
    async cancelTask() {},
  };
  const requestHandler = new DefaultRequestHandler(agentCard, new InMemoryTaskStore(), executor);
  const app = express();
  app.use("/", jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  return listening(createServer(app));
}

async function mcp() {
  const { McpServer } = await load("@modelcontextprotocol/sdk/server/mcp.js");
  const { StreamableHTTPServerTransport } = await load("@modelcontextprotocol/sdk/server/streamableHttp.js");
  const { z } = await load("zod");
  const sessions = new Map();
  const newSession = async () => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    const server = new McpServer({ name: "echo", version: "1" });
    const echo = async ({ text }) => ({ content: [{ type: "text", text }] });
    server.registerTool("say", { inputSchema: { text: z.string() } }, echo);
    await server.connect(transport);
    return transport;
  };
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const transport = sessions.get(request.headers["mcp-session-id"]) ?? (await newSession());
    await transport.handleRequest(request, response, JSON.parse(Buffer.concat(chunks).toString()));
  });
  return listening(server);
}

async function socketIo() {
  const { Server } = await load("socket.io");
  const server = createServer();
  const io = new Server(server, { transports: ["websocket"] });
  io.on("connection", (socket) => {
    let isAgent = false;
    socket.on("join", (room) => {
      isAgent ||= room === "agent";
      socket.join(room);
    });
    socket.on("said", (document) => {
      io.to(isAgent ? document.openFloor.conversation.id : "agent").emit("said", document);
    });
  });
  return listening(server);
}

async function dialSocketIo({ port }) {
  const { io } = await load("socket.io-client");
  const socket = io(`http://127.0.0.1:${port}`, { transports: ["websocket"] });
  socket.on("said", ({ openFloor }) => {
    socket.emit("said", { openFloor: { ...openFloor, sender: { speakerUri: "tag:agent.example.com,2025:1" } } });
  });
  await once(socket, "connect");
  socket.emit("join", "agent");
}

const kinds = { a2a, mcp, socketIo, socketIoAgent: () => ({}) };

answerQuestions({ start: ({ kind }) => kinds[kind](), dial: dialSocketIo });
