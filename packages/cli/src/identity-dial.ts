import type { Dialler } from "@plenary/sdk";
import type { IdentityDial } from "@plenary/server";

/** Somebody waits at the door meanwhile. */
const patience = { firstByteMs: 5_000, silenceMs: 5_000, totalMs: 10_000 };

/** How issuers are asked. The dialler follows no redirect and reads no further than its limit. */
export function createIdentityDial(dialler: Pick<Dialler, "dial">): IdentityDial {
  return async (url, { method, headers, body, signal }) => {
    const answer = await dialler.dial({
      ...{ url, method, headers, ...patience },
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
