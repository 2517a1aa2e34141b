/** How much a connection may bring, and how long it may take. */
export type RequestLimits = {
  /** Events of one envelope. */
  eventsMax: number;
  /** Bytes of a body, and JSON values in it, that somebody without a credential sends to an agent or a relay address here. */
  anonymousBytesMax: number;
  anonymousValuesMax: number;
  /** All connections, and those of one address; further ones are closed. */
  connectionsMax: number;
  connectionsPerAddressMax: number;
  /** Requests whose answer is being made, and those of one address; requests beyond them get 503. */
  servedMax: number;
  servedPerAddressMax: number;
  /** All headers of a request together. */
  headerBytesMax: number;
  /** Slow senders do not hold connections for ever; how long an answer takes is not limited by these. */
  headersMs: number;
  requestMs: number;
  /** Between two requests on one connection. */
  idleMs: number;
  /** Conversations this floor holds in all. */
  conversationsMax: number;
};

export const defaultRequestLimits: RequestLimits = {
  eventsMax: 64,
  anonymousBytesMax: 65_536,
  anonymousValuesMax: 2_048,
  connectionsMax: 20_000,
  connectionsPerAddressMax: 15_000,
  servedMax: 1_024,
  servedPerAddressMax: 768,
  headerBytesMax: 16_384,
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 5_000,
  conversationsMax: 1_000_000,
};
