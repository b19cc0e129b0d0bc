// What a pass made of the graph before it.

const CONTEXT = 3;  // unchanged lines around a change

// Rows: {id} unchanged or moved, {id, sign: "+"}, {was, sign: "-"}; a node that has other operands
// or attributes is a removed and an added one that belong together (sign "~").
function findChanges(fn, index) {
  const after = fn.graphs[index];
  const before = fn.graphs[index - 1];
  const out = {rows: [], added: 0, removed: 0, changed: 0, moved: 0, kernels: 0};
  const became = fn.afterOf(index - 1);
  const moved = movedNodes(after.before);
  out.moved = moved.size;
  out.kernels = after.kernels.size - before.kernels.size;
  const gone = (was) => {
    out.rows.push({was, sign: "-"});
    ++out.removed;
  };
  let next = 0;  // what is gone from the beginning comes first
  for (; next < before.count && became[next] < 0; ++next) gone(next);
  for (let id = 0; id < after.count; ++id) {
    const was = after.before[id];
    if (was < 0) {
      out.rows.push({id, sign: "+"});
      ++out.added;
      continue;
    }
    if (isSame(after, id, before, was)) {
      out.rows.push({id, sign: moved.has(id) ? "\u2195" : ""});
    } else {
      out.rows.push({was, sign: "~"}, {id, sign: "~"});
      ++out.changed;
    }
    for (let i = was + 1; i < before.count && became[i] < 0; ++i) gone(i);
  }
  return out;
}

function isSame(after, id, before, was) {
  if (after.type[id] !== before.type[was] || after.attributes[id] !== before.attributes[was]) {
    return false;
  }
  const operands = after.operands[id];
  const old = before.operands[was];
  return operands.length === old.length &&
      operands.every((operand, i) => after.before[operand] === old[i]);
}

// The nodes outside a longest run of nodes that keep their order.
function movedNodes(before) {
  const tails = [];  // the last node of the best run of each length
  const previous = new Int32Array(before.length).fill(-1);
  before.forEach((was, id) => {
    if (was < 0) return;
    let low = 0;
    for (let high = tails.length; low < high;) {
      const middle = (low + high) >> 1;
      if (before[tails[middle]] < was) low = middle + 1;
      else high = middle;
    }
    if (low > 0) previous[id] = tails[low - 1];
    tails[low] = id;
  });
  const kept = new Set();
  for (let id = tails.length === 0 ? -1 : tails[tails.length - 1]; id >= 0; id = previous[id]) {
    kept.add(id);
  }
  const moved = new Set();
  before.forEach((was, id) => {
    if (was >= 0 && !kept.has(id)) moved.add(id);
  });
  return moved;
}

class ChangesView {
  constructor(app) {
    this.app = app;
    this.shown = new Set();  // the rests that were opened, by graph and first row
    this.note = make("div", {class: "note"});
    this.list = new List({
      label: "changes",
      render: (row) => this.row(row),
      pick: (row) => this.pick(row),
      fold: (row) => this.open(row),
    });
    this.elements = [this.note, columnHeads(), this.list.element];
  }

  show() {
    const {stage, fn, graph, terms} = this.app;
    if (stage.graph === 0 || !stage.changed) {
      this.note.textContent = stage.graph === 0 && stage.name === "trace"
          ? "This is the first stage: choose a pass to see what it changed."
          : `${stage.name} changed nothing.`;
      this.list.setRows([]);
      this.app.setCount("");
      return;
    }
    const changes = fn.changesOf(stage.graph);
    const parts = [`${changes.added} added`, `${changes.removed} removed`,
                   `${changes.changed} changed`, `${changes.moved} moved`];
    if (changes.kernels > 0) parts.push(counted(changes.kernels, "kernel") + " formed");
    this.note.textContent = `${stage.name}: ${parts.join(", ")}. It ${stage.does}.`;
    const before = fn.graphs[stage.graph - 1];
    const rows = terms.length === 0
        ? this.withContext(changes.rows)
        : changes.rows.filter((row) => row.id === undefined ? before.matches(row.was, terms)
                                                            : graph.matches(row.id, terms));
    const picked = rows.findIndex((row) => row.id === this.app.node && row.id !== undefined);
    this.list.setRows(rows, picked);
    if (picked >= 0) this.list.reveal(picked);
    this.app.setCount(terms.length === 0 ? "" : counted(rows.length, "line"));
  }

  // Without the rows that are far from any change.
  withContext(rows) {
    const near = new Uint8Array(rows.length);
    rows.forEach((row, i) => {
      if (row.sign === "") return;
      near.fill(1, Math.max(0, i - CONTEXT), Math.min(rows.length, i + CONTEXT + 1));
    });
    const out = [];
    for (let i = 0; i < rows.length;) {
      let end = i;
      while (end < rows.length && near[end] === 0) ++end;
      const key = `${this.app.stage.graph} ${i}`;
      if (end - i > 1 && !this.shown.has(key)) {
        out.push({rest: end - i, key});
      } else {
        out.push(...rows.slice(i, end));
      }
      i = end;
      if (i < rows.length) out.push(rows[i++]);
    }
    return out;
  }

  row(row) {
    if (row.rest !== undefined) {
      return make("div", {class: "row rest"}, cell("code", `\u22EF ${counted(row.rest, "node")} as before`));
    }
    const old = row.id === undefined;
    const graph = old ? this.app.fn.graphs[this.app.stage.graph - 1] : this.app.graph;
    const id = old ? row.was : row.id;
    const style = row.sign === "-" || (row.sign === "~" && old) ? "removed"
        : row.sign === "+" || row.sign === "~" ? "added" : "";
    const sign = row.sign === "~" ? (old ? "-" : "+") : row.sign;
    return make("div", {class: `row ${style}`},
                cell("code", cell("sign", sign), ...codeOf(graph, id)), nodeCells(graph, id));
  }

  pick(row) {
    if (row.id !== undefined) this.app.pickNode(row.id);
  }

  open(row) {
    if (row.rest === undefined) return false;
    this.shown.add(row.key);
    this.show();
    return true;
  }
}
