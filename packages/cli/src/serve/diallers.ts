import type { Dialler, DiallerOptions } from "@plenary/sdk";
import type { IdentityDial } from "@plenary/server";

/** Somebody waits at the door meanwhile. */
const issuerTimeouts = { firstByteMs: 5_000, silenceMs: 5_000, totalMs: 10_000 };

/** How issuers are asked. The dialler follows no redirect and reads no further than its limit. */
export function createIdentityDial(dialler: Pick<Dialler, "dial">): IdentityDial {
  return async (url, { method, headers, body, signal }) => {
    const answer = await dialler.dial({
      ...{ url, method, headers, ...issuerTimeouts },
      ...(body !== undefined && { body }),
      ...(signal !== undefined && { signal }),
    });
    const pieces: Uint8Array[] = [];
    for await (const piece of answer.body) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    // An answer such as 204 may not have even an empty body.
    return new Response(bytes.length === 0 ? null : bytes, { status: answer.status, headers: answer.headers });
  };
}

/**
 * The way to words that somebody gives by URL. The URL is a stranger's and an agent may repeat what it finds there, so only
 * public https is read, and what the operator allows, on this machine too.
 */
export async function openTextDialler(allowed: Pick<DiallerOptions, "allowHosts" | "allowCidrs">): Promise<Dialler> {
  const { createDialler } = await import("@plenary/sdk");
  const limits = { firstByteMs: 5_000, silenceMs: 5_000, totalMs: 10_000, answerBytesMax: 65_536 };
  return createDialler({ ...allowed, mode: "production", limits });
}
