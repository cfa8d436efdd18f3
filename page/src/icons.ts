/** Path data of the icons, 16 x 16, stroked. */
export const ICONS = {
  system: ["M2 3h12v8H2zM6 14h4"],
  light: ["M8 5a3 3 0 1 0 0 6a3 3 0 0 0 0-6", "M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1"],
  dark: ["M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z"],
  link: ["M6.5 9.5l3-3M7 4.5l1.2-1.2a3.2 3.2 0 0 1 4.5 4.5L11.5 9M9 11.5l-1.2 1.2a3.2 3.2 0 0 1-4.5-4.5L4.5 7"],
  close: ["M4 4l8 8M12 4l-8 8"],
  down: ["M4.5 6.5L8 10l3.5-3.5"],
} as const satisfies Record<string, readonly string[]>;
