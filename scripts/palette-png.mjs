// A picture with as many colours as a page has needs no more than a byte for each dot.
import { crc32, deflateSync, inflateSync } from "node:zlib";

const coloursMax = 256;
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The same picture with at most 256 colours, each the mean of those it stands for. Takes 8 bit RGB and RGBA. */
export function withPalette(png) {
  const { width, height, channels, rows } = read(png);
  const counts = new Map();
  const colours = new Uint32Array(width * height);
  for (let dot = 0; dot < colours.length; dot += 1) {
    const at = dot * channels;
    const colour = (rows[at] << 16) | (rows[at + 1] << 8) | rows[at + 2];
    colours[dot] = colour;
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const boxes = cut([...counts].map(([colour, count]) => ({ colour, count })));
  const place = new Map(boxes.flatMap((box, index) => box.map(({ colour }) => [colour, index])));
  const lines = Buffer.alloc((width + 1) * height);
  for (let dot = 0; dot < colours.length; dot += 1) {
    const row = Math.floor(dot / width);
    lines[row * (width + 1) + 1 + (dot % width)] = place.get(colours[dot]);
  }
  const head = Buffer.from(png.subarray(16, 29));
  head[8] = 8;
  head[9] = 3;
  const palette = Buffer.from(boxes.flatMap(meanOf));
  const parts = [chunk("IHDR", head), chunk("PLTE", palette), chunk("IDAT", deflateSync(lines, { level: 9 }))];
  return Buffer.concat([signature, ...parts, chunk("IEND", Buffer.alloc(0))]);
}

function read(png) {
  const [width, height, depth, type] = [png.readUInt32BE(16), png.readUInt32BE(20), png[24], png[25]];
  const channels = { 2: 3, 6: 4 }[type];
  if (depth !== 8 || channels === undefined || png[28] !== 0) throw new Error("a kind of PNG that is not expected");
  const data = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") data.push(png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  return { width, height, channels, rows: unfiltered(inflateSync(Buffer.concat(data)), width * channels, channels) };
}

/** PNG specification, section 9: each byte was written as the difference to what a filter foretold. */
function unfiltered(bytes, stride, channels) {
  const height = bytes.length / (stride + 1);
  const out = Buffer.alloc(stride * height);
  for (let row = 0; row < height; row += 1) {
    const filter = bytes[row * (stride + 1)];
    for (let column = 0; column < stride; column += 1) {
      const at = row * stride + column;
      const left = column < channels ? 0 : out[at - channels];
      const up = row === 0 ? 0 : out[at - stride];
      const corner = row === 0 || column < channels ? 0 : out[at - stride - channels];
      const foretold = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      out[at] = bytes[row * (stride + 1) + 1 + column] + foretold;
    }
  }
  return out;
}

function paeth(left, up, corner) {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

const shifts = [16, 8, 0];
const part = (colour, shift) => (colour >> shift) & 255;

/** Median cut: the box with the most to tell apart is cut in two where half of its dots are. */
function cut(all) {
  const boxes = [spread(all)];
  while (boxes.length < coloursMax) {
    boxes.sort((one, other) => other.weight - one.weight);
    const [widest] = boxes;
    if (widest.weight === 0) break;
    const { colours, shift } = boxes.shift();
    colours.sort((one, other) => part(one.colour, shift) - part(other.colour, shift));
    const half = colours.reduce((sum, { count }) => sum + count, 0) / 2;
    let middle = 0;
    for (let sum = 0; middle < colours.length - 1 && (middle === 0 || sum < half); middle += 1)
      sum += colours[middle].count;
    boxes.push(spread(colours.slice(0, middle)), spread(colours.slice(middle)));
  }
  return boxes.map(({ colours }) => colours);
}

function spread(colours) {
  const ranges = shifts.map((shift) => {
    const values = colours.map(({ colour }) => part(colour, shift));
    return { shift, range: values.reduce((a, b) => Math.max(a, b), 0) - values.reduce((a, b) => Math.min(a, b), 255) };
  });
  ranges.sort((one, other) => other.range - one.range);
  const dots = colours.reduce((sum, { count }) => sum + count, 0);
  return { colours, shift: ranges[0].shift, weight: ranges[0].range * Math.sqrt(dots) };
}

function meanOf(colours) {
  const dots = colours.reduce((sum, { count }) => sum + count, 0);
  return shifts.map((shift) =>
    Math.round(colours.reduce((sum, { colour, count }) => sum + part(colour, shift) * count, 0) / dots),
  );
}

function chunk(type, body) {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), body]);
  const framed = Buffer.alloc(typed.length + 8);
  framed.writeUInt32BE(body.length, 0);
  typed.copy(framed, 4);
  framed.writeUInt32BE(crc32(typed), typed.length + 4);
  return framed;
}
