// What is run: the kernels, the steps, and the memory over the steps.

const CHART_LEFT = 64;  // room for the numbers
const HUES = [212, 28, 140, 268, 48, 330, 180];

function bufferText(plan, buffer) {
  const {kind, index, bytes, device, space, offset, first, last} = plan.buffers;
  const numbered = index[buffer] >= 0 && space[buffer] < 0;
  const parts = [`b${buffer}, ${kind[buffer]}${numbered ? ` ${index[buffer]}` : ""}`,
                 bytesText(bytes[buffer])];
  if (space[buffer] >= 0) {
    parts.push(`at ${offset[buffer].toLocaleString("en")} of the ${plan.spaces[space[buffer]].name}`);
  } else {
    parts.push(`on ${device[buffer]}`);
  }
  const steps = plan.steps.text.length;
  if (last[buffer] >= 0) {
    const from = first[buffer] < 0 ? "there before the first step" : `written by step ${first[buffer]}`;
    parts.push(from, last[buffer] >= steps ? "returned" : `last used by step ${last[buffer]}`);
  }
  const donors = plan.donations.filter(([taker]) => taker === buffer).map(([, input]) => input);
  if (donors.length !== 0) parts.push(`may take over input ${donors.join(" or ")}`);
  return parts.join(", ");
}

// The buffers that hold something at a step: in a region, those of what enters it, too.
function buffersAt(plan, step) {
  const {kind, first, last} = plan.buffers;
  const out = [];
  for (let at = step; at >= 0; at = plan.steps.enteredBy[at]) {
    kind.forEach((each, buffer) => {
      const own = ["local", "symmetric", "comm", "output"].includes(each);
      if (own && first[buffer] >= 0 && first[buffer] <= at && at <= last[buffer]) out.push(buffer);
    });
  }
  return out.sort((a, b) => plan.buffers.bytes[b] - plan.buffers.bytes[a]);
}

// The first place of the largest number.
const peakOf = (numbers) => numbers.reduce((best, each, i) => each > numbers[best] ? i : best, 0);

// A colour of the style sheet as a canvas takes it, for the scheme of now.
function colourOf(name) {
  const probe = $("content");
  probe.style.caretColor = `var(${name})`;
  return getComputedStyle(probe).caretColor;
}

// A drawing over the steps of a plan, of which one is chosen.
class Chart {
  constructor(plan, {title, height, top, peak, paint, at, choose}) {
    this.plan = plan;
    this.height = height;
    this.top = Math.max(top, 1);  // the number at the upper end
    this.peak = peak;
    this.paint = paint;
    this.canvas = make("canvas", {role: "img", "aria-label": title.join(" ")});
    this.hovered = make("span", {class: "soft"});
    this.element = make("figure", {}, make("figcaption", {}, ...title.map((text, i) =>
        i === 0 ? make("b", {}, text) : make("span", {class: "soft"}, text)), this.hovered),
                        this.canvas);
    this.canvas.addEventListener("mousemove", (event) => {
      this.hovered.textContent = at(this.stepAt(event), this.amountAt(event));
    });
    this.canvas.addEventListener("mouseleave", () => { this.hovered.textContent = ""; });
    this.canvas.addEventListener("click", (event) => choose(this.stepAt(event)));
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  get steps() { return Math.max(1, this.plan.steps.text.length); }
  x(step) { return CHART_LEFT + (this.width - CHART_LEFT) * step / this.steps; }
  y(amount) { return 4 + (this.height - 20) * (1 - amount / this.top); }
  stepAt(event) {
    const inside = (event.offsetX - CHART_LEFT) / (this.width - CHART_LEFT);
    return Math.min(Math.max(Math.floor(inside * this.steps), 0), this.steps - 1);
  }
  amountAt(event) { return this.top * (1 - (event.offsetY - 4) / (this.height - 20)); }

  draw(chosen = this.chosen) {
    this.chosen = chosen;
    this.width = this.canvas.clientWidth;
    if (this.width === 0) return;
    const scale = devicePixelRatio;
    this.canvas.style.height = `${this.height}px`;
    this.canvas.width = this.width * scale;
    this.canvas.height = this.height * scale;
    const pen = this.canvas.getContext("2d");
    pen.scale(scale, scale);
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "right";
    for (const part of [0, 0.5, 1]) {
      pen.fillStyle = colourOf("--line");
      pen.fillRect(CHART_LEFT, this.y(part * this.top), this.width - CHART_LEFT, 1);
      pen.fillStyle = colourOf("--soft");
      pen.fillText(bytesText(Math.round(part * this.top)), CHART_LEFT - 6, this.y(part * this.top) + 4);
    }
    this.paint(this, pen);
    this.mark(pen, this.peak, colourOf("--bad"), [4, 3]);
    if (chosen !== undefined) this.mark(pen, chosen, colourOf("--text"), []);
    pen.fillStyle = colourOf("--soft");
    pen.textAlign = "left";
    pen.fillText("step 0", CHART_LEFT, this.height - 4);
    pen.textAlign = "right";
    pen.fillText(`step ${this.steps - 1}`, this.width, this.height - 4);
    const place = Math.min(Math.max(this.x(this.peak + 0.5), CHART_LEFT + 90), this.width - 110);
    pen.fillStyle = colourOf("--bad");
    pen.textAlign = "center";
    pen.fillText(`most: step ${this.peak}`, place, this.height - 4);
  }

  mark(pen, step, colour, dashes) {
    const x = this.x(step + 0.5);
    pen.strokeStyle = colour;
    pen.setLineDash(dashes);
    pen.beginPath();
    pen.moveTo(x, 4);
    pen.lineTo(x, this.height - 16);
    pen.stroke();
    pen.setLineDash([]);
  }
}

class PlanView {
  constructor(app) {
    this.app = app;
    this.charts = make("div", {class: "charts"});
    this.list = new List({label: "steps", classes: "wide", render: (row) => this.row(row),
                          pick: (row) => this.pick(row.step)});
    const heads = make("div", {class: "columns steps"}, cell("number", "step"),
                       make("span", {class: "number", title: "held in arenas"}, "local"),
                       make("span", {class: "number", title: "held for collectives"}, "comm"),
                       cell("", "what it does"));
    this.list.element.classList.add("steps");
    this.elements = [this.charts, heads, this.list.element];
    this.plan = null;
  }

  show() {
    const {fn, terms} = this.app;
    if (this.plan !== fn.plan) {
      this.plan = fn.plan;
      this.drawings = this.makeCharts();
      this.charts.replaceChildren(...this.drawings.map((chart) => chart.element));
      this.step = peakOf(this.plan.local.map((local, i) => local + this.plan.comm[i]));
    }
    const rows = [];
    this.plan.steps.text.forEach((text, step) => {
      if (terms.every(({word}) => text.toLowerCase().includes(word))) rows.push({step});
    });
    const picked = rows.findIndex((row) => row.step === this.step);
    this.list.setRows(rows, picked);
    if (picked >= 0) this.list.reveal(picked);
    const steps = counted(this.plan.steps.text.length, "step");
    this.app.setCount(terms.length === 0 ? steps : `${rows.length} of ${steps}`);
    this.pick(this.step);
  }

  makeCharts() {
    const {plan} = this;
    const {space, offset, bytes} = plan.buffers;
    const out = [];
    for (const [number, {name, bytes: size, live}] of plan.spaces.entries()) {
      const inside = (buffer) => space[buffer] === number;
      const peak = peakOf(live);
      if (live.length === 0 || live[peak] === 0) continue;
      out.push(new Chart(plan, {
        title: [name[0].toUpperCase() + name.slice(1), `${bytesText(size)}, of which at most ${
            bytesText(live[peak])} hold something; up: the offset`],
        height: 190, top: size, peak,
        paint: (chart, pen) => this.paintArena(chart, pen, inside),
        at: (step, place) => {
          const hit = buffersAt(plan, step).find((buffer) => inside(buffer) &&
              offset[buffer] <= place && place < offset[buffer] + bytes[buffer]);
          return `step ${step}: ${hit === undefined ? bytesText(live[step]) + " live"
                                                    : bufferText(plan, hit)}`;
        },
        choose: (step) => this.choose(step),
      }));
    }
    const sums = plan.comm.map((comm, i) => comm + plan.output[i]);
    const peak = peakOf(sums);
    if (sums.length !== 0 && sums[peak] !== 0) {
      out.push(new Chart(plan, {
        title: ["Communication memory and results", `at most ${bytesText(plan.comm[peakOf(plan.comm)])} for collectives, ${
            bytesText(plan.output[peakOf(plan.output)])} of results`],
        height: 110, top: sums[peak], peak,
        paint: (chart, pen) => {
          this.paintArea(chart, pen, sums, colourOf("--parameter-edge"));
          this.paintArea(chart, pen, plan.comm, colourOf("--collective-edge"));
        },
        at: (step) => `step ${step}: ${bytesText(plan.comm[step])} for collectives, ${
            bytesText(plan.output[step])} of results`,
        choose: (step) => this.choose(step),
      }));
      out[out.length - 1].element.firstChild.append(
          make("span", {class: "key soft", style: "--colour:var(--collective-edge)"}, "collectives"),
          make("span", {class: "key soft", style: "--colour:var(--parameter-edge)"}, "results"));
    }
    return out;
  }

  paintArena(chart, pen, inside) {
    const {kind, offset, bytes, first, last} = this.plan.buffers;
    const {text, enteredBy} = this.plan.steps;
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const paint = (buffer, from, end) => {
      const x = chart.x(from);
      const y = chart.y(offset[buffer] + bytes[buffer]);
      const width = chart.x(end) - x;
      const height = chart.y(offset[buffer]) - y;
      pen.fillStyle = `hsl(${HUES[buffer % HUES.length]} 45% ${dark ? 38 : 74}%)`;
      pen.fillRect(x, y, Math.max(width - (width > 3 ? 0.5 : 0), 0.5), Math.max(height - (height > 3 ? 0.5 : 0), 0.5));
    };
    for (const buffer of kind.keys()) {
      if (!inside(buffer) || first[buffer] < 0) continue;
      paint(buffer, first[buffer], Math.min(last[buffer] + 1, text.length));
    }
    // While a region runs, what enters it holds what it holds.
    for (let from = 0, end = 0; from < text.length; from = end) {
      for (end = from + 1; end < text.length && enteredBy[end] === enteredBy[from];) ++end;
      if (enteredBy[from] < 0) continue;
      buffersAt(this.plan, enteredBy[from]).filter(inside).forEach((buffer) => paint(buffer, from, end));
    }
  }

  paintArea(chart, pen, amounts, colour) {
    pen.fillStyle = colour;
    pen.beginPath();
    pen.moveTo(chart.x(0), chart.y(0));
    amounts.forEach((amount, step) => {
      pen.lineTo(chart.x(step), chart.y(amount));
      pen.lineTo(chart.x(step + 1), chart.y(amount));
    });
    pen.lineTo(chart.x(amounts.length), chart.y(0));
    pen.fill();
  }

  row({step}) {
    const text = this.plan.steps.text[step].split("\n");
    const shown = text.length === 1 ? text[0] : `together: ${text.slice(1).join("; ")}`;
    return make("div", {class: "row"}, cell("number", String(step)),
                cell("number", bytesText(this.plan.local[step])),
                cell("number", bytesText(this.plan.comm[step])), cell("code", shown));
  }

  choose(step) {
    const number = this.list.rows.findIndex((row) => row.step === step);
    if (number >= 0) this.list.choose(number);
    else this.pick(step);
  }

  pick(step) {
    if (this.plan.steps.text.length === 0) {
      this.app.showDetails([make("h2", {}, "No steps"), "Nothing is computed."]);
      return;
    }
    this.step = step;
    for (const chart of this.drawings) chart.draw(step);
    this.app.showDetails(this.details(step));
  }

  details(step) {
    const {plan} = this;
    const live = buffersAt(plan, step);
    const sum = bytesText(live.reduce((all, buffer) => all + plan.buffers.bytes[buffer], 0));
    const tables = [["reads", plan.steps.reads[step]], ["writes", plan.steps.writes[step]],
                    [`held at this step: ${sum} in ${counted(live.length, "buffer")}`, live]];
    return [make("h2", {}, `Step ${step}`), make("pre", {}, plan.steps.text[step]),
            ...tables.filter(([, buffers]) => buffers.length !== 0).flatMap(([title, buffers]) =>
                [make("h3", {}, title), ...this.table([...new Set(buffers)])])];
  }

  // Buffers with their places and values.
  table(buffers) {
    const {kind, index, bytes, first, last, node, space, offset} = this.plan.buffers;
    const {fn} = this.app;
    const graph = fn.graphs[fn.graphs.length - 1];
    const stage = fn.stages.findLast((each) => each.view === "graph");
    const most = 100;
    const value = (buffer) => node[buffer] < 0 ? ["scratch"] : [
      make("button", {class: "node", title: graph.code[node[buffer]],
                      onclick: () => this.app.goTo(node[buffer], stage)},
           `${graph.nameOf(node[buffer]).split(",")[0]} ${graph.opOf(node[buffer])}`),
      " ", make("small", {}, graph.sourceOf(node[buffer]))];
    const place = (buffer) => space[buffer] >= 0 ? `@${offset[buffer]}`
        : index[buffer] < 0 ? kind[buffer] : `${kind[buffer]} ${index[buffer]}`;
    const steps = (buffer) => {
      const from = first[buffer] < 0 ? "" : first[buffer];
      return `${from}\u2013${last[buffer] >= this.plan.steps.text.length ? "end" : last[buffer]}`;
    };
    const heads = [["bytes", "number"], ["buffer", ""], ["value", ""], ["steps", "number"]];
    const rows = buffers.slice(0, most).map((buffer) =>
        make("tr", {title: bufferText(this.plan, buffer)},
             make("td", {class: "number"}, bytesText(bytes[buffer])),
             make("td", {}, `b${buffer} ${place(buffer)}`), make("td", {}, ...value(buffer)),
             make("td", {class: "number"}, steps(buffer))));
    const rest = buffers.length - rows.length;
    return [make("table", {class: "all"}, make("tr", {}, heads.map(([name, style]) =>
                make("td", {class: `soft ${style}`}, name))), ...rows),
            ...(rest > 0 ? [make("p", {class: "soft"}, `and ${rest} more`)] : [])];
  }
}

class KernelsView {
  constructor(app) {
    this.app = app;
    this.list = new List({label: "kernels", classes: "lines", pick: () => {},
                          render: (row) => make("div", {class: "row"}, row.text === "" ? " " : row.text)});
    this.elements = [this.list.element];
  }

  show() {
    const {fn, terms} = this.app;
    fn.kernelLines ??= fn.plan.kernels.split("\n").map((text) => ({text}));
    const rows = fn.kernelLines.filter(({text}) =>
        terms.every(({word}) => text.toLowerCase().includes(word)));
    this.list.setRows(rows);
    this.app.setCount(counted(rows.length, "line"));
    this.app.showDetails([make("h2", {}, "Kernels"),
                          make("p", {class: "soft"}, "Each kernel as a loop nest, those that are alike once. ",
                               "TUTTI_DUMP shows LLVM IR and assembly too.")]);
  }
}
