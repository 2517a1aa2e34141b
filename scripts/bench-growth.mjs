// The table and the picture of the growth benchmark: what an utterance costs at each size of each series.

const pointLine = /^(\w+) (\d+): server CPU ([\d.]+) us each, \d+\/s$/;

const titles = {
  conversants: "conversants in one conversation",
  conversations: "conversations, in turn",
  log: "entries in the log",
};

const count = (size) => size.toLocaleString("en");

/** Series -> [{ size, cpuUs }], from the lines that the benchmark printed. Lines of another form are left out. */
export function growthIn(details) {
  const points = details.flatMap((line) => {
    const [, name, size, cpuUs] = pointLine.exec(line) ?? [];
    return name in titles ? [{ name, size: Number(size), cpuUs: Number(cpuUs) }] : [];
  });
  return Object.fromEntries(
    Object.keys(titles).flatMap((name) => {
      const ofSeries = points.filter((point) => point.name === name);
      return ofSeries.length < 2 ? [] : [[name, ofSeries]];
    }),
  );
}

/** Rows of a table, the first is its head. */
export function growthRows(series) {
  const rows = Object.entries(series).flatMap(([name, points]) =>
    points.map(({ size, cpuUs }) => [
      titles[name],
      count(size),
      cpuUs.toFixed(1),
      `${(cpuUs / points[0].cpuUs).toFixed(2)}`,
    ]),
  );
  return [["what grows", "size", "server CPU per utterance, us", "against the smallest"], ...rows];
}

export const growthText = [
  "![CPU time per utterance against conversants, conversations and entries](performance-growth.svg)",
  "",
  "The picture shows the server's CPU time per accepted utterance against the number of conversants, of conversations and",
  "of log entries, each on a logarithmic axis. Conversations and entries add little to it; conversants add CPU time in",
  "proportion to their number, because each entry names all who may see it, and its row is written and hashed.",
  "",
  "The owner of a conversation speaks, and all other conversants are people: they read the log, so nothing is delivered.",
  "Each size has a server and a store of its own, and the sizes take turns. The log of a size grows by at most half while",
  "it is measured, the one of 10 entries to 60.",
];

const panel = { width: 250, left: 44, gap: 6, inset: 14, top: 44, height: 190, bottom: 48 };

/** Three panels with one scale of CPU time. */
export function growthPicture(series) {
  const panels = Object.entries(series);
  const top = niceCeiling(Math.max(...panels.flatMap(([, points]) => points.map(({ cpuUs }) => cpuUs))));
  const [width, height] = [panels.length * panel.width + 12, panel.top + panel.height + panel.bottom];
  const drawn = panels.map(([name, points], index) => panelOf(titles[name], points, index * panel.width, top));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="CPU time per utterance against conversants, conversations and log entries">
<style>
  svg { --ink: #1f2328; --faint: #d0d7de; --line: #0969da; --back: #ffffff; background: var(--back); font: 12px system-ui, sans-serif; }
  @media (prefers-color-scheme: dark) { svg { --ink: #e6edf3; --faint: #30363d; --line: #58a6ff; --back: #0d1117; } }
  text { fill: var(--ink); } .tick { font-size: 10px; } .title { font-weight: 600; }
  .value { font-size: 10px; paint-order: stroke; stroke: var(--back); stroke-width: 3; }
  .grid { stroke: var(--faint); } polyline { fill: none; stroke: var(--line); stroke-width: 2; } circle { fill: var(--line); }
</style>
<text x="12" y="16">Server CPU per utterance, in microseconds</text>
${drawn.join("\n")}
</svg>
`;
}

/** 1, 2 or 5 times a power of ten. */
function niceCeiling(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 2, 5, 10].find((times) => value <= times * power);
}

function panelOf(title, points, offset, top) {
  const [x0, x1] = [offset + panel.left, offset + panel.width - panel.gap];
  const bottom = panel.top + panel.height;
  const [first, last] = [points[0].size, points.at(-1).size].map(Math.log10);
  const length = x1 - x0 - 2 * panel.inset;
  const xOf = (size) => round(x0 + panel.inset + ((Math.log10(size) - first) / (last - first)) * length);
  const yOf = (cpuUs) => round(bottom - (cpuUs / top) * panel.height);
  const levels = [0, 0.2, 0.4, 0.6, 0.8, 1].map((part) => part * top);
  const places = points.map(({ size, cpuUs }) => [xOf(size), yOf(cpuUs)]);
  return [
    ...levels.map((level) => `<line class="grid" x1="${x0}" y1="${yOf(level)}" x2="${x1}" y2="${yOf(level)}"/>`),
    ...levels.map((level) => text(x0 - 6, yOf(level) + 4, level, 'class="tick" text-anchor="end"')),
    `<polyline points="${places.map((place) => place.join()).join(" ")}"/>`,
    ...places.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="3"/>`),
    ...points.map(({ cpuUs }, index) =>
      text(places[index][0], places[index][1] - 8, Math.round(cpuUs), 'class="value" text-anchor="middle"'),
    ),
    ...points.map(({ size }) => text(xOf(size), bottom + 16, shortCount(size), 'class="tick" text-anchor="middle"')),
    text((x0 + x1) / 2, bottom + 36, title, 'class="title" text-anchor="middle"'),
  ].join("");
}

function text(x, y, content, attributes) {
  return `<text x="${x}" y="${y}" ${attributes}>${content}</text>`;
}

/** 10,000 is 10k. */
function shortCount(size) {
  return size >= 1e6 ? `${size / 1e6}M` : size >= 1e3 ? `${size / 1e3}k` : String(size);
}

const round = (value) => Math.round(value * 10) / 10;
