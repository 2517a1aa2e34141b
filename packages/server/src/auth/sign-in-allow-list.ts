/** The claims of a person that the allow list uses. */
export type Claims = { sub: string; email?: unknown; email_verified?: unknown };

/**
 * Whether one item matches this person: `*` everyone, `sub:...` the subject, `@domain` a domain, otherwise an address. An
 * address counts only when the issuer has verified it: otherwise a person could claim any address.
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
