// What the page shows: the JSON that tools/show/page_data.cpp writes, and questions about it.

addEventListener("error", (event) => {
  document.documentElement.dataset.error = event.message;  // for those who look into it
});

const data = JSON.parse(document.getElementById("data").textContent);
const stringOf = (number) => data.strings[number];

const NO_USE = -1;
const RETURNED = -2;

function bytesText(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let unit = 0;
  while (bytes >= 1024 && unit + 1 < units.length) {
    bytes /= 1024;
    ++unit;
  }
  const digits = unit === 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
  return `${Number(bytes.toFixed(digits))} ${units[unit]}`;
}

const counted = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;

// A function after a pass that changed it. Nodes are numbers; their properties are columns.
class Graph {
  constructor(columns) {
    Object.assign(this, columns);
    this.count = columns.code.length;
    this.returnedNodes = new Set(columns.returned);
    this.parameters = [];
    this.kernels = new Map();  // number -> nodes
    for (let id = 0; id < this.count; ++id) {
      if (this.kindOf(id) === "parameter") this.parameters.push(id);
      const kernel = this.kernel[id];
      if (kernel < 0) continue;
      if (!this.kernels.has(kernel)) this.kernels.set(kernel, []);
      this.kernels.get(kernel).push(id);
    }
  }

  opOf(id) { return stringOf(this.op[id]); }
  kindOf(id) { return stringOf(this.kind[id]); }
  typeOf(id) { return stringOf(this.type[id]); }
  sourceOf(id) { return stringOf(this.source[id]); }
  attributesOf(id) { return stringOf(this.attributes[id]); }
  nameOf(id) { return this.name[id] || this.opOf(id); }

  lastOf(id) {
    const last = this.last[id];
    if (last === RETURNED) return "return";
    return last === NO_USE ? "" : this.nameOf(last).split(",")[0];
  }

  usersOf(id) {
    if (this.users === undefined) {
      this.users = Array.from({length: this.count}, () => []);
      this.operands.forEach((operands, user) => {
        for (const operand of new Set(operands)) this.users[operand].push(user);
      });
    }
    return this.users[id];
  }

  // Whether a node has all that a query asks for.
  matches(id, terms) {
    return terms.every(({field, word, exact}) => {
      const has = (text) =>
          exact ? text.toLowerCase() === word : text.toLowerCase().includes(word);
      if (field === "op") return has(this.opOf(id));
      if (field === "type") return has(this.typeOf(id));
      if (field === "line") return has(this.sourceOf(id));
      if (field === "name") return has(this.name[id]);
      if (field === "kernel") return String(this.kernel[id]) === word;
      return has(this.code[id]) || has(this.sourceOf(id));
    });
  }
}

// "op:matmul f32[64" as a list of what to look for and where; "op:=add" is that and no more.
function termsOf(query) {
  return query.toLowerCase().split(/\s+/).filter((word) => word !== "").map((word) => {
    const found = /^(op|type|line|name|kernel):(=?)(.+)$/.exec(word);
    return found === null ? {field: "", word, exact: false}
                          : {field: found[1], word: found[3], exact: found[2] === "="};
  });
}

// A function of the program, with its stages: graphs, then kernels and plan if there are any.
class ProgramFunction {
  constructor(content) {
    this.name = content.name;
    this.failure = content.failure;
    this.plan = content.plan;
    this.graphs = content.graphs.map((columns) => new Graph(columns));
    this.stages = content.stages.map((stage) => ({...stage, view: "graph"}));
    if (this.plan !== null) {
      this.stages.push({name: "kernels", does: "the kernels as loop nests", view: "kernels"});
      this.stages.push({name: "plan", does: "the steps and their memory", view: "plan"});
    }
    this.changeLists = new Map();
  }

  graphOf(stage) { return this.graphs[stage.graph]; }
  isPlaced(graph) { return graph.buffer !== undefined; }

  // The node of another graph that a node was or became; -1 if it is not there.
  follow(id, from, to) {
    for (; id >= 0 && from > to; --from) id = this.graphs[from].before[id];
    for (; id >= 0 && from < to; ++from) id = this.afterOf(from)[id];
    return id;
  }

  // By node of a graph: what it is in the next one.
  afterOf(index) {
    const graph = this.graphs[index];
    if (graph.after === undefined) {
      graph.after = new Int32Array(graph.count).fill(-1);
      this.graphs[index + 1].before.forEach((was, is) => {
        if (was >= 0) graph.after[was] = is;
      });
    }
    return graph.after;
  }

  // The changes that made a graph, from the one before.
  changesOf(index) {
    if (!this.changeLists.has(index)) {
      this.changeLists.set(index, findChanges(this, index));
    }
    return this.changeLists.get(index);
  }
}

const functions = data.functions.map((content) => new ProgramFunction(content));

// An element with properties and children: texts, elements, or lists of them.
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") {
      element.className = value;
    } else if (name.startsWith("on")) {
      element.addEventListener(name.slice(2), value);
    } else if (name.includes("-") || name === "role") {
      element.setAttribute(name, value);
    } else {
      element[name] = value;
    }
  }
  element.append(...children.flat());
  return element;
}
