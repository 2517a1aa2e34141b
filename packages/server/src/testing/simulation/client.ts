import type { Command } from "@plenary/floor";
import type { CommandBy, Receipt } from "../../conversation/receive.ts";
import { isPassing, Problem } from "../../errors.ts";
import type { Principal } from "../../ports/principal.ts";
import { readEnvelope, utteranceIds } from "./wire.ts";
import type { Node, World } from "./world.ts";

/** Somebody with a credential of its own. */
export function credentialOf(speakerUri: string): Principal {
  return { id: `key:${speakerUri}`, kind: "person", speakers: [speakerUri], scopes: ["host"] };
}

export type Letter = { text: string; principal: Principal; inReplyTo?: string };

const attemptsMax = 5;

/** Posts to some node, and again, with the same bytes, to the same or another when no answer came back. */
export function post(world: World, message: Letter, attempt = 1): void {
  const again = (ms: number) => {
    if (attempt < attemptsMax) world.time.after(ms, () => post(world, message, attempt + 1));
  };
  world.time.after(world.chance.between(1, 20), () => {
    const node = liveNode(world);
    if (node === undefined) return again(1_000);
    arrive(world, node, message, again).catch(reportTo(world));
    if (attempt === 1 && world.strikes("request sent twice", 0.15)) sendAgain(world, node, message);
  });
}

/** Sends the command to some node, once, and does not repeat it. */
export function order(world: World, conversationId: string, command: Command, by: CommandBy): void {
  world.time.after(world.chance.between(1, 20), () => {
    const server = liveNode(world)?.server;
    if (server === undefined) return;
    world.trace(() => `${server.life.name} is told ${JSON.stringify([command, by])}`);
    server.floor.receiver.command(conversationId, command, { by }).catch((error) => {
      if (!isPassing(error) && !(error instanceof Problem)) reportTo(world)(error);
    });
  });
}

/** At once, as a double click, or a little later. */
function sendAgain(world: World, node: Node, message: Letter): void {
  world.time.after(world.chance.pick([0, 1, 500]), () => {
    arrive(world, node, message, () => {}).catch(reportTo(world));
  });
}

function reportTo({ evidence }: World): (error: unknown) => void {
  return (error) => evidence.errors.push(error instanceof Error ? String(error.stack) : String(error));
}

export function liveNode(world: World): Node | undefined {
  const alive = world.nodes.filter(({ server }) => server !== undefined);
  return alive.length === 0 ? undefined : world.chance.pick(alive);
}

async function arrive(world: World, node: Node, message: Letter, again: (ms: number) => void): Promise<void> {
  const { server } = node;
  if (server === undefined) return;
  const { life, floor } = server;
  const { text, principal, inReplyTo } = message;
  const askedAtMs = world.time.nowMs();
  const mourn = () => again(500);
  life.mourners.add(mourn);
  world.trace(() => `${life.name} is sent ${text}${inReplyTo === undefined ? "" : ` in reply to ${inReplyTo}`}`);
  try {
    const receipt = await floor.receiver.envelope(text, { principal, ...(inReplyTo !== undefined && { inReplyTo }) });
    acknowledge(world, message, receipt);
    world.trace(() => `${life.name} acknowledges ${receipt.entries.map(({ seq, kind }) => `${seq} ${kind}`)}`);
  } catch (error) {
    world.trace(() => `${life.name} refuses: ${error}`);
    // Not everybody tries again.
    if (isPassing(error) && world.chance.isHit(0.5)) again(2_000);
    else if (!isPassing(error) && !(error instanceof Problem)) throw error;
  } finally {
    life.mourners.delete(mourn);
    const { id: conversationId } = readEnvelope(text).conversation;
    world.evidence.answered.push({ conversationId, askedAtMs, answeredAtMs: world.time.nowMs() });
  }
}

function acknowledge({ evidence }: World, { text, inReplyTo }: Letter, { conversationId, entries }: Receipt): void {
  const isLate = inReplyTo !== undefined && entries.every(({ kind }) => kind !== "received");
  const { events } = readEnvelope(text);
  evidence.acknowledged.push({ conversationId, entries, utteranceIds: isLate ? [] : utteranceIds(events) });
}
