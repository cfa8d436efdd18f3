/** A difference of two texts by lines: patience diff, with a table of common subsequences between its anchors. */

export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  /** Line numbers from 1, or null on the side where the line does not exist. */
  readonly oldLine: number | null;
  readonly newLine: number | null;
  readonly text: string;
}

/** A block with more pairs of lines than this is shown as replaced. */
const MAX_PAIRS = 250_000;

type Pair = readonly [old: number, updated: number];

export function diffLines(before: string, after: string): DiffLine[] {
  const old = toLines(before);
  const updated = toLines(after);
  const result: DiffLine[] = [];
  let [i, j] = [0, 0];
  const removeTo = (end: number): void => {
    for (; i < end; i++) result.push({ kind: "removed", oldLine: i + 1, newLine: null, text: old[i] ?? "" });
  };
  const addTo = (end: number): void => {
    for (; j < end; j++) result.push({ kind: "added", oldLine: null, newLine: j + 1, text: updated[j] ?? "" });
  };
  for (const [oldIndex, newIndex] of commonLines(old, updated)) {
    removeTo(oldIndex);
    addTo(newIndex);
    result.push({ kind: "same", oldLine: ++i, newLine: ++j, text: updated[newIndex] ?? "" });
  }
  removeTo(old.length);
  addTo(updated.length);
  return result;
}

function toLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Return the pairs of equal lines, in order. Blocks wait on a stack, because a file can have any number of them. */
function commonLines(old: readonly string[], updated: readonly string[]): Pair[] {
  const pairs: Pair[] = [];
  const blocks = [{ oldStart: 0, oldEnd: old.length, newStart: 0, newEnd: updated.length }];
  for (let block = blocks.pop(); block; block = blocks.pop()) {
    let { oldStart, oldEnd, newStart, newEnd } = block;
    while (oldStart < oldEnd && newStart < newEnd && old[oldStart] === updated[newStart]) {
      pairs.push([oldStart++, newStart++]);
    }
    while (oldStart < oldEnd && newStart < newEnd && old[oldEnd - 1] === updated[newEnd - 1]) {
      pairs.push([--oldEnd, --newEnd]);
    }
    if (oldStart === oldEnd || newStart === newEnd) continue;
    const anchors = anchorsOf(old, updated, { oldStart, oldEnd, newStart, newEnd });
    if (anchors.length === 0) {
      pairs.push(...longestCommon(old, updated, { oldStart, oldEnd, newStart, newEnd }));
      continue;
    }
    for (const [oldIndex, newIndex] of [...anchors, [oldEnd, newEnd] as const]) {
      blocks.push({ oldStart, oldEnd: oldIndex, newStart, newEnd: newIndex });
      if (oldIndex < oldEnd) pairs.push([oldIndex, newIndex]);
      [oldStart, newStart] = [oldIndex + 1, newIndex + 1];
    }
  }
  return pairs.sort(([a], [b]) => a - b);
}

interface Block {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** Return the lines that occur once on each side, as the longest list that is in order on both. */
function anchorsOf(old: readonly string[], updated: readonly string[], block: Block): Pair[] {
  const oldPlaces = uniquePlaces(old, block.oldStart, block.oldEnd);
  const newPlaces = uniquePlaces(updated, block.newStart, block.newEnd);
  const pairs: Pair[] = [];
  for (const [text, oldIndex] of oldPlaces) {
    const newIndex = newPlaces.get(text);
    if (newIndex !== undefined && newIndex >= 0 && oldIndex >= 0) pairs.push([oldIndex, newIndex]);
  }
  return longestIncreasing(pairs);
}

/** Return where each line is, or -1 if it occurs more than once. In the order of the first occurrence. */
function uniquePlaces(lines: readonly string[], start: number, end: number): Map<string, number> {
  const places = new Map<string, number>();
  for (let index = start; index < end; index++) {
    const text = lines[index] ?? "";
    places.set(text, places.has(text) ? -1 : index);
  }
  return places;
}

function longestIncreasing(pairs: readonly Pair[]): Pair[] {
  // For each length, the pair with the smallest end; each pair links to the one before it.
  const ends: number[] = [];
  const previous: number[] = [];
  pairs.forEach(([, value], index) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] ?? 0]?.[1] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    previous[index] = low > 0 ? (ends[low - 1] ?? -1) : -1;
    ends[low] = index;
  });
  const result: Pair[] = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) {
    const pair = pairs[index];
    if (pair) result.push(pair);
  }
  return result.reverse();
}

function longestCommon(old: readonly string[], updated: readonly string[], block: Block): Pair[] {
  const { oldStart, newStart } = block;
  const rows = block.oldEnd - oldStart;
  const columns = block.newEnd - newStart;
  if (rows * columns > MAX_PAIRS) return [];
  const width = columns + 1;
  const lengths = new Uint32Array((rows + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      const equal = old[oldStart + row] === updated[newStart + column];
      lengths[row * width + column] = equal
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const result: Pair[] = [];
  for (let row = 0, column = 0; row < rows && column < columns; ) {
    if (old[oldStart + row] === updated[newStart + column]) result.push([oldStart + row++, newStart + column++]);
    else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return result;
}
