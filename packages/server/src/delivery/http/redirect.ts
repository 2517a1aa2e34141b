const charsMax = 200;

/** Where a redirect leads. Redirects are not followed: the inviter must know which address it invites. */
export function movedWords(status: number, location: string | null | undefined, serviceUrl: string): string {
  const target = location && URL.canParse(location, serviceUrl) ? new URL(location, serviceUrl) : undefined;
  if (target === undefined) return `it answered ${status} and named no new address`;
  // Without what may be secret: user name, password, query and fragment.
  const { protocol, host, pathname } = target;
  return `it moved to ${`${protocol}//${host}${pathname}`.slice(0, charsMax)}`;
}
