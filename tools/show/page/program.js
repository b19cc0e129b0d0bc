// The nodes of a stage in their order, and what there is to know about one of them.

const PARAMETERS = "parameters";  // the key of their fold, beside the numbers of kernels
const MANY_PARAMETERS = 12;
const MANY_NODES = 200;  // kernels of larger programs are folded at first

// The folds of a graph, which the list and the picture share.
class Folds {
  constructor(graph) {
    this.graph = graph;
    this.folded = new Set();
    if (graph.parameters.length > MANY_PARAMETERS) this.folded.add(PARAMETERS);
    if (graph.count > MANY_NODES) this.setAll(true);
  }
  setAll(folded) {
    for (const kernel of this.graph.kernels.keys()) this.set(kernel, folded);
  }
  set(key, folded) {
    if (folded) this.folded.add(key);
    else this.folded.delete(key);
  }
  has(key) { return this.folded.has(key); }
  get all() { return [...this.graph.kernels.keys()].every((kernel) => this.has(kernel)); }
}

// Rows: {id} for a node, {fold, nodes} for the head of a fold.
function programRows(graph, folds, terms) {
  const rows = [];
  if (terms.length !== 0) {
    for (let id = 0; id < graph.count; ++id) {
      if (graph.matches(id, terms)) rows.push({id});
    }
    return rows;
  }
  const seen = new Set();
  const grouped = graph.parameters.length > MANY_PARAMETERS;
  for (let id = 0; id < graph.count; ++id) {
    const is_parameter = grouped && graph.kindOf(id) === "parameter";
    const key = is_parameter ? PARAMETERS : graph.kernel[id];
    if (key === -1) {
      rows.push({id});
      continue;
    }
    if (!seen.has(key)) {
      seen.add(key);
      rows.push({fold: key, nodes: is_parameter ? graph.parameters : graph.kernels.get(key)});
    }
    if (!folds.has(key)) rows.push({id, member: true});
  }
  return rows;
}

// The code of a node with its name and op marked.
function codeOf(graph, id) {
  const code = graph.code[id];
  const name = graph.name[id];
  const kind = graph.kindOf(id);
  if (kind === "parameter") {
    return [make("span", {class: "op parameter"}, name), code.slice(name.length)];
  }
  const op = graph.opOf(id);
  const begin = name === "" ? 0 : name.length + 3;
  return [code.slice(0, begin), make("span", {class: `op ${kind}`}, op),
          code.slice(begin + op.length)];
}

const cell = (classes, ...content) => make("span", {class: classes}, ...content);

function nodeCells(graph, id) {
  return [cell("number", bytesText(graph.bytes[id])), cell("number", bytesText(graph.live[id])),
          cell("number", String(graph.uses[id])), cell("last", graph.lastOf(id)),
          cell("source", graph.sourceOf(id))];
}

function columnHeads() {
  return make("div", {class: "columns"}, cell("", "node"),
              make("span", {class: "number", title: "of all results"}, "bytes"),
              make("span", {class: "number",
                            title: "held once the node is done, if every node stored its results"},
                   "live"),
              cell("number", "uses"), cell("last", "last use"), cell("source", "source"));
}

// Ops, each once: "mul, add, tanh".
const opsOf = (graph, nodes) => [...new Set(nodes.map((id) => graph.opOf(id)))].join(", ");

function foldTitle(graph, row) {
  if (row.fold === PARAMETERS) return [counted(row.nodes.length, "parameter"),
                                       bytesText(graph.parameterBytes)];
  return [`kernel ${row.fold}: ${counted(row.nodes.length, "node")}`, opsOf(graph, row.nodes)];
}

class ProgramView {
  constructor(app) {
    this.app = app;
    this.list = new List({
      label: "nodes",
      render: (row) => this.row(row),
      pick: (row) => app.pickNode(row.id ?? row.nodes[0]),
      fold: (row, how) => this.fold(row, how),
    });
    this.elements = [columnHeads(), this.list.element];
  }

  show() {
    const {graph, folds, terms} = this.app;
    const rows = programRows(graph, folds, terms);
    let picked = rows.findIndex((row) => row.id === this.app.node);
    if (picked < 0) picked = rows.findIndex((row) => row.nodes?.includes(this.app.node));
    this.list.setRows(rows, picked);
    if (picked >= 0) this.list.reveal(picked);
    this.list.draw();
    const found = rows.length;
    this.app.setCount(terms.length === 0 ? counted(graph.count, "node")
                                         : `${found} of ${counted(graph.count, "node")}`);
  }

  row(row) {
    const graph = this.app.graph;
    if (row.fold === undefined) {
      return make("div", {class: row.member ? "row member" : "row"},
                  cell("code", ...codeOf(graph, row.id)), nodeCells(graph, row.id));
    }
    const folded = this.app.folds.has(row.fold);
    const [title, about] = foldTitle(graph, row);
    return make("div", {class: "row kernel", "aria-expanded": String(!folded)},
                cell("code", cell("caret", folded ? "\u25B8" : "\u25BE"), title,
                     make("small", {}, about)),
                cell(""), cell(""), cell(""), cell(""),
                cell("source", graph.sourceOf(row.nodes[0])));
  }

  fold(row, how) {
    const key = row.fold ?? (row.member && how === "fold" ? this.keyOf(row.id) : undefined);
    if (key === undefined) return false;
    const folded = how === "toggle" ? !this.app.folds.has(key) : how === "fold";
    if (row.fold === undefined || folded !== this.app.folds.has(key)) {
      this.app.folds.set(key, folded);
      this.show();
      this.list.choose(this.list.rows.findIndex((each) => each.fold === key));
    }
    return true;
  }

  keyOf(id) {
    return this.app.graph.kindOf(id) === "parameter" ? PARAMETERS : this.app.graph.kernel[id];
  }
}

// The pane beside: one node.
function nodeDetails(app, id) {
  const {graph} = app;
  const link = (node) => make("button", {class: "node", title: graph.code[node],
                                         onclick: () => app.goTo(node)}, graph.nameOf(node));
  const links = (nodes) => {
    const most = 60;
    const out = nodes.slice(0, most).flatMap((node) => [link(node), " "]);
    return nodes.length > most ? [...out, `and ${nodes.length - most} more`] : out;
  };
  const facts = [["op", `${graph.opOf(id)}, ${graph.kindOf(id)}`], ["type", graph.typeOf(id)]];
  facts.push(["bytes", `${bytesText(graph.bytes[id])} (${graph.bytes[id].toLocaleString("en")})`]);
  const source = graph.sourceOf(id);
  if (source !== "") {
    const exact = /\s/.test(source) ? "" : "=";  // a term has no blanks
    facts.push(["source", make("button", {class: "node", title: "all that came of this line",
                                          onclick: () => app.search(`line:${exact}${source}`)},
                               source)]);
  }
  if (graph.kernel[id] >= 0) {
    facts.push(["kernel", make("button", {class: "node", onclick: () =>
        app.search(`kernel:${graph.kernel[id]}`)}, String(graph.kernel[id]))]);
  }
  facts.push(["live after", bytesText(graph.live[id])]);
  if (graph.operands[id].length !== 0) facts.push(["operands", links(graph.operands[id])]);
  const users = links(graph.usersOf(id));
  if (graph.returnedNodes.has(id)) users.push("return");
  facts.push(["users", users.length === 0 ? "none" : users]);
  facts.push(...elsewhere(app, id));
  facts.push(...placement(app, id));
  return [make("h2", {}, graph.nameOf(id)), make("pre", {}, graph.code[id]),
          make("table", {}, facts.map(([name, value]) =>
              make("tr", {}, make("td", {}, name), make("td", {}, ...[value].flat()))))];
}

// What the node is in the stages around.
function elsewhere(app, id) {
  const out = [];
  for (const [label, step] of [["before", -1], ["after", 1]]) {
    const index = app.stage.graph + step;
    if (index < 0 || index >= app.fn.graphs.length) continue;
    const other = app.fn.follow(id, app.stage.graph, index);
    const graph = app.fn.graphs[index];
    const stage = app.fn.stages.find((each) => each.graph === index);
    const missing = step < 0 ? `not there before ${app.fn.stages.find(
        (each) => each.graph === app.stage.graph).name}` : `gone after ${stage.name}`;
    out.push([label, other < 0 ? missing
                               : [make("button", {class: "node", title: graph.code[other],
                                                  onclick: () => app.goTo(other, stage)},
                                       graph.nameOf(other)), ` (${stage.name})`]]);
  }
  return out;
}

// Where the last graph's nodes lie.
function placement(app, id) {
  const last = app.fn.graphs.length - 1;
  if (app.fn.plan === null) return [];
  const placed = app.fn.follow(id, app.stage.graph, last);
  const buffer = placed < 0 ? -1 : app.fn.graphs[last].buffer[placed];
  if (buffer < 0) {
    const inside = placed >= 0 && app.fn.graphs[last].kernel[placed] >= 0;
    return [["placement", placed < 0 ? "gone before the plan"
                          : inside ? "none: its kernel keeps it to itself" : "none"]];
  }
  return [["placement", bufferText(app.fn.plan, buffer)]];
}
