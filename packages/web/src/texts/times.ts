import { locale, texts } from "./texts.ts";

const styles = {
  clock: { timeStyle: "short" },
  whole: { dateStyle: "medium", timeStyle: "medium" },
  short: { dateStyle: "medium", timeStyle: "short" },
  day: { weekday: "long", day: "numeric", month: "long" },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatted(style: keyof typeof styles, at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "";
  const key = `${locale()} ${style}`;
  const format = formats.get(key) ?? new Intl.DateTimeFormat(locale(), styles[style]);
  formats.set(key, format);
  return format.format(date);
}

export function timeOf(at: string): string {
  return formatted("clock", at);
}

export function wholeTimeOf(at: string): string {
  return formatted("whole", at);
}

export function dateAndTime(at: string): string {
  return formatted("short", at);
}

/** The time of day, with the date unless it is today. */
export function shortTime(at: string | undefined): string {
  if (at === undefined) return "";
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return formatted(isToday ? "clock" : "short", at);
}

/** `day` as 2026-01-31. */
export function dayNameOf(day: string): string {
  const today = new Date().toLocaleDateString("sv-SE");
  return day === today ? texts.times.today : formatted("day", `${day}T12:00:00`);
}

export function agoOf(at: string, nowMs = Date.now()): string {
  const seconds = Math.round((Date.parse(at) - nowMs) / 1_000);
  if (Number.isNaN(seconds)) return "";
  if (seconds > -60) return texts.times.now;
  const ago = new Intl.RelativeTimeFormat(locale(), { numeric: "auto", style: "narrow" });
  if (seconds > -3_600) return ago.format(Math.ceil(seconds / 60), "minute");
  if (seconds > -86_400) return ago.format(Math.ceil(seconds / 3_600), "hour");
  return ago.format(Math.ceil(seconds / 86_400), "day");
}
