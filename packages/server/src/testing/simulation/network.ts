import type { DialFailure, Dialler, DialRequest, DialResponse } from "../../ports/dialler.ts";
import { recipientOf } from "../../ports/principal.ts";
import { post } from "./client.ts";
import type { NodeProcess } from "./node-process.ts";
import { envelopeText, readEnvelope } from "./raw-envelope.ts";
import type { Agent, World } from "./world.ts";

class NetworkError extends Error implements DialFailure {
  override readonly name = "NetworkError";
  readonly code: string;
  readonly isSent: boolean;
  readonly retryable: boolean;

  constructor(code: string, isSent: boolean) {
    super(code);
    this.code = code;
    this.isSent = isSent;
    this.retryable = !isSent && code !== "aborted";
  }
}

/** A pending request to an agent. */
type Exchange = {
  agent: Agent;
  nodeProcess: NodeProcess;
  request: DialRequest;
  answer: (response: DialResponse) => void;
  fail: (error: NetworkError) => void;
};

/** Diallers to the simulated agents, with network and agent faults. */
export function createNetwork(world: World): (nodeProcess: NodeProcess) => Dialler {
  return (nodeProcess) => ({
    dial: (request) =>
      new Promise((resolve, reject) => {
        const { signal, url } = request;
        let isSent = false;
        const onAbort = () => fail(new NetworkError("aborted", isSent));
        const fail = (error: NetworkError) => {
          signal.removeEventListener("abort", onAbort);
          if (nodeProcess.isAlive) reject(error);
        };
        const answer = (response: DialResponse) => {
          signal.removeEventListener("abort", onAbort);
          if (nodeProcess.isAlive) resolve(response);
        };
        if (signal.aborted) return onAbort();
        signal.addEventListener("abort", onAbort, { once: true });
        const agent = world.agents.find(({ serviceUrl }) => serviceUrl === url);
        const latencyMs = world.random.between(1, 30);
        if (world.isFault("request reaches an agent from a dead node", 0.004))
          world.kill(nodeProcess, "while dialling");
        world.time.after(latencyMs, () => {
          if (signal.aborted) return;
          if (agent === undefined || isUnreachable(world, agent)) fail(new NetworkError("unreachable", false));
          else {
            isSent = true;
            request.onSent?.();
            handleRequest(world, { agent, nodeProcess, request, answer, fail });
          }
        });
      }),
  });
}

function isUnreachable(world: World, { unreachableUntilMs, faultRate }: Agent): boolean {
  if (world.time.nowMs() >= unreachableUntilMs) return world.isFault("agent refuses", faultRate);
  world.countFault("agent refuses");
  return true;
}

function handleRequest(world: World, exchange: Exchange): void {
  const { agent, nodeProcess, request } = exchange;
  const { speakerUri, serviceUrl } = agent;
  const { body: text, headers } = request;
  const id = headers["webhook-id"] ?? "";
  const delivery = id.slice(id.lastIndexOf(":") + 1);
  const received = readEnvelope(text);
  const conversationId = received.conversation.id;
  world.trace(() => `${nodeProcess.name} reaches ${serviceUrl} with ${delivery}: ${text}`);
  world.evidence.received.push({ speakerUri, serviceUrl, conversationId, delivery, by: nodeProcess.name, text });
  if (injectAgentFault(world, exchange)) return;
  // After an invalid answer the floor tries older dialects, which these agents reject.
  if (received.schema.version === "1.1.0") reply(world, exchange, id);
  else world.time.after(world.random.between(1, 50), () => exchange.answer(responseOf(400, "")));
}

/** True when a fault replaces the answer. */
function injectAgentFault(world: World, { agent, answer, fail }: Exchange): boolean {
  const { faultRate } = agent;
  if (agent.isDead || world.isFault("agent times out", faultRate)) return true;
  if (world.isFault("agent is busy", faultRate)) {
    const status = world.random.pick([429, 503]);
    const headers = world.random.isTrue(0.7) ? { "retry-after": String(world.random.between(1, 9)) } : {};
    world.time.after(world.random.between(1, 50), () => answer(responseOf(status, "", headers)));
    return true;
  }
  if (world.isFault("garbage answer", faultRate)) {
    const garbage = world.random.pick(["<html>", "", "{", '{"openFloor":{}}', "[]", "\u0000"]);
    world.time.after(world.random.between(1, 50), () => answer(responseOf(200, garbage)));
    return true;
  }
  if (world.isFault("reset after bytes were sent", faultRate)) {
    world.time.after(world.random.between(1, 50), () => fail(new NetworkError("broken", true)));
    return true;
  }
  return false;
}

function reply(world: World, exchange: Exchange, id: string): void {
  const { agent, nodeProcess, request, answer } = exchange;
  const { speakerUri, serviceUrl } = agent;
  const received = readEnvelope(request.body);
  const events = agent.answer(received, { id });
  const conversation = { id: received.conversation.id };
  const text = envelopeText({ conversation, sender: { speakerUri, serviceUrl }, events });
  const isAnswerable = !events.some(({ eventType }) => eventType === "publishManifests");
  const postLater = (ms: number) =>
    world.time.after(ms, () => post(world, { text, principal: recipientOf(id), inReplyTo: id }));
  if (isAnswerable && !world.isResting && world.random.isTrue(0.2)) {
    world.time.after(world.random.between(1, 50), () => answer(responseOf(202, "")));
    world.evidence.promised.add(`${conversation.id} ${id.slice(id.lastIndexOf(":") + 1)}`);
    answerLater(world, exchange, postLater);
    return;
  }
  world.time.after(delayOf(world), () => {
    if (nodeProcess.isAlive) answer(responseOf(200, text));
    else if (isAnswerable && world.isFault("late answer after a restart", 0.7))
      postLater(world.random.between(1, 20_000));
    if (isAnswerable && world.isFault("duplicate answer", agent.faultRate)) postLater(world.random.between(1, 5_000));
  });
}

/** Answers later by a POST; several answers may arrive in another order. */
function answerLater(world: World, { agent, nodeProcess, request }: Exchange, postLater: (ms: number) => void): void {
  const isReordered = world.isFault("reordered answers", 0.4);
  const ms = isReordered ? world.random.between(10_000, 60_000) : world.random.between(10, 4_000);
  world.trace(
    () => `${agent.serviceUrl} will answer ${request.headers["webhook-id"]} of ${nodeProcess.name} in ${ms} ms`,
  );
  postLater(ms);
}

/** Mostly short, sometimes as long as a large model takes. */
function delayOf({ random, isResting }: World): number {
  return isResting || random.isTrue(0.8) ? random.between(1, 400) : random.between(400, 12_000);
}

function responseOf(status: number, text: string, headers: Record<string, string> = {}): DialResponse {
  const bytes = new TextEncoder().encode(text);
  const all: Record<string, string> = { "content-type": "application/json", ...headers };
  return { status, headers: { get: (name) => all[name] ?? null }, body: inChunks(bytes) };
}

async function* inChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const middle = bytes.length >> 1;
  if (middle > 0) yield bytes.subarray(0, middle);
  yield bytes.subarray(middle);
}
