// Spans as a collector gets them from a floor that runs as a process of its own.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { utterance } from "../support/envelopes.ts";
import { closeAgents, echo, startAgent } from "../support/http-agent.ts";
import { createProcesses, type FloorProcess } from "../support/start-plenary-process.ts";
import { token } from "../support/start-test-floor.ts";
import { waitFor } from "../support/wait-for.ts";

const ann = "tag:people.example,2026:ann";

type Attribute = { key: string; value: { stringValue?: string } };
type WireSpan = { traceId: string; spanId: string; parentSpanId: string; name: string; attributes: Attribute[] };
type Exported = { path: string; type: string | undefined; text: string };
type Batch = {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: WireSpan[] }[] }[];
};

/** `isHanging`: reads the request and never answers. */
async function openCollector({ isHanging = false } = {}) {
  const exported: Exported[] = [];
  const server: Server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    exported.push({ path: request.url ?? "", type: request.headers["content-type"], text });
    if (!isHanging) response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const batches = () => exported.map(({ text }) => JSON.parse(text) as Batch).flatMap((batch) => batch.resourceSpans);
  const spans = () => batches().flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  return { url, exported, batches, spans };
}

async function openFloor(env: Record<string, string>): Promise<FloorProcess> {
  const processes = createProcesses();
  onTestFinished(() => processes.close());
  const settings = Object.entries({ OTEL_BSP_SCHEDULE_DELAY: "50", ...env }).map(([name, value]) => `${name}=${value}`);
  return processes.startFloor(":memory:", { under: ["env", ...settings] });
}

async function call({ url }: FloorProcess, path: string, body?: object) {
  const response = await fetch(`${url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", prefer: "wait=30" },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as { entries: { trace: string; event?: object }[] };
}

function send(floor: FloorProcess, event: object) {
  const about = { schema: { version: "1.1.0" }, conversation: { id: "c" }, sender: { speakerUri: ann } };
  return call(floor, "/openfloor", { openFloor: { ...about, events: [event] } });
}

test("a collector gets the spans of a turn, under the trace id of the log and of the delivery", async () => {
  const collector = await openCollector();
  const floor = await openFloor({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: "our floor" });
  onTestFinished(closeAgents);
  const agent = await startAgent(echo);
  await send(floor, { eventType: "invite", to: { serviceUrl: agent.url } });
  await send(floor, utterance(ann, "a word in confidence"));
  const heard = agent.heard.find(({ text }) => text.includes("in confidence"));
  const [, trace = "", span = ""] = String(heard?.headers.traceparent).split("-");
  const { entries } = await call(floor, "/api/v1/conversations/c/log?limit=1000");
  const words = entries.filter((entry) => JSON.stringify(entry.event ?? "").includes("confidence"));
  // The utterance and its echo: one turn.
  expect(words.map((entry) => entry.trace)).toEqual([trace, trace]);
  const ofTurn = await waitFor(async () => {
    const spans = collector.spans().filter(({ traceId }) => traceId === trace);
    return spans.length >= 3 ? spans : undefined;
  }, "the spans of the turn");
  expect(ofTurn.map(({ name }) => name)).toEqual(["decide envelope", "deliver", "decide answer"]);
  expect(ofTurn.find(({ name }) => name === "deliver")?.spanId).toBe(span);
  expect(new Set(ofTurn.map(({ parentSpanId }) => parentSpanId)).size).toBe(1);
  expect(new Set(collector.exported.map(({ path, type }) => `${path} ${type}`))).toEqual(
    new Set(["/v1/traces application/json"]),
  );
  const services = collector.batches().flatMap(({ resource }) => resource.attributes);
  expect(services).toContainEqual({ key: "service.name", value: { stringValue: "our floor" } });
  await floor.stop("SIGTERM");
  for (const { text } of collector.exported) {
    for (const secret of ["confidence", ann, token]) expect(text).not.toContain(secret);
  }
});

test("a collector that never answers does not keep a floor from stopping", async () => {
  const collector = await openCollector({ isHanging: true });
  // Longer than any test waits.
  const floor = await openFloor({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/here`,
    OTEL_EXPORTER_OTLP_TIMEOUT: "600000",
  });
  await send(floor, utterance(ann, "hello"));
  await waitFor(async () => collector.exported[0], "the first spans");
  await floor.stop("SIGTERM");
  expect(collector.exported[0]?.path).toBe("/here");
});
