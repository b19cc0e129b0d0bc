// Boxes and arrows. Rows, widths and places come with the data (tools/show/layout.h); heights
// depend on what is folded. Only what is in view is in the document.

const LINE_HEIGHT = 16;
const PADDING = 8;
const ROW_GAP = 36;
const MARGIN = 16;
const CHARACTER_WIDTH = 7.25;
const FAR_CHARACTER_WIDTH = 6.1;
const LONGEST_ARROW = 8;  // rows

function makeSvg(tag, properties = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const cut = (text, most) => text.length <= most ? text : `${text.slice(0, Math.max(0, most - 3))}...`;

// What the drawing needs to find things quickly.
class PictureIndex {
  constructor(graph) {
    const {boxes, arrows, rows} = graph.picture;
    this.boxOf = new Int32Array(graph.count);
    this.boxesOfRow = Array.from({length: rows}, () => []);
    this.arrowsFromRow = Array.from({length: rows}, () => []);
    this.farAbove = new Map();  // box -> nodes at the other ends of arrows that are not drawn
    this.farBelow = new Map();
    boxes.nodes.forEach((nodes, box) => {
      for (const node of nodes) this.boxOf[node] = box;
      this.boxesOfRow[boxes.row[box]].push(box);
    });
    const add = (map, box, node) => map.set(box, [...(map.get(box) ?? []), node]);
    arrows.from.forEach((from, i) => {
      const to = arrows.to[i];
      if (arrows.cut[i] === 0) {
        this.arrowsFromRow[boxes.row[from]].push(i);
      } else {
        add(this.farBelow, from, boxes.nodes[to][0]);
        add(this.farAbove, to, arrows.node[i]);
      }
    });
  }
}

class PictureView {
  constructor(app) {
    this.app = app;
    this.zoom = 1;
    this.svg = makeSvg("svg", {role: "img"});
    this.element = make("div", {class: "picture", tabIndex: 0, "aria-label": "picture"}, this.svg);
    this.element.addEventListener("scroll", () => this.draw());
    this.svg.addEventListener("click", (event) => this.click(event));
    new ResizeObserver(() => this.draw()).observe(this.element);
    this.elements = [this.element];
  }

  show() {
    const {graph, terms} = this.app;
    graph.pictureIndex ??= new PictureIndex(graph);
    const {boxes, rows, width} = graph.picture;
    this.heights = new Float64Array(rows);
    boxes.nodes.forEach((nodes, box) => {
      const row = boxes.row[box];
      this.heights[row] = Math.max(this.heights[row], this.heightOf(box));
    });
    this.tops = new Float64Array(rows);
    let top = MARGIN;
    this.heights.forEach((height, row) => {
      this.tops[row] = top;
      top += height + ROW_GAP;
    });
    this.width = width + 2 * MARGIN;
    this.height = Math.max(top, 2 * MARGIN);
    this.found = new Set();
    for (let id = 0; terms.length !== 0 && id < graph.count; ++id) {
      if (graph.matches(id, terms)) this.found.add(graph.pictureIndex.boxOf[id]);
    }
    this.app.setCount(terms.length === 0 ? counted(boxes.nodes.length, "box").replace("boxs", "boxes")
                                         : `${this.found.size} found; Enter goes to the next`);
    this.setZoom(this.zoom);
    if (this.app.node >= 0) {
      this.reveal(graph.pictureIndex.boxOf[this.app.node]);
    } else if (this.shownGraph !== graph && boxes.nodes.length !== 0) {
      this.element.scrollTop = 0;
      this.element.scrollLeft = 0;
      this.reveal(graph.pictureIndex.boxesOfRow[0][0]);
    }
    this.shownGraph = graph;
    this.draw();
  }

  setZoom(zoom) {
    this.zoom = Math.min(Math.max(zoom, 0.1), 3);
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.svg.setAttribute("width", this.width * this.zoom);
    this.svg.setAttribute("height", this.height * this.zoom);
    this.draw();
  }
  fit() { this.setZoom(Math.min(1, this.element.clientWidth / this.width)); }

  // The next box that was searched for.
  next() {
    const found = [...this.found].sort((a, b) => a - b);
    if (found.length === 0) return;
    const {graph} = this.app;
    const now = this.app.node < 0 ? -1 : graph.pictureIndex.boxOf[this.app.node];
    const box = found.find((each) => each > now) ?? found[0];
    const nodes = graph.picture.boxes.nodes[box];
    this.app.pickNode(nodes.find((id) => graph.matches(id, this.app.terms)) ?? nodes[0]);
    this.reveal(box);
    this.draw();
  }

  reveal(box) {
    const {boxes} = this.app.graph.picture;
    const x = (boxes.left[box] + MARGIN + boxes.width[box] / 2) * this.zoom;
    const y = (this.tops[boxes.row[box]] + this.heightOf(box) / 2) * this.zoom;
    const {scrollLeft, scrollTop, clientWidth, clientHeight} = this.element;
    if (x < scrollLeft + 40 || x > scrollLeft + clientWidth - 40) {
      this.element.scrollLeft = x - clientWidth / 2;
    }
    if (y < scrollTop + 40 || y > scrollTop + clientHeight - 40) {
      this.element.scrollTop = y - clientHeight / 2;
    }
  }

  // The lines of a box: the first one is its title.
  linesOf(box) {
    const {graph, folds} = this.app;
    const nodes = graph.picture.boxes.nodes[box];
    const first = nodes[0];
    const kernel = graph.kernel[first];
    const returned = (id) => graph.returnedNodes.has(id) ? "returned" : "";
    if (kernel >= 0) {
      const title = `kernel ${kernel}: ${counted(nodes.length, "node")}`;
      if (folds.has(kernel)) return [{text: title}, {text: opsOf(graph, nodes)}];
      return [{text: title}, ...nodes.map((id) => ({
                text: [graph.name[id], graph.opOf(id), graph.typeOf(id), returned(id)].join(" ").trim(),
                id}))];
    }
    const title = graph.kindOf(first) === "parameter" ? graph.name[first]
        : `${graph.name[first]} ${graph.opOf(first)}`.trim();
    return [title, graph.attributesOf(first), graph.typeOf(first), returned(first)]
        .filter((text) => text !== "").map((text) => ({text}));
  }

  heightOf(box) {
    const {graph, folds} = this.app;
    const nodes = graph.picture.boxes.nodes[box];
    const kernel = graph.kernel[nodes[0]];
    const lines = kernel < 0 ? this.linesOf(box).length : folds.has(kernel) ? 2 : nodes.length + 1;
    return lines * LINE_HEIGHT + PADDING;
  }

  draw() {
    const graph = this.app.graph;
    if (graph === null || this.tops === undefined || !this.element.isConnected) return;
    if (graph.picture.rows !== this.tops.length) return;  // show() comes next
    const {boxesOfRow, arrowsFromRow} = graph.pictureIndex;
    const top = this.element.scrollTop / this.zoom - 200;
    const bottom = (this.element.scrollTop + this.element.clientHeight) / this.zoom + 200;
    let begin = 0;
    while (begin + 1 < this.tops.length && this.tops[begin + 1] < top) ++begin;
    let end = begin;
    while (end < this.tops.length && this.tops[end] < bottom) ++end;
    const drawn = [];
    for (let row = Math.max(0, begin - LONGEST_ARROW); row < end; ++row) {
      for (const arrow of arrowsFromRow[row]) {
        if (graph.picture.boxes.row[graph.picture.arrows.to[arrow]] >= begin) {
          drawn.push(this.arrow(arrow));
        }
      }
    }
    for (let row = begin; row < end; ++row) {
      for (const box of boxesOfRow[row]) drawn.push(this.box(box));
    }
    this.svg.replaceChildren(...drawn);
  }

  centre(box) {
    const {boxes} = this.app.graph.picture;
    return boxes.left[box] + MARGIN + boxes.width[box] / 2;
  }

  arrow(number) {
    const {boxes, arrows} = this.app.graph.picture;
    const from = arrows.from[number];
    const to = arrows.to[number];
    let row = boxes.row[from];
    let x = this.centre(from);
    let y = this.tops[row] + this.heights[row];
    let path = `M${x} ${this.tops[row] + this.heightOf(from)}V${y}`;
    const curve = (toX, toY) => {
      const middle = (y + toY) / 2;
      path += `C${x} ${middle} ${toX} ${middle} ${toX} ${toY}`;
      x = toX;
      y = toY;
    };
    for (const bend of arrows.bends[number]) {
      ++row;
      curve(bend + MARGIN, this.tops[row]);
      y = this.tops[row] + this.heights[row];
      path += `V${y}`;
    }
    curve(this.centre(to), this.tops[boxes.row[to]]);
    path += `M${x - 4} ${y - 6}L${x} ${y}L${x + 4} ${y - 6}`;
    const picked = this.app.node < 0 ? -1 : this.app.graph.pictureIndex.boxOf[this.app.node];
    const classes = [arrows.async[number] === 1 ? "async" : "",
                     picked === from || picked === to ? "near" : ""].join(" ");
    return makeSvg("path", {d: path, class: classes});
  }

  box(box) {
    const {graph} = this.app;
    const {boxes} = graph.picture;
    const {farAbove, farBelow, boxOf} = graph.pictureIndex;
    const first = boxes.nodes[box][0];
    const x = boxes.left[box] + MARGIN;
    const y = this.tops[boxes.row[box]];
    const height = this.heightOf(box);
    const picked = this.app.node >= 0 && boxOf[this.app.node] === box;
    const kind = graph.kernel[first] >= 0 ? "compute" : graph.kindOf(first);
    const most = Math.ceil((boxes.width[box] - 2 * PADDING) / CHARACTER_WIDTH);
    const group = makeSvg("g", {class: [kind, picked ? "picked" : "",
                                        this.found.has(box) ? "found" : ""].join(" "),
                                "data-box": box});
    group.append(makeSvg("rect", {x, y, width: boxes.width[box], height, rx: 5}));
    this.linesOf(box).forEach((line, i) => {
      const of_picked = line.id !== undefined && line.id === this.app.node;
      const element = makeSvg("text", {x: x + PADDING, y: y + (i + 1) * LINE_HEIGHT,
                                       class: i === 0 ? "title" : of_picked ? "line picked" : "line"},
                              cut(line.text, most));
      if (line.id !== undefined) element.dataset.node = line.id;
      group.append(element);
    });
    const room = Math.floor(boxes.width[box] / FAR_CHARACTER_WIDTH) - 2;
    for (const [map, sign, at] of [[farAbove, "\u2191", y - 4], [farBelow, "\u2193", y + height + 12]]) {
      const nodes = map.get(box);
      if (nodes === undefined) continue;
      const element = makeSvg("text", {x, y: at, class: "far"},
                              `${sign} ${this.namesOf(nodes, room)}`);
      element.dataset.node = nodes[0];
      group.append(element);
    }
    return group;
  }

  namesOf(nodes, room) {
    let out = "";
    for (let i = 0; i < nodes.length; ++i) {
      const name = this.app.graph.nameOf(nodes[i]);
      const rest = i + 1 === nodes.length ? 0 : 5;
      if (i !== 0 && out.length + name.length + 2 + rest > room) return `${out} +${nodes.length - i}`;
      out += (i === 0 ? "" : ", ") + cut(name, room - rest);
    }
    return out;
  }

  click(event) {
    const group = event.target.closest("g");
    if (group === null) return;
    const {graph, folds} = this.app;
    const box = Number(group.dataset.box);
    const first = graph.picture.boxes.nodes[box][0];
    const kernel = graph.kernel[first];
    if (event.target.classList.contains("far")) {
      this.app.goTo(Number(event.target.dataset.node));
      return;
    }
    if (kernel >= 0 && event.target.classList.contains("title")) {
      folds.set(kernel, !folds.has(kernel));
    }
    this.app.pickNode(Number(event.target.dataset.node ?? first));
    this.show();
  }
}
