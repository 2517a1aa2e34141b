import type { AccessContext, DeliveringContext, ProcessContext } from "../../context.ts";
import type { SocketOutbound } from "../../delivery/socket/outbound.ts";
import { problemDocument } from "../../errors.ts";
import type { StreamLimits } from "../../limits.ts";
import type { Principal } from "../../ports/principal.ts";

export type FrameLimitOptions = {
  server: ProcessContext & AccessContext & DeliveringContext;
  sockets: SocketOutbound;
  limits: StreamLimits;
  principal: Principal;
  speaker: string;
  isAgent: boolean;
  send: (frame: Record<string, unknown>) => void;
  /** Closes the socket. */
  close: (code: number, reason: string) => void;
};

/** The id of a frame, and the delivery that it belongs to. */
export type FrameOrigin = { id?: string; inReplyTo?: string; isDraft?: boolean };

/** The refusal names the delivery, so that the agent can repeat its answer. */
export function refusalOf(
  { server }: Pick<FrameLimitOptions, "server">,
  error: unknown,
  { id, inReplyTo }: FrameOrigin,
) {
  const problem = problemDocument(error, server.ids.random);
  return { nack: id ?? null, problem: { ...problem, ...(inReplyTo !== undefined && { inReplyTo }) } };
}

/** Returns `pause`, which returns `resume`. The socket is read again when every pause has ended. */
export function createReadPause(setPaused: (isPaused: boolean) => void): () => () => void {
  let pauses = 0;
  return () => {
    pauses += 1;
    if (pauses === 1) setPaused(true);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      pauses -= 1;
      if (pauses === 0) setPaused(false);
    };
  };
}

/**
 * Answers and drafts of open deliveries do not count against the rate limit of the credential: the floor decides how
 * many deliveries there are, accepts one answer to each, and slows down their drafts. Any other frame counts.
 */
export function createExpectedFrames(options: FrameLimitOptions, pauseReading: () => () => void) {
  const { server, sockets, speaker, isAgent } = options;
  let isPaced = false;
  const pace = (ms: number) => {
    if (ms === 0 || isPaced) return;
    isPaced = true;
    const resume = pauseReading();
    server.clock.at(server.clock.now() + ms, () => {
      isPaced = false;
      resume();
    });
  };
  return ({ inReplyTo, isDraft }: FrameOrigin, chars: number): boolean => {
    if (!isAgent || inReplyTo === undefined) return false;
    if (isDraft !== true) return server.expectedAnswers.take(inReplyTo);
    const aheadMs = sockets.takeDraft(speaker, inReplyTo, chars);
    if (aheadMs === undefined) return false;
    pace(aheadMs);
    return true;
  };
}

/** Counts a frame before any work is done for it. False when the rate limit refused it. */
export function createFrameLimit(options: FrameLimitOptions): (origin: FrameOrigin) => boolean {
  const { server, principal, limits, send, close } = options;
  let refused = 0;
  return (origin) => {
    try {
      server.access.admitFrame(principal);
      refused = Math.max(0, refused - 1);
      return true;
    } catch (error) {
      refused += 1;
      // Frames that arrive after this get no answer.
      if (refused > limits.framesRefusedMax) close(1008, "too many frames, connect again later");
      else send(refusalOf(options, error, origin));
      return false;
    }
  };
}
