import { isCalendarDate } from "../model/patterns.ts";

/** RFC 4151: a name that only the owner of the authority on that date may assign. */
export type TagUri = {
  /** A DNS name or an e-mail address. */
  authority: string;
  /** YYYY, YYYY-MM or YYYY-MM-DD. */
  date: string;
  /** Any text, as it reads before it is encoded. */
  specific: string;
  fragment?: string;
};

const dnsPart = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
const authority = `(?:[A-Za-z0-9._-]+@)?${dnsPart}(?:\\.${dnsPart})*`;
const date =
  "\\d{4}(?:-(?:(?:0[13578]|1[02])(?:-(?:0[1-9]|[12]\\d|3[01]))?|(?:0[469]|11)(?:-(?:0[1-9]|[12]\\d|30))?|02(?:-(?:0[1-9]|[12]\\d))?))?";

const authorityPattern = new RegExp(`^${authority}$`, "u");
const datePattern = new RegExp(`^${date}$`, "u");
const tagPattern = new RegExp(`^[Tt][Aa][Gg]:(${authority}),(${date}):([^#]*)(?:#([^#]*))?$`, "u");
const notInPart = /[^A-Za-z0-9._~!$&'()*+,;=:@/?%-]|%(?![0-9A-Fa-f]{2})/u;

export function tagUri({ authority, date, specific, fragment }: TagUri): string {
  if (!authorityPattern.test(authority)) {
    throw new Error(`the authority of a tag is a DNS name or an e-mail address, not ${JSON.stringify(authority)}`);
  }
  if (!datePattern.test(date) || !isCalendarDate(date)) {
    throw new Error(`the date of a tag is YYYY, YYYY-MM or YYYY-MM-DD, not ${JSON.stringify(date)}`);
  }
  const tail = fragment === undefined ? "" : `#${encoded(fragment)}`;
  return `tag:${authority},${date}:${encoded(specific)}${tail}`;
}

/** Undefined for anything but a tag URI whose encoded parts are text. */
export function parseTagUri(text: string): TagUri | undefined {
  const [, authority, date, specific, fragment] = tagPattern.exec(text) ?? [];
  if (authority === undefined || date === undefined || specific === undefined || !isCalendarDate(date))
    return undefined;
  const name = decoded(specific);
  const part = fragment === undefined ? undefined : decoded(fragment);
  if (name === undefined || (fragment !== undefined && part === undefined)) return undefined;
  return { authority, date, specific: name, ...(part !== undefined && { fragment: part }) };
}

function encoded(text: string): string {
  // encodeURI throws on half a surrogate pair and leaves "#" alone.
  return encodeURI(text.replace(/\p{Surrogate}/gu, "\uFFFD")).replaceAll("#", "%23");
}

function decoded(text: string): string | undefined {
  if (notInPart.test(text)) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
