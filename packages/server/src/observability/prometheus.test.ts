import { expect, test } from "vitest";
import { createPrometheus } from "./prometheus.ts";

test("metrics are in the Prometheus text format, and each scrape shows current values", async () => {
  const metrics = createPrometheus();
  let waiting = 3;
  metrics.gauge({ name: "waiting", help: "Waiting requests.", read: () => waiting });
  metrics.gauge({ name: "breakers", help: "Circuit breakers.", read: () => ({ open: 1, probing: 0 }) });
  for (const status of [200, 204, 404, 429, 503]) metrics.envelope(status);
  for (const seconds of [0.0001, 0.002, 0.0025, 9]) metrics.decided(seconds);
  metrics.died(2);
  const first = await metrics.text();
  expect(first.type).toContain("text/plain");
  const lines = first.text.split("\n");
  for (const line of [
    'plenary_envelopes_total{status="2xx"} 2',
    'plenary_envelopes_total{status="4xx"} 2',
    'plenary_envelopes_total{status="5xx"} 1',
    "plenary_dead_letters_total 2",
    "plenary_slow_readers_cut_total 0",
    "plenary_waiting 3",
    'plenary_breakers{kind="open"} 1',
    "# TYPE plenary_decision_seconds histogram",
    'plenary_decision_seconds_bucket{le="0.0005"} 1',
    'plenary_decision_seconds_bucket{le="0.0025"} 3',
    'plenary_decision_seconds_bucket{le="5"} 3',
    'plenary_decision_seconds_bucket{le="+Inf"} 4',
    "plenary_decision_seconds_count 4",
  ]) {
    expect(lines).toContain(line);
  }
  for (const line of lines)
    expect(line).toMatch(/^$|^# (?:HELP|TYPE) \w+ .+$|^\w+(?:\{\w+="[^"]*"(?:,\w+="[^"]*")*\})? \S+$/u);
  waiting = 0;
  metrics.envelope(200);
  const second = (await metrics.text()).text.split("\n");
  expect(second).toContain("plenary_waiting 0");
  expect(second).toContain('plenary_envelopes_total{status="2xx"} 3');
});
