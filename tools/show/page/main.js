// The page: which function, stage, view and node are shown, and what keys and clicks do to that.

const $ = (id) => document.getElementById(id);

// A part of an address as it was before encodeURIComponent; one that was never encoded, as it is.
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

class App {
  constructor() {
    this.fn = functions[0];
    this.stage = this.fn.stages[0];
    this.viewName = "list";
    this.node = -1;
    this.terms = [];
    this.allFolds = new Map();  // by graph
    this.views = {list: new ProgramView(this), changes: new ChangesView(this),
                  picture: new PictureView(this), kernels: new KernelsView(this),
                  plan: new PlanView(this)};
    $("search").addEventListener("input", () => this.setQuery($("search").value));
    $("search").addEventListener("keydown", (event) => this.pressInSearch(event));
    $("functions").replaceChildren(...functions.map((each, i) =>
        make("option", {value: i}, `@${each.name}`)));
    $("functions").hidden = functions.length < 2;
    $("functions").addEventListener("change", () => this.setFunction(Number($("functions").value)));
    for (const button of $("views").children) {
      button.addEventListener("click", () => this.setView(button.dataset.view));
    }
    for (const button of $("zoom").children) {
      button.addEventListener("click", () => this.zoom(button.dataset.zoom));
    }
    $("fold").addEventListener("click", () => this.foldAll(true));
    $("unfold").addEventListener("click", () => this.foldAll(false));
    $("help").addEventListener("click", () => $("keys").showModal());
    document.addEventListener("keydown", (event) => this.press(event));
  }

  get graph() { return this.stage.view === "graph" ? this.fn.graphOf(this.stage) : null; }
  get folds() {
    if (!this.allFolds.has(this.graph)) this.allFolds.set(this.graph, new Folds(this.graph));
    return this.allFolds.get(this.graph);
  }
  get view() { return this.views[this.stage.view === "graph" ? this.viewName : this.stage.view]; }

  setFunction(number, stageName = this.stage.name) {
    this.fn = functions[number];
    this.stage = this.fn.stages.find((stage) => stage.name === stageName) ?? this.fn.stages[0];
    this.node = -1;
    $("functions").value = String(number);
    this.show();
  }

  setStage(stage) {
    // The picked node stays picked, under the name it has there.
    if (this.node >= 0 && this.graph !== null && stage.view === "graph") {
      this.node = this.fn.follow(this.node, this.stage.graph, stage.graph);
    } else if (stage.view === "graph" && this.graph === null) {
      this.node = -1;
    }
    this.stage = stage;
    this.show();
  }

  setView(name) {
    this.viewName = name;
    this.show();
  }

  setQuery(query) {
    this.terms = termsOf(query);
    this.view.show();
  }

  search(query) {
    $("search").value = query;
    if (this.viewName === "changes") this.viewName = "list";
    this.terms = termsOf(query);
    this.show();
  }

  setCount(text) { $("count").textContent = text; }
  showDetails(content) { $("details").replaceChildren(...content); }

  pickNode(id) {
    this.node = id;
    this.remember();
    this.showDetails(nodeDetails(this, id));
  }

  // Shows a node, of this stage or of another.
  goTo(id, stage = this.stage) {
    this.stage = stage;
    this.node = id;
    if (this.terms.length !== 0 && !this.graph.matches(id, this.terms)) this.clearSearch();
    const key = this.graph.kindOf(id) === "parameter" ? PARAMETERS : this.graph.kernel[id];
    if (this.viewName !== "picture") this.folds.set(key, false);
    if (this.viewName === "changes") this.viewName = "list";
    this.show();
  }

  clearSearch() {
    $("search").value = "";
    this.terms = [];
  }

  foldAll(folded) {
    this.folds.setAll(folded);
    this.view.show();
  }

  zoom(how) {
    const picture = this.views.picture;
    if (how === "fit") picture.fit();
    else picture.setZoom(picture.zoom * (how === "in" ? 1.25 : 0.8));
  }

  show() {
    const {fn, stage, view} = this;
    $("name").textContent = `@${fn.name}`;
    $("about").textContent = `${data.file}, rank ${data.rank}`;
    $("failure").hidden = fn.failure === "";
    $("failure").textContent = fn.failure === "" ? "" : `There is no plan: ${fn.failure}`;
    const of_graph = stage.view === "graph";
    $("views").hidden = !of_graph;
    $("folding").hidden = !of_graph || this.viewName === "changes" || this.graph.kernels.size === 0;
    $("zoom").hidden = view !== this.views.picture;
    for (const button of $("views").children) {
      button.setAttribute("aria-pressed", String(button.dataset.view === this.viewName));
    }
    $("stages").replaceChildren(...fn.stages.map((each) => this.stageButton(each)));
    $("stages").querySelector("[aria-current]").scrollIntoView({block: "nearest", inline: "nearest"});
    if ($("content").firstChild !== view.elements[0]) $("content").replaceChildren(...view.elements);
    if (of_graph) {
      this.showDetails(this.node >= 0 ? nodeDetails(this, this.node) : this.summary());
    }
    view.show();
    this.remember();
  }

  // The address leads back here: #stage/view/node.
  remember() {
    const parts = [this.stage.name];
    if (this.graph !== null) parts.push(this.viewName);
    if (this.graph !== null && this.node >= 0) parts.push(this.graph.name[this.node]);
    const number = functions.indexOf(this.fn);
    const hash = `#${parts.map(encodeURIComponent).join("/")}`;
    try {
      history.replaceState(null, "", number === 0 ? hash : `${hash}@${number}`);
    } catch {
      // Frames of some pages may not change it, and browsers refuse many changes in a row.
    }
  }

  // Goes where an address leads; what there is not is left out.
  recall(hash) {
    const [path, number] = hash.slice(1).split("@");
    const [stage, view, name] = path.split("/").map(decoded);
    this.setFunction(functions[Number(number)] === undefined ? 0 : Number(number),
                     stage === "" ? data.stage : stage);
    if (this.graph === null) return;
    if (["list", "changes", "picture"].includes(view)) this.viewName = view;
    const node = name === undefined ? -1 : this.graph.name.indexOf(name);
    if (node >= 0 && this.viewName === "list") this.goTo(node);
    else this.node = node;
    this.show();
  }

  stageButton(stage) {
    const current = stage === this.stage;
    let about = stage.view === "plan" ? counted(this.fn.plan.steps.text.length, "step") : "";
    if (stage.view === "graph") {
      const graph = this.fn.graphOf(stage);
      if (stage.name === "trace") {
        about = counted(graph.count, "node");
      } else if (!stage.changed) {
        about = "unchanged";
      } else {
        const {added, removed, changed, kernels} = this.fn.changesOf(stage.graph);
        const parts = [added > 0 ? `+${added}` : "", removed > 0 ? `\u2212${removed}` : "",
                       changed > 0 ? `~${changed}` : "",
                       kernels > 0 ? counted(kernels, "kernel") : ""];
        about = parts.filter((part) => part !== "").join(" ") || "reordered";
      }
    }
    const button = make("button", {class: stage.view === "graph" && !stage.changed ? "same" : "",
                                   title: stage.does, onclick: () => this.setStage(stage)},
                        stage.name, make("small", {}, about || "\u00A0"));
    if (current) button.setAttribute("aria-current", "true");
    return button;
  }

  // What is beside a graph while no node is picked.
  summary() {
    const {graph, stage} = this;
    const kinds = new Map();
    const named = {parameter: "parameters", constant: "constants", compute: "compute",
                   view: "views", collective: "collectives", wait: "waits"};
    for (let id = 0; id < graph.count; ++id) {
      const kind = graph.kindOf(id);
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    const facts = [["nodes", graph.count.toLocaleString("en")],
                   ...[...kinds].map(([kind, count]) => [named[kind], count.toLocaleString("en")]),
                   ["kernels", graph.kernels.size.toLocaleString("en")],
                   ["arguments", bytesText(graph.parameterBytes)]];
    if (graph.peak > 0) {
      facts.push(["most live", [`${bytesText(graph.peak)}, after `, make("button",
          {class: "node", onclick: () => this.goTo(graph.peakAt)}, graph.nameOf(graph.peakAt))]]);
    }
    return [make("h2", {}, stage.name), make("p", {class: "soft"}, `${stage.does}.`),
            make("table", {}, facts.map(([name, value]) => make("tr", {}, make("td", {}, name),
                                                                make("td", {}, ...[value].flat())))),
            make("h3", {}, "signature"), make("pre", {}, graph.signature)];
  }

  pressInSearch(event) {
    if (event.key === "Escape") {
      this.clearSearch();
      this.view.show();
      (this.view.list?.element ?? this.view.element).focus();
    } else if (event.key === "Enter" && this.view === this.views.picture) {
      this.view.next();
    } else if ((event.key === "Enter" || event.key === "ArrowDown") && this.view.list) {
      this.view.list.element.focus();
      this.view.list.choose(Math.max(this.view.list.picked, 0));
    } else {
      return;
    }
    event.preventDefault();
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
    if (event.target.closest("input, select, dialog") !== null) return;
    const at = this.fn.stages.indexOf(this.stage);
    const of_graph = this.stage.view === "graph";
    const views = {l: "list", c: "changes", p: "picture"};
    const zooms = {"+": "in", "=": "in", "-": "out", 0: "fit"};
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key === "/") {
      $("search").focus();
      $("search").select();
    } else if (key === "?") {
      $("keys").showModal();
    } else if (key === "[" && at > 0) {
      this.setStage(this.fn.stages[at - 1]);
    } else if (key === "]" && at + 1 < this.fn.stages.length) {
      this.setStage(this.fn.stages[at + 1]);
    } else if (key in views && of_graph) {
      this.setView(views[key]);
    } else if (key === "f" && of_graph) {
      this.foldAll(!this.folds.all);
    } else if (key in zooms && this.view === this.views.picture) {
      this.zoom(zooms[key]);
    } else {
      return;
    }
    event.preventDefault();
  }
}

const app = new App();
document.title = `@${app.fn.name}, ${data.file}`;
const address = location.hash;
app.recall(address === "#check" ? "" : address);
