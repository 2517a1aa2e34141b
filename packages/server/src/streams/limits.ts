/** How much a live stream may hold, and how long anybody waits for its reader. */
export type StreamLimits = {
  /** Largest frame a socket may send; a larger one closes it with 1009. */
  frameBytesMax: number;
  /** With more than this not yet taken by the reader, its log is not read any further. */
  bufferedBytesHigh: number;
  /** With more than this the reader is cut off. */
  bufferedBytesMax: number;
  /** Entries that may be written while a reader takes nothing. */
  lagEntriesMax: number;
  /** How long a reader may take nothing. */
  lagMs: number;
  pingMs: number;
  pingMissesMax: number;
  /** Comments that keep an event stream open through proxies. */
  heartbeatMs: number;
  /** All streams of this floor, and those of one speaker. */
  streamsMax: number;
  streamsPerSpeakerMax: number;
  /** Frames of one socket that may wait to be taken. */
  framesWaitingMax: number;
  /** Frames of one socket that came too often, beyond as many that did not: with more it is closed with 1008. */
  framesRefusedMax: number;
  /** Answers kept per socket, so that a frame sent twice is answered alike. */
  answersKeptMax: number;
  /** Conversations one stream without `conversation` follows. */
  conversationsMax: number;
  ticketMs: number;
  ticketsMax: number;
  /** After so long without a stream a person is away (D36). */
  awayMs: number;
  /** A relayed envelope is answered within this time, or by silence. */
  relayAnswerMs: number;
  /** Envelopes of other floors under way to one speaker. */
  relaysPerSpeakerMax: number;
  /** Envelopes of other floors kept for a person, and people they are kept for. */
  mailboxMax: number;
  mailboxesMax: number;
  /** Bytes of them for one person, and for all people. What alone is larger is for those who look on now. */
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
