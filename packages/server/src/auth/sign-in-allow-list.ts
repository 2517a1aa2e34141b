/** What an issuer says of a person, as far as the list of those who may sign in cares. */
export type Claims = { sub: string; email?: unknown; email_verified?: unknown };

/**
 * Whether one item names this person: `*` everybody, `sub:...` the subject, else an address or, from its @ on, a domain.
 * An address counts only when the issuer has verified it: else anybody could write there whose it likes.
 */
export function isExpected(allow: readonly string[], { sub, email, email_verified: isVerified }: Claims): boolean {
  const address = typeof email === "string" && isVerified === true ? email.toLowerCase() : undefined;
  const domain = address?.slice(address.lastIndexOf("@"));
  return allow.some((item) => {
    if (item === "*") return true;
    if (item.startsWith("sub:")) return item === `sub:${sub}`;
    return item.includes("@") && item.toLowerCase() === (item.startsWith("@") ? domain : address);
  });
}
