// Opened with #check, the page tries itself out and says in the document how that went; the tests
// read it (tests/tools/show/page_test.cpp). The program has to have a kernel and a changed stage.

function checkPage() {
  let checks = 0;
  const expect = (holds, what) => {
    ++checks;
    if (!holds) throw new Error(what);
  };
  const rows = () => [...document.querySelectorAll("#content .row")];
  const stage = (name) => {
    const button = [...$("stages").children].find((each) => each.firstChild.data === name);
    expect(button !== undefined, `there is a stage ${name}`);
    button.click();
  };
  const press = (key) => document.body.dispatchEvent(
      new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
  const search = (query) => {
    $("search").value = query;
    $("search").dispatchEvent(new Event("input"));
  };

  stage("trace");
  expect($("stages").querySelector("[aria-current]").firstChild.data === "trace", "trace is chosen");
  const whole = app.graph;
  expect(rows().length > 0, "nodes are shown");
  expect(rows().length < 300, "only rows in view are in the document");

  // Search by op, name, type and source line.
  const last = whole.count - 1;
  for (const [query, column] of [[`op:${whole.opOf(last)}`, "opOf"],
                                 [`type:${whole.typeOf(last).split(" ").pop()}`, "typeOf"],
                                 [`line:${whole.sourceOf(last)}`, "sourceOf"]]) {
    const word = query.slice(query.indexOf(":") + 1);
    if (word === "") continue;
    search(query);
    const found = app.view.list.rows;
    expect(found.length > 0 && found.length <= whole.count, `${query} finds something`);
    expect(found.every((row) => whole[column](row.id).toLowerCase().includes(word.toLowerCase())),
           `${query} finds nothing else`);
  }
  const place = whole.source.map(stringOf).find((each) => /^\S+$/.test(each));
  if (place !== undefined) {
    search(`line:=${place}`);
    const found = app.view.list.rows;
    expect(found.length > 0 && found.every((row) => whole.sourceOf(row.id) === place),
           "a whole line is no beginning of another");
  }
  search("no such word");
  expect(rows().length === 0 && $("count").textContent.startsWith("0 of "), "nothing is found");
  search("");
  expect(rows().length > 0, "the end of a search shows all");

  // A click shows details; a click on an operand goes there.
  search(whole.name[last].split(",")[0]);
  rows()[rows().length - 1].click();
  expect($("details").querySelector("h2").textContent !== "", "details have a title");
  const operand = $("details").querySelector("table button.node");
  if (operand !== null) operand.click();
  app.clearSearch();
  app.show();

  // Folding.
  const fused = app.fn.stages.find((each) => each.view === "graph" &&
                                   app.fn.graphOf(each).kernels.size > 0);
  expect(fused !== undefined, "a stage has kernels");
  stage(fused.name);
  app.foldAll(false);
  const unfolded = app.view.list.rows.length;
  $("fold").click();
  const folded = app.view.list.rows.length;
  expect(folded < unfolded, "folded kernels have fewer rows");
  app.view.list.choose(app.view.list.rows.findIndex((row) => row.fold !== undefined &&
                                                    row.fold !== PARAMETERS));
  rows().find((row) => row.classList.contains("picked")).querySelector(".caret").click();
  expect(app.view.list.rows.length > folded, "a click unfolds a kernel");
  press("f");
  press("f");
  expect(app.view.list.rows.length === unfolded, "F folds and unfolds all");

  // What a pass changed.
  const changed = app.fn.stages.find((each) => each.view === "graph" && each.graph > 0);
  expect(changed !== undefined, "a pass changed something");
  stage(changed.name);
  press("c");
  expect(rows().length > 0 || app.fn.changesOf(changed.graph).rows.every((row) => row.sign === ""),
         "changes are shown");
  const {added, removed} = app.fn.changesOf(changed.graph);
  expect(app.fn.graphs[changed.graph].count - app.fn.graphs[changed.graph - 1].count ===
         added - removed, "what is added and removed makes the difference in nodes");

  // The picture.
  press("p");
  expect(document.querySelectorAll(".picture g").length > 0, "boxes are drawn");
  document.querySelector(".picture g rect").dispatchEvent(new MouseEvent("click", {bubbles: true}));
  expect(document.querySelector(".picture g.picked") !== null, "a click picks a box");
  press("l");

  // Every stage can be shown, forwards and backwards.
  stage("trace");
  for (const each of app.fn.stages.slice(1)) {
    press("]");
    expect(app.stage === each, `] goes to ${each.name}`);
  }
  if (app.fn.plan !== null) {
    expect(app.stage.name === "plan", "the plan comes last");
    expect(rows().length > 0 || app.fn.plan.steps.text.length === 0, "steps are shown");
    const sum = app.fn.plan.local[app.view.step] + app.fn.plan.comm[app.view.step];
    expect(app.fn.plan.local.every((local, i) => local + app.fn.plan.comm[i] <= sum),
           "the plan begins where most is held");
    const {local, comm, output, buffers, steps} = app.fn.plan;
    for (const i of steps.text.length === 0 ? [] : [0, app.view.step]) {
      const held = buffersAt(app.fn.plan, i).reduce((all, buffer) => all + buffers.bytes[buffer], 0);
      expect(held === local[i] + comm[i] + output[i], `the buffers at step ${i} are what is held`);
    }
    const value = $("details").querySelector("table.all button.node");
    if (value !== null) {
      value.click();
      expect(app.stage.view === "graph" && app.node >= 0, "a buffer leads to its node");
      stage("plan");
    }
  }
  for (let i = 1; i < app.fn.stages.length; ++i) press("[");
  expect(app.stage.name === "trace", "[ goes back to the trace");
  app.recall("#100%/list");  // throws nothing
  expect(app.stage !== undefined, "an address that can't be decoded leads somewhere");
  functions.forEach((each, i) => {
    app.setFunction(i);
    expect($("name").textContent === `@${each.name}`, "every function can be shown");
  });
  return checks;
}

if (address === "#check") {
  let outcome;
  const before = performance.now();
  try {
    outcome = `passed ${checkPage()} checks`;
  } catch (error) {
    outcome = `failed: ${error.message}\n${error.stack}`;
  }
  document.documentElement.dataset.milliseconds = String(Math.round(performance.now() - before));
  document.body.append(make("pre", {id: "check"}, outcome));
}
