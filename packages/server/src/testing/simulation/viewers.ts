import { defaultStreamLimits } from "../../limits.ts";
import { createBackpressure, type StreamSink } from "../../streams/backpressure.ts";
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
    const server = liveNode(world)?.server;
    if (server === undefined) return reconnect();
    const { life, floor, channels } = server;
    life.mourners.add(reconnect);
    let isOver = false;
    const backpressure = createBackpressure(fastReader, defaultStreamLimits, floor.clock, reconnect);
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
      { store: floor.store, channels, backpressure, conversationId, speaker: speakerUri, after, show },
      fail,
    );
    hangUp = () => {
      isOver = true;
      life.mourners.delete(reconnect);
      reading.stop();
      backpressure.close();
    };
  };
  connect();
  return {
    cut() {
      if (hangUp !== undefined) reconnect();
    },
  };
}

const fastReader: StreamSink = {
  event: () => {},
  draft: () => {},
  bufferedBytes: () => 0,
  onceDrained: () => {},
  cut: () => {},
};
