/** Limits of HTTP connections, requests and conversations. */
export type RequestLimits = {
  /** Events of one envelope. */
  eventsMax: number;
  /** Body bytes and JSON values of a request without a credential, to a hosted agent or a relay address. */
  anonymousBytesMax: number;
  anonymousValuesMax: number;
  /** Open connections, in total and per address; further ones are closed. */
  connectionsMax: number;
  connectionsPerAddressMax: number;
  /** Requests being served, in total and per address; further ones get 503. */
  servedMax: number;
  servedPerAddressMax: number;
  /** All headers of a request together. */
  headerBytesMax: number;
  /** Time to receive the headers and the whole request. They do not limit the time of the answer. */
  headersMs: number;
  requestMs: number;
  /** Keep-alive: time between two requests on one connection. */
  idleMs: number;
  /** Conversations in the store. */
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

/** A token bucket: sustained rate, and burst after a pause. */
export type Rate = { perS: number; burst: number };

/** Rate limits of requests and frames. */
export type RateLimits = {
  /** Requests and frames per credential. The operator has no limit. */
  perPrincipal: Rate;
  /** Requests per address, or per /64 of IPv6, with or without a credential, except those of the operator. */
  perAddress: Rate;
  /** Calls per address and hosted agent, which need no credential. */
  hostedAgents: Rate;
  /** Bytes per address without a credential, to hosted agents and relay addresses; a JSON value counts as 32. */
  anonymousBytes: Rate;
  /** Invalid credentials per address; beyond that the answer is 429 instead of 401. */
  badCredentials: Rate;
  /** New conversations per credential. */
  conversations: Rate;
  /** Maximum of stored addresses and credentials; the least recently used is dropped first. */
  remembered: number;
};

export const defaultRateLimits: RateLimits = {
  perPrincipal: { perS: 50, burst: 200 },
  perAddress: { perS: 200, burst: 800 },
  hostedAgents: { perS: 20, burst: 100 },
  anonymousBytes: { perS: 524_288, burst: 2_097_152 },
  badCredentials: { perS: 10 / 60, burst: 10 },
  conversations: { perS: 1 / 30, burst: 100 },
  remembered: 20_000,
};

/** Limits of load shedding for posted envelopes. */
export type LoadLimits = {
  /** Envelopes processed at the same time. */
  atOnceMax: number;
  /** Queued envelopes; further requests get 503 with Retry-After. */
  waitingMax: number;
  /** Delay before the 503, because a client that is refused at once retries at once. */
  refuseAfterMs: number;
};

export const defaultLoadLimits: LoadLimits = { atOnceMax: 128, waitingMax: 2_000, refuseAfterMs: 1_000 };

/** Limits of the conversation queue. */
export type QueueLimits = {
  /** Queued inputs per conversation. */
  perConversationMax: number;
  /** Queued inputs of all conversations. */
  totalMax: number;
};

export const defaultQueueLimits: QueueLimits = { perConversationMax: 256, totalMax: 10_000 };

/** Limits of deliveries (D23). */
export type DeliveryLimits = {
  connectMs: number;
  /** How long a failed invite is retried. */
  inviteRetryMs: number;
  /** How long any other delivery is retried. */
  retryMs: number;
  retryBaseMs: number;
  retryCapMs: number;
  /** To the first byte of the answer, and between any two. A conversation may have its own (`agentTimeoutMs`). */
  silenceMs: number;
  /** Total time of an answer; never less than the time to the first byte. */
  inviteAnswerMs: number;
  answerMs: number;
  /** Total time of a streamed answer, longer because people can watch it and stop it. */
  streamMs: number;
  /** How long a stopped delivery waits for its answer after it was sent (D18). */
  stoppedAnswerMs: number;
  manifestAnswerMs: number;
  /** How long an answer promised for later (status 202) is awaited. */
  laterAnswerMs: number;
  answerBytesMax: number;
  /** Queued deliveries per target and conversation. */
  queueMax: number;
  /** Concurrent requests, in total and per target. Further requests wait. */
  inFlightMax: number;
  inFlightPerTargetMax: number;
};

export const defaultDeliveryLimits: DeliveryLimits = {
  connectMs: 3_000,
  inviteRetryMs: 10_000,
  retryMs: 60_000,
  retryBaseMs: 500,
  retryCapMs: 30_000,
  silenceMs: 120_000,
  inviteAnswerMs: 120_000,
  answerMs: 300_000,
  streamMs: 3_600_000,
  stoppedAnswerMs: 2_000,
  manifestAnswerMs: 10_000,
  laterAnswerMs: 300_000,
  answerBytesMax: 1_048_576,
  queueMax: 256,
  inFlightMax: 256,
  inFlightPerTargetMax: 64,
};

/** Limits of webhooks. */
export type WebhookLimits = {
  /** Webhooks of the operator, or of one speaker; and of all. */
  perRegistrantMax: number;
  totalMax: number;
  /** Time to answer a message, and the part of the answer that is read. */
  answerMs: number;
  answerBytesMax: number;
  /** Exponential backoff between the attempts for one entry. */
  retryBaseMs: number;
  retryCapMs: number;
  /** After so long, an entry becomes a dead letter. */
  giveUpMs: number;
  /** After so long without any success, the webhook is disabled. */
  disableMs: number;
  /** Conversations with undelivered entries per webhook; further ones wait. */
  lanesMax: number;
  /** Concurrent requests, in total and per webhook. */
  inFlightMax: number;
  inFlightPerWebhookMax: number;
  /** How long a replaced secret still signs. */
  oldSecretMs: number;
  /** Delay of a write of the progress: a crash repeats the deliveries of this time. */
  writeAfterMs: number;
};

export const defaultWebhookLimits: WebhookLimits = {
  perRegistrantMax: 100,
  totalMax: 10_000,
  answerMs: 15_000,
  answerBytesMax: 16_384,
  retryBaseMs: 5_000,
  retryCapMs: 3_600_000,
  giveUpMs: 86_400_000,
  disableMs: 432_000_000,
  lanesMax: 64,
  inFlightMax: 256,
  inFlightPerWebhookMax: 8,
  oldSecretMs: 86_400_000,
  writeAfterMs: 200,
};

/** Limits of the circuit breaker. */
export type BreakerLimits = {
  /** So many consecutive failures within `windowMs` open the breaker. */
  failuresMax: number;
  windowMs: number;
  /** How long it stays open at first; doubled after each failed probe. */
  openMs: number;
  openMaxMs: number;
  /** The state of a target is dropped after so long without a result. */
  forgetMs: number;
  /** Maximum of stored targets; the least recently updated is dropped first. */
  targetsMax: number;
};

export const defaultBreakerLimits: BreakerLimits = {
  failuresMax: 5,
  windowMs: 30_000,
  openMs: 10_000,
  openMaxMs: 300_000,
  forgetMs: 900_000,
  targetsMax: 10_000,
};

/** Limits of event streams, sockets, relays and mailboxes. */
export type StreamLimits = {
  /** Largest frame from a client; a larger one closes the socket with 1009. */
  frameBytesMax: number;
  /** Unsent bytes above which the log is not read further for this stream. */
  bufferedBytesHigh: number;
  /** Unsent bytes above which the stream is closed. */
  bufferedBytesMax: number;
  /** Entries that may be written while a client reads nothing. */
  lagEntriesMax: number;
  /** How long a client may read nothing. */
  lagMs: number;
  /** Interval of WebSocket pings, and how many may stay unanswered. */
  pingMs: number;
  pingMissesMax: number;
  /** Comments that keep an event stream open through proxies. */
  heartbeatMs: number;
  /** Open streams, in total and per speaker. */
  streamsMax: number;
  streamsPerSpeakerMax: number;
  /** Queued frames per socket. */
  framesWaitingMax: number;
  /** Rate-limited frames minus accepted frames of one socket; above this it is closed with 1008. */
  framesRefusedMax: number;
  /** Answers kept per socket, so that a repeated frame gets the same answer. */
  answersKeptMax: number;
  /** Conversations that a stream without `conversation` follows. */
  conversationsMax: number;
  ticketMs: number;
  ticketsMax: number;
  /** A person without a stream for this long is away (D36). */
  awayMs: number;
  /** Time for an agent's answer to a relayed envelope; after it the answer has no events. */
  relayAnswerMs: number;
  /** Relayed envelopes in flight per speaker. */
  relaysPerSpeakerMax: number;
  /** Relayed envelopes stored per person, and the number of mailboxes. */
  mailboxMax: number;
  mailboxesMax: number;
  /** Stored bytes per person, and in total. A larger envelope is sent to open streams only. */
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
