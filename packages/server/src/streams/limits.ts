/** Limits of streams, sockets, tickets and relayed envelopes. */
export type StreamLimits = {
  /** Maximum size of a client's frame; a larger one closes the socket with 1009. */
  frameBytesMax: number;
  /** With more unread bytes than this, the stream pauses. */
  bufferedBytesHigh: number;
  /** With more unread bytes than this, the client is disconnected. */
  bufferedBytesMax: number;
  /** Maximum of new entries while a stream is paused; beyond it the client is disconnected. */
  lagEntriesMax: number;
  /** Maximum duration of a pause; then the client is disconnected. */
  lagMs: number;
  pingMs: number;
  pingMissesMax: number;
  /** Interval of SSE comments, which keep the stream open through proxies. */
  heartbeatMs: number;
  /** Open streams, in total and per speaker. */
  streamsMax: number;
  streamsPerSpeakerMax: number;
  /** Queued frames per socket; at this number the socket is not read further. */
  framesWaitingMax: number;
  /** Rate-limited frames minus accepted ones; beyond this number the socket is closed with 1008. */
  framesRefusedMax: number;
  /** Stored answers per socket: a repeated frame gets the same answer. */
  answersKeptMax: number;
  /** Conversations that a stream without `conversation` follows. */
  conversationsMax: number;
  ticketMs: number;
  ticketsMax: number;
  /** A person without a stream for this time is away (D36). */
  awayMs: number;
  /** Time limit for the answer to a relayed envelope; then the answer is empty. */
  relayAnswerMs: number;
  /** Relayed envelopes per speaker that wait for an answer. */
  relaysPerSpeakerMax: number;
  /** Stored relayed envelopes per person, and number of people. */
  mailboxMax: number;
  mailboxesMax: number;
  /** Bytes of them per person, and in total. A larger envelope is shown only to connected viewers. */
  mailboxBytesMax: number;
  mailboxesBytesMax: number;
};

export const defaultStreamLimits: StreamLimits = {
  frameBytesMax: 1_048_576,
  bufferedBytesHigh: 1_048_576,
  bufferedBytesMax: 4_194_304,
  lagEntriesMax: 1_000,
  lagMs: 30_000,
  pingMs: 30_000,
  pingMissesMax: 2,
  heartbeatMs: 15_000,
  streamsMax: 20_000,
  streamsPerSpeakerMax: 64,
  framesWaitingMax: 256,
  framesRefusedMax: 100,
  answersKeptMax: 1_024,
  conversationsMax: 500,
  ticketMs: 30_000,
  ticketsMax: 10_000,
  awayMs: 60_000,
  relayAnswerMs: 120_000,
  relaysPerSpeakerMax: 64,
  mailboxMax: 256,
  mailboxesMax: 1_000,
  mailboxBytesMax: 1_048_576,
  mailboxesBytesMax: 67_108_864,
};
