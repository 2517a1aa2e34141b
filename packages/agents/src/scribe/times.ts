/** Universal time, because nobody tells an agent where he is; with the date unless that is today. */
export function timeOf(at: string, nowMs: number): string {
  const atMs = Date.parse(at);
  if (Number.isNaN(atMs)) return "an unknown time";
  const [date = "", time = ""] = new Date(atMs).toISOString().split("T");
  const isToday = date === new Date(nowMs).toISOString().slice(0, 10);
  return isToday ? time.slice(0, 5) : `${date} ${time.slice(0, 5)}`;
}
