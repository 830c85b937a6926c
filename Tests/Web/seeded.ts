/** Numbers from 0 to less than `most`, the same ones for the same seed. */
export function seeded(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * most);
  };
}
