/* The red sign on a box in which something is wrong. */

export function Alarm({ text, x, y }: { text: string; x: number; y: number }) {
  return (
    <g class="gw-alarm" transform={`translate(${x} ${y})`} data-testid="alarm">
      <title>{text}</title>
      <circle r={8} />
      <text y={4}>!</text>
    </g>
  );
}
