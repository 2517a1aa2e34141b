// Where somebody is, as far as that is known.
export type Home = {
  zone: string;
  label: string;
  /** told: by himself. offset: his words carry one. machine: nothing is known, so it is the clock's own zone. */
  known: "told" | "offset" | "machine";
};

/** The offset of an RFC 3339 time. `Z` tells none: most write it whatever their zone. */
export function offsetMinutesOf(time: string): number | undefined {
  const [, sign, hours, minutes] = /[Tt ].*([+-])(\d{2}):?(\d{2})$/u.exec(time) ?? [];
  if (sign === undefined) return undefined;
  const offset = Number(hours) * 60 + Number(minutes);
  return offset > 14 * 60 || (offset === 0 && sign === "-") ? undefined : offset * (sign === "-" ? -1 : 1);
}
