import type { DialFailure, Dialler, DialRequest, DialResponse } from "../../ports/dialler.ts";
import { recipientOf } from "../../ports/principal.ts";
import { post } from "./client.ts";
import type { Life } from "./life.ts";
import { envelopeText, readEnvelope } from "./wire.ts";
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

/** One request under way: what it says, who asked, and how it is answered. */
type Exchange = {
  agent: Agent;
  life: Life;
  request: DialRequest;
  answer: (response: DialResponse) => void;
  fail: (error: NetworkError) => void;
};

/** The far end of the network: agents, and everything that can happen on the way to them and back. */
export function createNetwork(world: World): (life: Life) => Dialler {
  return (life) => ({
    dial: (request) =>
      new Promise((resolve, reject) => {
        const { signal, url } = request;
        let isSent = false;
        const onAbort = () => fail(new NetworkError("aborted", isSent));
        const fail = (error: NetworkError) => {
          signal.removeEventListener("abort", onAbort);
          if (life.isAlive) reject(error);
        };
        const answer = (response: DialResponse) => {
          signal.removeEventListener("abort", onAbort);
          if (life.isAlive) resolve(response);
        };
        if (signal.aborted) return onAbort();
        signal.addEventListener("abort", onAbort, { once: true });
        const agent = world.agents.find(({ serviceUrl }) => serviceUrl === url);
        const latencyMs = world.chance.between(1, 30);
        if (world.strikes("request reaches an agent from a dead node", 0.004)) world.kill(life, "while dialling");
        world.time.after(latencyMs, () => {
          if (signal.aborted) return;
          if (agent === undefined || isOut(world, agent)) fail(new NetworkError("unreachable", false));
          else {
            isSent = true;
            request.onSent?.();
            arrive(world, { agent, life, request, answer, fail });
          }
        });
      }),
  });
}

function isOut(world: World, { outUntilMs, faultRate }: Agent): boolean {
  if (world.time.nowMs() >= outUntilMs) return world.strikes("agent refuses", faultRate);
  world.note("agent refuses");
  return true;
}

function arrive(world: World, exchange: Exchange): void {
  const { agent, life, request } = exchange;
  const { speakerUri, serviceUrl } = agent;
  const { body: text, headers } = request;
  const id = headers["webhook-id"] ?? "";
  const delivery = id.slice(id.lastIndexOf(":") + 1);
  const heard = readEnvelope(text);
  const conversationId = heard.conversation.id;
  world.trace(() => `${life.name} reaches ${serviceUrl} with ${delivery}: ${text}`);
  world.evidence.heard.push({ speakerUri, serviceUrl, conversationId, delivery, by: life.name, text });
  if (goesWrong(world, exchange)) return;
  // After garbage the floor tries older dialects, which these agents do not speak.
  if (heard.schema.version === "1.1.0") reply(world, exchange, id);
  else world.time.after(world.chance.between(1, 50), () => exchange.answer(responseOf(400, "")));
}

/** The ways of an agent that does not do its work. */
function goesWrong(world: World, { agent, answer, fail }: Exchange): boolean {
  const { faultRate } = agent;
  if (agent.isDead || world.strikes("agent times out", faultRate)) return true;
  if (world.strikes("agent is busy", faultRate)) {
    const status = world.chance.pick([429, 503]);
    const headers = world.chance.isHit(0.7) ? { "retry-after": String(world.chance.between(1, 9)) } : {};
    world.time.after(world.chance.between(1, 50), () => answer(responseOf(status, "", headers)));
    return true;
  }
  if (world.strikes("garbage answer", faultRate)) {
    const garbage = world.chance.pick(["<html>", "", "{", '{"openFloor":{}}', "[]", "\u0000"]);
    world.time.after(world.chance.between(1, 50), () => answer(responseOf(200, garbage)));
    return true;
  }
  if (world.strikes("reset after bytes were sent", faultRate)) {
    world.time.after(world.chance.between(1, 50), () => fail(new NetworkError("broken", true)));
    return true;
  }
  return false;
}

function reply(world: World, exchange: Exchange, id: string): void {
  const { agent, life, request, answer } = exchange;
  const { speakerUri, serviceUrl } = agent;
  const heard = readEnvelope(request.body);
  const events = agent.answer(heard, { id });
  const conversation = { id: heard.conversation.id };
  const text = envelopeText({ conversation, sender: { speakerUri, serviceUrl }, events });
  const isAnswerable = !events.some(({ eventType }) => eventType === "publishManifests");
  const late = (ms: number) =>
    world.time.after(ms, () => post(world, { text, principal: recipientOf(id), inReplyTo: id }));
  if (isAnswerable && !world.isResting && world.chance.isHit(0.2)) {
    world.time.after(world.chance.between(1, 50), () => answer(responseOf(202, "")));
    world.evidence.promised.add(`${conversation.id} ${id.slice(id.lastIndexOf(":") + 1)}`);
    promise(world, exchange, late);
    return;
  }
  world.time.after(delayOf(world), () => {
    if (life.isAlive) answer(responseOf(200, text));
    else if (isAnswerable && world.strikes("late answer after a restart", 0.7)) late(world.chance.between(1, 20_000));
    if (isAnswerable && world.strikes("duplicate answer", agent.faultRate)) late(world.chance.between(1, 5_000));
  });
}

/** An answer for later; of several, a later one may come first. */
function promise(world: World, { agent, life, request }: Exchange, late: (ms: number) => void): void {
  const isHeldBack = world.strikes("reordered answers", 0.4);
  const ms = isHeldBack ? world.chance.between(10_000, 60_000) : world.chance.between(10, 4_000);
  world.trace(() => `${agent.serviceUrl} will answer ${request.headers["webhook-id"]} of ${life.name} in ${ms} ms`);
  late(ms);
}

/** Mostly at once, sometimes as slow as a large model. */
function delayOf({ chance, isResting }: World): number {
  return isResting || chance.isHit(0.8) ? chance.between(1, 400) : chance.between(400, 12_000);
}

function responseOf(status: number, text: string, headers: Record<string, string> = {}): DialResponse {
  const bytes = new TextEncoder().encode(text);
  const all: Record<string, string> = { "content-type": "application/json", ...headers };
  return { status, headers: { get: (name) => all[name] ?? null }, body: inPieces(bytes) };
}

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const middle = bytes.length >> 1;
  if (middle > 0) yield bytes.subarray(0, middle);
  yield bytes.subarray(middle);
}
