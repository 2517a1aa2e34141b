/** The address of people and agents without a server: the floor relays envelopes sent there (D25). */
export function relayUrlOf(floorUrl: string, speakerUri: string): string {
  return `${floorUrl}/at/${base64Url(utf8(speakerUri))}`;
}

function utf8(text: string): number[] {
  // encodeURIComponent throws on half a surrogate pair.
  return [...encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\uFFFD")).matchAll(/%(..)|./gu)].map(([unit, hex]) =>
    hex === undefined ? unit.charCodeAt(0) : Number.parseInt(hex, 16),
  );
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

function base64Url(bytes: readonly number[]): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const group = bytes.slice(at, at + 3);
    const [first = 0, second = 0, third = 0] = group;
    const bits = (first << 16) | (second << 8) | third;
    for (let digit = 0; digit <= group.length; digit += 1) text += digits[(bits >> (18 - 6 * digit)) & 63];
  }
  return text;
}
