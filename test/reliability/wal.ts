// The write-ahead log of SQLite as bytes: a header, then frames of one page each.
const headerBytes = 32;
const frameHeaderBytes = 24;

/** A header and frames; a frame belongs to the log when it has the salt of its header. */
export function createWalView(wal: Buffer) {
  const pageBytes = wal.length < headerBytes ? 0 : wal.readUInt32BE(8);
  const frameBytes = frameHeaderBytes + pageBytes;
  const salt = wal.subarray(16, 24);
  let frames = 0;
  while (pageBytes > 0) {
    const start = headerBytes + frames * frameBytes;
    if (start + frameBytes > wal.length || !wal.subarray(start + 8, start + 16).equals(salt)) break;
    frames += 1;
  }
  return {
    frames,
    frameBytes,
    salt: salt.toString("hex"),
    /** Where frame number `index` begins, or the last one ends. */
    boundary: (index: number) => headerBytes + index * frameBytes,
    usedBytes: pageBytes === 0 ? 0 : headerBytes + frames * frameBytes,
  };
}
