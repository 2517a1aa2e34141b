import { defaultStreamLimits } from "../../limits.ts";
import { createBackpressure, type StreamSink } from "../../streams/backpressure.ts";
import { LogReader } from "../../streams/log-reader.ts";
import type { SharedDocument } from "../../streams/shared-document.ts";
import { liveNode } from "./client.ts";
import type { World } from "./world.ts";

export type Viewer = {
  /** Breaks the connection; the viewer reconnects and resumes after the last event it has. */
  cut(): void;
};

/** A viewer that resumes with its cursor whenever its stream breaks. */
export function startViewer(world: World, speakerUri: string, conversationId: string): Viewer {
  const { evidence, time, random } = world;
  let after = 0;
  let disconnect: (() => void) | undefined;
  const reconnect = () => {
    disconnect?.();
    disconnect = undefined;
    time.after(random.between(50, 3_000), connect);
  };
  const connect = () => {
    if (disconnect !== undefined) return;
    const server = liveNode(world)?.server;
    if (server === undefined) return reconnect();
    const { nodeProcess, floor, liveTails } = server;
    nodeProcess.onDeath.add(reconnect);
    let isOver = false;
    const backpressure = createBackpressure(discardSink, defaultStreamLimits, floor.clock, reconnect);
    const show = (document: SharedDocument, seq: number) => {
      if (isOver || !nodeProcess.isAlive) return;
      after = seq;
      evidence.viewed.push({ speakerUri, conversationId, seq, text: document.bytes.toString() });
    };
    const fail = (error: unknown) => {
      floor.onError(error);
      reconnect();
    };
    const reader = new LogReader(
      { log: floor.log, liveTails, backpressure, conversationId, speaker: speakerUri, after, show },
      fail,
    );
    disconnect = () => {
      isOver = true;
      nodeProcess.onDeath.delete(reconnect);
      reader.stop();
      backpressure.close();
    };
  };
  connect();
  return {
    cut() {
      if (disconnect !== undefined) reconnect();
    },
  };
}

const discardSink: StreamSink = {
  event: () => {},
  draft: () => {},
  bufferedBytes: () => 0,
  onceDrained: () => {},
  cut: () => {},
};
