import type { Command } from "@plenary/floor";
import type { CommandBy } from "../../conversation/context.ts";
import { jsonTextOf } from "../../conversation/decode.ts";
import type { Receipt } from "../../conversation/receive.ts";
import { isPassing, Problem } from "../../errors.ts";
import type { Principal } from "../../ports/principal.ts";
import { readEnvelope, utteranceIds } from "./raw-envelope.ts";
import type { Node, World } from "./world.ts";

/** The credential of one person. */
export function credentialOf(speakerUri: string): Principal {
  return { id: `key:${speakerUri}`, kind: "person", speakers: [speakerUri], scopes: ["host"] };
}

export type PostedEnvelope = { text: string; principal: Principal; inReplyTo?: string };

const attemptsMax = 5;

/** Posts to a random live node. Without an answer it repeats the same bytes, to any node. */
export function post(world: World, envelope: PostedEnvelope, attempt = 1): void {
  const again = (ms: number) => {
    if (attempt < attemptsMax) world.time.after(ms, () => post(world, envelope, attempt + 1));
  };
  world.time.after(world.random.between(1, 20), () => {
    const node = liveNode(world);
    if (node === undefined) return again(1_000);
    submit(world, node, envelope, again).catch(reportTo(world));
    if (attempt === 1 && world.isFault("request sent twice", 0.15)) sendAgain(world, node, envelope);
  });
}

/** Sends the command to a random live node, once. */
export function sendCommand(world: World, conversationId: string, command: Command, by: CommandBy): void {
  world.time.after(world.random.between(1, 20), () => {
    const server = liveNode(world)?.server;
    if (server === undefined) return;
    world.trace(() => `${server.nodeProcess.name} gets ${JSON.stringify([command, by])}`);
    server.floor.receiver.command(conversationId, command, { by }).catch((error) => {
      if (!isPassing(error) && !(error instanceof Problem)) reportTo(world)(error);
    });
  });
}

/** Sends the same request again: at once, as a double click does, or a little later. */
function sendAgain(world: World, node: Node, envelope: PostedEnvelope): void {
  world.time.after(world.random.pick([0, 1, 500]), () => {
    submit(world, node, envelope, () => {}).catch(reportTo(world));
  });
}

function reportTo({ evidence }: World): (error: unknown) => void {
  return (error) => evidence.errors.push(error instanceof Error ? String(error.stack) : String(error));
}

export function liveNode(world: World): Node | undefined {
  const alive = world.nodes.filter(({ server }) => server !== undefined);
  return alive.length === 0 ? undefined : world.random.pick(alive);
}

async function submit(world: World, node: Node, envelope: PostedEnvelope, again: (ms: number) => void): Promise<void> {
  const { server } = node;
  if (server === undefined) return;
  const { nodeProcess, floor } = server;
  const { text, principal, inReplyTo } = envelope;
  const sentAtMs = world.time.nowMs();
  const retry = () => again(500);
  nodeProcess.onDeath.add(retry);
  world.trace(
    () => `${nodeProcess.name} receives ${text}${inReplyTo === undefined ? "" : ` in reply to ${inReplyTo}`}`,
  );
  try {
    const receipt = await floor.receiver.envelope({
      document: jsonTextOf(text),
      principal,
      ...(inReplyTo !== undefined && { inReplyTo }),
    });
    acknowledge(world, envelope, receipt);
    world.trace(() => `${nodeProcess.name} acknowledges ${receipt.entries.map(({ seq, kind }) => `${seq} ${kind}`)}`);
  } catch (error) {
    world.trace(() => `${nodeProcess.name} refuses: ${error}`);
    // Some clients do not retry.
    if (isPassing(error) && world.random.isTrue(0.5)) again(2_000);
    else if (!isPassing(error) && !(error instanceof Problem)) throw error;
  } finally {
    nodeProcess.onDeath.delete(retry);
    const { id: conversationId } = readEnvelope(text).conversation;
    world.evidence.answered.push({ conversationId, sentAtMs, answeredAtMs: world.time.nowMs() });
  }
}

function acknowledge(
  { evidence }: World,
  { text, inReplyTo }: PostedEnvelope,
  { conversationId, entries }: Receipt,
): void {
  const isLate = inReplyTo !== undefined && entries.every(({ kind }) => kind !== "received");
  const { events } = readEnvelope(text);
  evidence.acknowledged.push({ conversationId, entries, utteranceIds: isLate ? [] : utteranceIds(events) });
}
