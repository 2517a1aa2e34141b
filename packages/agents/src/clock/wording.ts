import type { DateTime, DurationObjectUnits } from "luxon";

export function clockTime(at: DateTime, isTwelveHour = false): string {
  return isTwelveHour ? at.setLocale("en").toFormat("h:mm a").toLowerCase() : at.toFormat("HH:mm");
}

/** Monday 16 November 2026 */
export function longDate(at: DateTime): string {
  return at.setLocale("en").toFormat("cccc d LLLL yyyy");
}

/** UTC+9, UTC+5:30, UTC */
export function offsetWords({ offset }: DateTime): string {
  if (offset === 0) return "UTC";
  const minutes = Math.abs(offset) % 60;
  const hours = Math.floor(Math.abs(offset) / 60);
  return `UTC${offset < 0 ? "-" : "+"}${hours}${minutes === 0 ? "" : `:${String(minutes).padStart(2, "0")}`}`;
}

/** 1 year, 2 months and 3 days */
export function apart(span: DurationObjectUnits): string {
  const parts = Object.entries(span)
    .map(([unit, amount]) => ({ unit, amount: Math.floor(amount ?? 0) }))
    .filter(({ amount }) => amount !== 0)
    .map(({ unit, amount }) => `${amount} ${amount === 1 ? unit.replace(/s$/u, "") : unit}`);
  const last = parts.pop() ?? "No time";
  return parts.length === 0 ? last : `${parts.join(", ")} and ${last}`;
}
