const uri = /^[a-z][a-z\d+.-]*:[^\s\p{Cc}]+$/iu;

/** How far anybody's name may be told from other text; what is behind the scheme is its own affair. */
export function isUri(text: string): boolean {
  return uri.test(text);
}

/** One name for a person or service of an issuer, by whichever way it proved itself. */
export function issuedUri(issuer: string, subject: string): string {
  return `${issuer}#${encodeURIComponent(subject)}`;
}
