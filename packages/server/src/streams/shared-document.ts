/** A document that several viewers get. Each encoding is made once, when the first viewer needs it. */
export class SharedDocument {
  /** Undefined when only the bytes are stored. */
  readonly value: unknown;
  /** The whole WebSocket frame, and the whole server-sent event; set by the first stream of that kind. */
  frame: Buffer | undefined;
  serverSentEvent: Buffer | undefined;
  #bytes: Buffer | undefined;

  constructor(value: unknown, bytes?: Buffer) {
    this.value = value;
    this.#bytes = bytes;
  }

  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(JSON.stringify(this.value));
    return this.#bytes;
  }
}
