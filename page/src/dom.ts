/** Builds elements without HTML text, which the page's policy for Trusted Types forbids. */

export type Child = Node | string | number | null | undefined | false | readonly Child[];

type Handlers = { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };

export interface Attributes {
  on?: Handlers;
  [name: string]: string | number | boolean | null | undefined | Handlers;
}

/** Create an element. `true` sets an empty attribute; `false`, `null` and `undefined` set none. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes?: Attributes,
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  apply(element, attributes);
  append(element, children);
  return element;
}

/** Create a checkbox with its label. `control` is its `data-control`, or null for an entry of a list. */
export function checkbox(
  control: string | null,
  checked: boolean,
  change: (checked: boolean) => void,
  ...label: Child[]
): HTMLLabelElement {
  const on = { change: () => change(box.checked) };
  const box = h("input", { type: "checkbox", checked, "data-control": control, on });
  return h("label", { class: "check" }, box, label);
}

const SVG = "http://www.w3.org/2000/svg";

/** Create an icon of 16 x 16 from path data, drawn in the colour of the text. */
export function icon(...paths: string[]): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  for (const data of paths) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", data);
    svg.append(path);
  }
  return svg;
}

/** Return a URL that wraps after its separators. */
export function wrappable(url: string): Child[] {
  return url.split(/(?<=[/?&=])/).flatMap((part) => [part, h("wbr")]);
}

export function append(parent: Node, children: Child): void {
  if (children === null || children === undefined || children === false) return;
  if (Array.isArray(children)) {
    for (const child of children as readonly Child[]) append(parent, child);
  } else {
    parent.appendChild(children instanceof Node ? children : document.createTextNode(String(children)));
  }
}

/** Replace the children of `parent`. */
export function fill(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  append(parent, children);
}

function apply(element: Element, attributes: Attributes | undefined): void {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name === "on") {
      for (const [event, handler] of Object.entries(value as Handlers)) {
        element.addEventListener(event, handler as EventListener);
      }
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
}
