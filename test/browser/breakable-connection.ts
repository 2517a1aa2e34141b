// A connection between a browser and a floor that a test breaks in the ways in which connections break.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * `drop` ends all connections, `reset` resets them, `refuse` also refuses the next ones, `swallow` keeps them open and
 * discards all bytes until they end; `mute` discards only the bytes that the floor sends.
 */
export const breaks = ["drop", "reset", "refuse", "swallow", "mute"] as const;

/** Begins after `afterBytes` more bytes, also inside a frame, and ends after that many connections or discarded chunks. */
type Plan = { kind: (typeof breaks)[number]; afterBytes: number; more: number };
type Pair = readonly [Socket, Socket];

export class BreakableConnection {
  readonly #pairs = new Set<Pair>();
  readonly #server = createServer((near) => this.#take(near));
  readonly #port: number;
  #plan: Plan | undefined;
  #isBroken = false;
  #over = () => {};

  static async start(port: number): Promise<BreakableConnection> {
    const line = new BreakableConnection(port);
    line.#server.listen(0, "127.0.0.1");
    await once(line.#server, "listening");
    return line;
  }

  private constructor(port: number) {
    this.#port = port;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when the fault is over. One fault at a time. */
  breakDown(plan: Plan): Promise<void> {
    return new Promise((resolve) => {
      this.#over = resolve;
      this.#plan = { ...plan };
    });
  }

  /** From now on open connections silently carry nothing; new connections work. */
  deafen(): void {
    for (const socket of [...this.#pairs].flat()) {
      socket.removeAllListeners("data").removeAllListeners("close").resume();
    }
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#endAll();
    await closed;
  }

  #take(near: Socket): void {
    near.on("error", () => {});
    if (this.#isBroken && this.#plan?.kind === "refuse") {
      near.resetAndDestroy();
      this.#oneLess(this.#plan);
      return;
    }
    const far = connect(this.#port, "127.0.0.1");
    const pair: Pair = [near, far];
    this.#pairs.add(pair);
    this.#carry(pair, near, far);
    this.#carry(pair, far, near, true);
  }

  #carry(pair: Pair, from: Socket, to: Socket, isFromFloor = false): void {
    from.setNoDelay();
    from.on("error", () => {});
    from.on("data", (bytes) => to.write(this.#through(bytes, isFromFloor)));
    from.on("close", () => {
      this.#pairs.delete(pair);
      to.destroy();
    });
  }

  /** The part of these bytes that arrives at the other end. */
  #through(bytes: Buffer, isFromFloor: boolean): Buffer {
    const plan = this.#plan;
    if (plan === undefined || (plan.kind === "mute" && !isFromFloor)) return bytes;
    if (this.#isBroken) {
      this.#oneLess(plan);
      return Buffer.alloc(0);
    }
    const passed = bytes.subarray(0, plan.afterBytes);
    plan.afterBytes -= passed.length;
    if (plan.afterBytes === 0) {
      this.#isBroken = true;
      // Bytes that were let through are sent before the connection breaks.
      setImmediate(() => this.#break(plan));
    }
    return passed;
  }

  #break({ kind }: Plan): void {
    if (kind === "swallow" || kind === "mute") return;
    this.#endAll(kind === "reset");
    if (kind !== "refuse") this.#mend();
  }

  #oneLess(plan: Plan): void {
    plan.more -= 1;
    if (plan.more > 0) return;
    this.#endAll();
    this.#mend();
  }

  #mend(): void {
    this.#plan = undefined;
    this.#isBroken = false;
    this.#over();
  }

  #endAll(isReset = false): void {
    for (const socket of [...this.#pairs].flat()) {
      if (isReset) socket.resetAndDestroy();
      else socket.destroy();
    }
    this.#pairs.clear();
  }
}
