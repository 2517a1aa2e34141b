/** One envelope stays under 1 MiB in all, with room for words and for what the floor adds. */
export const base64Max = 600_000;

export const bytesMax = Math.floor(base64Max / 4) * 3;

export type Step = { width: number; height: number; quality: number };

const sides = [2048, 1600, 1280, 1024, 768, 512, 320];
const qualities = [0.85, 0.7];

/** How a picture is made smaller, the gentlest way first. It is never made larger, and never less than a pixel. */
export function stepsDown(width: number, height: number): Step[] {
  const longest = Math.max(width, height);
  const shown = [
    Math.min(longest, sides[0] ?? longest),
    ...sides.filter((side) => side < longest && side !== sides[0]),
  ];
  return shown.flatMap((side) => {
    const scale = side / longest;
    const size = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
    return qualities.map((quality) => ({ ...size, quality }));
  });
}
