/** The slope of the line through these points, with half the width of its 95 % interval. */
export function slopeOf(points: readonly { x: number; y: number }[]): { slope: number; margin: number } {
  const count = points.length;
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / count;
  const [x, y] = [mean(points.map((point) => point.x)), mean(points.map((point) => point.y))];
  const spread = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  const slope = points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / spread;
  const rest = points.reduce((sum, point) => sum + (point.y - y - slope * (point.x - x)) ** 2, 0);
  // Student's t is close to 2 for the numbers of points used here.
  const margin = 2 * Math.sqrt(rest / Math.max(1, count - 2) / spread);
  return { slope, margin };
}
