import { createGate, type Sink } from "../../streams/backpressure.ts";
import { defaultStreamLimits } from "../../streams/limits.ts";
import { startReading } from "../../streams/log-reader.ts";
import { liveNode } from "./client.ts";
import type { World } from "./world.ts";

export type Viewer = {
  /** The connection breaks; the viewer comes back and goes on behind what it has seen. */
  cut(): void;
};

/** Somebody who looks on over a stream, and comes back with its cursor whenever the stream breaks. */
export function startViewer(world: World, speakerUri: string, conversationId: string): Viewer {
  const { evidence, time, chance } = world;
  let after = 0;
  let hangUp: (() => void) | undefined;
  const reconnect = () => {
    hangUp?.();
    hangUp = undefined;
    time.after(chance.between(50, 3_000), connect);
  };
  const connect = () => {
    if (hangUp !== undefined) return;
    const running = liveNode(world)?.running;
    if (running === undefined) return reconnect();
    const { life, floor, channels } = running;
    life.mourners.add(reconnect);
    let isOver = false;
    const gate = createGate(fastReader, defaultStreamLimits, floor.clock, reconnect);
    const show = (bytes: Buffer, seq: number) => {
      if (isOver || !life.isAlive) return;
      after = seq;
      evidence.viewed.push({ speakerUri, conversationId, seq, text: bytes.toString() });
    };
    const fail = (error: unknown) => {
      floor.onError(error);
      reconnect();
    };
    const reading = startReading(
      { store: floor.store, channels, gate, conversationId, speaker: speakerUri, after, show },
      fail,
    );
    hangUp = () => {
      isOver = true;
      life.mourners.delete(reconnect);
      reading.stop();
      gate.close();
    };
  };
  connect();
  return {
    cut() {
      if (hangUp !== undefined) reconnect();
    },
  };
}

const fastReader: Sink = {
  event: () => {},
  draft: () => {},
  bufferedBytes: () => 0,
  onceDrained: () => {},
  cut: () => {},
};
