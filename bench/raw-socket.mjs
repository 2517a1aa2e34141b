// A WebSocket client that costs next to nothing, so that a load generator is not what is measured.
import { connect } from "node:net";

const opcodes = { text: 1, ping: 9 };
const headEnd = Buffer.from("\r\n\r\n");

/** A frame of text. A client must mask; zeros leave the text as it is. */
export function textFrame(text, { isMasked = true } = {}) {
  const payload = Buffer.from(text);
  const mask = isMasked ? Buffer.alloc(4) : Buffer.alloc(0);
  return Buffer.concat([frameHead(payload.length, isMasked ? 0x80 : 0), mask, payload]);
}

/** Whoever does not answer a ping is taken for gone. */
function pong(payload) {
  return Buffer.concat([Buffer.from([0x8a, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}

function frameHead(length, maskBit) {
  if (length < 126) return Buffer.from([0x81, maskBit | length]);
  if (length < 65_536) return Buffer.from([0x81, maskBit | 126, length >> 8, length & 255]);
  const head = Buffer.alloc(10);
  head[0] = 0x81;
  head[1] = maskBit | 127;
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

/** What of `bytes` from `at` on is a whole frame: where its payload begins and ends. */
function frameAt(bytes, at) {
  const left = bytes.length - at;
  if (left < 2) return undefined;
  const short = bytes[at + 1] & 127;
  const headLength = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (left < headLength) return undefined;
  const length =
    short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
  const start = at + headLength;
  return start + length > bytes.length ? undefined : { start, end: start + length, opcode: bytes[at] & 15 };
}

/** Calls `onFrame(payload, socket)` for each text frame; the payload is only valid during the call. Resolves once it is open. */
export function openRawSocket({ port, path, headers = {}, onFrame }) {
  const given = Object.entries({ host: "127.0.0.1", ...headers }).map(([name, value]) => `${name}: ${value}`);
  const upgrade = [
    `GET ${path} HTTP/1.1`,
    ...given,
    "upgrade: websocket",
    "connection: Upgrade",
    "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
    "sec-websocket-version: 13",
  ];
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1").setNoDelay(true);
    let pending = Buffer.alloc(0);
    let isOpen = false;
    const takeFrames = (bytes) => {
      let at = 0;
      for (let frame = frameAt(bytes, at); frame !== undefined; frame = frameAt(bytes, at)) {
        const payload = bytes.subarray(frame.start, frame.end);
        if (frame.opcode === opcodes.text) onFrame(payload, socket);
        else if (frame.opcode === opcodes.ping) socket.write(pong(payload));
        at = frame.end;
      }
      return at === 0 ? bytes : bytes.subarray(at);
    };
    socket.on("error", reject);
    socket.on("connect", () => socket.write(`${upgrade.join("\r\n")}\r\n\r\n`));
    socket.on("data", (chunk) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      if (!isOpen) {
        const end = pending.indexOf(headEnd);
        if (end < 0) return;
        if (!pending.subarray(0, 12).includes("101")) return reject(new Error(pending.toString()));
        isOpen = true;
        pending = pending.subarray(end + headEnd.length);
        resolve(socket);
      }
      pending = takeFrames(pending);
    });
  });
}
