/** The keys that move the focus in a grid, as in the grid pattern of the ARIA Authoring Practices Guide. */

export interface GridPosition {
  readonly row: number;
  readonly column: number;
}

export interface GridSize {
  readonly rows: number;
  readonly columns: number;
  /** The rows that PageUp and PageDown move by. */
  readonly page: number;
}

/** The cell that a key moves to, or null if the key does not move the focus. */
export function movedPosition(event: KeyboardEvent, { row, column }: GridPosition, size: GridSize): GridPosition | null {
  const all = event.ctrlKey || event.metaKey;
  const target: GridPosition | undefined = {
    ArrowUp: { row: row - 1, column },
    ArrowDown: { row: row + 1, column },
    ArrowLeft: { row, column: column - 1 },
    ArrowRight: { row, column: column + 1 },
    Home: { row: all ? 0 : row, column: 0 },
    End: { row: all ? Infinity : row, column: Infinity },
    PageUp: { row: row - size.page, column },
    PageDown: { row: row + size.page, column },
  }[event.key];
  return target ? within(target, size) : null;
}

/** The nearest cell of a grid. */
export function within({ row, column }: GridPosition, { rows, columns }: Omit<GridSize, "page">): GridPosition {
  return { row: clamp(row, rows), column: clamp(column, columns) };
}

function clamp(index: number, length: number): number {
  return Math.max(0, Math.min(index, length - 1));
}
