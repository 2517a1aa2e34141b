const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const dayNames = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const ago = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "narrow" });

export function timeOf(at: string): string {
  return formatted(clock, at);
}

export function wholeTimeOf(at: string): string {
  return formatted(whole, at);
}

/** `day` as 2026-01-31. */
export function dayNameOf(day: string): string {
  const today = new Date().toLocaleDateString("sv-SE");
  return day === today ? "Today" : formatted(dayNames, `${day}T12:00:00`);
}

export function agoOf(at: string, nowMs = Date.now()): string {
  const seconds = Math.round((Date.parse(at) - nowMs) / 1_000);
  if (Number.isNaN(seconds)) return "";
  if (seconds > -60) return "now";
  if (seconds > -3_600) return ago.format(Math.ceil(seconds / 60), "minute");
  if (seconds > -86_400) return ago.format(Math.ceil(seconds / 3_600), "hour");
  return ago.format(Math.ceil(seconds / 86_400), "day");
}

function formatted(format: Intl.DateTimeFormat, at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? "" : format.format(date);
}
