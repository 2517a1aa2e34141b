import type { Dialler, DiallerOptions } from "@plenary/sdk";
import type { IssuerDial } from "@plenary/server";

/** A person waits during sign-in. */
const issuerTimeouts = { firstByteMs: 5_000, silenceMs: 5_000, totalMs: 10_000 };

/** Dials token issuers. The dialler follows no redirect and limits the response size. */
export function createIdentityDial(dialler: Pick<Dialler, "dial">): IssuerDial {
  return async (url, { method, headers, body, signal }) => {
    const answer = await dialler.dial({
      url,
      method,
      headers,
      ...issuerTimeouts,
      ...(body !== undefined && { body }),
      ...(signal !== undefined && { signal }),
    });
    const pieces: Uint8Array[] = [];
    for await (const piece of answer.body) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    // A Response with status 204 must not have a body, not even an empty one.
    return new Response(bytes.length === 0 ? null : bytes, { status: answer.status, headers: [...answer.headers] });
  };
}

/**
 * Dials texts that an utterance gives by URL. The URL is untrusted and an agent may repeat the text, so only public https
 * and the operator's allow list are read, also in local mode.
 */
export async function openTextDialler(allowed: Pick<DiallerOptions, "allowHosts" | "allowCidrs">): Promise<Dialler> {
  const { createDialler } = await import("@plenary/sdk");
  const limits = { firstByteMs: 5_000, silenceMs: 5_000, totalMs: 10_000, answerBytesMax: 65_536 };
  return createDialler({ ...allowed, mode: "production", limits });
}
